import type { SampleArrays, TrainingSamples } from "../../models/trainable-model.js";

/** Numbers of an input and of a response. */
export interface SampleSizes {
  readonly inputs: number;
  readonly responses: number;
}

/** Samples that exceed the memory for data. They are read when asked for, scaled as a model takes them. */
export interface StoredSamples {
  readonly samples: number;
  readonly sizes: SampleSizes;
  /** Reads the chosen samples, in rising order, into the first rows of `into`: fastest into shared memory. */
  read(chosen: Int32Array, into: SampleArrays): Promise<void>;
}

/** Labelled samples as a model takes them, in memory or on disk. */
export type Samples = TrainingSamples | StoredSamples;

export const isStored = (samples: Samples): samples is StoredSamples => "read" in samples;

export function sizesOf(samples: Samples): SampleSizes {
  if (isStored(samples)) return samples.sizes;
  const { inputs, responses, samples: count } = samples;
  return { inputs: inputs.length / count, responses: responses.length / count };
}

/** So many samples of zeros. */
export function blankSamples({ inputs, responses }: SampleSizes, samples: number): TrainingSamples {
  return {
    samples,
    inputs: new Float32Array(samples * inputs),
    responses: new Float32Array(samples * responses),
  };
}

/** The same in memory that threads share, where there is any: a page may have none. ONNX Runtime takes none of it. */
export function sharedSamples({ inputs, responses }: SampleSizes, samples: number): SampleArrays {
  const Memory = typeof SharedArrayBuffer === "undefined" ? ArrayBuffer : SharedArrayBuffer;
  const shared = (size: number) => new Float32Array(new Memory(4 * samples * size));
  return { inputs: shared(inputs), responses: shared(responses) };
}

/** Samples `from` to `to - 1`, as views. */
export function someOf(arrays: SampleArrays, sizes: SampleSizes, from: number, to: number): SampleArrays {
  return {
    inputs: arrays.inputs.subarray(from * sizes.inputs, to * sizes.inputs),
    responses: arrays.responses.subarray(from * sizes.responses, to * sizes.responses),
  };
}

/** Numbers of a block of stored samples, about. */
const BLOCK = 2 ** 22;

/** All samples in order: at once where they are in memory, else in blocks. A block is valid until the next one. */
export async function* blocksOf(samples: Samples): AsyncGenerator<TrainingSamples> {
  if (!isStored(samples)) {
    yield samples;
    return;
  }
  const { inputs, responses } = samples.sizes;
  const rows = Math.min(samples.samples, Math.max(1, Math.floor(BLOCK / (inputs + responses))));
  const block = sharedSamples(samples.sizes, rows);
  for (let start = 0; start < samples.samples; start += rows) {
    const count = Math.min(rows, samples.samples - start);
    await samples.read(
      Int32Array.from({ length: count }, (_, i) => start + i),
      block,
    );
    yield { samples: count, ...someOf(block, samples.sizes, 0, count) };
  }
}
