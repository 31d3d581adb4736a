import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { inputDistances, inputScale } from "../../src/diagnostics/input-distance.js";
import { stream } from "../../src/random/stream.js";

/** Numbers on a line, whose W1 is the mean distance between sorted values. */
function onALine(values: readonly number[], clientOfSample: readonly number[]) {
  const clients = Math.max(...clientOfSample) + 1;
  return {
    inputs: fieldsInMemory(Float64Array.from(values), values.length, []),
    split: {
      clients,
      bins: 1,
      clientOfSample: Int32Array.from(clientOfSample),
      binOfSample: new Int32Array(values.length),
    },
  };
}

describe("the input-space W1", () => {
  it("is the distance between sorted values on a line, over the inputs' scale", async () => {
    const random = stream(1, "values");
    const values = Array.from({ length: 60 }, () => random.uniform() * 10);
    const { inputs, split } = onALine(
      values,
      values.map((_, i) => i % 2),
    );
    const scale = await inputScale(inputs);
    const { mean } = await inputDistances(inputs, split, { seed: 0, scale });
    const sorted = (client: number) => values.filter((_, i) => i % 2 === client).sort((a, b) => a - b);
    const expected =
      sorted(0).reduce((sum, value, i) => sum + Math.abs(value - sorted(1)[i]), 0) / 30 / scale;
    expect(mean).toBeCloseTo(expected, 5);
  });

  it("scales by the root mean squared distance from the mean, however large the mean is", async () => {
    const { inputs } = onALine([1e6 + 1, 1e6 + 3, 1e6 + 5], [0, 0, 1]);
    expect(await inputScale(inputs)).toBeCloseTo(Math.sqrt(8 / 3), 9);
  });

  it("does not change when all inputs are shifted", async () => {
    const random = stream(4, "values");
    const values = Array.from({ length: 40 }, () => Math.round(random.uniform() * 1024) / 1024);
    const meanOf = async (shift: number) => {
      const { inputs, split } = onALine(
        values.map((value) => value + shift),
        values.map((_, i) => i % 2),
      );
      return (await inputDistances(inputs, split, { seed: 0, scale: 1 })).mean;
    };
    expect(await meanOf(1e8)).toBe(await meanOf(0));
  });

  it("is refused without any input to compare", async () => {
    const { inputs, split } = onALine([0, 1], [0, 1]);
    await expect(inputDistances(inputs, split, { seed: 0, scale: 1, samples: 0 })).rejects.toThrow(
      "0 inputs a client are none to compare",
    );
  });

  it("compares clients of different size on as many inputs as the smaller has, and skips empty ones", async () => {
    const { inputs, split } = onALine([0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 2, 2]);
    const found = await inputDistances(inputs, split, { seed: 3, scale: 1 });
    expect(found.samplesPerClient).toBe(4);
    expect(found.distances[0 * 3 + 2]).toBe(1);
    expect(found.distances[0 * 3 + 1]).toBeNaN();
    expect(found.mean).toBe(1);
  });

  it("takes no more inputs than asked for, the same ones for the same seed", async () => {
    const random = stream(2, "values");
    const values = Array.from({ length: 200 }, () => random.uniform());
    const { inputs, split } = onALine(
      values,
      values.map((_, i) => i % 4),
    );
    const found = (seed: number) => inputDistances(inputs, split, { seed, scale: 1, samples: 10 });
    expect((await found(1)).samplesPerClient).toBe(10);
    expect((await found(1)).mean).toBe((await found(1)).mean);
    expect((await found(1)).mean).not.toBe((await found(2)).mean);
  });

  it("is zero for equal inputs, whose scale is zero", async () => {
    const { inputs, split } = onALine([7, 7, 7, 7], [0, 0, 1, 1]);
    const scale = await inputScale(inputs);
    expect(scale).toBe(0);
    expect((await inputDistances(inputs, split, { seed: 0, scale })).mean).toBe(0);
  });

  it("refuses inputs that are not finite or not as many as the samples", async () => {
    await expect(inputScale(onALine([1, Number.NaN], [0, 1]).inputs)).rejects.toThrow(
      /input 1 has a value that is not finite/,
    );
    const { split } = onALine([1, 2, 3], [0, 1, 1]);
    const { inputs } = onALine([1, 2], [0, 1]);
    await expect(inputDistances(inputs, split, { seed: 0, scale: 1 })).rejects.toThrow(
      /2 inputs .* 3 samples/,
    );
  });
});
