import { DataError, OptionError } from "../../errors.js";
import type { FileStore } from "../../files/store/file-store.js";

/** What `test` asks for: samples of the arrays themselves, or another file. */
export type TestChoice =
  | { readonly range: readonly [start: number, end: number] }
  | { readonly file: string };

/** Share of samples that are kept for testing where nobody says. */
const LAST_PART = 5;
export const LAST_PART_WORDS = "the last fifth";

/**
 * Test samples as a user writes them: a number of samples (`200`, the last ones), a fraction of them (`0.2`, the last
 * ones), a range (`800:1000`), or the path of a second file.
 */
export function parseTest(store: FileStore, text: string, samples: number): TestChoice {
  const trimmed = text.trim();
  const range = /^(\d+):(\d+)$/.exec(trimmed);
  if (range) {
    const [start, end] = [Number(range[1]), Number(range[2])];
    if (!(start < end && end <= samples))
      throw new OptionError(
        `--test ${trimmed} is no range of ${samples} samples: start:end, with start below end and end at most ${samples}`,
      );
    return { range: checked([start, end], samples, trimmed) };
  }
  const number = trimmed === "" ? Number.NaN : Number(trimmed);
  if (Number.isSafeInteger(number) && number >= 1)
    return { range: checked([samples - number, samples], samples, trimmed) };
  if (number > 0 && number < 1)
    return {
      range: checked([samples - Math.max(1, Math.round(number * samples)), samples], samples, trimmed),
    };
  if (Number.isNaN(number) && store.exists(trimmed)) return { file: trimmed };
  throw new OptionError(
    `--test "${text}" is neither a number of samples (200), nor a fraction between 0 and 1 (0.2), nor a range (800:1000), ` +
      "nor a file that exists",
  );
}

function checked(range: readonly [number, number], samples: number, text: string): readonly [number, number] {
  if (range[0] >= 0 && range[1] - range[0] < samples) return range;
  throw new OptionError(`--test ${text} leaves no sample of ${samples} for training`);
}

/** The last fifth of the samples. */
export function lastPart(samples: number, path: string): readonly [number, number] {
  if (samples < 2)
    throw new DataError(`${path} has ${samples} sample: it takes two or more to train and to test`);
  return [samples - Math.max(1, Math.round(samples / LAST_PART)), samples];
}
