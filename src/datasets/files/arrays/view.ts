import type { AxisRange } from "../../../files/ndarray.js";
import { elements } from "../../../numerics/shape.js";
import type { NamedArray } from "../array-file.js";
import { channelAxisOf } from "../coordinate-arrays.js";
import { gathered, readBox, wholeAxis } from "./box.js";

/** An axis of a view: a range of an axis of the array, or one that repeats what is there. */
export type ViewAxis =
  | (AxisRange & { readonly axis: number; readonly name?: string })
  | { readonly axis: undefined; readonly length: number; readonly name?: string };

/** All of an array's axis. */
export const axisOf = (array: Pick<NamedArray, "shape">, axis: number): ViewAxis => ({
  axis,
  ...wholeAxis(array.shape[axis]),
});

/**
 * Part of an array with its axes in another order. Axes of the array that no axis of the view names are fixed to one
 * place, 0 where `fixed` names none.
 */
export function viewOf(
  array: NamedArray,
  axes: readonly ViewAxis[],
  fixed: Readonly<Record<number, number>> = {},
): NamedArray {
  const shape = axes.map(({ length }) => length);
  const isSame =
    axes.length === array.shape.length &&
    axes.every(
      (one, i) =>
        one.axis === i && one.start === 0 && one.step === 1 && one.length === array.shape[i] && !one.name,
    );
  if (isSame) return array;
  const readPart = async (part: readonly AxisRange[]) => {
    const box: AxisRange[] = array.shape.map((_, axis) => ({ start: fixed[axis] ?? 0, length: 1, step: 1 }));
    axes.forEach((one, i) => {
      if (one.axis === undefined) return;
      const { start, length, step } = part[i];
      box[one.axis] = { start: one.start + start * one.step, length, step: step * one.step };
    });
    const lengths = box.map(({ length }) => length);
    const strides = lengths.map((_, axis) => elements(lengths.slice(axis + 1)));
    const values = await readBox(array, box);
    return gathered(
      values,
      0,
      part.map(({ length }) => length),
      axes.map(({ axis }) => (axis === undefined ? 0 : strides[axis])),
    );
  };
  const labels = array.attributes.DIMENSION_LABELS;
  const names = axes.map(
    ({ axis, name }) => name ?? (Array.isArray(labels) && axis !== undefined ? (labels[axis] ?? "") : ""),
  );
  const { DIMENSION_LABELS: _, ...attributes } = attributesOf(array, axes);
  return {
    shape,
    rows: shape[0] ?? 1,
    dtype: array.dtype,
    attributes: names.some((name) => name !== "") ? { ...attributes, DIMENSION_LABELS: names } : attributes,
    scales: axes.map((one) => (one.axis === undefined ? undefined : scaleOf(array, one))),
    read: (start, end) =>
      readPart(
        shape.map((length, axis) =>
          axis === 0 ? { start, length: end - start, step: 1 } : wholeAxis(length),
        ),
      ),
    readBox: readPart,
  };
}

/** Attributes that name the channels of an array. */
const CHANNEL_LABELS = new Set(["channel_labels", "channel_names", "channels"]);

/** The attributes of a view: channels that are left out lose their labels. */
function attributesOf(array: NamedArray, axes: readonly ViewAxis[]): NamedArray["attributes"] {
  const channels = channelAxisOf(array);
  if (channels === undefined) return array.attributes;
  const found = axes.find((one) => one.axis === channels);
  return Object.fromEntries(
    Object.entries(array.attributes).flatMap(([key, labels]) => {
      const isLabels = CHANNEL_LABELS.has(key) && Array.isArray(labels);
      if (!isLabels || labels.length !== array.shape[channels]) return [[key, labels]];
      if (found?.axis === undefined) return [];
      const kept = Array.from({ length: found.length }, (_, i) => labels[found.start + i * found.step]);
      return [[key, kept as string[]]];
    }),
  );
}

/** The coordinates of part of an axis, as an expression. */
function scaleOf(
  array: NamedArray,
  { axis, start, length, step }: AxisRange & { readonly axis: number },
): string | undefined {
  const scale = array.scales[axis];
  if (scale === undefined || (start === 0 && step === 1 && length === array.shape[axis])) return scale;
  // A slice of a slice is one slice.
  const [, name, from, by] = /^(.*)\[(\d+):\d+(?::(\d+))?\]$/.exec(scale) ?? [scale, scale, 0, 1];
  const every = step * Number(by ?? 1);
  const first = Number(from) + start * Number(by ?? 1);
  const end = first + (length - 1) * every + 1;
  return `${name}[${first}:${end}${every === 1 ? "" : `:${every}`}]`;
}
