import { wrap } from "comlink";
import {
  type GenerateSpecification,
  type Samples,
  type Split,
  sampleGenerator,
} from "../../../datasets/generate.js";
import { letOthers } from "../patient-threads.js";
import type { Generator } from "./generator.js";
import { GENERATOR } from "./generator-name.js";

/** Somebody who makes samples of one specification. */
export interface SampleMaker {
  samples(split: Split, start: number, end: number): Promise<Samples>;
  close(): void;
}

/** Threads beyond which a laptop becomes slow for everybody else. */
const MOST_THREADS = 6;

/** Makers of samples: a thread for each core but one, or the caller's own thread where there are no others. */
export function generators(specification: GenerateSpecification): readonly SampleMaker[] {
  if (typeof Worker === "undefined") return [ownThread(specification)];
  const cores = navigator.hardwareConcurrency ?? 2;
  return Array.from({ length: Math.min(MOST_THREADS, Math.max(1, cores - 1)) }, () => thread(specification));
}

function thread(specification: GenerateSpecification): SampleMaker {
  // The lab's own script: the solvers are in it anyway.
  const worker = new Worker(self.location.href, { type: "module", name: GENERATOR });
  const remote = wrap<Generator>(worker);
  let prepared: Promise<void> | undefined;
  return {
    async samples(split, start, end) {
      prepared ??= remote.prepare(specification);
      await prepared;
      return (await remote.samples(split, start, end)) as Samples;
    },
    close: () => worker.terminate(),
  };
}

/** Lets messages be answered between two blocks. */
function ownThread(specification: GenerateSpecification): SampleMaker {
  let made: ReturnType<typeof sampleGenerator> | undefined;
  return {
    async samples(split, start, end) {
      await letOthers();
      made ??= sampleGenerator(specification);
      return made(split, start, end);
    },
    close: () => {},
  };
}
