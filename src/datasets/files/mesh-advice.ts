import type { NamedShape } from "../../files/name-list.js";
import { elements } from "../../numerics/shape.js";
import { plainName } from "./array-names.js";
import { raggedMembers } from "./layouts/groups.js";

/** An array of a file as far as it tells whether samples have meshes of their own. */
export type MeshCandidate = NamedShape;

/** The page that the advice names. */
const PAGE = "docs/descriptors.md";
/** Names of arrays that hold the points of meshes. */
const MESHES =
  /^(points?|coords?|coordinates?|mesh|meshes|mesh_?pos|nodes?|node_?pos|vertices|vertex|positions?|pos|locations?|xy|xyz)$/i;
/** `x`, `coord_x` and `NACA_Cylinder_X`: what comes before the axis, and the axis. */
const COMPONENT = /^(?:(.*)[-_ ])?([xyz])(?:[-_ ]?(?:coords?|coordinates?))?$/i;
/** A prefix that every array of some data has, as files of Geo-FNO do: `NACA_Cylinder` of `NACA_Cylinder_X`. */
const DATA_NAME = /^[A-Z]\w*$/;
const DIMENSIONS = [2, 3];
/** Fewer points than this are rather a few numbers of each sample. */
const FEWEST_POINTS = 4;
/** More numbers than this of a sample are rather a field than descriptors. */
const MOST_DESCRIPTORS = 64;
/** More entries than this of an axis behind a grid are rather samples than channels. */
const MOST_CHANNELS = 16;
const MOST_NAMED = 3;

/** What should be known of a file whose samples have meshes of their own. */
export interface MeshAdvice {
  /** One line that names the arrays and the way out. */
  readonly line: string;
  /** Whether names leave no doubt; arrays called just `x` and `y` may also be inputs and responses. */
  readonly isCertain: boolean;
  /** Arrays of the file with a few numbers for each sample, the likeliest first. */
  readonly descriptors: readonly string[];
}

/**
 * Advice for a file whose samples have meshes of their own, as airfoils do; undefined for other files. Values at different
 * points cannot be compared, so that bins of such fields would mean nothing.
 *
 * Shapes and names decide. `samples` is the number of samples if it is known; they lie along the first or the last axis.
 */
export function meshAdvice(arrays: readonly MeshCandidate[], samples?: number): MeshAdvice | undefined {
  const all = [...arrays, ...raggedMembers(arrays), ...raggedObjects(arrays)];
  const found = meshArrays(all, samples);
  if (found === undefined) return pointAdvice(arrays);
  const { count, isCertain } = found;
  const names = found.names.map(plainName);
  const [have, own] = names.length === 1 ? ["has", "its"] : ["have", "their"];
  const points = `points of ${own} own for each of ${count} samples`;
  const which = isCertain ? `${list(names)} ${have} ${points}` : `${list(names)} may be ${points}`;
  const choices = descriptors(arrays, names, count);
  const example = choices.length > 0 ? `, such as --responses ${choices[0]}` : "";
  const line =
    `${which}: on a mesh per sample, values at the same place of the array belong to different points and cannot be compared. ` +
    `Partition by descriptors (lift, drag, POD coefficients)${example}: see ${PAGE}`;
  return { line, isCertain, descriptors: choices };
}

/** Points and numbers of DeepXDE's triples, whose inputs would be read without the points. */
const TRIPLES = [
  { functions: "X_train0", points: "X_train1", values: "y_train" },
  { functions: "X/0", points: "X/1", values: "y" },
];

/** Advice for DeepXDE's triples with a point for each sample: a function, one point, and the number there. */
function pointAdvice(arrays: readonly MeshCandidate[]): MeshAdvice | undefined {
  const shapeOf = (name: string) => arrays.find((one) => plainName(one.name) === name)?.shape;
  for (const { functions, points, values } of TRIPLES) {
    const [a, p, u] = [functions, points, values].map(shapeOf);
    if (!a || !p || !u || p.length !== 2) continue;
    const isOneNumber = elements(u.slice(1)) === 1;
    if (!isOneNumber || a[0] !== u[0] || p[0] !== u[0] || u[0] < 2) continue;
    const line =
      `each of the ${u[0]} samples has a point of its own (${points}) and one number there (${values}), which means little ` +
      `without the point. Gather the samples of each function into one row: ${functions} functions x sensors, ${points} ` +
      `points x dimensions, ${values} functions x points. Or partition by descriptors: see ${PAGE}`;
    return { line, isCertain: true, descriptors: [] };
  }
  return undefined;
}

interface Meshes {
  readonly names: readonly string[];
  readonly count: number;
  readonly isCertain: boolean;
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
        elements(grid) / 2 >= FEWEST_POINTS &&
        isCounted(arrays, name, count, samples)
      )
        return { names: [name], count, isCertain: true };
    }
  }
  return undefined;
}

/** Arrays `x` and `y` of samples x points, beside fields on the same points: alone they are inputs and responses. */
function componentPairs(arrays: readonly MeshCandidate[], samples: number | undefined): Meshes | undefined {
  const components = arrays.flatMap((array) => {
    const [, before = "", axis] = COMPONENT.exec(baseName(array.name)) ?? [];
    const shape = array.shape;
    if (axis === undefined || shape === undefined || shape.length < 2) return [];
    if (!isOfPoints(before, axis, arrays)) return [];
    return [{ name: array.name, shape, before, axis: axis.toLowerCase() }];
  });
  for (const x of components.filter(({ axis }) => axis === "x")) {
    const partners = components.filter(
      ({ axis, before, shape }) => axis !== "x" && before === x.before && isSame(shape, x.shape),
    );
    const isAlone = /\.npy$/i.test(x.name); // of files with one array each, the other components are not listed
    if (!isAlone && !partners.some(({ axis }) => axis === "y")) continue;
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
      const isCertain = names.some((name) => baseName(name).length > 1);
      if (elements(grid) >= FEWEST_POINTS && others.some(isField)) return { names, count, isCertain };
    }
  }
  return undefined;
}

/**
 * Whether a prefix of `_x` leaves an array of points: none, a word for meshes, or the name of the data, which fields share.
 * Others are quantities: `velocity_x` is a component, and `a_x` beside `a` a derivative.
 */
function isOfPoints(before: string, axis: string, arrays: readonly MeshCandidate[]): boolean {
  const bases = arrays.map(({ name }) => baseName(name));
  if (bases.includes(before)) return false;
  if (before === "" || MESHES.test(before)) return true;
  const isField = (base: string) => base.startsWith(`${before}_`) && !COMPONENT.test(base);
  return DATA_NAME.test(before) && axis === axis.toUpperCase() && bases.some(isField);
}

/** Whether coordinates are the lines of a grid, repeated for each sample: a field has an axis for each of them. */
function areLines(grid: readonly number[], count: number, others: readonly MeshCandidate[]): boolean {
  if (grid.length !== 1) return false;
  return others.some(
    ({ shape = [] }) => shape.slice(1).filter((length) => length === grid[0]).length >= count,
  );
}

/** Arrays with as many entries, each of its own length: one is called points, or they lie in arrays of objects. */
function raggedArrays(arrays: readonly MeshCandidate[], samples: number | undefined): Meshes | undefined {
  const ragged = arrays.flatMap(({ name, ragged: count }) => (count === undefined ? [] : [{ name, count }]));
  const named = ragged.find(
    ({ name, count }) => MESHES.test(baseName(name)) && (samples === undefined || count === samples),
  );
  if (named) return { names: [named.name], count: named.count, isCertain: true };
  // Arrays in groups may differ for other reasons, as trajectories with more and fewer frames do.
  const objects = ragged.filter(({ name }) => !name.startsWith("*/"));
  const alike = objects.filter(({ count }) => count === (samples ?? objects[0].count) && count > 2);
  if (alike.length < 2) return undefined;
  const names = alike.slice(0, MOST_NAMED).map(({ name }) => name);
  return { names, count: alike[0].count, isCertain: true };
}

/** NumPy's arrays of objects, whose entries `points/0`, `points/1` differ in their number of points. */
function raggedObjects(arrays: readonly MeshCandidate[]): MeshCandidate[] {
  const lists = new Map<string, (readonly number[])[]>();
  for (const { name, shape } of arrays) {
    const [, whole, place] = /^(.+)\/(\d+)$/.exec(plainName(name)) ?? [];
    if (shape === undefined || whole === undefined) continue;
    if (!lists.has(whole)) lists.set(whole, []);
    const entries = lists.get(whole)!;
    if (Number(place) === entries.length) entries.push(shape);
  }
  return [...lists].flatMap(([name, shapes]) => {
    const [[first, ...rest]] = [...shapes, []];
    const isAlike = shapes.every((shape) => isSame(shape.slice(1), rest));
    const differs = shapes.some((shape) => shape[0] !== first);
    return shapes.length > 2 && isAlike && differs ? [{ name, ragged: shapes.length }] : [];
  });
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
    .filter(({ name, shape }) => {
      if (shape === undefined || taken.includes(plainName(name))) return false;
      return shape[0] === count && shape.length <= 2 && (shape[1] ?? 1) <= MOST_DESCRIPTORS;
    })
    .sort((a, b) => Number(isDescriptor(b.name)) - Number(isDescriptor(a.name)))
    .map(({ name }) => plainName(name));
}

const isDescriptor = (name: string): boolean =>
  /desc|feature|coeff|pod|drag|lift|^c[dlm]$|stat/i.test(baseName(name));

const baseName = (name: string): string => (plainName(name).split("/").at(-1) ?? "").replace(/\.\w+$/, "");
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
