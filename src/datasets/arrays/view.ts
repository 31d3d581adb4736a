import type { AxisRange } from "../../files/ndarray.js";
import { elements } from "../../numerics/shape.js";
import type { NamedArray } from "../array-file.js";
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
  const { DIMENSION_LABELS: _, ...attributes } = array.attributes;
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

/** The coordinates of part of an axis, as an expression. */
function scaleOf(
  array: NamedArray,
  { axis, start, length, step }: AxisRange & { readonly axis: number },
): string | undefined {
  const scale = array.scales[axis];
  if (scale === undefined || (start === 0 && step === 1 && length === array.shape[axis])) return scale;
  const cut = /^(.*)\[(\d+):\d+(?::(\d+))?\]$/.exec(scale); // part of a part is a part
  const [name, offset, stride] = cut ? [cut[1], Number(cut[2]), Number(cut[3] ?? 1)] : [scale, 0, 1];
  const [first, by] = [offset + start * stride, step * stride];
  const end = first + (length - 1) * by + 1;
  return `${name}[${first}:${end}${by === 1 ? "" : `:${by}`}]`;
}
