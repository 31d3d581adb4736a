import { type Split, shapesOf } from "../../datasets/dataset.js";
import { fieldSize, fieldsInMemory, type LabelledFields } from "../../datasets/fields.js";
import { DataError } from "../../errors.js";
import {
  type CheckedData,
  checkLoaded,
  type LoadedData,
  samplesInMemory,
} from "../../federation/prepare-loaded.js";
import type { RunOptions } from "../../federation/run-options.js";
import type { Samples } from "../../federation/samples/stored-samples.js";
import { fieldSize as numbersOf } from "../../models/model.js";
import type { TrainingSamples } from "../../models/trainable-model.js";
import type { KnowledgeSources } from "../../pipeline/sample-knowledge.js";
import type { LentData, LentHalf } from "../lab/lent-data.js";
import type { TrainingRequest } from "./trainer.js";

/** Bytes of samples that a page trains on: they are there three times. */
const MOST_BYTES = 1e9;

/**
 * Numbers of samples up to which programs hold all of them. ONNX Runtime copies what a program holds in every run, so of
 * more samples a program holds those of the round alone.
 */
const HELD = 2 ** 21;

/** Data that a trainer has a copy of. What depends on options is computed once for those that agree on them. */
export interface BorrowedData {
  readonly loaded: LoadedData;
  readonly attributes: NonNullable<KnowledgeSources["attributes"]>;
  checked(options: Pick<RunOptions, "normalise">): Promise<CheckedData>;
  /** Samples as models take them. */
  samples(options: Pick<RunOptions, "normalise">): Promise<Readonly<Record<"train" | "test", Samples>>>;
}

/** Copies the data of the lab. */
export async function borrowData(
  lent: LentData,
  { data }: TrainingRequest,
  onProgress: (words: string, done: number) => void,
): Promise<BorrowedData> {
  const { description, coordinates, responseAxes, origin } = data;
  if (description.test === 0)
    throw new DataError("the data have no test samples: there is nothing to measure an error on");
  const shapes = shapesOf(description, coordinates);
  const size = numbersOf(shapes.inputs) + numbersOf(shapes.responses);
  const bytes = 4 * size * (description.train + description.test);
  if (bytes > MOST_BYTES)
    throw new DataError(
      `the samples take ${(bytes / 1e9).toPrecision(2)} GB, more than a page trains on: Share has the command that does`,
    );
  const half = (split: Split, words: string) =>
    lent.half(split, (done, total) => onProgress(words, done / total));
  const train = await half("train", "Copying the samples for training");
  const test = await half("test", "Copying the samples for testing");
  const groups = await lent.groups();
  const loaded: LoadedData = {
    train: fieldsOf(train),
    test: fieldsOf(test),
    origin: description.origin,
    shapes,
    description,
    ...(groups && { groups }),
    attributes: {},
    responseAxes,
    close: async () => {},
  };
  const checks = new Map<string, Promise<CheckedData>>();
  const scaled = new Map<string, Promise<Readonly<Record<"train" | "test", Samples>>>>();
  const source = origin.kind === "file" ? origin.name : "the generated data";
  const checked: BorrowedData["checked"] = ({ normalise }) =>
    once(checks, normalise, () => checkLoaded(loaded, { normalise }, source));
  return {
    loaded,
    attributes: {
      names: description.attributes ?? [],
      async read(name) {
        const values = await lent.attribute(name);
        if (!values) throw new DataError(`the data have no attribute "${name}"`);
        return values;
      },
    },
    checked,
    samples: (options) =>
      once(scaled, options.normalise, async () => {
        const halves = await samplesInMemory(await checked(options));
        return { train: inWindows(halves.train), test: inWindows(halves.test) };
      }),
  };
}

/** Samples and numbers of responses that show what values there are. */
const [EXAMPLES, NUMBERS] = [24, 2 ** 20];

/** Some responses of the test half, evenly spread. */
export async function exampleResponses({
  loaded,
}: BorrowedData): Promise<readonly (Float32Array | Float64Array)[]> {
  const { responses } = loaded.test;
  const fitting = Math.max(1, Math.floor(NUMBERS / fieldSize(responses)));
  const count = Math.min(EXAMPLES, fitting, responses.samples);
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const sample = Math.floor((i * responses.samples) / count);
      return (await responses.read(sample, sample + 1)).slice();
    }),
  );
}

const fieldsOf = ({ samples, inputs, responses, inputShape, responseShape }: LentHalf): LabelledFields => ({
  inputs: fieldsInMemory(inputs, samples, inputShape),
  responses: fieldsInMemory(responses, samples, responseShape),
});

/** Many samples as programs take them a few at a time, to the same bits. */
function inWindows(all: TrainingSamples): Samples {
  const { samples } = all;
  if (all.inputs.length + all.responses.length <= HELD) return all;
  const sizes = { inputs: all.inputs.length / samples, responses: all.responses.length / samples };
  return {
    samples,
    sizes,
    async read(chosen, into) {
      for (const kind of ["inputs", "responses"] as const) {
        const size = sizes[kind];
        for (const [row, sample] of chosen.entries())
          into[kind].set(all[kind].subarray(sample * size, (sample + 1) * size), row * size);
      }
    },
  };
}

function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  made.catch(() => known.delete(key)); // the next call tells the reason again
  return made;
}
