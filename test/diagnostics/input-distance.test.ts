import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { inputDistances, inputScale, inputSpace } from "../../src/diagnostics/input-distance.js";
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
    const { mean } = await inputDistances(await inputSpace(inputs), split, { seed: 0 });
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
      return (await inputDistances(await inputSpace(inputs, { scale: 1 }), split, { seed: 0 })).mean;
    };
    expect(await meanOf(1e8)).toBe(await meanOf(0));
  });

  it("is refused without any input to compare", async () => {
    const { inputs, split } = onALine([0, 1], [0, 1]);
    await expect(
      inputDistances(await inputSpace(inputs, { scale: 1 }), split, { seed: 0, samples: 0 }),
    ).rejects.toThrow("the number of inputs per client is 1 or more, not 0");
  });

  it("compares clients of different size on as many inputs as the smaller has, and skips empty ones", async () => {
    const { inputs, split } = onALine([0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 2, 2]);
    const found = await inputDistances(await inputSpace(inputs, { scale: 1 }), split, { seed: 3 });
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
    const found = async (seed: number) =>
      inputDistances(await inputSpace(inputs, { scale: 1 }), split, { seed, samples: 10 });
    expect((await found(1)).samplesPerClient).toBe(10);
    expect((await found(1)).mean).toBe((await found(1)).mean);
    expect((await found(1)).mean).not.toBe((await found(2)).mean);
  });

  it("has the same bits whatever was measured before, and reads inputs no more once all distances are worth it", async () => {
    const random = stream(5, "fields");
    const [samples, size] = [90, 300];
    const fields = fieldsInMemory(
      Float32Array.from({ length: samples * size }, () => random.uniform()),
      samples,
      [size],
    );
    let reads = 0;
    const inputs = {
      ...fields,
      read: (start: number, end: number) => {
        reads++;
        return fields.read(start, end);
      },
    };
    const shared = await inputSpace(inputs);
    const readsOf: number[] = [];
    for (const clients of [3, 4, 2, 5]) {
      const { split } = onALine(
        Array(samples).fill(0),
        Array.from({ length: samples }, () => random.below(clients)),
      );
      const before = reads;
      const found = await inputDistances(shared, split, { seed: clients, samples: 20 });
      readsOf.push(reads - before);
      expect(found).toEqual(
        await inputDistances(await inputSpace(fields), split, { seed: clients, samples: 20 }),
      );
    }
    // 60 of 90 inputs, 80, and from then on those that are known.
    expect(readsOf.map((count) => count > 0)).toEqual([true, true, false, false]);
  });

  it("goes on with the distances of each partition where all of them cannot be computed", async () => {
    const random = stream(6, "values");
    const values = Array.from({ length: 40 }, () => random.uniform());
    const { inputs: given, split } = onALine(
      values,
      values.map((_, i) => i % 2),
    );
    const samples = { seed: 0, samples: 15 };
    const expected = await inputDistances(await inputSpace(given), split, samples);
    let most = 0;
    const inputs = {
      ...given,
      read: async (start: number, end: number) => {
        most = Math.max(most, end - start);
        if (end - start === 40 && isFull) throw new Error("no memory");
        return given.read(start, end);
      },
    };
    let isFull = false;
    const space = await inputSpace(inputs);
    isFull = true;
    for (let turn = 0; turn < 10; turn++)
      expect(await inputDistances(space, split, samples)).toEqual(expected);
    expect(most).toBe(40);
  });

  it("has the same bits where inputs exceed their part of the memory and are read for some columns at a time", async () => {
    const [samples, columns] = [170, 100_003]; // 68 MB in float32, of 62.5 MB
    const values = Float32Array.from({ length: samples * columns }, (_, i) =>
      Math.sin(Math.imul(i + 1, 2654435761) / 2 ** 20),
    );
    const given = fieldsInMemory(values, samples, [columns]);
    let rows = 0;
    const inputs: typeof given = {
      ...given,
      read(start, end) {
        rows += end - start;
        return given.read(start, end);
      },
    };
    const all = Array.from({ length: samples }, (_, i) => i);
    const whole = await (await inputSpace(inputs, { scale: 2 })).distances(all);
    const once = rows;
    const parts = await (await inputSpace(inputs, { scale: 2, memory: 0.25 })).distances(all);
    expect(parts).toEqual(whole);
    expect(once).toBe(samples + 1);
    expect(rows - once).toBe(2 * samples + 1);
  });

  it("is zero for equal inputs, whose scale is zero", async () => {
    const { inputs, split } = onALine([7, 7, 7, 7], [0, 0, 1, 1]);
    const scale = await inputScale(inputs);
    expect(scale).toBe(0);
    expect((await inputDistances(await inputSpace(inputs), split, { seed: 0 })).mean).toBe(0);
  });

  it.each([
    [0, [1e300, 2, 3]],
    [1, [1, 1e300, 3]],
    [2, [1, 2, -1e300]],
  ])("says which input exceeds the range of float32: %i of %s", async (input, values) => {
    const { inputs } = onALine(values, [0, 1, 1]);
    await expect(inputScale(inputs)).rejects.toThrow(
      `the inputs have ${values[input]} in sample ${input}, which exceeds float32's range (up to 3.4e+38)`,
    );
  });

  it("refuses inputs that are not finite or not as many as the samples", async () => {
    const { inputs: broken } = onALine([1, Number.NaN], [0, 1]);
    await expect(inputScale({ ...broken, name: "the inputs a of ns.npz" })).rejects.toThrow(
      "the inputs a of ns.npz have NaN in sample 1: values must be finite",
    );
    const { split } = onALine([1, 2, 3], [0, 1, 1]);
    const { inputs } = onALine([1, 2], [0, 1]);
    await expect(inputDistances(await inputSpace(inputs, { scale: 1 }), split, { seed: 0 })).rejects.toThrow(
      /2 inputs .* 3 samples/,
    );
  });
});
