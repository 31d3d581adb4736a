import { DataError } from "../errors.js";
import type { RowArray, Values } from "../files/ndarray.js";
import { elements } from "../numerics/shape.js";

/** One end of an array's axes. */
export type AxisEnd = "first" | "last";
export const AXIS_ENDS: readonly AxisEnd[] = ["first", "last"];

/** What the axes of arrays mean, where their shapes do not tell. */
export interface ArrayAxes {
  /** Stored axis along which samples lie; the first one by default, except for arrays that MATLAB saved. */
  readonly sampleAxis?: AxisEnd;
  /** Axis of a sample that holds channels, if it has three axes. */
  readonly channels?: AxisEnd;
}

/** An array of a file, with the attributes that it has there. */
export type StoredArray = RowArray & { readonly attributes?: Readonly<Record<string, unknown>> };

/**
 * The stored axes of an array in the order in which it is read, samples first. MATLAB stores axes in reverse order, so
 * that both ends may hold the samples: whoever reads such an array must say which, and gets the other axes in MATLAB's
 * order.
 */
export function orderWithSamplesFirst(array: StoredArray, what: string, asked?: AxisEnd): readonly number[] {
  const { shape } = array;
  const axes = shape.map((_, axis) => axis);
  const isMatlab = array.attributes?.MATLAB_class !== undefined && shape.length >= 2;
  if (isMatlab && asked === undefined)
    throw new DataError(
      `${what} were saved by MATLAB: ${shape.join(" x ")} in the file, ${[...shape].reverse().join(" x ")} in MATLAB. ` +
        `Say which stored axis counts samples: --sample-axis first for ${shape[0]} samples, ` +
        `--sample-axis last for ${shape.at(-1)}`,
    );
  if (shape.length < 2 || (!isMatlab && asked !== "last")) return axes;
  const [samples, rest] = asked === "last" ? [axes.pop()!, axes] : [axes.shift()!, axes];
  return [samples, ...(isMatlab ? rest.reverse() : rest)];
}

/** The array with samples along its first axis. */
export function withSamplesFirst(array: StoredArray, what: string, asked?: AxisEnd): RowArray {
  const order = orderWithSamplesFirst(array, what, asked);
  return order.every((axis, i) => axis === i) ? array : permutedArray(array, order);
}

/** Axes in another order: axis `i` of the result is axis `order[i]` of the array. */
function permutedArray(array: RowArray, order: readonly number[]): RowArray {
  const shape = order.map((axis) => array.shape[axis]);
  const rowSize = elements(shape.slice(1));
  if (order[0] === 0)
    return {
      ...array,
      shape,
      read: async (start, end) =>
        permuted(await array.read(start, end), [end - start, ...array.shape.slice(1)], order),
    };
  // Rows of the result are spread over the whole file: it is read once and kept.
  let all: Promise<Values> | undefined;
  const read = async () => permuted(await array.read(0, array.rows), array.shape, order);
  return {
    dtype: array.dtype,
    shape,
    rows: shape[0],
    read: async (start, end) => {
      all ??= read();
      return (await all).subarray(start * rowSize, end * rowSize);
    },
  };
}

/** Values in C order of an array whose axes are put into another order. */
export function permuted<T extends Values>(values: T, shape: readonly number[], order: readonly number[]): T {
  if (order.every((axis, i) => axis === i)) return values;
  const strides = shape.map((_, axis) => elements(shape.slice(axis + 1)));
  const lengths = order.map((axis) => shape[axis]);
  const steps = order.map((axis) => strides[axis]);
  const result = new (values.constructor as new (length: number) => T)(values.length);
  const last = lengths.length - 1;
  const position = new Array<number>(last).fill(0);
  let from = 0;
  for (let at = 0; at < result.length; at += lengths[last]) {
    for (let i = 0; i < lengths[last]; i++) result[at + i] = values[from + i * steps[last]];
    for (let axis = last - 1; axis >= 0; axis--) {
      from += steps[axis];
      if (++position[axis] < lengths[axis]) break;
      from -= steps[axis] * lengths[axis];
      position[axis] = 0;
    }
  }
  return result;
}

/** Names of axes that hold channels. */
export const CHANNEL_NAMES = /^(channels?|components?|variables?|sources?)$/i;

/** Where the file itself says that a sample's channels are; undefined if it does not. */
export function labelledChannels(array: StoredArray): AxisEnd | undefined {
  const labels = array.attributes?.DIMENSION_LABELS;
  if (!Array.isArray(labels) || labels.length < 3) return undefined;
  if (CHANNEL_NAMES.test(labels[1])) return "first";
  return CHANNEL_NAMES.test(labels.at(-1)) ? "last" : undefined;
}

/** What a sample is, in words: `2 channels on 64 x 64`, `64 x 64`, `100 numbers`. */
export function sampleInWords(shape: readonly number[], channels?: AxisEnd): string {
  if (shape.length === 0) return "one number";
  if (shape.length === 1) return `${shape[0]} ${shape[0] === 1 ? "number" : "numbers"}`;
  if (shape.length !== 3 || channels === undefined) return shape.join(" x ");
  const [count, grid] =
    channels === "first" ? [shape[0], shape.slice(1)] : [shape.at(-1)!, shape.slice(0, -1)];
  return `${count} ${count === 1 ? "channel" : "channels"} on ${grid.join(" x ")}`;
}
