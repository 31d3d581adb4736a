import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  alphaTicks,
  countLabel,
  countTicks,
  coveringTicks,
  decimals,
  idTicks,
  powerLabels,
  symlogTicks,
  tickLabels,
  ticksFitting,
  ticksWithin,
} from "../../src/figures/ticks.js";

describe("ticks", () => {
  it("covers any range with two to seven round numbers", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        fc.double({ min: -1, max: 0, noNaN: true }),
        (high, share) => {
          const low = share * high;
          const ticks = coveringTicks(low, high);
          expect(ticks[0]).toBeLessThanOrEqual(low + 1e-9 * high);
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(high * (1 - 1e-8));
          expect(ticks.length).toBeGreaterThanOrEqual(2);
          expect(ticks.length).toBeLessThanOrEqual(7);
        },
      ),
    );
    expect(coveringTicks(0, 0)).toEqual([0, 0.2]);
  });

  it("counts in whole numbers to the largest or past it", () => {
    expect(countTicks(237)).toEqual([0, 100, 200, 300]);
    expect(countTicks(195)).toEqual([0, 50, 100, 150, 200]);
    expect(countTicks(1)).toEqual([0, 1]);
    expect(countTicks(3)).toEqual([0, 1, 2, 3]);
    expect(countTicks(800)).toEqual([0, 200, 400, 600, 800]);
  });

  it("labels every client where there is room, and every tenth of a hundred where there is not", () => {
    expect(idTicks(10, 180, 12)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(idTicks(100, 320, 12)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  });

  it("shows the alphas themselves, or powers of ten where there are many", () => {
    expect(alphaTicks([100, 1, 0.05])).toEqual([100, 1, 0.05]);
    expect(alphaTicks([100, 50, 10, 5, 1, 0.5]).map(powerLabels([100, 10, 1]))).toEqual(["100", "10", "1"]);
  });

  it("labels with just the decimals that are needed", () => {
    expect([0, 0.25, 0.5].map(decimals([0, 0.25]))).toEqual(["0.00", "0.25", "0.50"]);
    expect([-1, 0, 1].map(decimals([-1, 0]))).toEqual(["−1", "0", "1"]);
    expect([800, 9999, 12_000].map(countLabel)).toEqual(["800", "9999", "12k"]);
  });

  it("labels a logarithmic axis in one notation", () => {
    const labels = (ticks: readonly number[]) => ticks.map(powerLabels(ticks));
    expect(labels([0.01, 1, 100])).toEqual(["0.01", "1", "100"]);
    expect(labels([1e-4, 0.01, 1, 10])).toEqual(["10⁻⁴", "10⁻²", "10⁰", "10¹"]);
    expect(labels([1000, 30, 0.05])).toEqual(["1000", "30", "0.05"]);
  });

  it("has the same numbers on both sides of zero, and none left out between", () => {
    expect(symlogTicks(-1.5, 12)).toEqual([-1, 0, 1, 3, 10]);
    expect(symlogTicks(-11, 20)).toEqual([-10, -3, -1, 0, 1, 3, 10]);
    expect(symlogTicks(-1, 1)).toEqual([-1, 0, 1]);
    expect(symlogTicks(-2e4, 2e4)).toEqual(
      [-1e4, -1e3, -100, -10, -1, 0, 1, 10, 100, 1e3, 1e4].map((tick) => tick),
    );
  });

  it("finds at least two round numbers within any range, and none outside", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        fc.integer({ min: 2, max: 6 }),
        (low, span, most) => {
          const ticks = ticksWithin(low, low + span, most);
          const slack = 1e-5 * span;
          expect(ticks.length).toBeGreaterThanOrEqual(2);
          expect(ticks[0]).toBeGreaterThanOrEqual(low - slack);
          expect(ticks.at(-1)).toBeLessThanOrEqual(low + span + slack);
        },
      ),
    );
    expect(ticksWithin(-2.5, 2.5, 6)).toEqual([-2, -1, 0, 1, 2]);
  });

  it("takes fewer ticks where their labels would touch", () => {
    expect(ticksFitting(0, 1, 190)).toHaveLength(6);
    expect(ticksFitting(0, 1, 60)).toEqual([0, 0.5, 1]);
    expect(ticksFitting(0, 690, 60)).toEqual([0, 500]);
  });

  it("takes a power of ten out of labels that would be long", () => {
    const small = tickLabels([-2e-6, 0, 2e-6]);
    expect([-2e-6, 0, 2e-6].map(small.format)).toEqual(["−2", "0", "2"]);
    expect(small.factor).toBe(" / 10^{−6}");
    const large = tickLabels([0, 50_000, 100_000]);
    expect([0, 50_000, 100_000].map(large.format)).toEqual(["0.0", "0.5", "1.0"]);
    expect(tickLabels([1500, 2000]).factor).toBe("");
  });
});
