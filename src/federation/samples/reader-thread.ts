import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Split } from "../../datasets/dataset.js";
import * as errors from "../../errors.js";
import { replaceSamples, type SampleArrays } from "../../models/trainable-model.js";
import { type ReaderSource, type SampleReader, sampleReader } from "./sample-reader.js";
import { sharedSamples, someOf } from "./stored-samples.js";

/** What a thread is asked, and what it answers. */
export interface ReadRequest {
  readonly id: number;
  readonly split: Split;
  readonly chosen: Int32Array;
  /** Memory that both threads share. */
  readonly into: SampleArrays;
}
export interface ReadAnswer {
  readonly id: number;
  readonly error?: { readonly name: string; readonly message: string };
}

const WORKER = new URL("./reader-worker.js", import.meta.url);

/** Threads, each of which waits for one read at a time: a disk answers several as fast as one. */
const THREADS = 2;
/** Samples for which a thread is worth its messages. */
const FEWEST = 8;
/** Milliseconds after which a thread without work ends, and its file is closed. The next read starts another one. */
const IDLE = 10_000;

/**
 * Reads in threads: ONNX Runtime blocks the caller's thread while it computes, and HDF5 while it reads. Without the
 * compiled worker beside this file (the sources under a test runner) it reads in the calling thread.
 */
export function openReader(source: ReaderSource): SampleReader {
  if (!existsSync(fileURLToPath(WORKER))) return sampleReader(source);
  const threads = Array.from({ length: THREADS }, () => readingThread(source));
  async function readShared(split: Split, chosen: Int32Array, into: SampleArrays): Promise<void> {
    const parts = Math.min(THREADS, Math.ceil(chosen.length / FEWEST));
    const bound = (part: number) => Math.round((part * chosen.length) / parts);
    const readPart = ({ read }: ReadingThread, part: number) => {
      const [from, to] = [bound(part), bound(part + 1)];
      return read(split, chosen.slice(from, to), someOf(into, source.sizes, from, to));
    };
    await settled(threads.slice(0, parts).map(readPart));
  }
  return {
    async read(split, chosen, into) {
      if (isShared(into)) return readShared(split, chosen, into);
      const shared = sharedSamples(source.sizes, chosen.length);
      await readShared(split, chosen, shared);
      replaceSamples(into, shared);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

const isShared = ({ inputs, responses }: SampleArrays): boolean =>
  [inputs, responses].every(({ buffer }) => buffer instanceof SharedArrayBuffer);

/** Waits for all, also where one fails: none writes to its memory any more. */
async function settled(all: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(all);
  await Promise.all(all);
}

interface ReadingThread {
  /** Reads into shared memory. */
  read(split: Split, chosen: Int32Array, into: SampleArrays): Promise<void>;
  close(): Promise<void>;
}

/** A thread that starts with the first read. */
function readingThread(source: ReaderSource): ReadingThread {
  const waiting = new Map<number, { resolve(): void; reject(error: unknown): void }>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let asked = 0;

  function start(): Worker {
    const started = new Worker(WORKER, { workerData: source, execArgv: [] });
    started.on("message", (answer: ReadAnswer) => {
      const { resolve, reject } = waiting.get(answer.id)!;
      waiting.delete(answer.id);
      if (waiting.size === 0) rest(started);
      if (answer.error) reject(revived(answer.error));
      else resolve();
    });
    started.on("error", (error) => end(started, error));
    started.on("exit", (code) => end(started, new Error(`a reading thread ended with code ${code}`)));
    return started;
  }

  function rest(resting: Worker): void {
    resting.unref(); // a thread without work does not keep the process alive
    idle = setTimeout(() => stop(resting), IDLE).unref();
  }

  function end(ended: Worker, reason: unknown): void {
    if (worker !== ended) return;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  }

  async function stop(stopped: Worker): Promise<void> {
    end(stopped, new Error("a reading thread was closed"));
    await stopped.terminate();
  }

  return {
    read(split, chosen, into) {
      clearTimeout(idle);
      worker ??= start();
      worker.ref();
      const request: ReadRequest = { id: asked++, split, chosen, into };
      worker.postMessage(request);
      return new Promise((resolve, reject) => {
        waiting.set(request.id, { resolve, reject });
      });
    },
    async close() {
      clearTimeout(idle);
      if (worker) await stop(worker);
    },
  };
}

/** An error of another thread, with its class. */
function revived({ name, message }: { readonly name: string; readonly message: string }): Error {
  const known = (errors as Readonly<Record<string, new (message: string) => Error>>)[name];
  return new (known ?? Error)(message);
}
