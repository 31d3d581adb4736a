import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnostics/diagnose.js";
import { centroidCosts } from "../../src/numerics/cost-matrix.js";
import { countTable } from "../../src/partition/assignment.js";
import { partitionBins } from "../../src/partition/partition.js";
import { findAlpha } from "../../src/pipeline/target-distance.js";
import { stream } from "../../src/random/stream.js";

const BINS = 8;
const random = stream(5, "centroids");
const cost = centroidCosts(
  Float64Array.from({ length: BINS * 3 }, () => random.uniform()),
  BINS,
);
const binOfSample = Int32Array.from({ length: 800 }, (_, sample) => sample % BINS);
const options = { clients: 10, bins: BINS, seed: 42, minSize: 8 };

describe("the search for a target distance", () => {
  const { range } = findAlpha(binOfSample, cost, { ...options, target: 1 });

  it.each([0.15, 0.3, 0.5, 0.8])("comes close to the target at %f of the range", (part) => {
    const target = range[0] + part * (range[1] - range[0]);
    const found = findAlpha(binOfSample, cost, { ...options, target });
    expect(Math.abs(found.distance - target)).toBeLessThan(0.03 * range[1]);
    const partition = partitionBins(binOfSample, { ...options, alpha: found.alpha });
    expect(diagnose({ counts: countTable(partition), cost }).metrics.d_sol).toBe(found.distance);
  });

  it("gives the end of the range for a target beyond it", () => {
    expect(findAlpha(binOfSample, cost, { ...options, target: 100 }).distance).toBe(range[1]);
    expect(findAlpha(binOfSample, cost, { ...options, target: 1e-6 }).distance).toBe(range[0]);
  });

  it("sees distances fall as alpha grows, but for small steps", () => {
    const { tried } = findAlpha(binOfSample, cost, { ...options, target: 1 });
    const rises = tried.slice(1).map((point, index) => point.distance - tried[index].distance);
    expect(Math.max(...rises)).toBeLessThan(0.15 * (range[1] - range[0]));
  });
});
