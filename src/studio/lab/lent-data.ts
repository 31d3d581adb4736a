import type { Split } from "../../datasets/dataset.js";
import { DataError } from "../../errors.js";
import type { AttributeValues } from "../../partition/partitioner.js";
import type { LabData, OnProgress } from "./lab.js";

/** One half of data, all of it: samples after one another. */
export interface LentHalf {
  readonly samples: number;
  readonly inputs: Float32Array | Float64Array;
  readonly responses: Float32Array | Float64Array;
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
}

/** Samples of the lab for another worker. Each answer is a copy. */
export interface LentData {
  half(split: Split, onProgress?: OnProgress): Promise<LentHalf>;
  /** Group of every training sample, where samples of a group stay together. */
  groups(): Promise<Int32Array | undefined>;
  /** Values of every training sample, for partitioners that ask for some; undefined if there are none of this name. */
  attribute(name: string): Promise<AttributeValues | undefined>;
}

/** Lends what the lab holds now, whatever it holds later. */
export function lendData({ train, test, groups, attributes, complete }: LabData): LentData {
  return {
    async half(split, onProgress) {
      const fields = split === "train" ? train : test;
      if (!fields)
        throw new DataError("the data have no test samples: there is nothing to measure an error on");
      const { inputs, responses } = fields;
      if (!inputs)
        throw new DataError("there are responses alone: say in the view Data which arrays are inputs");
      await complete?.(split, onProgress);
      return {
        samples: responses.samples,
        inputs: await inputs.read(0, inputs.samples),
        responses: await responses.read(0, responses.samples),
        inputShape: inputs.shape,
        responseShape: responses.shape,
      };
    },
    groups: async () => groups,
    attribute: async (name) => (attributes?.names.includes(name) ? attributes.read(name) : undefined),
  };
}
