import { instantiate, type Threads } from "../../numerics/kernels/threads.js";

/** Milliseconds after which work that can wait lets others have their turn: less than a frame. */
const TURN = 12;

/** Lets messages that have arrived be answered first. */
export const letOthers = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Kernels in the caller's thread, with pauses in which it answers the page: the dial never waits for them. */
export const patientThreads: Threads = {
  shared: false,
  async start(module, memory) {
    const kernels = await instantiate(module, memory);
    return {
      async run(kernel, { from, to }, block, rest) {
        let began = performance.now();
        for (let start = from; start < to; start += block) {
          kernels[kernel](start, Math.min(start + block, to), ...rest);
          if (performance.now() - began < TURN) continue;
          await letOthers();
          began = performance.now();
        }
      },
      close: async () => {},
    };
  },
};
