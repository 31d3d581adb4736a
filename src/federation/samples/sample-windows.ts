import type { TrainingSamples } from "../../models/trainable-model.js";
import { blankSamples, isStored, type Samples, type StoredSamples } from "./stored-samples.js";

/** Samples in memory, in the form that a program takes, and where the chosen ones are among them. */
export interface SampleWindow<T> {
  readonly held: T;
  readonly indices: Int32Array;
}

/**
 * The samples that a program gathers from: all of them, or a window that is read for each run. Gathering copies, so
 * both give the same bits.
 */
export interface SampleWindows<T> {
  /** An example: every window has the same shapes. */
  readonly shape: T;
  /**
   * A window with the chosen samples, which may repeat. It is valid until the call after the next one, so that one window
   * can be read while a program uses another.
   */
  read(chosen: Int32Array): Promise<SampleWindow<T>>;
}

/**
 * Windows on samples.
 *
 * @param most different samples that a run of the program chooses, at most
 * @param form the form in which the program takes them
 */
export function sampleWindows<T>(
  samples: Samples,
  most: number,
  form: (held: TrainingSamples) => T,
): SampleWindows<T> {
  if (isStored(samples)) return windowsOnDisk(samples, most, form);
  const held = form(samples);
  return { shape: held, read: async (indices) => ({ held, indices }) };
}

function windowsOnDisk<T>(
  stored: StoredSamples,
  most: number,
  form: (held: TrainingSamples) => T,
): SampleWindows<T> {
  const rows = Math.min(most, stored.samples);
  const buffers = [blankSamples(stored.sizes, rows), blankSamples(stored.sizes, rows)];
  const places = new Int32Array(stored.samples);
  let turn = 0;

  async function read(chosen: Int32Array): Promise<SampleWindow<T>> {
    const different = inRisingOrder(chosen);
    for (const [place, sample] of different.entries()) places[sample] = place;
    const indices = chosen.map((sample) => places[sample]);
    turn = 1 - turn;
    const arrays = buffers[turn];
    await stored.read(different, arrays);
    return { held: form({ ...arrays }), indices };
  }

  return {
    shape: form(blankSamples(stored.sizes, rows)),
    read(chosen) {
      const window = read(chosen);
      window.catch(() => {}); // whoever awaits it hears of it, which may be after the run at hand
      return window;
    },
  };
}

/** The different numbers of a list. */
function inRisingOrder(numbers: Int32Array): Int32Array {
  const sorted = numbers.slice().sort();
  let count = 0;
  for (let i = 0; i < sorted.length; i++)
    if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[count++] = sorted[i];
  return sorted.subarray(0, count);
}

/** Uses a window for each request, one after another, and reads the next one meanwhile. */
export async function forEachWindow<T, R extends { readonly chosen: Int32Array }>(
  windows: SampleWindows<T>,
  requests: readonly R[],
  use: (window: SampleWindow<T>, request: R) => Promise<void>,
): Promise<void> {
  const read = (request: number) =>
    request < requests.length ? windows.read(requests[request].chosen) : undefined;
  let upcoming = read(0);
  for (const [i, request] of requests.entries()) {
    const window = (await upcoming)!;
    upcoming = read(i + 1);
    await use(window, request);
  }
}
