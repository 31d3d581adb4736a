import { parentPort, workerData } from "node:worker_threads";
import { type GenerateSpecification, type Split, sampleGenerator } from "./generate.js";

/** The thread that `generateInThreads` starts: it is given the specification, then one block after another. */
const samplesOf = sampleGenerator(workerData as GenerateSpecification);

parentPort!.on("message", ({ split, start, end }: { split: Split; start: number; end: number }) => {
  const block = samplesOf(split, start, end);
  parentPort!.postMessage(block, [block.inputs.buffer as ArrayBuffer, block.responses.buffer as ArrayBuffer]);
});
