import { parentPort, workerData } from "node:worker_threads";
import type { ReadAnswer, ReadRequest } from "./reader-thread.js";
import { type ReaderSource, sampleReader } from "./sample-reader.js";

/** A thread that `openReader` starts: it is told the file, then which samples to read. */
const reader = sampleReader(workerData as ReaderSource);

parentPort!.on("message", async ({ id, split, chosen, into }: ReadRequest) => {
  try {
    await reader.read(split, chosen, into);
    const answer: ReadAnswer = { id };
    parentPort!.postMessage(answer);
  } catch (error) {
    const { name, message } = error as Error;
    const answer: ReadAnswer = { id, error: { name, message } };
    parentPort!.postMessage(answer);
  }
});
