import { DataError } from "../../../errors.js";
import { type AxisRange, toFloats } from "../../../files/ndarray.js";
import { elements } from "../../../numerics/shape.js";
import type { NamedArray } from "../array-file.js";
import { channelAxisOf, storedAxisNames } from "../coordinate-arrays.js";
import { SHORTEST_SIDE } from "../sample-axes.js";
import { make, place, readBox, wholeAxis } from "./box.js";
import { axisOf, viewOf } from "./view.js";

/** An array with a name for messages and labels. */
export interface LabelledArray {
  readonly label: string;
  readonly array: NamedArray;
}

/**
 * Several arrays as the channels of one, after the axis of samples. An array with components, such as a vector field or
 * a window of several frames, adds all of them.
 */
export function asChannels(given: readonly LabelledArray[], path: string): NamedArray {
  if (given.length === 1) return given[0].array;
  const parts = given.map((part) => {
    const channels = componentAxis(part.array);
    return {
      label: part.label,
      array: withChannelsAt1(part.array, channels),
      hasOwn: channels !== undefined,
    };
  });
  const frames = parts.map(({ array, hasOwn }) => array.shape.slice(hasOwn ? 2 : 1));
  const odd = parts.findIndex(
    ({ array }, i) => array.shape[0] !== parts[0].array.shape[0] || frames[i].join() !== frames[0].join(),
  );
  if (odd > 0) {
    const [first, other] = [given[0], given[odd]];
    throw new DataError(
      `arrays that become channels have one shape, but in ${path} ${first.label} is ${first.array.shape.join(" x ")} and ${other.label} is ${other.array.shape.join(" x ")}`,
    );
  }
  const [{ array: first, hasOwn }] = parts;
  const counts = parts.map((part) => (part.hasOwn ? part.array.shape[1] : 1));
  const [rest] = frames;
  const channels = counts.reduce((a, b) => a + b, 0);
  const size = elements(rest);
  const isOneType = parts.every(({ array }) => array.dtype === first.dtype);
  const labels = first.attributes.DIMENSION_LABELS;
  const names = Array.isArray(labels) ? labels.slice(hasOwn ? 2 : 1) : rest.map(() => "");
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
      channel_labels: parts.flatMap((part) =>
        part.hasOwn ? ownLabels(part.array, 1).map((one) => `${part.label} ${one}`) : [part.label],
      ),
    },
    scales: [undefined, undefined, ...rest.map((_, i) => first.scales[i + (hasOwn ? 2 : 1)])],
    read: (start, end) => read({ start, length: end - start, step: 1 }),
  };
}

/** The array with its channels after the samples; as it is where it has none. */
function withChannelsAt1(array: NamedArray, channels: number | undefined): NamedArray {
  if (channels === undefined) return array;
  const rest = array.shape.map((_, axis) => axis).filter((axis) => axis > 0 && axis !== channels);
  return viewOf(
    array,
    [0, channels, ...rest].map((axis) => axisOf(array, axis)),
  );
}

/** What the channels along an axis are called; their numbers where the file does not say. */
export function ownLabels({ shape, attributes }: NamedArray, axis: number): readonly string[] {
  const { channel_labels: labels } = attributes;
  const isFitting = Array.isArray(labels) && labels.length === shape[axis];
  return Array.from({ length: shape[axis] }, (_, i) => String(isFitting ? labels[i] : i));
}

/**
 * The axis of a sample's components: by its name, or because it is the only one at either end that is too short for a grid.
 * `time` is an axis of frames.
 */
export function componentAxis(array: NamedArray, time?: number): number | undefined {
  const named = channelAxisOf(array);
  if (named !== undefined) return named;
  const names = storedAxisNames(array);
  const axes = array.shape.map((_, axis) => axis).filter((axis) => axis !== 0 && axis !== time);
  const [short, ...others] = axes.filter((axis) => array.shape[axis] < SHORTEST_SIDE);
  const isEnd = short === axes[0] || short === axes.at(-1);
  return axes.length > 1 && isEnd && others.length === 0 && names[short] === "" ? short : undefined;
}
