import { describe, expect, it } from "vitest";
import { federate } from "../../src/federation/federation.js";
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

describe("clients of these data", () => {
  it("are measured alike with the optimal plans of all pairs, which runs store, and without", async () => {
    const options = runOptions({
      ...{ task: "antiderivative", alpha: 0.5, seed: 0, clients: 4 },
      ...{ minSize: 4, train: 64, test: 4, bins: 4 },
    });
    const data = await prepareData(options);
    const [stored, plain] = await Promise.all([
      federate(data, options),
      federate(data, options, { plans: false }),
    ]);
    const { plans, ...measured } = stored.measured.diagnostics;
    expect(plans.mass.length).toBeGreaterThan(0);
    expect(plain.measured.diagnostics).toMatchObject(measured);
    expect(plain.measured.diagnostics.plans.mass).toHaveLength(0);
  });
});
