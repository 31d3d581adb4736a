import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { instantiate, type Threads } from "./threads.js";

/**
 * As source text, so that it needs no file of its own and runs from TypeScript, a bundle or a package alike.
 */
const WORKER = `const { parentPort, workerData: { module, memory } } = require("node:worker_threads");
const { exports } = new WebAssembly.Instance(module, { env: { memory } });
const counter = new Int32Array(memory.buffer, 0, 1);
parentPort.on("message", ({ kernel, items, block, rest }) => {
  for (;;) {
    const from = Atomics.add(counter, 0, 1) * block;
    if (from >= items) break;
    exports[kernel](from, Math.min(from + block, items), ...rest);
  }
  parentPort.postMessage("done");
});`;

/** Milliseconds that the caller's thread works without looking at what else there is to do, but for a block. */
const BREATH = 20;

/**
 * Threads of Node: the caller's and `count - 1` workers that share its memory. Whoever is free takes the next
 * block; it is counted in the first word of the memory, which `RowMatrix` leaves to it.
 */
export function nodeThreads(count: number = availableParallelism()): Threads {
  return {
    shared: true,
    async start(module, memory) {
      const kernels = await instantiate(module, memory);
      const counter = new Int32Array(memory.buffer, 0, 1);
      const workers = Array.from({ length: count - 1 }, () => {
        const worker = new Worker(WORKER, { eval: true, workerData: { module, memory } });
        worker.unref(); // an idle worker does not keep the process alive
        return worker;
      });

      return {
        async run(kernel, items, block, rest) {
          Atomics.store(counter, 0, 0);
          const helpers = workers.slice(0, Math.ceil(items / block) - 1);
          const replies = helpers.map((worker) => ask(worker, { kernel, items, block, rest }));
          const own = async () => {
            let since = performance.now();
            for (;;) {
              const from = Atomics.add(counter, 0, 1) * block;
              if (from >= items) return;
              kernels[kernel](from, Math.min(from + block, items), ...rest);
              if (performance.now() - since < BREATH) continue;
              await nextTurn(); // a GPU that this thread keeps busy is told what to do next
              since = performance.now();
            }
          };
          await Promise.all([...replies, own()]);
        },
        async close() {
          await Promise.all(workers.map((worker) => worker.terminate()));
        },
      };
    },
  };
}

/** Sends a task; resolves when the worker has done all it could get of it. */
function ask(worker: Worker, task: unknown): Promise<void> {
  worker.ref();
  worker.postMessage(task);
  return new Promise<void>((resolve, reject) => {
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
