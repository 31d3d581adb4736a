import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { generate } from "../../src/datasets/generate.js";
import { fitBins } from "../../src/partition/bins.js";
import { normaliseResponses } from "../../src/partition/normalise.js";
import { sweepBins } from "../../src/pipeline/bin-sweep.js";
import { partitionDataset } from "../../src/pipeline/partition-dataset.js";

const { train, responseShape } = generate({ task: "antiderivative", seed: 3, train: 300, test: 1 });
const responses = fieldsInMemory(train.responses, 300, responseShape);

describe("a sweep over numbers of bins", () => {
  it("gives every number of bins the bits of a fit of its own", async () => {
    const points = await sweepBins({ responses }, [2, 5, 9], { alpha: 0.5, clients: 6, seed: 4 });
    for (const { bins, explainedVariance, quantisationError, smallest } of points) {
      const normalised = await normaliseResponses(responses);
      const alone = await fitBins(normalised, { bins, seed: 4 });
      expect(explainedVariance).toBe(alone.quality!.explainedVariance);
      expect(quantisationError).toBe(alone.quantisationError);
      const sizes = new Int32Array(bins);
      for (const bin of alone.binOfSample) sizes[bin]++;
      expect(smallest).toBe(Math.min(...sizes));
    }
  });

  it("finds the distances of partitions with as many bins", async () => {
    const points = await sweepBins({ responses }, [3, 7], { alpha: 0.2, clients: 5, seed: 8 });
    for (const { bins, d_sol, d_sol_floor } of points) {
      const { diagnostics } = await partitionDataset(
        { responses },
        { bins, alpha: 0.2, clients: 5, seed: 8 },
      );
      expect([d_sol, d_sol_floor]).toEqual([diagnostics.metrics.d_sol, diagnostics.metrics.d_sol_floor]);
    }
    expect(points[0].explainedVariance).toBeLessThan(points[1].explainedVariance);
  });

  it("keeps clients that exist", async () => {
    const clientOfSample = Int32Array.from({ length: 300 }, (_, i) => (i < 100 ? 0 : i < 250 ? 1 : -1));
    const given = { clientOfSample, clientNames: ["a", "b"] };
    const points = await sweepBins({ responses }, [2, 4], { given });
    expect(points.map(({ bins }) => bins)).toEqual([2, 4]);
    for (const { d_sol } of points) expect(d_sol).toBeGreaterThan(0);
  });

  it("refuses more bins than samples before it reads any", async () => {
    const unread = { ...responses, read: () => Promise.reject(new Error("was read")) };
    await expect(sweepBins({ responses: unread }, [2, 301], { alpha: 1 })).rejects.toThrow(
      "300 responses cannot fill 301 bins: sweep up to 300",
    );
  });

  it("shows how far it is, and says when all is read", async () => {
    const steps: string[] = [];
    const startStep = (name: string) => ({
      update: () => {},
      finish: (words: string) => void steps.push(`${name}: ${words}`),
    });
    let isRead = false;
    await sweepBins({ responses }, [2, 3], {
      alpha: 1,
      clients: 4,
      startStep,
      onRead: async () => {
        isRead = true;
      },
    });
    expect(isRead).toBe(true);
    expect(steps.at(-1)).toBe("Fitting 2 numbers of bins: 2 to 3 bins");
    const refused = sweepBins({ responses }, [2, 3], {
      alpha: 1,
      onRead: async () => {
        throw new Error("other data");
      },
    });
    await expect(refused).rejects.toThrow("other data");
  });
});
