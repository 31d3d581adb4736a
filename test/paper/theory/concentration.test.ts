import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concentrationPrediction } from "../../../src/paper/theory/concentration.js";
import {
  type ConcentrationEvidence,
  checkFinite,
  gatherConcentration,
} from "../../../src/paper/theory/evidence/concentration-evidence.js";
import { FORMULAS } from "../../../src/paper/theory/formulas.js";
import { histogramsOf } from "../../../src/paper/theory/profiles.js";
import { countTable } from "../../../src/partition/assignment.js";
import { partitionBins } from "../../../src/partition/partition.js";
import { binSetting } from "./bin-setting.js";

const evidence = gatherConcentration(binSetting(), undefined, 3000);

/** Verdicts on evidence that was tampered with, by the start of their statements. */
function verdict(statement: string, change: Partial<ConcentrationEvidence> = {}) {
  const { findings } = concentrationPrediction({ ...evidence, ...change });
  return findings.find((finding) => finding.statement.startsWith(statement))!.verdict;
}

describe("evidence on the concentration law", () => {
  it("covers every number of clients and every concentration, with masses that sum to 1", () => {
    expect(evidence.masses.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    expect(evidence.law).toHaveLength(42);
    expect(evidence.moments).toHaveLength(4 * 42);
    expect(evidence.law.every(({ draws, standardError }) => draws >= 5 && standardError > 0)).toBe(true);
  });

  it("is the same for the same seed and another for another", () => {
    const means = (seed: number) =>
      gatherConcentration(binSetting(seed), undefined, 60).law.map(({ mean }) => mean);
    expect(means(3)).toEqual(means(3));
    expect(means(3)).not.toEqual(means(4));
  });

  it("holds each partition three times: as drawn, and repaired by either rule", () => {
    const { finite } = evidence;
    expect(new Set(finite.map(({ clients }) => clients))).toEqual(new Set([2, 5, 10, 20]));
    for (const repair of ["none", "closest", "largest"])
      expect(finite.filter((check) => check.repair === repair)).toHaveLength(finite.length / 3);
    expect(finite.some(({ repair, moved }) => repair === "none" && moved > 0)).toBe(false);
    expect(finite.some(({ repair, moved }) => repair === "largest" && moved > 0)).toBe(true);
  });
});

describe("a partition made by the product's own code", () => {
  it("differs from its target by no more than eps_part, whatever the bins (eq:app-finite-Hq)", () => {
    const sizes = fc.array(fc.integer({ min: 5, max: 60 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 2, max: 6 }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.nat(1e6),
        fc.constantFrom("closest", "largest"),
        (binSizes, clients, power, seed, repair) => {
          const binOfSample = Int32Array.from(
            binSizes.flatMap((size, bin) => new Array<number>(size).fill(bin)),
          );
          const options = { clients, bins: binSizes.length, alpha: 10 ** power, seed, repair, minSize: 1 };
          const partition = partitionBins(binOfSample, options);
          const counts = countTable(partition);
          const { realised, target, epsilon } = checkFinite({
            ...partition,
            ...histogramsOf(counts),
            counts,
            moved: partition.repairs.length,
          });
          expect(Math.abs(realised - target)).toBeLessThanOrEqual(epsilon + 1e-12);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("the verdict on the concentration law", () => {
  it("holds on draws of the product's own Dirichlet distribution", () => {
    for (const start of ["E[H_u]", "E[R_k]", "Var", "Cov", "E[(R_i", "|√H_q − √H_u| ≤ δ where", "|√Ĥ_q"])
      expect(verdict(start), start).toBe("holds");
  });

  it("states every deviation with one decimal, also one near zero", () => {
    const law = evidence.law.map((cell) => ({ ...cell, mean: cell.expected - 0.003 * cell.standardError }));
    const [table] = concentrationPrediction({ ...evidence, law }).tables;
    const cells = table.groups.flat().flatMap((row) => row.slice(1).map(({ text }) => text));
    expect(new Set(cells.map((text) => text.replace(/.*\(/, "(")))).toEqual(new Set(["(0.0)"]));
  });

  it("fails where a mean is five standard errors away", () => {
    const law = evidence.law.map((cell, i) =>
      i === 17 ? { ...cell, mean: cell.expected + 5 * cell.standardError } : cell,
    );
    expect(verdict("E[H_u]", { law })).toBe("fails");
    const moments = evidence.moments.map((cell) =>
      cell.moment === "covariance" ? { ...cell, mean: cell.expected - 5 * cell.standardError } : cell,
    );
    expect(verdict("Cov", { moments })).toBe("fails");
    expect(verdict("Var", { moments })).toBe("holds");
  });

  it("fails where one draw breaks the normalisation lemma, and where one partition breaks its bound", () => {
    const normalisation = evidence.normalisation.map((cell, i) => (i === 3 ? { ...cell, broken: 1 } : cell));
    expect(verdict("|√H_q − √H_u| ≤ δ where", { normalisation })).toBe("fails");
    const finite = evidence.finite.map((check, i) =>
      i === 5 ? { ...check, realised: check.target + 1.001 * check.epsilon + 1e-9 } : check,
    );
    expect(verdict("|√Ĥ_q", { finite })).toBe("fails");
  });

  it("does not apply to draws with delta of 1 and more, of which it says how many there are", () => {
    expect(verdict("The same where")).toBe("does not apply");
    const beyond = evidence.normalisation.reduce((sum, { draws, within }) => sum + draws - within, 0);
    expect(beyond).toBeGreaterThan(0);
  });
});

it("names formulas that the page knows", () => {
  for (const label of concentrationPrediction(evidence).labels) expect(FORMULAS).toHaveProperty([label]);
});
