import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrast } from "../../../src/figures/palette.js";
import {
  roundsShown,
  valuesShown,
  valueTicks,
} from "../../../src/studio/page/views/training/curves/chart-scales.js";
import { addLap, emptyCurves } from "../../../src/studio/page/views/training/curves/curves.js";
import { duration, percent, roughly, significant } from "../../../src/studio/page/views/training/numbers.js";
import { runStyles } from "../../../src/studio/page/views/training/runs/run-styles.js";
import { arrowLabels, planeOf } from "../../../src/studio/page/views/training/updates/arrow-places.js";
import { cadence } from "../../../src/studio/training/cadence.js";
import { PRESETS } from "../../../src/studio/training/run-names.js";
import type { RunPoint } from "../../../src/studio/training/trainer.js";

describe("the axes of live curves", () => {
  it("hold all values between round numbers, with three ticks or more", () => {
    const value = fc.double({ min: 1e-6, max: 1e4, noNaN: true });
    fc.assert(
      fc.property(value, value, fc.boolean(), (a, b, isLogarithmic) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const [from, to] = valuesShown(low, high, isLogarithmic);
        expect(from).toBeLessThanOrEqual(Math.max(low, 1e-4 * high) * (1 + 1e-9));
        expect(to).toBeGreaterThanOrEqual(high * (1 - 1e-9));
        expect(from).toBeLessThan(to);
        const ticks = valueTicks(from, to, isLogarithmic);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.every((tick) => tick >= from * 0.999 && tick <= to * 1.001)).toBe(true);
      }),
    );
  });

  it("grow by steps, so that curves stay where they are for most rounds", () => {
    expect([0, 20, 21, 99, 100, 101, 1000, 1001].map((rounds) => roundsShown(rounds))).toEqual([
      20, 20, 50, 100, 100, 200, 1000, 2000,
    ]);
    const shown = Array.from({ length: 500 }, (_, round) => roundsShown(round));
    expect(new Set(shown).size).toBe(5);
  });

  it("end with the last round that is planned, and hold rounds beyond it", () => {
    expect([0, 20, 21, 60, 61].map((rounds) => roundsShown(rounds, 60))).toEqual([20, 20, 50, 60, 61]);
  });

  it("have room for something before the first round", () => {
    expect(valuesShown(Number.NaN, Number.NaN, true)).toEqual([0.01, 1]);
    expect(valuesShown(0.3, 0.3, true)).toEqual([0.2, 0.5]);
  });
});

describe("points of live curves", () => {
  const point = (testError: number, trainLoss = NaN): RunPoint => ({
    ...{ testError, trainLoss, dLoc: 0, dTheta: NaN },
    ...{ clientMean: NaN, clientWorst: NaN, worstClient: -1 },
  });

  it("leave out what was not measured, has diverged or has no logarithm, and complete the last round", () => {
    const curves = emptyCurves(2);
    addLap(curves, { round: 0, runs: [point(1, 0.5), point(1, 0.5)] });
    addLap(curves, { round: 1, runs: [point(0.9), undefined] });
    addLap(curves, { round: 1, runs: [point(0.9, 0.4), undefined] });
    expect(curves.rounds).toEqual([0, 1]);
    expect(curves.values.testError).toEqual([
      [1, 0.9],
      [1, null],
    ]);
    expect(curves.values.trainLoss).toEqual([
      [0.5, 0.4],
      [0.5, null],
    ]);
    expect(curves.values.dLoc).toEqual([
      [null, null],
      [null, null],
    ]);
  });
});

describe("measuring beside training", () => {
  it("takes its share of the time, whatever it costs", () => {
    for (const [cost, share] of [
      [1, 0.25],
      [40, 0.25],
      [500, 0.1],
    ]) {
      const due = cadence(share);
      let [measured, trained] = [0, 0];
      for (let round = 1; round <= 2000; round++) {
        due.trained(10);
        trained += 10;
        if (!due.isDue(round)) continue;
        due.done(round, cost);
        measured += cost;
      }
      expect(measured / trained).toBeLessThan(share * 1.1 + cost / trained);
      expect(measured / trained).toBeGreaterThan(Math.min(share, cost / 10) / 2.2);
    }
  });
});

describe("styles of runs", () => {
  it("are legible on both grounds, and differ in their dashes too", () => {
    for (const { runs } of PRESETS)
      for (const ground of ["#ffffff", "#14171c"]) {
        const styles = runStyles(runs, ground);
        for (const { color, ink } of styles) {
          expect(contrast(color, ground)).toBeGreaterThanOrEqual(3);
          expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5);
        }
        expect(new Set(styles.map(({ dashes }) => dashes.join())).size).toBe(runs.length);
        expect(new Set(styles.map(({ color }) => color)).size).toBe(runs.length);
      }
  });
});

describe("arrows of updates", () => {
  const arrows = (...ends: readonly (readonly [number, number])[]) => ({
    arrows: Float64Array.from(ends.flat()),
    ...{ mean: 0.2, shown: 1, clients: ends.map((_, i) => i) },
  });

  it("of all runs lie in one plane with round ends", () => {
    const plane = planeOf([arrows([0.31, -0.12], [-0.04, 0.07]), undefined, arrows([0.1, 0.22])]);
    expect(plane.bottom).toBeCloseTo(-0.05, 12);
    expect(plane.top).toBeCloseTo(0.35, 12);
    expect(plane.reach).toBeCloseTo(0.25, 12);
    expect(planeOf([undefined])).toEqual({ bottom: 0, top: 1, reach: 1 });
  });

  it("have labels that do not meet, those of the longest first", () => {
    const ends = [
      { x: 50, y: 100 },
      { x: 100, y: 40 },
      { x: 100, y: 36 },
      { x: 100, y: 98 },
    ];
    const labels = arrowLabels(ends, { x: 100, y: 100 });
    expect(labels.map(({ index }) => index)).toEqual([2, 0]);
    expect(labels[0].y).toBeLessThan(36);
  });
});

describe("numbers of the view", () => {
  it("have as many digits as help", () => {
    expect([percent(0.08132), percent(1.234), percent(NaN)]).toEqual(["8.13 %", "123 %", "–"]);
    expect([significant(0.0634), significant(1e-5), significant(-0.5), significant(0)]).toEqual([
      "0.0634",
      "1.00 · 10^{−5}",
      "−0.500",
      "0",
    ]);
    expect([duration(3.2), duration(412), duration(1880), duration(120_000)]).toEqual([
      "3.2 ms",
      "412 ms",
      "1.9 s",
      "2 min",
    ]);
    expect([roughly(17), roughly(1460)]).toEqual(["≈ 20 ms", "≈ 1.0 s"]);
  });
});
