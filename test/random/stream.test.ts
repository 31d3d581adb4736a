import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Stream, stream } from "../../src/random/stream.js";
import { chiSquareScore, histogram } from "./goodness-of-fit.js";

const take = (random: Stream, length: number) => Array.from({ length }, () => random.uint32());
const uniforms = (random: Stream, length: number) => Float64Array.from({ length }, () => random.uniform());

function correlation(x: Float64Array, y: Float64Array): number {
  const products = x.reduce((sum, value, i) => sum + (value - 0.5) * (y[i] - 0.5), 0);
  return (12 * products) / x.length; // the variance of a uniform draw is 1/12
}

describe("a stream", () => {
  it("gives these bits for ever", () => {
    expect(take(stream(42, "proportions", 0.1, 3), 6)).toMatchInlineSnapshot(`
      [
        3551639442,
        4260371798,
        2743566672,
        3519522083,
        3738553424,
        2460695211,
      ]
    `);
    expect(take(stream(0), 3)).toMatchInlineSnapshot(`
      [
        1909512431,
        1217440513,
        361818083,
      ]
    `);
    expect(
      take(stream(Number.MAX_SAFE_INTEGER, "a name that is longer than one block of the hash", -1), 3),
    ).toMatchInlineSnapshot(`
      [
        4199438269,
        491545422,
        58990447,
      ]
    `);
    expect(stream(1, "uniform").uniform()).toMatchInlineSnapshot(`0.5014711666090814`);
    expect(stream(1, "below").below(1000)).toMatchInlineSnapshot(`711`);
  });

  it("gives the same bits whenever it has the same seed and name", () => {
    const part = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.array(part, { maxLength: 3 }), (seed, name) => {
        expect(take(stream(seed, ...name), 5)).toEqual(take(stream(seed, ...name), 5));
      }),
    );
  });

  it("differs with the seed and with every part of the name", () => {
    const streams = [
      stream(1, "a", "b"),
      stream(2, "a", "b"),
      stream(1 + 2 ** 32, "a", "b"),
      stream(1, "b", "a"),
      stream(1, "a/b"),
      stream(1, 'a"/"b'),
      stream(1, "a", "b", ""),
      stream(1, "ab"),
      stream(1, "a"),
      stream(1, 1),
      stream(1, "1"),
      stream(1, "#1"),
      stream(1, 0.1),
      stream(1, 0, 1),
      stream(1),
    ];
    const starts = streams.map((random) => take(random, 2).join(" "));
    expect(new Set(starts).size).toBe(streams.length);
  });

  it("is not correlated with its neighbours by seed or name, nor with itself one draw later", () => {
    const draws = 40_000;
    const base = uniforms(stream(7, "x", 0), draws + 1);
    const others = [stream(8, "x", 0), stream(7, "x", 1), stream(7, "y", 0), stream(7, 0, "x")].map(
      (random) => uniforms(random, draws),
    );
    for (const other of [...others, base.slice(1)])
      expect(Math.abs(correlation(base.slice(0, draws), other))).toBeLessThan(4 / Math.sqrt(draws));
  });

  it("has first draws, over seeds and over names, that are uniform too", () => {
    const cells = Array.from({ length: 63 }, (_, cell) => (cell + 1) / 64);
    const bySeed = Float64Array.from({ length: 20_000 }, (_, seed) => stream(seed, "first").uniform());
    const byName = Float64Array.from({ length: 20_000 }, (_, name) => stream(42, "first", name).uniform());
    expect(chiSquareScore(histogram(bySeed, cells))).toBeLessThan(4);
    expect(chiSquareScore(histogram(byName, cells))).toBeLessThan(4);
  });

  it("draws uniform numbers: cells equally full, mean and variance right, 0 and 1 never", () => {
    const draws = uniforms(stream(3, "uniformity"), 200_000);
    const cells = Array.from({ length: 255 }, (_, cell) => (cell + 1) / 256);
    expect(chiSquareScore(histogram(draws, cells))).toBeLessThan(4);
    const mean = draws.reduce((a, b) => a + b, 0) / draws.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(4 / Math.sqrt(12 * draws.length));
    const variance = draws.reduce((sum, x) => sum + (x - 0.5) ** 2, 0) / draws.length;
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(4 / Math.sqrt(180 * draws.length));
    expect(draws.every((x) => x > 0 && x < 1)).toBe(true);
  });

  it("sets every bit of a word half of the time", () => {
    const words = take(stream(5, "bits"), 40_000);
    for (let bit = 0; bit < 32; bit++) {
      const set = words.filter((word) => (word >>> bit) & 1).length;
      expect(Math.abs(set - 20_000)).toBeLessThan(4.5 * 100);
    }
  });

  it("draws whole numbers below a bound without favouring any", () => {
    for (const bound of [2, 3, 10, 1000]) {
      const random = stream(11, "below", bound);
      const counts = new Array<number>(bound).fill(0);
      for (let draw = 0; draw < 100_000; draw++) counts[random.below(bound)]++;
      expect(Math.abs(chiSquareScore(counts))).toBeLessThan(4);
    }
    const random = stream(11, "large bound"); // for which a plain remainder would hit the lower half twice as often
    const bound = 3 * 2 ** 30;
    const low = Array.from({ length: 30_000 }, () => random.below(bound)).filter((x) => x < bound / 3).length;
    expect(Math.abs(low - 10_000)).toBeLessThan(4 * Math.sqrt(30_000 * (2 / 9)));
    expect(stream(1).below(1)).toBe(0);
    expect(stream(1).below(2 ** 32)).toBe(stream(1).uint32());
  });

  it("refuses seeds that are no whole number from 0 on", () => {
    for (const seed of [-1, 0.5, NaN, Infinity, 2 ** 53]) expect(() => stream(seed)).toThrow(RangeError);
  });
});
