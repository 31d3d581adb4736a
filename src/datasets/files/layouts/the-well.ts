import type { ArrayFile, NamedArray } from "../array-file.js";
import { plainName } from "../array-names.js";
import { axisOf, type ViewAxis, viewOf } from "../arrays/view.js";
import type { Layout } from "./layout.js";

const FIELD = /^t([012])_fields\/[^/]+$/;
const SCALAR = /^scalars\/([^/]+)$/;
const SPACE = ["x", "y", "z", "r", "theta", "phi"];

/**
 * The Well (docs/data_format.md of its repository): trajectories x times x space, then components. A field that does not
 * vary along an axis lacks it in the file, or has one place along it; here all fields have all axes.
 */
export const theWellLayout: Layout = {
  name: "the-well",
  words: "The Well: trajectories, times, space, components",
  applies: async (file) =>
    file.format === "hdf5" &&
    file.attributes.n_trajectories !== undefined &&
    (await file.list()).some(({ name }) => FIELD.test(plainName(name))),
  arranged: async (file) => {
    const { n_trajectories: trajectories, n_spatial_dims: _, ...said } = file.attributes;
    const axes = await fieldAxes(file, Number(trajectories));
    const opened = async (name: string) => {
      const array = await file.array(name);
      const order = FIELD.exec(plainName(name))?.[1];
      return order === undefined ? array : withAllAxes(array, axes, Number(order));
    };
    const list = await Promise.all(
      (await file.list()).map(async (one) =>
        one.shape !== undefined && FIELD.test(plainName(one.name))
          ? { ...one, shape: (await opened(one.name)).shape }
          : one,
      ),
    );
    const attributes = { ...(await parametersOf(file)), ...said };
    return { ...file, attributes, list: async () => list, array: opened };
  },
};

/** An axis that every field has: samples, time, or one of space, with its coordinates where all samples share them. */
interface FieldAxis {
  readonly name: string;
  readonly length: number;
  readonly scale?: string;
}

async function fieldAxes(file: ArrayFile, trajectories: number): Promise<readonly FieldAxis[]> {
  const present = await file.list();
  const dimension = (name: string) => present.find((one) => plainName(one.name) === `dimensions/${name}`);
  const stated = present.some(({ name }) => plainName(name).startsWith("dimensions/"))
    ? listOf(file.groupAttributes?.("dimensions").spatial_dims)
    : [];
  const space = stated.length > 0 ? stated : SPACE.filter((name) => dimension(name)?.shape !== undefined);
  const axis = (name: string, stored: string): FieldAxis => {
    const { name: scale, shape = [1] } = dimension(stored) ?? {};
    return { name, length: shape.at(-1) ?? 1, ...(shape.length === 1 && scale !== undefined && { scale }) };
  };
  return [
    { name: "sample", length: trajectories },
    axis("t", "time"),
    ...space.map((name) => axis(name, name)),
  ];
}

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? value : [];

/** A tensor field of the given order with all axes: what it lacks is repeated, and its components are one axis. */
function withAllAxes(array: NamedArray, axes: readonly FieldAxis[], order: number): NamedArray {
  const { sample_varying, time_varying, dim_varying } = array.attributes;
  const varies = axes.map((_, i) =>
    i === 0 ? sample_varying !== 0 : i === 1 ? time_varying !== 0 : !isFalse(dim_varying, i - 2),
  );
  const varying = varies.filter(Boolean).length;
  const components = array.shape.length - varying;
  // Some files keep an axis of one place for what does not vary.
  const hasAll = array.shape.length === axes.length + order && varying < axes.length;
  if (!hasAll && (components < 0 || components > order || (order > 0 && components === 0))) return array;
  let stored = 0;
  const viewed: ViewAxis[] = axes.map(({ name, length }, i) => {
    if (varies[i]) return { ...axisOf(array, stored++), name };
    if (hasAll) stored++;
    return { axis: undefined, length, name };
  });
  while (stored < array.shape.length) viewed.push({ ...axisOf(array, stored++), name: "component" });
  const view = viewOf({ ...array, scales: [] }, viewed);
  const scales = axes.map(({ scale, length }, i) => (view.shape[i] === length ? scale : undefined));
  return componentsAsOne({ ...view, scales }, axes.length);
}

const isFalse = (value: unknown, i: number): boolean => Array.isArray(value) && value[i] === 0;

/** Components of a matrix along one axis. */
function componentsAsOne(array: NamedArray, grid: number): NamedArray {
  const components = array.shape.slice(grid);
  if (components.length < 2) return array;
  const names = array.attributes.DIMENSION_LABELS as readonly string[];
  return {
    ...array,
    shape: [...array.shape.slice(0, grid), components.reduce((a, b) => a * b)],
    attributes: { ...array.attributes, DIMENSION_LABELS: names.slice(0, grid + 1) },
    readBox: undefined, // rows are the same numbers; boxes are not
  };
}

/** Scalars that all trajectories share. Those of each trajectory are columns. */
async function parametersOf(file: ArrayFile): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (const { name, shape } of await file.list()) {
    const scalar = SCALAR.exec(plainName(name))?.[1];
    if (scalar === undefined || shape?.length !== 0) continue;
    found[scalar] = Number((await (await file.array(name)).read(0, 1))[0]);
  }
  return found;
}
