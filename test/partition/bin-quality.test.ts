import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { generate } from "../../src/datasets/generate.js";
import type { TaskName } from "../../src/datasets/tasks.js";
import { binNotes, noiseExplained } from "../../src/partition/bin-quality.js";
import { applyBins, fitBins } from "../../src/partition/bins.js";
import { normaliseResponses } from "../../src/partition/normalise.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

async function binned(
  values: Float64Array | Float32Array,
  samples: number,
  shape: readonly number[],
  bins = 10,
) {
  const normalised = await normaliseResponses(fieldsInMemory(values, samples, shape));
  const fitted = await fitBins(normalised, { bins, seed: 0 });
  await normalised.matrix.close();
  return { fitted, normalised, quality: fitted.quality! };
}

/** Samples about ten places, well apart. */
function clustered(samples: number, size = 20): Float64Array {
  const random = stream(3, "clusters");
  return Float64Array.from(
    { length: samples * size },
    (_, i) => 5 * Math.cos((Math.floor(i / size) % 10) * (1 + (i % size))) + 0.1 * normal(random),
  );
}

describe("the quality of bins", () => {
  it("is measured by the variance that they explain", async () => {
    const samples = 200;
    const { fitted, normalised, quality } = await binned(clustered(samples), samples, [20]);
    let total = 0;
    for (let i = 0; i < samples; i++) for (const value of normalised.matrix.row(i)) total += value * value; // about a mean of zero
    expect(quality.explainedVariance).toBeCloseTo(1 - fitted.inertia / total, 6);
    expect(quality.explainedVariance).toBeGreaterThan(0.9);
    expect(binNotes(quality)).toEqual([]);
    const again = await applyBins(normalised, fitted);
    expect(again.quality!.explainedVariance).toBeCloseTo(quality.explainedVariance, 6);
  });

  it("names the samples that hold most of the variance", async () => {
    const values = clustered(200);
    values.subarray(7 * 20, 8 * 20).forEach((value, i, row) => {
      row[i] = 1e6 * value;
    });
    const { quality } = await binned(values, 200, [20]);
    expect(quality.dominant.samples).toEqual([7]);
    expect(binNotes(quality)[0]).toMatch(
      /^Sample 7 holds (99\.5|99\.[6-9]|more than 99\.9) % of the variance/,
    );
    expect(binNotes(quality).join()).toMatch(/hold?s? a single sample/);
  });

  it("names several of them", async () => {
    const values = clustered(200);
    for (const sample of [4, 17, 99])
      values.subarray(sample * 20, sample * 20 + 20).forEach((value, i, row) => {
        row[i] = 1e3 * value;
      });
    const { quality } = await binned(values, 200, [20]);
    expect(binNotes(quality)[0]).toMatch(/^[23] of 200 samples \([\d, ]+\) hold [\d.]+ % of the variance/);
  });

  it("says that bins explain little of white noise", async () => {
    const random = stream(1, "noise");
    const noise = Float64Array.from({ length: 300 * 100 }, () => normal(random));
    const { quality } = await binned(noise, 300, [100]);
    expect(quality.explainedVariance).toBeLessThan(0.15);
    expect(binNotes(quality)).toEqual([
      expect.stringMatching(/^The bins explain \d+\.\d % of the variance .*about as much as of white noise/),
    ]);
  });

  it.each([
    [300, 100, 10],
    [800, 30, 20],
    [100, 1000, 2],
    [60, 300, 10],
    [1000, 50, 2],
  ])(
    "knows what k-means explains of noise: %i samples of %i numbers, %i bins",
    async (samples, size, bins) => {
      const random = stream(2, "noise", samples);
      const noise = Float64Array.from({ length: samples * size }, () => normal(random));
      const { quality } = await binned(noise, samples, [size], bins);
      const expected = noiseExplained(quality);
      expect(quality.explainedVariance).toBeLessThan(1.25 * expected);
      expect(quality.explainedVariance).toBeGreaterThan(0.6 * expected);
      expect(binNotes(quality).join()).toMatch(/white noise/);
    },
  );

  it("does not take bins that explain little, but more than of noise, for noise", async () => {
    const random = stream(3, "half noise");
    const values = Float64Array.from(
      { length: 300 * 100 },
      (_, i) => normal(random) + 1.2 * Math.sin((Math.floor(i / 100) % 10) * (1 + (i % 100))),
    );
    const { quality } = await binned(values, 300, [100]);
    expect(quality.explainedVariance).toBeGreaterThan(0.15);
    expect(binNotes(quality).join()).not.toMatch(/white noise/);
  });

  it.each<[TaskName, number, Record<string, number>?]>([
    ["antiderivative", 40],
    ["antiderivative", 2000],
    ["burgers", 40],
    ["burgers", 800],
    ["diffusion-reaction", 60],
    ["darcy", 40, { grid: 32 }],
    ["darcy", 200, { grid: 32 }],
  ])("raises no alarm for %s with %i samples", async (task, samples, parameters) => {
    const { train, responseShape } = generate({ task, seed: 42, train: samples, test: 1, parameters });
    const { quality } = await binned(train.responses, samples, responseShape);
    expect(binNotes(quality)).toEqual([]);
    expect(quality.explainedVariance).toBeGreaterThan(0.5);
  });
});
