import { describe, expect, it } from "vitest";
import { alignmentPrediction } from "../../../src/paper/theory/alignment.js";
import { gradientTransferPrediction } from "../../../src/paper/theory/gradient-transfer.js";
import { localDispersionPrediction } from "../../../src/paper/theory/local-dispersion.js";
import type { Prediction, Verdict } from "../../../src/paper/theory/prediction.js";
import { riskSignPrediction } from "../../../src/paper/theory/risk-sign.js";
import { trajectoryDriftPrediction } from "../../../src/paper/theory/trajectory-drift.js";
import { alignment, dispersion, drift, risk, transfer } from "./training-evidence.js";

/** Evidence with something changed in its first case, which is a smooth one. */
function changed<C extends object, E extends { readonly cases: readonly C[] }>(
  evidence: E,
  change: (one: C) => Partial<C>,
): E {
  return { ...evidence, cases: evidence.cases.map((one, i) => (i === 0 ? { ...one, ...change(one) } : one)) };
}

/** A list with something changed in its first item. */
const first = <T extends object>(items: readonly T[], change: Partial<T>): T[] =>
  items.map((item, i) => (i === 0 ? { ...item, ...change } : item));

/** Statements whose verdict is another than with the evidence as it was: words of theirs, and the new verdict. */
function expectChange(
  before: Prediction,
  after: Prediction,
  expected: Readonly<Record<string, Verdict>>,
): void {
  const found = after.findings.flatMap(({ statement, verdict }, i) =>
    verdict === before.findings[i].verdict ? [] : [{ statement, verdict }],
  );
  expect(found.map(({ verdict }) => verdict)).toEqual(Object.values(expected));
  Object.keys(expected).forEach((words, i) => {
    expect(found[i].statement).toContain(words);
  });
}

describe("the verdict on gradients", () => {
  const before = gradientTransferPrediction(transfer);
  const after = (change: Parameters<typeof changed<(typeof transfer.cases)[number], typeof transfer>>[1]) =>
    gradientTransferPrediction(changed(transfer, change));

  it("is against an identity that is off by more than round-off", () => {
    expectChange(
      before,
      after(() => ({ wholeBinDeviation: 1e-11 })),
      { "hold whole bins": "fails" },
    );
  });

  it("is against mixtures outside the bands", () => {
    const outside = after(({ points }) => ({ points: first(points, { hMixture: 65 * points[0].hQ }) }));
    expectChange(before, outside, { "M_g^2 H_q for mixtures": "fails" });
    const far = after(({ points }) => ({ points: first(points, { hW: 1e-9 }) }));
    expectChange(before, far, { "c_min^2 H_W": "fails" });
  });

  it("allows round-off where a partition realises what was drawn for it, and no more", () => {
    const equal = (hTarget: number) =>
      after(({ points }) => ({
        points: first(points, { epsilon: 0, hTarget: points[0].hMixture * hTarget }),
      }));
    expectChange(before, equal(1 + 1e-15), {});
    expectChange(before, equal(1 + 1e-9), { ε_part: "fails" });
  });

  it("is against noise that is not what drawing without replacement makes", () => {
    const noisy = after(({ points }) => ({
      points: points.map((point) => ({ ...point, noise: point.noise * (3 + 0.01 * point.seed) })),
    }));
    expectChange(before, noisy, { "without replacement": "fails" });
  });

  it("tells from the evidence where gradients of clients' own samples leave the band, and why", () => {
    const within = {
      ...transfer,
      cases: transfer.cases.map((one) => ({
        ...one,
        points: one.points.map((point) => ({ ...point, hRealised: point.hMixture })),
      })),
    };
    const caption = (values: Partial<(typeof within.cases)[number]["points"][number]>) => {
      const [{ points }] = within.cases;
      return gradientTransferPrediction(changed(within, () => ({ points: first(points, values) }))).caption;
    };
    expect(caption({})).toContain("Hollow circles stay within it.");
    const [{ alpha }] = transfer.cases[0].points;
    expect(caption({ hRealised: 1e9, noise: 7.56e8 })).toContain(
      `leave it at α = ${alpha}: 1 lie above, where the draw of samples within bins amounts to at least 75 % of H_g.`,
    );
    expect(caption({ hRealised: 1e-15 })).toContain(`leave it at α = ${alpha}: 1 lie below.`);
  });

  it("says that the lower end says nothing where it is near zero", () => {
    expect(before.findings.find(({ statement }) => statement.includes("lower end"))?.verdict).toBe(
      "does not apply",
    );
    const apart = { ...transfer, cases: transfer.cases.slice(0, 3) };
    const { findings } = gradientTransferPrediction(apart);
    expect(findings.find(({ statement }) => statement.includes("lower end"))?.verdict).toBe("holds");
  });
});

describe("the verdict on local dispersion", () => {
  const before = localDispersionPrediction(dispersion);
  const after = (
    change: Parameters<typeof changed<(typeof dispersion.cases)[number], typeof dispersion>>[1],
  ) => localDispersionPrediction(changed(dispersion, change));

  it("is against a learning rate at which the bound is broken", () => {
    const broken = after(({ points }) => ({ points: first(points, { bound: 0 }) }));
    expectChange(before, broken, { "≤ R_E: tanh": "fails" });
  });

  it("is against remainders of another order, and is silent without enough of them", () => {
    const order = { slope: 1.8, localSlopes: [1.8], rates: [] };
    const slow = after(({ orders }) => ({ orders: first(orders, { root: order }) }));
    expectChange(before, slow, { "O(η^3)": "fails" });
    const none = after(() => ({ orders: [] }));
    expectChange(before, none, { "O(η^3)": "does not apply" });
    expect(none.findings.map(({ decides }) => decides).join()).toContain("fewer than three learning rates");
  });

  it("is against a mean more than four standard errors off, and counts bounds with constants of the start", () => {
    const mean = (errors: number) =>
      after(({ noisy }) => ({
        noisy: noisy.map((point) => ({ ...point, mean: point.expected + errors * point.standardError })),
      }));
    expectChange(before, mean(3.9), {});
    expectChange(before, mean(4.1), { "the noise less": "fails" });
    const bound = before.findings.find(({ statement }) => statement.includes("with mini-batches"));
    expect(bound?.verdict).toBe("holds");
    expect(bound?.decides).toMatch(/^0 of 16 .* [1-9]\d* would$/);
    const over = after(({ noisy }) => ({ noisy: first(noisy, { bound: 0 }) }));
    expectChange(before, over, { "with mini-batches": "fails" });
  });
});

describe("the verdict on drift", () => {
  const before = trajectoryDriftPrediction(drift);
  const after = (change: Parameters<typeof changed<(typeof drift.cases)[number], typeof drift>>[1]) =>
    trajectoryDriftPrediction(changed(drift, change));

  it("is against models that differ after one step", () => {
    const apart = after(({ points }) => ({ points: first(points, { drift: 1e-12 }) }));
    expectChange(before, apart, { "E = 1": "fails" });
  });

  it("is against a remainder of second order, and is silent without enough of them", () => {
    const second = after(({ orders }) => ({ orders: first(orders, { slope: 2 }) }));
    expectChange(before, second, { "O(η^3)": "fails" });
    const steeper = after(({ orders }) => ({ orders: first(orders, { slope: 3.5 }) }));
    expectChange(before, steeper, {});
    expectChange(
      before,
      after(() => ({ orders: [] })),
      { "O(η^3)": "does not apply" },
    );
  });

  it("is against a leading term that misses much of the drift at the paper's learning rate", () => {
    const far = after(({ points }) => ({
      points: points.map((point) =>
        point.rate === 0.01 ? { ...point, remainder: 0.2 * point.drift } : point,
      ),
    }));
    expectChange(before, far, { "paper's learning rate": "fails" });
  });
});

describe("the verdict on alignment", () => {
  const before = alignmentPrediction(alignment);
  const after = (change: Parameters<typeof changed<(typeof alignment.cases)[number], typeof alignment>>[1]) =>
    alignmentPrediction(changed(alignment, change));

  it("is against a ratio near zero, with clients as mixtures or with their samples", () => {
    const cancelled = after(({ points }) => ({ points: first(points, { mixture: 0 }) }));
    expectChange(before, cancelled, { "clients as mixtures: tanh": "fails" });
    const realised = after(({ points }) => ({ points: first(points, { realised: 0 }) }));
    expectChange(before, realised, { "samples that clients hold": "fails" });
  });

  it("needs twin bins without drift to call alignment an assumption", () => {
    const twins = after(({ constructed }) => ({ constructed: { ...constructed, twinBins: 1e-3 } }));
    expectChange(before, twins, { "an assumption of its own": "fails" });
  });

  it("needs one seed whose drift does not grow to call growth not universal", () => {
    const universal = (statement: string) => statement.includes("not universal");
    expect(before.findings.find(({ statement }) => universal(statement))?.verdict).toBe("does not apply");
    const shrinking = after(({ points }) => ({ points: first(points, { realised: 1e3 }) }));
    expect(shrinking.findings.find(({ statement }) => universal(statement))?.verdict).toBe("holds");
  });

  it("is against drift above its upper bound, and against one that falls faster than the law", () => {
    const above = after(({ upper }) => ({ upper: first(upper, { bound: 0.3 }) }));
    expectChange(before, above, { "√(H_H H_g)": "fails" });
    const faster = after(({ scaling }) => ({
      scaling: scaling.map((point) => ({ ...point, square: point.square / point.spread })),
    }));
    expectChange(before, faster, { "of the order of": "fails" });
  });
});

describe("the verdict on risk", () => {
  const before = riskSignPrediction(risk);
  const after = (change: Parameters<typeof changed<(typeof risk.cases)[number], typeof risk>>[1]) =>
    riskSignPrediction(changed(risk, change));
  const witnessed = (change: Partial<(typeof risk.witnesses)[number]>) =>
    riskSignPrediction({ ...risk, witnesses: first(risk.witnesses, change) });

  it("is against a round outside the quadratic bound, whose sign the linear term then misses", () => {
    const broken = after(({ points }) => ({ points: first(points, { difference: -1 }) }));
    expectChange(before, broken, { "L_R/2": "fails", "decides the sign": "fails" });
  });

  it("is silent where partitions show one sign alone", () => {
    const cases = risk.cases.filter((_, i) => i !== 1);
    const { findings } = riskSignPrediction({ ...risk, cases });
    expect(findings.find(({ statement }) => statement.includes("partitions of the task"))?.verdict).toBe(
      "does not apply",
    );
  });

  it("is against a witness that misses the formula, drifts without a cause, or gains from a minimum", () => {
    expectChange(before, witnessed({ formula: 1e-13 }), { "after two steps": "fails" });
    expectChange(before, witnessed({ drift: 1e-13, formula: 1e-13 }), { "Δh = 0": "fails" });
    expectChange(before, witnessed({ atMinimum: -1e-13 }), { "Δ_R ≥ 0": "fails" });
    const worse = risk.witnesses.map((one) => ({ ...one, riskDifference: 1e-3 }));
    expectChange(before, riskSignPrediction({ ...risk, witnesses: worse }), {
      "for quadratic bins": "fails",
    });
  });
});
