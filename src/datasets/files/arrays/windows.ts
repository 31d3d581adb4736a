import { DataError, OptionError } from "../../../errors.js";
import type { Values } from "../../../files/ndarray.js";
import { elements } from "../../../numerics/shape.js";
import type { NamedArray } from "../array-file.js";
import { gathered, make, place, readBox, wholeAxis } from "./box.js";
import { componentAxis, ownLabels } from "./channels.js";
import type { Frames } from "./slice.js";
import { axisOf, viewOf } from "./view.js";

/** How trajectories are cut into windows: from each, `each` windows that start `step` frames apart. */
export interface Windows {
  readonly trajectories: number;
  readonly each: number;
  /** Where the first window of a trajectory starts. */
  readonly first: number;
  readonly step: number;
}

/** Windows of trajectories of `length` frames in which all the given frames exist. */
export function windowsOf(
  { trajectories, length, path }: { trajectories: number; length: number; path: string },
  frames: readonly Frames[],
  step: number,
): Windows {
  if (!(Number.isSafeInteger(step) && step >= 1))
    throw new OptionError(`--window-step is a whole number of frames from 1 on, not ${step}`);
  const offsets = frames.flatMap((one) => one.offsets);
  const [lowest, highest] = [Math.min(...offsets), Math.max(...offsets)];
  const first = Math.max(0, -lowest);
  const last = length - 1 - highest;
  if (last < first)
    throw new DataError(
      `a trajectory of ${path} has ${length} frames: a window from t${signed(lowest)} to t${signed(highest)} does not fit`,
    );
  return { trajectories, each: Math.floor((last - first) / step) + 1, first, step };
}

const signed = (offset: number): string => (offset === 0 ? "" : offset < 0 ? String(offset) : `+${offset}`);

/**
 * Windows of an array whose first axis counts trajectories: one sample each. Several frames become channels; if a frame has
 * components of its own, all components of all frames do.
 */
export function windowed(
  array: NamedArray,
  { axis, offsets, isSingle }: Frames & { readonly axis: number },
  windows: Windows,
): NamedArray {
  const own = isSingle ? undefined : componentAxis(array, axis);
  const first = [0, axis, ...(own === undefined ? [] : [own])];
  const order = [...first, ...array.shape.map((_, i) => i).filter((i) => !first.includes(i))];
  const moved = viewOf(
    array,
    order.map((one) => axisOf(array, one)),
  );
  const grid = moved.shape.slice(first.length);
  const size = elements(moved.shape.slice(2));
  const rowSize = offsets.length * size;
  const labels = moved.attributes.DIMENSION_LABELS;
  const names = Array.isArray(labels) ? labels.slice(first.length) : grid.map(() => "");
  const frames = offsets.map((offset) => `t${signed(offset)}`);
  const channels =
    own === undefined
      ? frames
      : frames.flatMap((frame) => ownLabels(moved, 2).map((label) => `${label} ${frame}`));
  const shape = [windows.trajectories * windows.each, ...(isSingle ? [] : [channels.length]), ...grid];
  return {
    shape,
    rows: shape[0],
    dtype: array.dtype,
    attributes: {
      ...moved.attributes,
      DIMENSION_LABELS: ["", ...(isSingle ? [] : ["channel"]), ...names],
      ...(!isSingle && { channel_labels: channels }),
    },
    scales: [
      undefined,
      ...(isSingle ? [] : [undefined]),
      ...grid.map((_, i) => moved.scales[i + first.length]),
    ],
    read: async (start, end) => {
      let result: Values | undefined;
      for (let at = start; at < end; ) {
        const trajectory = Math.floor(at / windows.each);
        const until = Math.min(end, (trajectory + 1) * windows.each);
        const from = windows.first + (at % windows.each) * windows.step + offsets[0];
        const to = windows.first + ((until - 1) % windows.each) * windows.step + offsets[offsets.length - 1];
        const box = [
          { start: trajectory, length: 1, step: 1 },
          { start: from, length: to - from + 1, step: 1 },
          ...moved.shape.slice(2).map(wholeAxis),
        ];
        const values = await readBox(moved, box);
        result ??= make(values, (end - start) * rowSize);
        for (const [i, offset] of offsets.entries()) {
          // Frame `offset` of every window that lies in this trajectory.
          const part = gathered(
            values,
            (offset - offsets[0]) * size,
            [until - at, size],
            [windows.step * size, 1],
          );
          for (let window = 0; window < until - at; window++)
            place(
              result,
              part.subarray(window * size, (window + 1) * size),
              (at - start + window) * rowSize + i * size,
            );
        }
        at = until;
      }
      return result ?? (await array.read(0, 0));
    },
  };
}

/** What does not depend on the frame, once for every window of its trajectory. */
export function repeatedForWindows(array: NamedArray, { each }: Pick<Windows, "each">): NamedArray {
  const size = elements(array.shape.slice(1));
  const shape = [array.shape[0] * each, ...array.shape.slice(1)];
  return {
    ...array,
    shape,
    rows: shape[0],
    readBox: undefined,
    read: async (start, end) => {
      const first = Math.floor(start / each);
      const rows = await array.read(first, end > start ? Math.floor((end - 1) / each) + 1 : first);
      const result = make(rows, (end - start) * size);
      for (let i = start; i < end; i++) {
        const at = (Math.floor(i / each) - first) * size;
        place(result, rows.subarray(at, at + size), (i - start) * size);
      }
      return result;
    },
  };
}
