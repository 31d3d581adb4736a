import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { PreparedData } from "../../src/federation/federation.js";
import { prepareData } from "../../src/federation/prepared-data.js";
import { runFolder } from "../../src/records/run-folder.js";
import { type Execution, executeRun } from "../../src/studies/execution/execute-runs.js";
import { studyFolders, tinyPlan } from "./tiny-study.js";

const fresh = studyFolders();
let data: PreparedData;
beforeAll(async () => {
  data = await prepareData((await tinyPlan()).runs[1].options);
});

describe("a run that is killed after round 7", () => {
  it.each([
    ["SCAFFOLD with two of three clients a round", "strategy={name: scaffold}", "participation=2"],
    ["SCAFFOLD II", "strategy={name: scaffold, control: II}"],
    ["FedAdam with bias correction", "strategy={name: fedadam, bias_correction: true}"],
    ["FedYogi with clients who leave", "strategy=fedyogi", "dropout=0.3", "participation=2"],
    ["FedNova with epochs", "strategy=fednova", "local_epochs=1"],
    ["Ditto with local parts", "strategy={name: ditto, lambda: 3}", "local=branch.*"],
    ["local parts and stragglers", "local=trunk.*", "local_steps=3", "local_steps_min=1"],
    ["power of choice", "sampling=power-of-choice", "participation=2"],
    ["local-only", "strategy=local-only"],
    ["centralised", "strategy=centralised"],
    ["one client of each of two clusters", "sampling=stratified", "participation=2"],
    ["schedules and an averaged second moment", "client_schedule=exponential:0.9", "second_moment=average"],
  ])("goes on to the same bits from its folder: %s", async (name, ...overrides) => {
    const plan = await tinyPlan(
      ...overrides.map((text) => `federation.${text}`),
      ...(name === "SCAFFOLD II" ? ["optimizer={name: sgd, rate: 0.01}"] : []),
    );
    const [, run] = plan.runs;
    expect(run.id).not.toBe((await tinyPlan()).runs[1].id);
    const execute = (study: string, execution?: Partial<Execution>) =>
      executeRun(study, run, async () => data, execution);
    const journal = (study: string) => readFileSync(join(runFolder(study, run.id), "journal.jsonl"), "utf8");
    const [undisturbed, killed] = [fresh(), fresh()];
    const whole = await execute(undisturbed);
    const power = (_: unknown, round: number) => {
      if (round === 8) throw new Error("the power failed");
    };
    await expect(execute(killed, { saveEvery: 0, onRound: power })).rejects.toThrow("power");
    const rounds: number[] = [];
    const resumed = await execute(killed, { onRound: (_, round) => rounds.push(round) });
    expect(rounds[0]).toBe(8);
    expect(resumed.parameters_sha256).toBe(whole.parameters_sha256);
    expect(resumed.files).toEqual(whole.files);
    expect(journal(killed)).toBe(journal(undisturbed));
  });
});
