import { describe, expect, it } from "vitest";
import { prepareData } from "../../src/federation/prepared-data.js";
import { runOptions } from "../../src/federation/run-options.js";
import { inlineThreads, type Threads } from "../../src/numerics/kernels/threads.js";
import { studyFolders } from "../studies/tiny-study.js";

studyFolders(); // a cache of its own

describe("data of a seed", () => {
  it.each([
    ["are there", 4],
    ["cannot be had, for there are more bins than responses", 20],
  ])("end their threads when they %s", async (_, bins) => {
    let open = 0;
    const threads: Threads = {
      ...inlineThreads,
      async start(module, memory) {
        const pool = await inlineThreads.start(module, memory);
        open++;
        return {
          ...pool,
          close: () => {
            open--;
            return pool.close();
          },
        };
      },
    };
    const options = runOptions({
      task: "antiderivative",
      alpha: 1,
      seed: 0,
      clients: 2,
      minSize: 4,
      train: 16,
      test: 4,
      bins,
    });
    const data = prepareData(options, { threads: () => threads });
    if (bins > 16) await expect(data).rejects.toThrow("16 responses cannot fill 20 bins");
    else expect((await data).train.samples).toBe(16);
    expect(open).toBe(0);
  });
});
