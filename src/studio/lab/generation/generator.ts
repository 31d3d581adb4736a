import { transfer } from "comlink";
import {
  type GenerateSpecification,
  type Samples,
  type Split,
  sampleGenerator,
} from "../../../datasets/generate.js";

let samplesOf: ReturnType<typeof sampleGenerator> | undefined;

/** A thread that `generators` starts: it is given the specification, then one block after another. */
export const generator = {
  prepare(specification: GenerateSpecification): void {
    samplesOf = sampleGenerator(specification);
  },
  samples(split: Split, start: number, end: number): Samples {
    const block = samplesOf!(split, start, end);
    return transfer(block, [block.inputs.buffer as ArrayBuffer, block.responses.buffer as ArrayBuffer]);
  },
};

export type Generator = typeof generator;
