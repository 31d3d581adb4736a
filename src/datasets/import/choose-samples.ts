import { OptionError } from "../../errors.js";
import { shuffle } from "../../random/permutation.js";
import { stream } from "../../random/stream.js";

export interface ChoiceOptions {
  readonly train: number;
  readonly test: number;
  readonly seed: number;
}

/** Numbers of the chosen samples, ascending, so that large files are read from front to back. */
export interface Choice {
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/**
 * A random choice without repetition, named by the seed. Test samples are drawn first: the test set stays the same
 * whatever the size of the training set, and a smaller training set is part of a larger one.
 */
export function chooseSamples(available: number, { train, test, seed }: ChoiceOptions): Choice {
  if (train + test === 0) throw new OptionError("train and test are both 0: there is nothing to import");
  if (train + test > available) {
    throw new OptionError(
      `${train} training and ${test} test samples are ${train + test}, but there are ${available} to choose from`,
    );
  }
  const order = shuffle(
    stream(seed, "import"),
    Int32Array.from({ length: available }, (_, sample) => sample),
  );
  return { test: order.slice(0, test).sort(), train: order.slice(test, test + train).sort() };
}
