import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runDemand } from "../../src/federation/run-demand.js";
import { runOptions } from "../../src/federation/run-options.js";
import { estimateRuns, togetherSeconds } from "../../src/studies/estimate/estimate.js";
import { measuredRounds, roundMilliseconds } from "../../src/studies/estimate/measured-rounds.js";
import { inlineRunner } from "../../src/studies/execution/runner.js";
import { runStudy } from "../../src/studies/study.js";
import { studyFolders, tinyPlan } from "./tiny-study.js";

const fresh = studyFolders();
const CPU = { device: "cpu", atOnce: 1 } as const;

describe("the time of a round", () => {
  it("is what was measured where that very round was measured", async () => {
    for (const device of ["cpu", "cuda"] as const) {
      const measured = await measuredRounds(device);
      for (const round of measured.rounds)
        expect(roundMilliseconds(measured, round.model, round)).toBeCloseTo(round.milliseconds, 6);
    }
  });

  it("grows in proportion to what a round computes, from the measured round that is closest", async () => {
    const measured = await measuredRounds("cpu");
    const [round] = measured.rounds;
    const twice = {
      products: 2 * round.products,
      numbers: 2 * round.numbers,
      operations: 2 * round.operations,
    };
    const time = roundMilliseconds({ ...measured, rounds: [round] }, round.model, twice);
    expect(time / round.milliseconds).toBeCloseTo(2, 9);
  });

  it("counts participants, steps and the batch, and not clients who sit out", () => {
    const demand = (given: object) =>
      runDemand(runOptions({ task: "antiderivative", alpha: 1, seed: 0, train: 2000, ...given })).work
        .products;
    const base = demand({ clients: 10 });
    expect(demand({ clients: 10, localSteps: 10 }) / base).toBeCloseTo(2, 1);
    expect(demand({ clients: 40, participation: 10, minSize: 1 }) / base).toBeCloseTo(1, 1);
    expect(demand({ clients: 10, participation: 5 }) / base).toBeCloseTo(0.5, 1);
  });
});

describe("the estimate of a study", () => {
  it("counts what is not finished, and then goes by what finished here", async () => {
    const folder = fresh();
    const plan = await tinyPlan();
    const before = await estimateRuns(folder, plan.runs, CPU);
    expect(before.seconds.size).toBe(4);
    expect(before.sources).toEqual([expect.stringMatching(/^rounds measured on /)]);
    await runStudy(folder, await tinyPlan("seeds=[0]"), inlineRunner);
    const after = await estimateRuns(folder, plan.runs, CPU);
    expect(after.seconds.size).toBe(2);
    expect(after.sources).toEqual(["runs that finished here (2 of 2)"]);
    expect([...after.seconds.values()].every((seconds) => seconds > 0 && seconds < 60)).toBe(true);
  });

  it("says about as much disk as the folder takes in the end", async () => {
    const folder = fresh();
    const plan = await tinyPlan();
    const { disk } = await estimateRuns(folder, plan.runs, CPU);
    await runStudy(folder, plan, inlineRunner);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    expect(disk / bytes).toBeGreaterThan(0.4);
    expect(disk / bytes).toBeLessThan(2.5);
  });

  it("lets runs side by side take as long as the longest, or their sum by the cores", async () => {
    const { runs } = await tinyPlan();
    const seconds = new Map(runs.map(({ id }, i) => [id, i + 1]));
    expect(togetherSeconds({ seconds }, runs, 1)).toBe(10);
    expect(togetherSeconds({ seconds }, runs, 2)).toBe(5);
    expect(togetherSeconds({ seconds }, runs, 8)).toBe(4);
    expect(togetherSeconds({ seconds }, [], 8)).toBe(0);
  });
});
