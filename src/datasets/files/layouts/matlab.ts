import { FormatError } from "../../../errors.js";
import type { NamedShape } from "../../../files/name-list.js";
import type { ArrayFile } from "../array-file.js";
import { plainName } from "../array-names.js";
import { asVector, vectorShape } from "../arrays/vectors.js";
import { axisOf, viewOf } from "../arrays/view.js";
import type { Layout } from "./layout.js";

/** Arrays that are looked at to recognise a file of MATLAB, all of whose variables have a class. */
const MOST_TRIED = 20;
const NUMBERS = /^(double|single|logical|u?int(8|16|32|64))$/;
/** Where MATLAB keeps the contents of cells and objects. */
const INTERNAL = /^#(refs|subsystem)#\//;

/**
 * MATLAB's version 7.3 stores axes in reverse order: they are read in MATLAB's own, and rows and columns as vectors. Only
 * MATLAB's variables are data.
 */
export const matlabLayout: Layout = {
  name: "matlab",
  words: "axes in MATLAB's order",
  applies: async (file) =>
    file.format === "hdf5" &&
    variables(await file.list())
      .filter(({ shape }) => shape !== undefined)
      .slice(0, MOST_TRIED)
      .some(({ name }) => classOf(file, name) !== undefined),
  arranged: async (file) => {
    const listed = variables(await file.list()).flatMap((one): NamedShape[] => {
      if (one.shape === undefined) return [one];
      const found = classOf(file, one.name);
      if (found === undefined) return []; // not written by MATLAB
      if (isEmpty(file, one.name)) return [{ name: one.name, problem: "is empty" }];
      if (!NUMBERS.test(found))
        return [{ name: one.name, problem: `holds no numbers but MATLAB's ${found}` }];
      return [vectorShape({ ...one, shape: [...one.shape].reverse() })];
    });
    const known = new Map(listed.map((one) => [one.name, one]));
    return {
      ...file,
      list: async () => listed,
      array: async (name) => {
        const { shape, problem } = known.get(name) ?? {};
        if (shape === undefined && problem !== undefined)
          throw new FormatError(`${file.path}:${name} cannot be read: ${problem}`);
        const array = await file.array(name);
        if (shape === undefined) return array;
        const { MATLAB_class: _, ...attributes } = array.attributes;
        const axes = array.shape.map((_, axis) => axisOf(array, axis)).reverse();
        return asVector(viewOf({ ...array, attributes }, axes));
      },
    };
  },
};

const variables = (present: readonly NamedShape[]): readonly NamedShape[] =>
  present.filter(({ name }) => !INTERNAL.test(plainName(name)));

function classOf(file: ArrayFile, name: string): string | undefined {
  const found = file.groupAttributes?.(name).MATLAB_class;
  return found === undefined ? undefined : String(found);
}

/** Of an empty array MATLAB stores the lengths of its axes in place of numbers. */
const isEmpty = (file: ArrayFile, name: string): boolean =>
  Boolean(file.groupAttributes?.(name).MATLAB_empty);
