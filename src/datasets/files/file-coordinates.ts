import { FormatError } from "../../errors.js";
import type { Axis, AxisKind } from "../dataset.js";
import type { ArrayFile, NamedArray } from "./array-file.js";
import { openArray } from "./arrays/chosen.js";
import {
  axisNameOf,
  type CoordinateArrays,
  type CoordinateLine,
  isSensors,
  isTime,
} from "./coordinate-arrays.js";

export { type CoordinateArrays, coordinateArrays, storedAxisNames } from "./coordinate-arrays.js";

/** An array whose axes are to be described. */
export interface DescribedArray {
  /** `inputs` or `responses`, for messages. */
  readonly which: "inputs" | "responses";
  readonly stored: NamedArray;
  /** Stored axis of each axis of a sample, channels first. */
  readonly storedAxes: readonly number[];
  readonly shape: readonly number[];
  /** Whether the first axis holds channels. */
  readonly hasChannels: boolean;
  /** Names of the axes in the order of `shape`, as the user or the file gives them; empty where nobody does. */
  readonly names: readonly string[];
  /** Axes that the source of the data has, for a file that says less. */
  readonly usual?: readonly Axis[];
}

/** Axes of an array with names, kinds, units, and the arrays that hold their coordinates. */
export async function describeAxes(
  file: ArrayFile,
  array: DescribedArray,
  { lines, lists }: CoordinateArrays,
): Promise<{ readonly axes: readonly Axis[]; readonly coordinates: Readonly<Record<string, string>> }> {
  const coordinates: Record<string, string> = {};
  const { shape, hasChannels, names, usual } = array;
  const grid = shape.map((_, axis) => axis).slice(hasChannels ? 1 : 0);
  const list = grid.length === 1 ? listFor(array.which, shape[grid[0]], lists, lines) : undefined;
  const attached = await attachedLines(file, array);
  const found = list ? new Map<number, CoordinateLine>() : matched(file.path, array, grid, lines, attached);
  const axes: Axis[] = [];
  for (const [i, length] of shape.entries()) {
    const own = usual?.length === shape.length ? usual[i] : undefined;
    if (hasChannels && i === 0) {
      const name = names[i] || own?.name || "channel";
      const line = attached.get(i) ?? lines.find((one) => one.name === name);
      const isPlaced = line?.length === length;
      const unit = isPlaced ? ((await unitOf(file, line.array)) ?? own?.unit) : undefined;
      if (isPlaced) coordinates[name] = line.array;
      axes.push({
        kind: "channel",
        name,
        length,
        ...(unit !== undefined && { unit }),
        ...channelLabels(array, length),
        ...(isPlaced && { coordinates: name }),
      });
      continue;
    }
    if (list) {
      const name = names[i] || "point";
      coordinates[name] = list.array;
      axes.push({ kind: "point", name, length, coordinates: name });
      continue;
    }
    const line = found.get(i);
    const name = names[i] || line?.name || own?.name || plainAxisName(i - grid[0], grid.length);
    const unit = (line && (await unitOf(file, line.array))) ?? own?.unit;
    if (line) coordinates[name] = line.array;
    axes.push({
      kind: kindOf(name, own?.name === name ? own.kind : undefined),
      name,
      length,
      ...(unit !== undefined && { unit }),
      ...(line && { coordinates: name }),
    });
  }
  return { axes, coordinates };
}

const kindOf = (name: string, usual?: AxisKind): AxisKind => usual ?? (isTime(name) ? "time" : "space");

/** Names of axes that nobody names: a plane is a table of rows and columns. */
function plainAxisName(index: number, count: number): string {
  if (count === 1) return "x";
  if (count === 2) return ["row", "column"][index];
  return ["x", "y", "z"][index] ?? `axis ${index + 1}`;
}

/** The list of points of an array with one axis beside its channels. */
function listFor(
  which: DescribedArray["which"],
  length: number,
  lists: CoordinateArrays["lists"],
  lines: CoordinateArrays["lines"],
): CoordinateArrays["lists"][number] | undefined {
  const fitting = lists.filter(({ points }) => points === length);
  if (fitting.length === 0) return undefined;
  // Sensors lie along a line of their own if the file has one of this length.
  if (which === "inputs" && lines.some((line) => isSensors(line.name) && line.length === length))
    return undefined;
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Coordinates of the axes of a grid: those that the file attaches to them or names alike, else those of their length. */
function matched(
  path: string,
  array: DescribedArray,
  grid: readonly number[],
  lines: readonly CoordinateLine[],
  attached: ReadonlyMap<number, CoordinateLine>,
): Map<number, CoordinateLine> {
  const { shape, names, which } = array;
  const found = new Map<number, CoordinateLine>();
  for (const axis of grid) {
    const line = attached.get(axis) ?? lines.find(({ name }) => names[axis] !== "" && name === names[axis]);
    if (line?.length === shape[axis]) found.set(axis, line);
  }
  const open = grid.filter((axis) => !found.has(axis) && !names[axis]);
  const taken = new Set([...found.values()].map(({ array: name }) => name));
  const free = lines.filter(
    (line) => !taken.has(line.array) && (which === "inputs" || !isSensors(line.name)),
  );
  for (const length of new Set(open.map((axis) => shape[axis]))) {
    const axes = open.filter((axis) => shape[axis] === length);
    const fitting = likeliest(
      free.filter((line) => line.length === length),
      axes.length,
    );
    if (fitting.length !== axes.length) continue; // too many or too few: nothing is certain
    if (axes.length > 1 && fitting.some(({ name }) => isTime(name)))
      throw new FormatError(
        `which axes of the ${which} of ${path} are ${fitting.map(({ name }) => name).join(" and ")}? ` +
          `Both have ${length} points: name the axes of a sample in their order, for example with ` +
          `${which === "inputs" ? "--input-axes" : "--axes"} ${fitting.map(({ name }) => name).join(",")}`,
      );
    // x before y before z, as in the files of this field.
    [...fitting]
      .sort((a, b) => a.name.localeCompare(b.name))
      .forEach((line, i) => {
        found.set(axes[i], line);
      });
  }
  return found;
}

/** Dimension scales that the file attaches to the axes. */
async function attachedLines(
  file: ArrayFile,
  { stored, storedAxes }: DescribedArray,
): Promise<Map<number, CoordinateLine>> {
  const found = new Map<number, CoordinateLine>();
  for (const [axis, storedAxis] of storedAxes.entries()) {
    const path = stored.scales[storedAxis];
    if (path === undefined) continue;
    const line = await openArray(file, path);
    if (!isLine(line)) continue;
    found.set(axis, { array: path, name: axisNameOf(path), length: line.shape[0] });
  }
  return found;
}

/** What netCDF-4 calls a dimension that has a length but no coordinates. */
const WITHOUT_VALUES = /^This is a netCDF dimension but not a netCDF variable/;

/** Whether an array that is attached to an axis holds its coordinates. */
export const isLine = ({ shape, attributes }: NamedArray): boolean =>
  shape.length === 1 && !WITHOUT_VALUES.test(String(attributes.NAME));

/** Of more coordinates than axes: sensors for an input on sensors, or places rather than times. */
function likeliest(lines: readonly CoordinateLine[], count: number): readonly CoordinateLine[] {
  if (lines.length <= count) return lines;
  const sensors = lines.filter(({ name }) => isSensors(name));
  if (sensors.length === count) return sensors;
  return lines.filter(({ name }) => !isTime(name) && !isSensors(name));
}

async function unitOf(file: ArrayFile, name: string): Promise<string | undefined> {
  const { units, unit } = (await openArray(file, name)).attributes;
  const said = units ?? unit;
  return typeof said === "string" && said !== "" ? said : undefined;
}

/** What the file calls the channels of an array. */
function channelLabels(
  { stored, usual }: DescribedArray,
  length: number,
): { readonly labels?: readonly string[] } {
  const { channel_labels, channel_names, channels } = stored.attributes;
  const labels = [channel_labels, channel_names, channels].find(
    (value): value is readonly string[] =>
      Array.isArray(value) && value.length === length && value.every((one) => typeof one === "string"),
  );
  const own = usual?.find(({ kind }) => kind === "channel")?.labels;
  const said = labels ?? (own?.length === length ? own : undefined);
  return said ? { labels: said } : {};
}
