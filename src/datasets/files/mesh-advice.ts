import type { NamedShape } from "../../files/name-list.js";
import { plainName } from "./array-names.js";

/** An array of a file as far as it tells whether samples have meshes of their own. */
export interface MeshCandidate extends NamedShape {
  /** Whether its entries are arrays of different lengths, as NumPy's object arrays are. */
  readonly ragged?: boolean;
}

/** The page that the advice names. */
const PAGE = "docs/descriptors.md";
/** Names of arrays that hold the points of meshes. */
const MESHES =
  /^(points?|coords?|coordinates?|mesh|meshes|mesh_?pos|nodes?|node_?pos|vertices|vertex|positions?|pos|locations?|xy|xyz)$/i;
/** `x`, `coord_x` and `NACA_Cylinder_X`: what stands before the axis, and the axis. */
const COMPONENT = /^(?:(.*)[-_ ])?([xyz])(?:[-_ ]?(?:coords?|coordinates?))?$/i;
const DIMENSIONS = [2, 3];
/** Fewer points than this are rather a few numbers of each sample. */
const FEWEST_POINTS = 4;
/** More numbers than this of a sample are rather a field than descriptors. */
const MOST_DESCRIPTORS = 64;
/** More entries than this of an axis behind a grid are rather samples than channels. */
const MOST_CHANNELS = 16;
const MOST_NAMED = 3;

/**
 * One line of advice for a file whose samples have meshes of their own, as airfoils do; undefined for other files. Values at
 * different points cannot be compared, so that bins of such fields would mean nothing.
 *
 * Shapes and names decide. `samples` is the number of samples if it is known; they lie along the first or the last axis.
 */
export function meshAdvice(arrays: readonly MeshCandidate[], samples?: number): string | undefined {
  const found = meshArrays(arrays, samples);
  if (found === undefined) return undefined;
  const { names, count } = found;
  const one = names.length === 1;
  const which = `${list(names)} ${one ? "has" : "have"} points of ${one ? "its" : "their"} own for each of ${count} samples`;
  const choices = descriptors(arrays, names, count);
  const example = choices.length > 0 ? `, such as --responses ${choices[0]}` : "";
  return (
    `${which}: on a mesh per sample, values at the same place of the array belong to different points and cannot be compared. ` +
    `Partition by descriptors (lift, drag, POD coefficients)${example}: see ${PAGE}`
  );
}

interface Meshes {
  readonly names: readonly string[];
  readonly count: number;
}

function meshArrays(arrays: readonly MeshCandidate[], samples: number | undefined): Meshes | undefined {
  return listedPoints(arrays, samples) ?? componentPairs(arrays, samples) ?? raggedArrays(arrays, samples);
}

/** An array `coords` of samples x points x 2 or 3, or with its samples along the last axis. */
function listedPoints(arrays: readonly MeshCandidate[], samples: number | undefined): Meshes | undefined {
  for (const { name, shape } of arrays) {
    if (shape === undefined || !MESHES.test(baseName(name))) continue;
    for (const [count, grid] of sampleReadings(shape, samples)) {
      const hasDimension = DIMENSIONS.includes(grid.at(-1)!) || DIMENSIONS.includes(grid[0]);
      if (
        grid.length >= 2 &&
        hasDimension &&
        size(grid) / 2 >= FEWEST_POINTS &&
        isCounted(arrays, name, count, samples)
      )
        return { names: [name], count };
    }
  }
  return undefined;
}

/** Arrays `x` and `y` of samples x points, beside fields on the same points: alone they are inputs and responses. */
function componentPairs(arrays: readonly MeshCandidate[], samples: number | undefined): Meshes | undefined {
  const components = arrays.flatMap((array) => {
    const [, before = "", axis] = COMPONENT.exec(baseName(array.name)) ?? [];
    const shape = array.shape;
    return axis === undefined || shape === undefined || shape.length < 2
      ? []
      : [{ name: array.name, shape, before, axis: axis.toLowerCase() }];
  });
  for (const x of components.filter(({ axis }) => axis === "x")) {
    const partners = components.filter(
      ({ axis, before, shape }) => axis !== "x" && before === x.before && isSame(shape, x.shape),
    );
    if (!partners.some(({ axis }) => axis === "y")) continue;
    const names = [x.name, ...partners.map(({ name }) => name)];
    const others = arrays.filter(({ name }) => !names.includes(name));
    if (others.some(({ shape }) => shape && isGridOf(x.shape, shape))) continue;
    const readings = sampleReadings(x.shape, samples);
    if (readings.some(([, grid]) => areLines(grid, names.length, others))) continue;
    for (const [count, grid] of readings) {
      const isField = ({ name, shape }: MeshCandidate) =>
        shape !== undefined &&
        !/mask/i.test(baseName(name)) &&
        sampleReadings(shape, count).some(([, other]) => contains(other, grid));
      if (size(grid) >= FEWEST_POINTS && others.some(isField)) return { names, count };
    }
  }
  return undefined;
}

/** Whether coordinates are the lines of a grid, repeated for each sample: a field has an axis for each of them. */
function areLines(grid: readonly number[], count: number, others: readonly MeshCandidate[]): boolean {
  if (grid.length !== 1) return false;
  return others.some(
    ({ shape = [] }) => shape.slice(1).filter((length) => length === grid[0]).length >= count,
  );
}

/** Several arrays with as many entries, each an array of its own length. */
function raggedArrays(arrays: readonly MeshCandidate[], samples: number | undefined): Meshes | undefined {
  const ragged = arrays.filter(({ ragged: isRagged, shape }) => isRagged && shape?.length === 1);
  const named = ragged.find(
    ({ name, shape }) => MESHES.test(baseName(name)) && (samples === undefined || shape![0] === samples),
  );
  if (named) return { names: [named.name], count: named.shape![0] };
  // An object array of two entries is DeepXDE's: inputs of branch and trunk.
  const alike = ragged.filter(({ shape }) => shape![0] === (samples ?? ragged[0].shape![0]) && shape![0] > 2);
  if (alike.length < 2) return undefined;
  return { names: alike.slice(0, MOST_NAMED).map(({ name }) => name), count: alike[0].shape![0] };
}

/** Number of samples and grid of an array, with samples along its first or its last axis. */
function sampleReadings(
  shape: readonly number[],
  samples: number | undefined,
): (readonly [count: number, grid: readonly number[]])[] {
  const readings = [[shape[0], shape.slice(1)] as const, [shape.at(-1)!, shape.slice(0, -1)] as const];
  return readings.filter(([count]) => samples === undefined || count === samples);
}

/** Whether the first number counts samples: it is known to, or another array has as many. */
function isCounted(
  arrays: readonly MeshCandidate[],
  name: string,
  count: number,
  samples: number | undefined,
): boolean {
  if (samples !== undefined) return count === samples;
  return arrays.some(
    (other) => other.name !== name && (other.shape?.[0] === count || other.shape?.at(-1) === count),
  );
}

/** Arrays with a few numbers of each sample. */
function descriptors(arrays: readonly MeshCandidate[], taken: readonly string[], count: number): string[] {
  return arrays
    .filter(({ name, shape, ragged }) => {
      if (ragged || shape === undefined || taken.includes(name)) return false;
      return shape[0] === count && shape.length <= 2 && (shape[1] ?? 1) <= MOST_DESCRIPTORS;
    })
    .sort((a, b) => Number(isDescriptor(b.name)) - Number(isDescriptor(a.name)))
    .map(({ name }) => name);
}

const isDescriptor = (name: string): boolean =>
  /desc|feature|coeff|pod|drag|lift|^c[dlm]$|stat/i.test(baseName(name));

const baseName = (name: string): string => (plainName(name).split("/").at(-1) ?? "").replace(/\.\w+$/, "");
const size = (grid: readonly number[]): number => grid.reduce((product, length) => product * length, 1);
const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((length, i) => length === b[i]);

/** Whether a grid stands in a shape as it is, before or behind channels and times. */
function contains(shape: readonly number[], grid: readonly number[]): boolean {
  return shape.some((_, start) => isSame(shape.slice(start, start + grid.length), grid));
}

/** Whether a shape without samples is the grid of a field: the field has samples before it, or many of them behind it. */
function isGridOf(grid: readonly number[], field: readonly number[]): boolean {
  if (field.length <= grid.length) return false;
  const isBehind = field.some((_, i) => i > 0 && isSame(field.slice(i, i + grid.length), grid));
  return isBehind || (isSame(field.slice(0, grid.length), grid) && field[grid.length] > MOST_CHANNELS);
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
