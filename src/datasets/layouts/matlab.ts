import { axisOf, viewOf } from "../arrays/view.js";
import type { Layout } from "./layout.js";

/** Arrays that are looked at to recognise a file of MATLAB, all of whose variables have a class. */
const MOST_TRIED = 20;

/** MATLAB's version 7.3 stores axes in reverse order: they are read in MATLAB's own. Only MATLAB's variables are data. */
export const matlabLayout: Layout = {
  name: "matlab",
  words: "axes in MATLAB's order",
  applies: async (file) => {
    if (file.format !== "hdf5") return false;
    const readable = (await file.list()).filter(({ shape }) => shape !== undefined);
    for (const { name } of readable.slice(0, MOST_TRIED))
      if (isVariable((await file.array(name)).attributes)) return true;
    return false;
  },
  arranged: async (file) => {
    const stored = await file.list();
    const known = new Map<string, boolean>();
    for (const { name, shape } of stored)
      if (shape !== undefined) known.set(name, isVariable((await file.array(name)).attributes));
    const isReversed = (name: string) => known.get(name) === true;
    return {
      ...file,
      list: async () =>
        stored
          .filter(({ name, shape }) => shape === undefined || isReversed(name))
          .map((one) => (one.shape ? { ...one, shape: [...one.shape].reverse() } : one)),
      array: async (name) => {
        const array = await file.array(name);
        const { MATLAB_class: _, ...attributes } = array.attributes;
        if (!isReversed(name)) return array;
        const axes = array.shape.map((_, axis) => axisOf(array, axis)).reverse();
        return { ...viewOf({ ...array, attributes }, axes), attributes };
      },
    };
  },
};

const isVariable = (attributes: Readonly<Record<string, unknown>>): boolean =>
  attributes.MATLAB_class !== undefined;
