import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { binCost } from "../../src/partition/bins.js";
import { binData } from "../../src/pipeline/binned-data.js";
import { partitionDataset } from "../../src/pipeline/partition-dataset.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

const samples = 80;
const [rows, columns] = [6, 9];
const size = rows * columns;

/** Random planes: slopes and waves. */
function planes(): Float64Array {
  const random = stream(3, "planes");
  const values = new Float64Array(samples * size);
  for (let sample = 0; sample < samples; sample++) {
    const [a, b, c] = [normal(random), normal(random), normal(random)];
    for (let i = 0; i < size; i++) {
      const [x, y] = [Math.floor(i / columns) / (rows - 1), (i % columns) / (columns - 1)];
      values[sample * size + i] = 5 + a * x + b * y * y + c * Math.sin(6 * x * y);
    }
  }
  return values;
}

const values = planes();
const responses = fieldsInMemory(values, samples, [rows, columns]);

/** H1 distances of bins by the definition: means of members over the scale of all, differences along both axes. */
function h1ByHand(binOfSample: Int32Array, bins: number): number[][] {
  const mean = Float64Array.from({ length: size }, (_, i) => {
    let sum = 0;
    for (let sample = 0; sample < samples; sample++) sum += values[sample * size + i];
    return sum / samples;
  });
  let square = 0;
  values.forEach((value, i) => {
    square += (value - mean[i % size]) ** 2;
  });
  const scale = Math.sqrt(square / samples);
  const fields = Array.from({ length: bins }, (_, bin) =>
    Array.from({ length: size }, (_, i) => {
      const own = [...binOfSample.keys()].filter((sample) => binOfSample[sample] === bin);
      return own.reduce((sum, sample) => sum + values[sample * size + i] - mean[i], 0) / own.length / scale;
    }),
  );
  return fields.map((a) =>
    fields.map((b) => {
      const d = a.map((value, i) => value - b[i]);
      let sum = d.reduce((total, value) => total + value * value, 0);
      for (let i = 0; i < size; i++) {
        if (i + columns < size) sum += ((d[i + columns] - d[i]) * (rows - 1)) ** 2;
        if (i % columns < columns - 1) sum += ((d[i + 1] - d[i]) * (columns - 1)) ** 2;
      }
      return Math.sqrt(sum);
    }),
  );
}

describe("the cost between bins", () => {
  it.each(["field", "gradient", "spectrum", "pca:3"])(
    "h1 compares mean responses, for bins of %s",
    async (representation) => {
      const { bins } = await binData({ responses }, { bins: 5, representation, cost: "h1" });
      expect(bins.cost!.name).toBe("h1");
      const byHand = h1ByHand(bins.binOfSample, 5).flat();
      const found = binCost(bins);
      expect(found.metric).toBe(true);
      found.values.forEach((cost, i) => {
        expect(cost).toBeCloseTo(byHand[i], 5); // centroids are in float32
      });
    },
  );

  it("h1 exceeds the distance of centroids", async () => {
    const l2 = binCost((await binData({ responses }, { bins: 5 })).bins).values;
    const h1 = binCost((await binData({ responses }, { bins: 5, cost: "h1" })).bins).values;
    h1.forEach((cost, i) => {
      expect(cost).toBeGreaterThanOrEqual(l2[i]);
    });
  });

  it("discrete makes D_sol the mean total variation", async () => {
    const { diagnostics } = await partitionDataset(
      { responses },
      { clients: 4, alpha: 0.3, minSize: 4, bins: 5, cost: "discrete" },
    );
    expect(diagnostics.metrics.d_sol).toBeCloseTo(diagnostics.metrics.tv, 12);
    expect(diagnostics.notes.join()).toContain("The cost between bins is discrete");
  });

  it("may be a matrix of the size of the bins, whose detours are noted", async () => {
    const rowsOf = (far: number) => [
      [0, 1, far],
      [1, 0, 1],
      [far, 1, 0],
    ];
    const split = { clients: 4, alpha: 0.3, minSize: 4, bins: 3 };
    const near = await partitionDataset(
      { responses },
      { ...split, cost: { name: "c.csv", rows: rowsOf(2) } },
    );
    expect(near.bins.cost).toMatchObject({ name: "c.csv", values: Float64Array.from(rowsOf(2).flat()) });
    expect(near.diagnostics.notes.join()).not.toContain("triangle");
    const far = await partitionDataset({ responses }, { ...split, cost: { name: "c.csv", rows: rowsOf(9) } });
    expect(far.diagnostics.notes.join()).toContain("violates the triangle inequality");
    await expect(
      partitionDataset({ responses }, { ...split, bins: 4, cost: { name: "c.csv", rows: rowsOf(2) } }),
    ).rejects.toThrow("c.csv is a cost matrix of 3 bins, but there are 4: add --bins 3");
  });

  it("is refused where nobody knows it, and h1 where bins have no fields", async () => {
    await expect(binData({ responses }, { cost: "h2" })).rejects.toThrow(
      'cost is l2, h1, discrete or a file with a matrix (.csv, .npy, .npz), not "h2"',
    );
    const drag = fieldsInMemory(
      values.filter((_, i) => i % size === 0),
      samples,
      [],
    );
    const descriptors = { names: ["drag"], open: async () => [{ name: "drag", fields: drag }] };
    await expect(binData({ responses, descriptors }, { representation: "drag", cost: "h1" })).rejects.toThrow(
      "the cost h1 compares fields on one grid",
    );
  });
});
