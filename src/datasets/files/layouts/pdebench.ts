import type { NamedShape } from "../../../files/name-list.js";
import type { ArrayFile, NamedArray } from "../array-file.js";
import { plainName } from "../array-names.js";
import type { Layout } from "./layout.js";

const FIELDS = /^(tensor|density|pressure|V[xyz])$/;
const AXES = ["x", "y", "z"] as const;

type Shapes = ReadonlyMap<string, NamedShape>;

/**
 * PDEBench's files. Those in one to three dimensions are samples x times x space, with coordinates in arrays of their own.
 * Those of time have one more entry than there are frames (its last is the end of the simulation), so that lengths alone do
 * not tell what belongs to what. The incompressible flows are samples x times x plane x components, with a force without times.
 */
export const pdebenchLayout: Layout = {
  name: "pdebench",
  words: "PDEBench: samples, times, space",
  applies: async (file) => {
    if (file.format !== "hdf5") return false;
    const shapes = await shapesOf(file);
    const hasFields = [...shapes.keys()].some((name) => FIELDS.test(name));
    return (
      (shapes.has("x-coordinate") && shapes.has("t-coordinate") && hasFields) || isIncompressible(shapes)
    );
  },
  arranged: async (file) => {
    const shapes = await shapesOf(file);
    const isFlow = isIncompressible(shapes);
    return {
      ...file,
      array: async (name) => {
        const array = await file.array(name);
        if (isFlow) return ofFlow(array, plainName(name));
        return FIELDS.test(plainName(name)) ? withScales(array, shapes) : array;
      },
    };
  },
};

const shapesOf = async (file: ArrayFile): Promise<Shapes> =>
  new Map((await file.list()).map((one) => [plainName(one.name), one]));

/** Axes of the arrays of incompressible flows, as PDEBench's `data_io.py` writes them. */
const FLOW: Readonly<Record<string, readonly string[]>> = {
  velocity: ["sample", "t", "x", "y", "component"],
  particles: ["sample", "t", "x", "y", "component"],
  force: ["sample", "x", "y", "component"],
};

/** Whether a file has a flow, its particles, its force, and the times of each sample. */
function isIncompressible(shapes: Shapes): boolean {
  const isThere = ([name, axes]: readonly [string, readonly string[]]) => {
    const shape = shapes.get(name)?.shape;
    return shape?.length === axes.length;
  };
  return Object.entries(FLOW).every(isThere) && shapes.get("t")?.shape?.length === 2;
}

function ofFlow(array: NamedArray, name: string): NamedArray {
  const axes = FLOW[name];
  return axes === undefined
    ? array
    : { ...array, attributes: { ...array.attributes, DIMENSION_LABELS: axes } };
}

/** A field with the names and coordinates of its axes, where they fit. */
function withScales(array: NamedArray, shapes: Shapes): NamedArray {
  const space = array.shape.length - 2;
  if (space < 1 || space > AXES.length) return array;
  const lines = AXES.slice(0, space).map((axis) => shapes.get(`${axis}-coordinate`));
  const fits = lines.every((line, i) => line?.shape?.join() === String(array.shape[i + 2]));
  if (!fits) return array;
  const times = shapes.get("t-coordinate");
  const frames = array.shape[1];
  const [length = 0] = times?.shape ?? [];
  const time =
    length === frames ? times?.name : length === frames + 1 ? `${times?.name}[0:${frames}]` : undefined;
  return {
    ...array,
    attributes: { ...array.attributes, DIMENSION_LABELS: ["sample", "t", ...AXES.slice(0, space)] },
    scales: [undefined, time, ...lines.map((line) => line?.name)],
  };
}
