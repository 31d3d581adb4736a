import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseSamples } from "../../../src/datasets/import/choose-samples.js";

const sizes = fc
  .tuple(fc.nat(40), fc.nat(40), fc.nat(40), fc.nat())
  .filter(([train, test]) => train + test > 0);

describe("the choice of samples", () => {
  it("takes as many as asked for, none twice, in ascending order", () => {
    fc.assert(
      fc.property(sizes, ([train, test, more, seed]) => {
        const available = train + test + more;
        const choice = chooseSamples(available, { train, test, seed });
        expect([choice.train.length, choice.test.length]).toEqual([train, test]);
        const all = [...choice.train, ...choice.test];
        expect(new Set(all).size).toBe(all.length);
        expect(all.every((sample) => sample >= 0 && sample < available)).toBe(true);
        for (const half of [choice.train, choice.test]) expect(half).toEqual(half.slice().sort());
      }),
    );
  });

  it("keeps its test samples and adds to its training samples as the training set grows", () => {
    const small = chooseSamples(100, { train: 10, test: 20, seed: 7 });
    const large = chooseSamples(100, { train: 60, test: 20, seed: 7 });
    expect(large.test).toEqual(small.test);
    expect([...large.train]).toEqual(expect.arrayContaining([...small.train]));
  });

  it("is named by its seed: these samples, on every machine", () => {
    const { train, test } = chooseSamples(1000, { train: 6, test: 3, seed: 42 });
    expect({ train: [...train], test: [...test] }).toMatchInlineSnapshot(`
      {
        "test": [
          146,
          939,
          960,
        ],
        "train": [
          168,
          458,
          513,
          515,
          647,
          749,
        ],
      }
    `);
    expect(chooseSamples(1000, { train: 6, test: 3, seed: 43 }).train).not.toEqual(train);
  });

  it("takes every sample equally often", () => {
    const counts = new Array<number>(10).fill(0);
    for (let seed = 0; seed < 3000; seed++) {
      for (const sample of chooseSamples(10, { train: 3, test: 2, seed }).train) counts[sample]++;
    }
    // 900 expected each, with a standard deviation of 25
    for (const count of counts) expect(Math.abs(count - 900)).toBeLessThan(110);
  });

  it("says how many there are when more are asked for", () => {
    expect(() => chooseSamples(999, { train: 800, test: 200, seed: 0 })).toThrow(
      "800 training and 200 test samples are 1000, but there are 999 to choose from",
    );
    expect(() => chooseSamples(5, { train: 0, test: 0, seed: 0 })).toThrow("there is nothing to import");
  });
});
