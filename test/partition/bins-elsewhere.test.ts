import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { binCost, type SolutionBins } from "../../src/partition/bins.js";
import {
  binReach,
  binSpreads,
  fitElsewhere,
  fitNotes,
  useElsewhereNotes,
} from "../../src/partition/bins-elsewhere.js";
import { binData } from "../../src/pipeline/binned-data.js";
import { stream } from "../../src/random/stream.js";

const SIZE = 6;

/** Samples about four centres, wider or moved. */
function samples(count: number, seed: number, { spread = 1, shift = 0 } = {}): Float64Array {
  const random = stream(seed, "samples");
  return Float64Array.from(
    { length: count * SIZE },
    (_, i) => 10 * Math.sin(3 * (Math.floor(i / SIZE) % 4) + (i % SIZE)) + spread * random.uniform() + shift,
  );
}

async function binned(values: Float64Array, model?: SolutionBins): Promise<SolutionBins> {
  const responses = fieldsInMemory(values, values.length / SIZE, [SIZE]);
  return (await binData({ responses }, { bins: 4, model, seed: 1 })).bins;
}

/** Distance of every sample from its nearest centroid, in plain float64. */
function plainDistances(values: Float64Array, { mean, scale, centroids, bins }: SolutionBins): number[] {
  return Array.from({ length: values.length / SIZE }, (_, i) => {
    const toBin = (bin: number) =>
      Math.hypot(
        ...Array.from(mean, (m, j) => (values[i * SIZE + j] - m) / scale - centroids[bin * SIZE + j]),
      );
    return Math.min(...Array.from({ length: bins }, (_, bin) => toBin(bin)));
  });
}

describe("bins of other data", () => {
  const values = samples(200, 1);

  it("know how far samples lie from their centroids, as plain arithmetic does", async () => {
    const fitted = await binned(values);
    const plain = plainDistances(values, fitted);
    const reach = binReach(fitted);
    expect(reach.farthest).toBeCloseTo(Math.max(...plain), 5);
    expect(reach.meanDistance).toBeCloseTo(plain.reduce((a, b) => a + b) / 200, 5);
    const moved = samples(120, 2, { spread: 1.4 });
    const applied = await binned(moved, fitted);
    const outside = plainDistances(moved, fitted).filter((distance) => distance > reach.farthest).length;
    expect(outside).toBeGreaterThan(5);
    expect(fitElsewhere(applied, reach)).toMatchObject({ samples: 120, outside });
  });

  it("find no sample outside among those that they were fitted to", async () => {
    const fitted = await binned(values);
    const again = fitElsewhere(await binned(values, fitted), binReach(fitted));
    expect(again.outside).toBe(0);
    expect(fitNotes(again, binReach(fitted))).toEqual([]);
  });

  it("raise no alarm for other data of the same law, and one for data elsewhere", async () => {
    const fitted = await binned(values);
    const reach = binReach(fitted);
    const like = fitElsewhere(await binned(samples(300, 5), fitted), reach);
    expect(fitNotes(like, reach)).toEqual([]);
    const other = fitElsewhere(await binned(samples(300, 5, { shift: 3 }), fitted), reach);
    expect(other.outside).toBe(300);
    expect(fitNotes(other, reach).join(" ")).toMatch(/100\.0 % of the samples .* times that of the data/);
  });

  it("are shown one by one, with the nearest centroid", async () => {
    const fitted = await binned(values);
    const spreads = binSpreads(fitted);
    expect(spreads.map((spread) => spread.samples)).toEqual([50, 50, 50, 50]);
    expect(Math.max(...spreads.map(({ farthest }) => farthest))).toBe(binReach(fitted).farthest);
    const { values: cost, size } = binCost(fitted);
    spreads.forEach(({ nearest }, bin) => {
      const others = [...cost.subarray(bin * size, (bin + 1) * size)].filter((_, other) => other !== bin);
      expect(nearest!.distance).toBe(Math.min(...others));
      expect(cost[bin * size + nearest!.bin]).toBe(nearest!.distance);
    });
    const { bins: one } = await binData({ responses: fieldsInMemory(values, 200, [SIZE]) }, { bins: 1 });
    expect(binSpreads(one)).toEqual([expect.not.objectContaining({ nearest: expect.anything() })]);
  });

  it("say when they were fitted to few samples", async () => {
    expect(useElsewhereNotes(await binned(values))).toEqual([]);
    expect(useElsewhereNotes(await binned(samples(39, 3)))).toEqual([
      expect.stringContaining("39 samples are few for 4 bins"),
    ]);
  });
});
