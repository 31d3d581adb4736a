import { DataError } from "../../errors.js";
import { type AxisRange, toFloats } from "../../files/ndarray.js";
import { elements } from "../../numerics/shape.js";
import type { NamedArray } from "../array-file.js";
import { make, place, readBox, wholeAxis } from "./box.js";

/** An array with a name for messages and labels. */
export interface LabelledArray {
  readonly label: string;
  readonly array: NamedArray;
}

/**
 * Several arrays as the channels of one, after the axis of samples. Arrays that have such an axis already, as windows of
 * several frames do, add all of it.
 */
export function asChannels(parts: readonly LabelledArray[], path: string): NamedArray {
  if (parts.length === 1) return parts[0].array;
  const [{ array: first, label }] = parts;
  const hasOwn = (array: NamedArray) => array.attributes.channel_labels !== undefined;
  for (const { array, label: other } of parts) {
    const shapes = [first, array].map((one) =>
      one.shape.filter((_, axis) => axis !== 1 || !hasOwn(one)).join(" x "),
    );
    if (shapes[0] !== shapes[1] || hasOwn(first) !== hasOwn(array))
      throw new DataError(
        `arrays that become channels have one shape, but in ${path} ${label} is ${first.shape.join(" x ")} and ${other} is ${array.shape.join(" x ")}`,
      );
  }
  const counts = parts.map(({ array }) => (hasOwn(array) ? array.shape[1] : 1));
  const rest = first.shape.slice(hasOwn(first) ? 2 : 1);
  const channels = counts.reduce((a, b) => a + b, 0);
  const size = elements(rest);
  const isOneType = parts.every(({ array }) => array.dtype === first.dtype);
  const labels = first.attributes.DIMENSION_LABELS;
  const names = Array.isArray(labels) ? labels.slice(hasOwn(first) ? 2 : 1) : rest.map(() => "");
  const { long_name: _, label: __, standard_name: ___, ...attributes } = first.attributes;
  const shape = [first.shape[0], channels, ...rest];
  const read = async (rows: AxisRange) => {
    const found = await Promise.all(
      parts.map(async ({ array }) => {
        const values = await readBox(array, [rows, ...array.shape.slice(1).map(wholeAxis)]);
        return isOneType ? values : Float64Array.from(toFloats(values));
      }),
    );
    const result = make(found[0], rows.length * channels * size);
    let before = 0;
    for (const [i, values] of found.entries()) {
      const own = counts[i] * size;
      for (let row = 0; row < rows.length; row++)
        place(result, values.subarray(row * own, (row + 1) * own), row * channels * size + before);
      before += own;
    }
    return result;
  };
  return {
    shape,
    rows: shape[0],
    dtype: isOneType ? first.dtype : "float64",
    attributes: {
      ...attributes,
      DIMENSION_LABELS: ["", "channel", ...names],
      channel_labels: parts.flatMap(({ array, label: own }) =>
        hasOwn(array)
          ? (array.attributes.channel_labels as readonly string[]).map((one) => `${own} ${one}`)
          : [own],
      ),
    },
    scales: [undefined, undefined, ...first.scales.slice(hasOwn(first) ? 2 : 1)],
    read: (start, end) => read({ start, length: end - start, step: 1 }),
  };
}
