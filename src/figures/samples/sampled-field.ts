import { verbatim } from "../../analysis/notation.js";
import type { FieldImage, ImageAxis } from "./field-image.js";

/** Where the grid points of an axis lie. */
export interface SampledAxis {
  readonly name: string;
  /** Evenly spaced; undefined where the file does not say. */
  readonly values?: ArrayLike<number>;
  readonly unit?: string;
  readonly kind?: "channel" | "time" | "space" | "point";
  /** What the channels are, of an axis of channels. */
  readonly labels?: readonly string[];
}

/** Numbers of a sample, in C order, with an axis for each dimension. */
export interface SampledField {
  readonly values: ArrayLike<number>;
  readonly axes: readonly SampledAxis[];
  readonly shape: readonly number[];
}

/** The places along an axis, numbered from 0 where they are not known. */
export function places(field: SampledField, axis: number): Float64Array {
  const values = field.axes[axis].values ?? Array.from({ length: field.shape[axis] }, (_, i) => i);
  return Float64Array.from(values);
}

/** What stands at an axis: "$x$ (m)". */
export function axisLabel({ name, unit, values }: SampledAxis): string {
  const text = /^\p{L}$/u.test(name) ? `$${name}$` : /[_^$`]/.test(name) ? verbatim(name) : name;
  return values !== undefined && unit !== undefined ? `${text} (${unit})` : text;
}

/** One channel of a field whose first axis counts channels. */
export function channelOf({ values, shape, axes }: SampledField, channel: number): SampledField {
  const size = shape.slice(1).reduce((product, length) => product * length, 1);
  const part = Array.prototype.slice.call(values, channel * size, (channel + 1) * size);
  return { values: part, shape: shape.slice(1), axes: axes.slice(1) };
}

/** The part of a field with this number along an axis. */
export function planeOf({ values, shape, axes }: SampledField, axis: number, index: number): SampledField {
  const inner = shape.slice(axis + 1).reduce((product, length) => product * length, 1);
  const outer = shape.slice(0, axis).reduce((product, length) => product * length, 1);
  const part = new Float64Array(outer * inner);
  for (let i = 0; i < outer; i++)
    for (let j = 0; j < inner; j++) part[i * inner + j] = values[(i * shape[axis] + index) * inner + j];
  const others = <T>(list: readonly T[]) => list.filter((_, i) => i !== axis);
  return { values: part, shape: others(shape), axes: others(axes) };
}

/** Without the axes of length one that files keep for form's sake: [1, 128, 128] is a field of 128 x 128. */
export function withoutSingletons({ values, shape, axes }: SampledField): SampledField {
  const kept = shape.map((_, i) => i).filter((i) => shape[i] > 1);
  return { values, shape: kept.map((i) => shape[i]), axes: kept.map((i) => axes[i]) };
}

/**
 * A field of two axes as a picture: the axis called `across` runs to the right, the other one upwards, or downwards
 * for depths, times of seismograms and rows of a table. Where no axis has that name the last one runs across.
 */
export function picture(field: SampledField, across: string, vertical: "up" | "down"): FieldImage {
  const [rowAxis, columnAxis] = field.axes[0].name === across ? [1, 0] : [0, 1];
  const [rows, columns] = [field.shape[rowAxis], field.shape[columnAxis]];
  const x = cellEdges(places(field, columnAxis));
  const y = cellEdges(places(field, rowAxis));
  const mirrored = x.last < x.first;
  const upset = vertical === "up" ? y.last > y.first : y.last < y.first;
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const from = [upset ? rows - 1 - row : row, mirrored ? columns - 1 - column : column];
      const [i, j] = rowAxis === 0 ? from : [from[1], from[0]];
      values[row * columns + column] = field.values[i * field.shape[1] + j];
    }
  }
  const axis = (of: number, { first, last }: Edges, turned: boolean): ImageAxis => ({
    label: axisLabel(field.axes[of]),
    start: turned ? last : first,
    end: turned ? first : last,
  });
  return { values, rows, columns, x: axis(columnAxis, x, mirrored), y: axis(rowAxis, y, upset) };
}

interface Edges {
  readonly first: number;
  readonly last: number;
}

/** Outer edges of cells about evenly spaced points: half a step beyond the first and the last. */
function cellEdges(points: Float64Array): Edges {
  const last = points.length - 1;
  const half = last > 0 ? (points[last] - points[0]) / last / 2 : 0.5;
  return { first: points[0] - half, last: points[last] + half };
}
