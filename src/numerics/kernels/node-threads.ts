import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Threads } from "./threads.js";

/**
 * As source text, so that it needs no file of its own and runs from TypeScript, a bundle or a package alike.
 */
const WORKER = `const { parentPort, workerData: { module, memory } } = require("node:worker_threads");
const { exports } = new WebAssembly.Instance(module, { env: { memory } });
const counter = new Int32Array(memory.buffer, 0, 1);
parentPort.on("message", ({ kernel, from, to, block, rest }) => {
  for (;;) {
    const start = from + Atomics.add(counter, 0, 1) * block;
    if (start >= to) break;
    exports[kernel](start, Math.min(start + block, to), ...rest);
  }
  parentPort.postMessage("done");
});`;

/**
 * Node workers that share the caller's memory and keep its thread free. An idle worker takes the next block; the first
 * word of the memory, which `RowMatrix` reserves, counts the blocks.
 */
export function nodeThreads(count: number = availableParallelism()): Threads {
  return {
    shared: true,
    async start(module, memory) {
      const counter = new Int32Array(memory.buffer, 0, 1);
      const workers = Array.from({ length: Math.max(1, count) }, () => {
        const worker = new Worker(WORKER, { eval: true, workerData: { module, memory } });
        worker.unref(); // an idle worker does not keep the process alive
        return worker;
      });

      return {
        async run(kernel, { from, to }, block, rest) {
          Atomics.store(counter, 0, 0);
          const busy = workers.slice(0, Math.ceil((to - from) / block));
          await Promise.all(busy.map((worker) => ask(worker, { kernel, from, to, block, rest })));
        },
        async close() {
          await Promise.all(workers.map((worker) => worker.terminate()));
        },
      };
    },
  };
}

/** Sends a task; resolves when the worker has done all it could get of it. */
async function ask(worker: Worker, task: unknown): Promise<void> {
  // One that failed or was closed before would never answer.
  if (worker.threadId < 0) throw new Error("a thread has ended before its work");
  worker.ref();
  worker.postMessage(task);
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: unknown) => {
      worker.off("message", onMessage).off("error", settle).off("exit", onExit).unref();
      if (error) reject(error);
      else resolve();
    };
    const onMessage = () => settle();
    const onExit = () => settle(new Error("a thread ended in the middle of its work"));
    worker.on("message", onMessage).on("error", settle).on("exit", onExit);
  });
}
