import { describe, expect, it } from "vitest";
import { reportSubject } from "../../src/analysis/subject.js";
import { axisTable } from "../../src/analysis/tables/axis-table.js";
import { markdownTable } from "../../src/analysis/tables/table-formats.js";
import { SOURCES } from "../../src/datasets/sources.js";
import { OPTIMIZERS } from "../../src/federation/optimizer-options.js";
import { type GivenRunOptions, RUN_OPTIONS, runOptions } from "../../src/federation/run-options.js";
import { STRATEGIES } from "../../src/federation/strategies/strategies.js";
import { strategyWords, trainingWords } from "../../src/federation/strategies/strategy-words.js";
import { MODELS } from "../../src/models/models.js";
import { PARTITIONERS } from "../../src/partition/partitioners.js";
import { runId } from "../../src/records/run-record.js";
import { recordedOptions } from "../../src/studies/recorded-options.js";
import { runSettings } from "../../src/studies/run-settings.js";
import { syntheticRecords } from "../records/synthetic-records.js";

const options = (given: Partial<GivenRunOptions>) =>
  runOptions({ task: "antiderivative", alpha: 0.1, seed: 7, ...given });
const idOf = (given: Partial<GivenRunOptions>) => runId(recordedOptions(options(given)));
const wordsOf = async (given: Partial<GivenRunOptions>) => (await idOf(given)).replace(/-[0-9a-f]{10}$/, "");

describe("options of strategies", () => {
  it("have names of their own among all settings, which stand in one row", () => {
    const others = [
      RUN_OPTIONS,
      ...[OPTIMIZERS, PARTITIONERS, MODELS].flatMap((entries) =>
        Object.values(entries as Record<string, { readonly options: object }>).map((entry) => entry.options),
      ),
      ...Object.values(SOURCES).map(({ parameters }) => parameters),
    ].flatMap((declared) => Object.keys(declared));
    for (const { options: own } of Object.values(STRATEGIES))
      for (const name of Object.keys(own)) expect([...others, "strategy"]).not.toContain(name);
  });
});

describe("the name of a run", () => {
  it("says strategy, participation and what stays with clients", async () => {
    expect(await wordsOf({ strategy: { name: "fedprox", mu: 0.1 } })).toBe(
      "antiderivative-k-10-adam-fedprox-mu-0.1-alpha-0.1-seed-7",
    );
    expect(await wordsOf({ strategy: { name: "scaffold" }, participation: 0.2 })).toBe(
      "antiderivative-k-10-adam-scaffold-I-participation-0.2-alpha-0.1-seed-7",
    );
    expect(await wordsOf({ local: "branch.*, bias", dropout: 0.1, clientSchedule: "step:0.5:100" })).toBe(
      "antiderivative-k-10-adam-client-schedule-step-0.5-100-local-branch-bias-dropout-0.1-alpha-0.1-seed-7",
    );
  });

  it("is that of earlier versions for federated averaging, however it is asked for", async () => {
    const plain = await idOf({});
    expect(plain).toMatch(/^antiderivative-k-10-adam-alpha-0.1-seed-7-[0-9a-f]{10}$/);
    for (const given of [
      { strategy: { name: "fedavg" } },
      { local: "none", dropout: 0, sampling: "uniform", weights: "size" },
      { clientSchedule: "constant", serverSchedule: "constant" },
    ] as Partial<GivenRunOptions>[])
      expect(await idOf(given)).toBe(plain);
  });

  it("differs wherever an option does", async () => {
    const all = await Promise.all(
      (
        [
          {},
          { strategy: { name: "fedprox" } },
          { strategy: { name: "fedprox", mu: 2 } },
          { strategy: { name: "fedprox", proximal: "decoupled" } },
          { participation: 0.5 },
          { participation: 5 },
          { participation: 5, sampling: "stratified" },
          { localEpochs: 1 },
          { localStepsMin: 1 },
          { secondMoment: "average" },
          { local: "trunk.*" },
        ] as Partial<GivenRunOptions>[]
      ).map(idOf),
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("settings of a run", () => {
  it("have strategy and participation as overrides, and none of them for federated averaging", () => {
    const { settings, overrides } = runSettings(
      options({ strategy: { name: "fedprox", mu: 0.1 }, participation: 0.2 }),
    );
    expect(settings).toMatchObject({
      strategy: "fedprox",
      mu: 0.1,
      proximal: "gradient",
      participation: 0.2,
    });
    expect(overrides).toEqual(["participation", "strategy", "mu"]);
    const plain = runSettings(options({}));
    expect(plain.overrides).toEqual([]);
    for (const name of ["strategy", "participation", "sampling", "local", "client_schedule"])
      expect(plain.settings).not.toHaveProperty(name);
  });

  it("have weights as an override only where the sampling does not bring them along", () => {
    const overridesOf = (given: Partial<GivenRunOptions>) =>
      runSettings(options({ participation: 4, ...given })).overrides;
    for (const sampling of ["size", "power-of-choice"] as const)
      expect(overridesOf({ sampling })).toEqual(["participation", "sampling"]);
    expect(overridesOf({ sampling: "stratified" })).toEqual(["participation", "sampling"]);
    expect(overridesOf({ sampling: "stratified", weights: "uniform" })).toEqual([
      "participation",
      "sampling",
      "weights",
    ]);
    expect(overridesOf({ weights: "uniform" })).toEqual(["participation", "weights"]);
  });

  it("tell all samplers of a study apart on one axis, though two of them change the weights", () => {
    const samplings = ["uniform", "stratified", "size", "power-of-choice"] as const;
    const records = samplings.flatMap((sampling) => {
      const told = runSettings(options({ participation: 4, sampling }));
      return syntheticRecords({ tasks: ["wave"], alphas: [100, 0.1], seeds: [0, 1] }).map((row) => ({
        ...{ ...row, settings: { ...row.settings, ...told.settings } },
        overrides: [...row.overrides, ...told.overrides],
      }));
    });
    const { axes } = reportSubject(records);
    expect(axes.map(({ name }) => name)).toEqual(["sampling"]);
    expect(markdownTable(axisTable(axes[0])).match(/From [^|]*/)?.[0]).toBe("From sampling uniform (pp) ");
  });
});

describe("how a run trains, in words", () => {
  it("names what is not usual alone", () => {
    expect(strategyWords(undefined)).toBe("fedavg");
    expect(strategyWords(options({ strategy: { name: "fedadam" } }).strategy)).toBe("fedadam");
    const given = options({ strategy: { name: "ditto", lambda: 3 }, participation: 4, localEpochs: 2 });
    expect(trainingWords(given)).toEqual(["ditto (lambda 3)", "local epochs 2", "participation 4"]);
    expect(trainingWords(options({}))).toEqual([]);
  });
});
