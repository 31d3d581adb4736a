import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alignmentPrediction } from "../../../src/paper/theory/alignment.js";
import { gatherAlignment } from "../../../src/paper/theory/evidence/alignment-evidence.js";
import { gatherGradientTransfer } from "../../../src/paper/theory/evidence/gradient-transfer-evidence.js";
import { gatherLocalDispersion } from "../../../src/paper/theory/evidence/local-dispersion-evidence.js";
import { gatherRiskSign } from "../../../src/paper/theory/evidence/risk-sign-evidence.js";
import { gatherTrajectoryDrift } from "../../../src/paper/theory/evidence/trajectory-drift-evidence.js";
import { FORMULAS } from "../../../src/paper/theory/formulas.js";
import { gradientTransferPrediction } from "../../../src/paper/theory/gradient-transfer.js";
import { localDispersionPrediction } from "../../../src/paper/theory/local-dispersion.js";
import type { Prediction } from "../../../src/paper/theory/prediction.js";
import { riskSignPrediction } from "../../../src/paper/theory/risk-sign.js";
import type { TheoryProblems } from "../../../src/paper/theory/theory-problem.js";
import { trajectoryDriftPrediction } from "../../../src/paper/theory/trajectory-drift.js";
import { alignmentFigure } from "../../../src/paper/theory-figures/alignment.js";
import { gradientTransferFigure } from "../../../src/paper/theory-figures/gradient-transfer.js";
import { localDispersionFigure } from "../../../src/paper/theory-figures/local-dispersion.js";
import { riskSignFigure } from "../../../src/paper/theory-figures/risk-sign.js";
import { trajectoryDriftFigure } from "../../../src/paper/theory-figures/trajectory-drift.js";
import { assertWellFormed } from "../../figures/well-formed.js";
import { tinyTheory } from "./tiny-theory.js";

let problems: TheoryProblems;
beforeAll(async () => {
  problems = await tinyTheory();
}, 60_000);
afterAll(() => problems.close());

/** What every prediction's page needs. */
function expectShown({ findings, labels, tables, claim, caption }: Prediction, svg: string): void {
  assertWellFormed(svg);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  for (const text of [claim, caption, ...findings.flatMap(({ statement, decides }) => [statement, decides])])
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  expect(labels.filter((label) => !(label in FORMULAS) && !label.startsWith("thm:"))).toEqual([]);
  for (const { columns, groups } of tables)
    for (const row of groups.flat()) {
      expect(row).toHaveLength(columns.length);
      row.forEach((cell, i) => {
        expect(cell.values).toHaveLength(columns[i].csv.length);
      });
    }
}

const verdictsOf = ({ findings }: Prediction, words: string) =>
  findings.filter(({ statement }) => statement.includes(words)).map(({ verdict }) => verdict);

describe("predictions about training, on a tiny problem", () => {
  it("find the identity and the band of gradients", async () => {
    const evidence = await gatherGradientTransfer(problems);
    const prediction = gradientTransferPrediction(evidence);
    expectShown(prediction, gradientTransferFigure(evidence));
    expect(verdictsOf(prediction, "hold whole bins")).toEqual(["holds"]);
    expect(verdictsOf(prediction, "for mixtures:")).toEqual(["holds", "holds", "holds", "holds"]);
    expect(verdictsOf(prediction, "H_W")).toEqual(["holds"]);
    expect(verdictsOf(prediction, "ε_part")).toEqual(["holds"]);
    for (const { points } of evidence.cases)
      for (const { noise, hRealised, hMixture } of points)
        expect(Math.sqrt(hRealised)).toBeLessThanOrEqual(
          (Math.sqrt(hMixture) + Math.sqrt(noise)) * (1 + 1e-12),
        );
  }, 60_000);

  it("find the bound and the orders of local dispersion", async () => {
    const evidence = await gatherLocalDispersion(problems);
    const prediction = localDispersionPrediction(evidence);
    expectShown(prediction, localDispersionFigure(evidence));
    expect(verdictsOf(prediction, "≤ R_E:")).toEqual(["holds", "holds"]);
    expect(verdictsOf(prediction, "O(η^3)")).toEqual(["holds", "holds"]);
    expect(verdictsOf(prediction, "with kinks")).toEqual(["does not apply", "does not apply"]);
  }, 60_000);

  it("find no drift after one step and its leading term after more", async () => {
    const evidence = await gatherTrajectoryDrift(problems);
    const prediction = trajectoryDriftPrediction(evidence);
    expectShown(prediction, trajectoryDriftFigure(evidence));
    expect(verdictsOf(prediction, "E = 1")).toEqual(["holds"]);
    expect(verdictsOf(prediction, "O(η^3)")).toEqual(["holds", "holds"]);
  }, 60_000);

  it("find twin bins without drift, and the upper bound", async () => {
    const evidence = await gatherAlignment(problems);
    const prediction = alignmentPrediction(evidence);
    expectShown(prediction, alignmentFigure(evidence));
    expect(verdictsOf(prediction, "an assumption of its own")).toEqual(["holds"]);
    expect(verdictsOf(prediction, "√(H_H H_g)")).toEqual(["holds"]);
    for (const { constructed, points } of evidence.cases) {
      expect(constructed.twinBins).toBeLessThan(1e-12);
      expect(constructed.worstContrast).toBeLessThan(
        Math.max(...points.map(({ mixture, hQ }) => mixture / hQ)),
      );
    }
  }, 60_000);

  it("find the quadratic bound of the risk and the exact witness", async () => {
    const evidence = await gatherRiskSign(problems);
    const prediction = riskSignPrediction(evidence);
    expectShown(prediction, riskSignFigure(evidence));
    expect(verdictsOf(prediction, "L_R/2 ‖Δ_θ‖²:")).toEqual(["holds", "holds"]);
    expect(verdictsOf(prediction, "quadratic bins")).toEqual(["holds", "holds", "holds"]);
    expect(verdictsOf(prediction, "Δh = 0")).toEqual(["holds"]);
  }, 60_000);
});

describe("the points at which predictions are checked", () => {
  it("are the start and the end of deterministic training", async () => {
    const again = await tinyTheory();
    for (const kind of ["smooth", "kinked"] as const) {
      const [initial, trained] = problems[kind].starts;
      expect([initial.rounds, trained.rounds]).toEqual([0, 5]);
      expect(again[kind].starts[1].theta).toEqual(trained.theta);
      expect(await problems[kind].train.loss(trained.theta)).toBeLessThan(
        await problems[kind].train.loss(initial.theta),
      );
    }
    await again.close();
  }, 60_000);
});
