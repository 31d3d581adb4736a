import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { generate } from "../../src/datasets/generate.js";
import { binPictures, separationWords } from "../../src/partition/bin-pictures.js";
import { applyBins, centroidField, fitBins } from "../../src/partition/bins.js";
import { normaliseResponses } from "../../src/partition/normalise.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

async function antiderivatives() {
  const { train, responseShape } = generate({ task: "antiderivative", seed: 1, train: 120, test: 1 });
  const normalised = await normaliseResponses(fieldsInMemory(train.responses, 120, responseShape));
  const model = await fitBins(normalised, { bins: 6, seed: 0 });
  return { responses: train.responses, normalised, model };
}

describe("the pictures of bins", () => {
  it("say what all distances of all samples from all centroids say", async () => {
    const { responses, normalised, model } = await antiderivatives();
    const found = await binPictures(normalised.matrix, model, model.binOfSample);
    const size = model.mean.length;
    // Centroids and samples in the units of the data, in float64.
    const centroids = Array.from({ length: 6 }, (_, bin) => centroidField(model, bin));
    const distances = Array.from({ length: 120 }, (_, sample) =>
      centroids.map((centroid) => {
        let square = 0;
        for (let i = 0; i < size; i++) square += (responses[sample * size + i] - centroid[i]) ** 2;
        return Math.sqrt(square) / model.scale;
      }),
    );
    const silhouettes: number[] = [];
    for (const { bin, ...picture } of found.bins) {
      const members = [...model.binOfSample.keys()].filter((i) => model.binOfSample[i] === bin);
      const own = members.map((i) => distances[i][bin]);
      const others = members.map((i) => Math.min(...distances[i].filter((_, b) => b !== bin)));
      const each = own.map((a, i) => (others[i] - a) / Math.max(a, others[i]));
      silhouettes.push(...each);
      expect(picture.samples).toBe(members.length);
      expect(picture.spread).toBeCloseTo(mean(own), 5);
      expect(picture.silhouette).toBeCloseTo(mean(each), 5);
      expect(picture.nearest!.sample).toBe(members[own.indexOf(Math.min(...own))]);
      expect(picture.nearest!.distance).toBeCloseTo(Math.min(...own), 5);
      expect(picture.farthest!.sample).toBe(members[own.indexOf(Math.max(...own))]);
      expect(picture.left).toBeCloseTo(own.reduce((sum, a) => sum + a * a, 0) / 120, 5); // the variance is 1 a sample
    }
    expect(found.silhouette).toBeCloseTo(mean(silhouettes), 5);
    expect(found.quantisationError).toBeCloseTo(model.quantisationError, 6);
    expect(found.quality.explainedVariance).toBeCloseTo(model.quality!.explainedVariance, 6);
    const left = found.bins.reduce((sum, bin) => sum + bin.left, 0);
    expect(left).toBeCloseTo(1 - found.quality.explainedVariance, 6);
  });

  it("have the bins of the nearest centroids where no others are given", async () => {
    const { normalised, model } = await antiderivatives();
    const found = await binPictures(normalised.matrix, model);
    expect(found.binOfSample).toEqual((await applyBins(normalised, model)).binOfSample);
  });

  it("have nothing to say of an empty bin, and no silhouette of a single sample", async () => {
    const normalised = await normaliseResponses(fieldsInMemory([0, 1, 10, 11, 30], 5, [1]));
    const { mean: field, scale } = normalised;
    const places = [0.5, 10.5, 30, 99].map((place) => (place - field[0]) / scale);
    const model = { bins: 4, shape: [1], mean: field, scale, centroids: Float64Array.from(places) };
    const { bins, silhouette } = await binPictures(normalised.matrix, model);
    expect(bins[3]).toEqual({ bin: 3, samples: 0, left: 0 });
    expect(bins[2]).toMatchObject({
      samples: 1,
      neighbour: 1,
      nearest: { sample: 4 },
      farthest: { sample: 4 },
    });
    expect(bins[2].silhouette).toBeUndefined();
    // 0 and 1 are 0.5 from their own centroid, 10.5 and 9.5 from the next; the single sample counts as 0.
    const own = (a: number, b: number) => 1 - a / b;
    const all = [own(0.5, 10.5), own(0.5, 9.5), own(0.5, 9.5), own(0.5, 10.5), 0];
    expect(silhouette).toBeCloseTo(mean(all), 5);
  });

  it("are of one bin without a border", async () => {
    const normalised = await normaliseResponses(fieldsInMemory([0, 1, 5], 3, [1]));
    const model = await fitBins(normalised, { bins: 1 });
    const found = await binPictures(normalised.matrix, model);
    expect(found.silhouette).toBeUndefined();
    expect(found.bins[0].neighbour).toBeUndefined();
    expect(separationWords(found)).toBe("");
  });

  it("refuse bins of other samples", async () => {
    const normalised = await normaliseResponses(fieldsInMemory([0, 1, 5], 3, [1]));
    const model = await fitBins(normalised, { bins: 2 });
    await expect(binPictures(normalised.matrix, model, Int32Array.of(0, 1))).rejects.toThrow(/do not fit 3/);
    await expect(binPictures(normalised.matrix, model, Int32Array.of(0, 1, 2))).rejects.toThrow(/below 2/);
  });

  it("tell clusters from a continuum and from noise", async () => {
    const random = stream(5, "kinds");
    const kinds = {
      clusters: (sample: number) => 10 * (sample % 4) + 0.1 * normal(random),
      continuum: (sample: number) => sample / 50,
      noise: () => normal(random),
    };
    const words: Record<string, string> = {};
    for (const [name, value] of Object.entries(kinds)) {
      const size = name === "noise" ? 200 : 3;
      const values = Float64Array.from({ length: 200 * size }, (_, i) => value(Math.floor(i / size)));
      const normalised = await normaliseResponses(fieldsInMemory(values, 200, [size]));
      const model = await fitBins(normalised, { bins: 4 });
      words[name] = separationWords(await binPictures(normalised.matrix, model));
    }
    expect(words.clusters).toMatch(/clusters apart/);
    expect(words.noise).toMatch(/one cloud/);
    expect(words.continuum).toMatch(/^Mean silhouette 0\.\d\d: /);
  });
});
