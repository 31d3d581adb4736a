import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { studentTCumulative, studentTQuantile } from "../../src/analysis/student-t.js";

interface Golden {
  readonly levels: readonly number[];
  readonly quantiles: readonly (readonly number[])[];
  readonly realDf: readonly (readonly [number, number, number])[];
}

/** By SciPy: scripts/golden/sample_statistics.py. */
const golden: Golden = JSON.parse(
  readFileSync(new URL("../golden/sample-statistics.json", import.meta.url), "utf8"),
);

describe("the quantile of Student's t", () => {
  it("agrees with SciPy to 1e-12 for 1 to 200 degrees of freedom at seven levels", () => {
    let worst = 0;
    golden.quantiles.forEach((row, index) => {
      row.forEach((expected, at) => {
        const found = studentTQuantile((1 + golden.levels[at]) / 2, index + 1);
        worst = Math.max(worst, Math.abs(found / expected - 1));
      });
    });
    expect(golden.quantiles).toHaveLength(200);
    expect(worst).toBeLessThan(1e-12);
  });

  it.each(golden.realDf)(
    "agrees with SciPy for %d degrees of freedom at probability %d",
    (df, probability, expected) => {
      expect(Math.abs(studentTQuantile(probability, df) / expected - 1)).toBeLessThan(1e-12);
    },
  );

  it("is that of Cauchy's distribution for one degree of freedom", () => {
    for (const probability of [0.6, 0.75, 0.9, 0.999, 1 - 1e-9])
      expect(studentTQuantile(probability, 1) * Math.tan(Math.PI * (1 - probability))).toBeCloseTo(1, 13);
  });

  it("is inverted by the cumulative probability, and odd about one half", () => {
    const probability = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true });
    const df = fc.double({ min: 0.5, max: 1000, noNaN: true });
    fc.assert(
      fc.property(probability, df, (p, freedom) => {
        const t = studentTQuantile(p, freedom);
        expect(Math.abs(studentTCumulative(t, freedom) - p)).toBeLessThan(1e-13);
        const opposite = studentTQuantile(1 - p, freedom);
        expect(studentTCumulative(opposite, freedom)).toBeCloseTo(1 - p, 13);
      }),
    );
  });

  it("is defined at the ends and in the middle, and nowhere outside", () => {
    expect(studentTQuantile(0, 3)).toBe(-Infinity);
    expect(studentTQuantile(0.5, 3)).toBe(0);
    expect(studentTQuantile(1, 3)).toBe(Infinity);
    expect(studentTQuantile(1.1, 3)).toBeNaN();
    expect(studentTQuantile(0.9, 0)).toBeNaN();
    expect(studentTQuantile(NaN, 3)).toBeNaN();
  });
});
