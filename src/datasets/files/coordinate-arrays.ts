import type { NamedShape } from "../../files/name-list.js";
import { CHANNEL_NAMES } from "./array-axes.js";
import type { NamedArray } from "./array-file.js";
import { plainName } from "./array-names.js";

/** Names of arrays that can only be the coordinates of an axis: `x`, `t-coordinate`, `grid_y`, `sensors`. */
const COORDINATES =
  /^(?:(?:grid|coords?|coordinates?)[-_])?(x|y|z|r|t|time|times|sensors?|depth|lon|lat|longitude|latitude)(?:[-_](?:grid|coords?|coordinates?|axis))?$/i;
const TIMES = /^(t|time|times)$/i;
export const isTime = (name: string): boolean => TIMES.test(name);
export const isSensors = (name: string): boolean => SENSORS.test(name);
const SENSORS = /^sensors?$/i;
/** Names of arrays that can only be lists of points, of shape points x dimensions. */
const POINTS = /^(points?|coords?|coordinates?|grid|mesh|nodes?|locations?|positions?|xy|xyz|xt|X_train1)$/i;
/** Points of DeepXDE's aligned data, the second entry of an array of objects; the first holds the functions. */
const ALIGNED_POINTS = /(^|\/)X(_train)?\/1$/;
/** Whether an array of this name can be a list of points. */
export const isPointList = (name: string): boolean => POINTS.test(name);
const MOST_DIMENSIONS = 3;

/** Arrays of a file that say where samples are given. */
export interface CoordinateArrays {
  /** One-dimensional, by the name of their axis. */
  readonly lines: readonly CoordinateLine[];
  readonly lists: readonly { readonly array: string; readonly points: number; readonly dimensions: number }[];
}

export interface CoordinateLine {
  readonly array: string;
  /** Name of the axis: `x` for `x-coordinate`. */
  readonly name: string;
  readonly length: number;
}

/** The last part of a path, without a slice. */
export const baseName = (path: string): string =>
  plainName(path.replace(/\[.*$/, "")).split("/").at(-1) ?? "";

/** Name of the axis whose coordinates an array holds: `x` for `x-coordinate[::4]`. */
export function axisNameOf(path: string): string {
  const base = baseName(path);
  return COORDINATES.exec(base)?.[1] ?? base;
}

/** Arrays that can be coordinates, leaving out those with samples in them. */
export function coordinateArrays(
  present: readonly NamedShape[],
  taken: readonly (string | undefined)[],
): CoordinateArrays {
  const others = present.filter(({ name, shape }) => shape !== undefined && !taken.includes(name));
  const lines = others.flatMap(({ name, shape }) => {
    const base = baseName(name);
    const isStated = /^coordinates\/[^/]+$/.test(plainName(name));
    const [, axis] = COORDINATES.exec(base) ?? [];
    if (shape!.length !== 1 || shape![0] === 0 || !(axis ?? isStated)) return [];
    return [{ array: name, name: axis ?? base, length: shape![0] }];
  });
  const lists = others.flatMap(({ name, shape }) =>
    shape!.length === 2 &&
    shape![1] <= MOST_DIMENSIONS &&
    (POINTS.test(baseName(name)) || ALIGNED_POINTS.test(plainName(name)))
      ? [{ array: name, points: shape![0], dimensions: shape![1] }]
      : [],
  );
  return { lines, lists };
}

/** Names of a stored array's axes, from its labels or its dimension scales; "" where there is none. */
export function storedAxisNames({ shape, attributes, scales }: NamedArray): readonly string[] {
  const labels = attributes.DIMENSION_LABELS;
  return shape.map((_, axis) => {
    const label = Array.isArray(labels) ? labels[axis] : undefined;
    if (typeof label === "string" && label !== "") return label;
    return scales[axis] === undefined ? "" : axisNameOf(scales[axis]!);
  });
}

/** The axis of channels, where the file names it; never that of samples. */
export function channelAxisOf(array: NamedArray): number | undefined {
  const axis = storedAxisNames(array).findIndex((name, i) => i > 0 && CHANNEL_NAMES.test(name));
  return axis > 0 ? axis : undefined;
}
