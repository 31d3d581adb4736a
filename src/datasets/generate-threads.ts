import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { grantedCores } from "../schedulers/granted.js";
import {
  emptyDataset,
  type GeneratedData,
  type GenerateOptions,
  generate,
  generateSpecification,
  type Progress,
  placeSamples,
  type Samples,
  sampleBlocks,
} from "./generate.js";

export interface ThreadOptions {
  readonly onProgress?: Progress;
  /** All cores by default. */
  readonly threads?: number;
  /** Ends the threads; what is done so far is lost. */
  readonly signal?: AbortSignal;
}

const WORKER = new URL("./generate-worker.js", import.meta.url);

/**
 * The same as `generate`, bit by bit, with several threads. With one thread, or without the compiled worker beside
 * this file (the sources under a test runner), it works in the calling thread.
 */
export async function generateInThreads(
  options: GenerateOptions,
  threadOptions: ThreadOptions = {},
): Promise<GeneratedData> {
  const { onProgress, threads = grantedCores(), signal } = threadOptions;
  signal?.throwIfAborted();
  const specification = generateSpecification(options);
  const blocks = sampleBlocks(specification);
  const count = Math.min(threads, blocks.length);
  if (count <= 1 || !existsSync(fileURLToPath(WORKER))) return generate(options, { onProgress });

  const dataset = emptyDataset(specification);
  const total = specification.train + specification.test;
  let done = 0;
  let handedOut = 0;

  /** A thread's life: it takes the next block until none is left. */
  async function work(worker: Worker): Promise<void> {
    while (handedOut < blocks.length) {
      const { split, start, end } = blocks[handedOut++];
      worker.postMessage({ split, start, end });
      const block = await reply(worker);
      placeSamples(dataset, split, start, block);
      done += block.samples;
      onProgress?.(done, total);
    }
  }

  const workers = Array.from({ length: count }, () => new Worker(WORKER, { workerData: specification }));
  const terminate = () => Promise.all(workers.map((worker) => worker.terminate()));
  signal?.addEventListener("abort", terminate);
  try {
    await Promise.all(workers.map(work));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", terminate);
    await terminate();
  }
  return dataset;
}

/** The next message of a worker, or its failure. */
function reply(worker: Worker): Promise<Samples> {
  return new Promise((resolve, reject) => {
    // Told to end, it may have done so together with its last message.
    if (worker.threadId < 0) return reject(new Error("a generating thread has ended"));
    const settle = () => worker.off("message", received).off("error", failed).off("exit", ended);
    const received = (block: Samples) => {
      settle();
      resolve(block);
    };
    const failed = (error: unknown) => {
      settle();
      reject(error);
    };
    const ended = (code: number) => failed(new Error(`a generating thread ended with code ${code}`));
    worker.on("message", received).on("error", failed).on("exit", ended);
  });
}
