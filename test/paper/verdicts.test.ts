import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summarise } from "../../src/analysis/observations.js";
import { ascent, bySeed, pairedChange } from "../../src/analysis/seed-contrasts.js";
import { comparedSpread } from "../../src/paper/claims/compared-spread.js";
import { ascends, positive, sameSize, sameStrength, unresolved } from "../../src/paper/claims/verdicts.js";

const summary = (...values: number[]) => summarise(values)!;
const values = (...all: number[]) => new Map(all.map((value, seed) => [seed, value]));

describe("verdicts on zero", () => {
  it("are by the side on which the interval lies", () => {
    expect(positive(summary(1, 1.1, 1.2))).toBe("holds");
    expect(positive(summary(-1, -1.1, -1.2))).toBe("does not hold");
    expect(positive(summary(-1, 0, 1.2))).toBe("undecided");
    expect(unresolved(summary(-1, 0, 1.2))).toBe("holds");
    expect(unresolved(summary(1, 1.1, 1.2))).toBe("does not hold");
  });

  it("are undecided with one seed, which has no interval", () => {
    expect(positive(summary(3))).toBe("undecided");
    expect(unresolved(summary(3))).toBe("undecided");
    expect(sameSize(summary(3), { low: 3 })).toBe("undecided");
  });
});

describe("the verdict on a size", () => {
  it("allows for the spread of the paper's mean as well as ours", () => {
    // Five seeds with standard deviation 1: t = 2.776, so ours is ± 1.242 and five further seeds ± 1.756.
    const five = summary(...[-1, -1, 0, 1, 1].map((value) => 10 + value));
    expect(five.sd).toBeCloseTo(1, 12);
    expect(five.high).toBeCloseTo(11.2417, 4);
    expect(sameSize(five, { low: 11.7 })).toBe("holds");
    expect(sameSize(five, { low: 11.8 })).toBe("does not hold");
    expect(sameSize(five, { low: 8.2 })).toBe("does not hold");
  });

  it("takes the spread of the paper's mean from its interval, where there is one", () => {
    // Ours: mean 10, error 1/sqrt(5). Theirs with the same spread: Welch's test has 8 degrees of freedom, t = 2.306.
    const five = summary(...[-1, -1, 0, 1, 1].map((value) => 10 + value));
    const half = 1.2417;
    expect(sameSize(five, { low: 11.45, half })).toBe("holds");
    expect(sameSize(five, { low: 11.47, half })).toBe("does not hold");
    // A mean with no spread leaves ours; one with a wide interval is met from afar.
    expect(sameSize(five, { low: 11.25, half: 0 })).toBe("does not hold");
    expect(sameSize(five, { low: 11.24, half: 0 })).toBe("holds");
    expect(sameSize(five, { low: 13, half: 5 })).toBe("holds");
    expect(sameSize(summary(1, 1, 1, 1, 1), { low: 2, half: 1.1 })).toBe("holds");
  });

  it("is met by a range that reaches into the interval", () => {
    expect(sameSize(summary(1, 1.1, 0.9), { low: 2, high: 3 })).toBe("does not hold");
    expect(sameSize(summary(1, 1.1, 0.9), { low: 1.2, high: 3 })).toBe("holds");
  });
});

describe("an interval that covers a number and its opposite", () => {
  it("is too wide to tell, whatever the rule", () => {
    const wide = summary(-1, 0, 1.2);
    expect(positive(wide, 0.5)).toBe("too wide to tell");
    expect(positive(wide, 9)).toBe("undecided");
    expect(unresolved(wide, -0.5)).toBe("too wide to tell");
    expect(unresolved(wide, 9)).toBe("holds");
    expect(sameSize(wide, { low: 0.5 })).toBe("too wide to tell");
    expect(sameSize(wide, { low: -0.5 })).toBe("too wide to tell");
    expect(sameSize(wide, { low: 0 })).toBe("holds");
    expect(sameSize(wide, { low: -0.5, high: 0.5 })).toBe("holds");
  });

  it("does not soften a verdict against the claim", () => {
    expect(positive(summary(-1, -1.1, -1.2), 0.5)).toBe("does not hold");
    expect(sameSize(summary(1, 1.1, 1.2), { low: 0.1 })).toBe("does not hold");
  });
});

describe("the verdict on the strength of a correlation", () => {
  // Mean 10, standard deviation 1: ours is ± 1.242, the difference from the paper's ± 1.756.
  const five = summary(...[-1, -1, 0, 1, 1].map((value) => 10 + value));
  it("holds within our interval, is undecided near it, and does not hold beyond", () => {
    expect(sameStrength(five, { low: 11.2 })).toBe("holds");
    expect(sameStrength(five, { low: 11.5 })).toBe("undecided");
    expect(sameStrength(five, { low: 11.8 })).toBe("does not hold");
    expect(sameStrength(summary(3), { low: 3 })).toBe("undecided");
  });
});

describe("two spreads over the same seeds", () => {
  it("are compared by Pitman and Morgan's test", () => {
    const small = values(0.1, -0.1, 0.05, -0.05, 0.02);
    const large = values(3, -4, 5, -2, 1);
    expect(comparedSpread(large, small)).toMatchObject({ verdict: "holds" });
    expect(comparedSpread(small, large)).toMatchObject({ verdict: "does not hold" });
    expect(comparedSpread(large, large)?.verdict).toBe("undecided");
    expect(comparedSpread(values(1, 2), values(3, 4))).toBeUndefined();
  });

  it("are not told apart by chance", () => {
    // Sums and differences correlate with 1/sqrt(2): t = sqrt(3), and its limit is 3.18.
    const found = comparedSpread(values(1, 3, 2, 7, 4), values(2, 1, 3, 4, 3))!;
    expect(found.verdict).toBe("undecided");
    expect(found.first ** 2).toBeCloseTo(5.3, 12);
    expect(found.second ** 2).toBeCloseTo(1.3, 12);
  });
});

describe("changes paired by seed", () => {
  it("take away what seeds have in common", () => {
    const before = values(1, 5, 9);
    const after = values(2, 6.1, 9.9);
    const change = pairedChange(before, after)!;
    expect(change.mean).toBeCloseTo(1, 12);
    expect(change.low).toBeGreaterThan(0);
  });

  it("are over the seeds that both have", () => {
    expect(pairedChange(new Map([[0, 1]]), new Map([[1, 1]]))).toBeUndefined();
    expect(
      pairedChange(
        new Map([[0, 1]]),
        new Map([
          [0, 3],
          [7, 100],
        ]),
      )?.mean,
    ).toBe(2);
  });

  it("leave out what is not a number", () => {
    const rows = [
      { seed: 0, value: NaN },
      { seed: 1, value: 2 },
    ];
    expect([...bySeed(rows, ({ value }) => value)]).toEqual([[1, 2]]);
  });

  it("add up over the steps", () => {
    const level = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(level, { minLength: 2, maxLength: 6 }), (levels) => {
        const { change, steps } = ascent(levels.map((all) => values(...all)))!;
        expect(steps.reduce((sum, { mean }) => sum + mean, 0)).toBeCloseTo(change.mean, 9);
      }),
    );
  });
});

describe("the verdict on a trend", () => {
  const judged = (...levels: number[][]) => ascends(ascent(levels.map((all) => values(...all)))!);
  it("holds where every step rises and the whole is beyond doubt", () => {
    expect(judged([0, 0.1, 0.2], [0.5, 0.7, 0.4], [2, 2.1, 2.3])).toBe("holds");
  });

  it("is undecided where a step does not rise, or the whole may be chance", () => {
    expect(judged([0, 0.1, 0.2], [-0.5, 0.5, 0.1], [2, 2.1, 2.3])).toBe("undecided");
    expect(judged([0, 0, 0], [3, -2, 0.5])).toBe("undecided");
  });

  it("does not hold where a step or the whole falls beyond doubt", () => {
    expect(judged([1, 1.1, 1.2], [0, 0.1, 0.2], [2, 2.1, 2.3])).toBe("does not hold");
    expect(judged([2, 2.1, 2.3], [1, 1.1, 1.2])).toBe("does not hold");
  });
});
