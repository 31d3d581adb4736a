import { parentPort, workerData } from "node:worker_threads";
import type { ReadAnswer, ReadRequest } from "./reader-thread.js";
import { type ReaderSource, sampleReader } from "./sample-reader.js";
import { blankSamples } from "./stored-samples.js";

/** A thread that `openReader` starts: it is told the file, then which samples to read. */
const source = workerData as ReaderSource;
const reader = sampleReader(source);

parentPort!.on("message", async ({ id, split, chosen }: ReadRequest) => {
  try {
    const { inputs, responses } = blankSamples(source.sizes, chosen.length);
    await reader.read(split, chosen, { inputs, responses });
    const answer: ReadAnswer = { id, inputs, responses };
    parentPort!.postMessage(answer, [inputs.buffer as ArrayBuffer, responses.buffer as ArrayBuffer]);
  } catch (error) {
    const { name, message } = error as Error;
    const answer: ReadAnswer = { id, error: { name, message } };
    parentPort!.postMessage(answer);
  }
});
