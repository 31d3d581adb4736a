import type { InputValues } from "../../engine/backend.js";
import type { SampleWindows } from "../samples/sample-windows.js";
import { INPUTS } from "./program-inputs.js";
import type { Remaining } from "./remaining-samples.js";

/** Samples and their weights, as a program takes them. */
export interface Batch {
  readonly indices: Int32Array;
  readonly weights: Float32Array;
}

/** What a program gathers from, and its inputs that say which samples. */
export interface ReadBatches<T> {
  readonly held: T;
  readonly inputs: Readonly<Record<string, InputValues>>;
}

/** Reads the samples of a round's steps, and what the first step leaves out where the strategy needs all samples. */
export async function readBatches<T>(
  windows: SampleWindows<T>,
  { indices, weights }: Batch,
  remaining: Remaining | undefined,
): Promise<ReadBatches<T>> {
  if (!remaining) {
    const window = await windows.read(indices);
    return { held: window.held, inputs: { [INPUTS.indices]: window.indices, [INPUTS.weights]: weights } };
  }
  const all = new Int32Array(indices.length + remaining.indices.length);
  all.set(indices);
  all.set(remaining.indices, indices.length);
  const window = await windows.read(all);
  return {
    held: window.held,
    inputs: {
      [INPUTS.indices]: window.indices.subarray(0, indices.length),
      [INPUTS.weights]: weights,
      ...(remaining.indices.length > 0 && {
        [INPUTS.remainingIndices]: window.indices.subarray(indices.length),
        [INPUTS.remainingWeights]: remaining.weights,
      }),
      [INPUTS.firstShares]: remaining.shares,
    },
  };
}
