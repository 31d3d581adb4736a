import { DataError } from "../../errors.js";
import type { RowArray } from "../../files/ndarray.js";

/** One end of an array's axes. */
export type AxisEnd = "first" | "last";
export const AXIS_ENDS: readonly AxisEnd[] = ["first", "last"];

/** Where a sample has its channels: along one end of its axes, or nowhere. */
export type ChannelPlace = AxisEnd | "none";
export const CHANNEL_PLACES: readonly ChannelPlace[] = ["first", "last", "none"];

/** What the axes of arrays mean, where their shapes do not tell. */
export interface ArrayAxes {
  /** Stored axis along which samples lie; the first one by default, except for arrays that MATLAB saved. */
  readonly sampleAxis?: AxisEnd;
  /** Axis of a sample that holds channels; `none` for a grid of three axes or more. */
  readonly channels?: ChannelPlace;
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
export function sampleInWords(shape: readonly number[], channels?: ChannelPlace): string {
  if (shape.length === 0) return "one number";
  if (shape.length === 1) return `${shape[0]} ${shape[0] === 1 ? "number" : "numbers"}`;
  if (shape.length !== 3 || channels === undefined || channels === "none") return shape.join(" x ");
  const [count, grid] =
    channels === "first" ? [shape[0], shape.slice(1)] : [shape.at(-1)!, shape.slice(0, -1)];
  return `${count} ${count === 1 ? "channel" : "channels"} on ${grid.join(" x ")}`;
}
