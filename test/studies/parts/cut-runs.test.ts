import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { cutRuns, evenCut } from "../../../src/studies/parts/cut-runs.js";
import { type PlannedRun, planStudy } from "../../../src/studies/plan.js";
import { readSpecification } from "../../../src/studies/read-specification.js";

const YAML = `name: grid
tasks: [antiderivative, burgers]
alphas: [100, 1, 0.1]
seeds: [0, 1, 2, 3]
federation: { rounds: 10 }
`;
let runs: readonly PlannedRun[];
beforeAll(async () => {
  ({ runs } = await planStudy(readSpecification(YAML, "grid.yaml", [])));
});

const idsOf = (some: readonly PlannedRun[]) => some.map(({ id }) => id);
const seedsOf = (some: readonly PlannedRun[]) =>
  new Set(some.map(({ options }) => `${options.task} ${options.seed}`));

describe("parts of a study", () => {
  it("hold every run once, however many there are, and depend on nothing but the runs", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.boolean(), (parts, isWide) => {
        const cut = cutRuns(runs, parts, { isWide });
        expect(cut.length).toBe(parts);
        expect(idsOf(cut.flat()).sort()).toEqual(idsOf(runs).sort());
        expect(cutRuns(runs, parts, { isWide }).map(idsOf)).toEqual(cut.map(idsOf));
        if (parts <= runs.length) expect(cut.every((part) => part.length > 0)).toBe(true);
      }),
    );
  });

  it("keep the runs of a seed together, which share their data, while there are no more parts than seeds", () => {
    for (let parts = 1; parts <= 8; parts++) {
      const owners = new Map<string, number>();
      for (const [i, part] of cutRuns(runs, parts).entries())
        for (const seed of seedsOf(part)) {
          expect(owners.get(seed) ?? i, `${seed} of ${parts}`).toBe(i);
          owners.set(seed, i);
        }
    }
  });

  it("keep replicas of one program together where a GPU trains them", () => {
    const [first, second] = cutRuns(runs, 2, { isWide: true });
    for (const part of [first, second]) expect(new Set(part.map(({ options }) => options.task)).size).toBe(1);
  });

  it("have about equal work: Burgers is far more than the antiderivative", () => {
    const [light, ...heavy] = cutRuns(runs, 4);
    expect(light.filter(({ options }) => options.task === "antiderivative").length).toBe(12);
    for (const part of heavy) expect(part.every(({ options }) => options.task === "burgers")).toBe(true);
  });
});

describe("an even cut", () => {
  it("makes the heaviest range as light as any cut can", () => {
    const best = (weights: readonly number[], parts: number): number => {
      if (parts === 1) return weights.reduce((a, b) => a + b, 0);
      let least = Infinity;
      let head = 0;
      for (let end = 0; end <= weights.length; end++) {
        if (end > 0) head += weights[end - 1];
        least = Math.min(least, Math.max(head, best(weights.slice(end), parts - 1)));
      }
      return least;
    };
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        (weights, parts) => {
          const sums = evenCut(weights, parts).map(({ from, to }) =>
            weights.slice(from, to).reduce((a, b) => a + b, 0),
          );
          expect(Math.max(...sums)).toBe(best(weights, parts));
          expect(sums.reduce((a, b) => a + b, 0)).toBe(weights.reduce((a, b) => a + b, 0));
        },
      ),
    );
  });
});
