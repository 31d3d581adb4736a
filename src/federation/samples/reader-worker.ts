import { parentPort, workerData } from "node:worker_threads";
import type { ReadAnswer, ReadRequest } from "./reader-thread.js";
import { type ReaderSource, sampleReader } from "./sample-reader.js";

/** The thread that `openReader` starts: it is told the file, then which samples to read. */
const reader = sampleReader(workerData as ReaderSource);

parentPort!.on("message", async ({ id, split, chosen, inputs, responses }: ReadRequest) => {
  try {
    const read = await reader.read(split, chosen, { inputs, responses });
    const answer: ReadAnswer = { id, ...read };
    parentPort!.postMessage(answer, [
      read.inputs.buffer as ArrayBuffer,
      read.responses.buffer as ArrayBuffer,
    ]);
  } catch (error) {
    const { name, message } = error as Error;
    const answer: ReadAnswer = { id, error: { name, message } };
    parentPort!.postMessage(answer);
  }
});
