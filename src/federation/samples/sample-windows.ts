import type { SampleArrays, TrainingSamples } from "../../models/trainable-model.js";
import {
  blankSamples,
  isStored,
  type Samples,
  type StoredSamples,
  sharedSamples,
  someOf,
} from "./stored-samples.js";

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

/** The form in which a program takes samples. */
export interface SampleForm<T> {
  of(samples: TrainingSamples): T;
  /** Puts other samples in the place of the first ones that `held` has. */
  replace(held: T, samples: SampleArrays): void;
}

/**
 * Windows on samples.
 *
 * @param most different samples that a run of the program chooses, at most
 */
export function sampleWindows<T extends object>(
  samples: Samples,
  most: number,
  form: SampleForm<T>,
): SampleWindows<T> {
  if (isStored(samples)) return windowsOnDisk(samples, most, form);
  const held = form.of(samples);
  return { shape: held, read: async (indices) => ({ held, indices }) };
}

/** Samples arrive in memory that threads share, and are copied once, into one of two forms that stay. */
function windowsOnDisk<T extends object>(
  stored: StoredSamples,
  most: number,
  form: SampleForm<T>,
): SampleWindows<T> {
  const rows = Math.min(most, stored.samples);
  const forms = [0, 1].map(() => form.of(blankSamples(stored.sizes, rows)));
  const arriving = sharedSamples(stored.sizes, rows);
  const places = new Int32Array(stored.samples);
  let turn = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function read(chosen: Int32Array, before: Promise<unknown>): Promise<SampleWindow<T>> {
    const different = inRisingOrder(chosen);
    for (const [place, sample] of different.entries()) places[sample] = place;
    const indices = chosen.map((sample) => places[sample]);
    turn = 1 - turn;
    const held = forms[turn];
    await before;
    await stored.read(different, arriving);
    form.replace(held, someOf(arriving, stored.sizes, 0, different.length));
    return { held: { ...held }, indices }; // another object, for its arrays hold other samples
  }

  return {
    shape: forms[0],
    read(chosen) {
      const window = read(chosen, last);
      last = window.catch(() => {}); // whoever awaits it hears of it, which may be after the run at hand
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
