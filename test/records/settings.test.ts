import { describe, expect, it } from "vitest";
import { TASK_NAMES, taskOf } from "../../src/datasets/tasks.js";
import { plannedModel } from "../../src/federation/chosen-model.js";
import { type GivenRunOptions, runOptions } from "../../src/federation/run-options.js";
import { EARLIER_OPTIMIZERS, EARLIER_TASKS } from "../../src/records/earlier-defaults.js";
import { type Settings, settingKey, settingsOf, settingsOfOptions } from "../../src/records/settings.js";
import { builtInStudies, studyText } from "../../src/studies/built-in.js";
import { planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { recordedOptions } from "../../src/studies/recorded-options.js";
import { sampleRun } from "./sample-run.js";

const usual = { task: "burgers", alpha: 1, seed: 7, repair: "largest" } as const;
const recorded = (given: Partial<GivenRunOptions>) => recordedOptions(runOptions({ ...usual, ...given }));
const settings = (given: Partial<GivenRunOptions>) => settingsOfOptions(recorded(given));
const overrides = (given: Partial<GivenRunOptions>) => {
  const { settings: all, overrides: names } = settings(given);
  return Object.fromEntries(names.map((name) => [name, all[name]]));
};

describe("the defaults of earlier versions", () => {
  // While the program still has these defaults: a change of one does not change this table.
  it.each(TASK_NAMES)("are those that %s had", (task) => {
    const { train, test, clients, bins, min_size, repair, local_steps, batch, normalise, ...rest } = recorded(
      { task },
    );
    const { settings: earlier, parameters, dataSeed } = EARLIER_TASKS[task];
    expect(parameters).toEqual(rest.parameters);
    expect(dataSeed ?? usual.seed).toBe(rest.data_seed);
    const { client_state, backend, optimizer } = rest;
    const common = { train, test, clients, bins, min_size, repair, local_steps, batch, normalise };
    expect(earlier).toMatchObject({ ...common, client_state, backend, optimizer: optimizer.name });
    expect({ name: optimizer.name, ...EARLIER_OPTIMIZERS.adam }).toEqual(optimizer);
    const { parameters: own } = taskOf(task);
    const { name, ...sizes } = plannedModel({ task, model: {}, parameters: own }).architecture;
    expect(earlier.model).toBe(name);
    for (const [size, value] of Object.entries(sizes)) if (size in earlier) expect(earlier[size]).toBe(value);
  });
});

describe("the settings of a run", () => {
  it("are everything that tells it apart, by recorded name", () => {
    expect(settings({}).settings).toEqual({
      train: 800,
      test: 500,
      viscosity: 0.1,
      clients: 10,
      bins: 10,
      min_size: 16,
      repair: "largest",
      local_steps: 5,
      batch: 64,
      optimizer: "adam",
      rate: 0.001,
      normalise: "none",
      model: "deeponet",
      width: 64,
      depth: 2,
      activation: "relu",
      trunk_output: "activation",
      initialiser: "glorot-normal",
      client_state: "keep",
      backend: "onnx",
    });
    expect(settings({ alpha: 0.1, seed: 3, rounds: 5, threads: 2, checkpoints: [0] })).toEqual(settings({}));
  });

  it("are overrides where they were not the default", () => {
    expect(overrides({})).toEqual({});
    expect(overrides({ localSteps: 1, bins: 3, batch: 8, train: 400 })).toEqual({
      train: 400,
      bins: 3,
      local_steps: 1,
      batch: 8,
    });
    expect(overrides({ clients: 20, parameters: { viscosity: 0.05 } })).toEqual({
      clients: 20,
      viscosity: 0.05,
    });
    expect(overrides({ optimizer: { name: "sgd", rate: 0.01, momentum: 0.9 } })).toEqual({
      optimizer: "sgd",
    });
    expect(overrides({ optimizer: { name: "sgd", rate: 0.05, momentum: 0 } })).toEqual({
      optimizer: "sgd",
      rate: 0.05,
      momentum: 0,
    });
    expect(overrides({ clientState: "reset", repair: "closest", minSize: 2, tf32: true })).toEqual({
      min_size: 2,
      repair: "closest",
      client_state: "reset",
      tf32: true,
    });
    expect(overrides({ task: "darcy", model: { width: 8 }, parameters: { grid: 32 } })).toEqual({
      grid: 32,
      width: 8,
    });
  });

  it("name the file of imported data, and the seed of simulated ones that have another", () => {
    const file = {
      task: "burgers",
      file: "b.h5",
      sha256: "0123456789abcdef",
      train: 800,
      test: 500,
      seed: 3,
    };
    const data = (origin: string) => ({ ...file, origin, parameters: { viscosity: 0.2 } }) as never;
    expect(overrides({ data: data("PDEBench") })).toEqual({ data: "01234567" });
    expect(settings({ data: data("PDEBench") }).settings.viscosity).toBe(0.2);
    expect(overrides({ data: data("simulated by this program") })).toEqual({ data_seed: 3, viscosity: 0.2 });
  });

  it("are as the record states them where it does, whatever the defaults are", () => {
    const record = sampleRun;
    const stated = { settings: { bins: 99, initialiser: "pytorch" }, overrides: ["initialiser"] };
    expect(settingsOf({ ...record, ...stated })).toEqual(stated);
    expect(settingsOf(record).settings).toEqual(settingsOfOptions(record.options).settings);
  });

  it("are overrides in none of the bundled studies but for what these vary", async () => {
    for (const name of await builtInStudies()) {
      const { text } = await studyText(name);
      const { runs } = await planStudy(readSpecification(text, name));
      const all = new Set(
        runs.flatMap(({ options }) => settingsOfOptions(recordedOptions(options)).overrides),
      );
      // A batch of 8 for cylinder flow is within the paper's range.
      const varied = ["viscosity", "clients", "optimizer", "batch", "strategy", "variant"];
      expect([name, [...all].every((one) => varied.includes(one))]).toEqual([
        name,
        !["public-small", "partitioners"].includes(name),
      ]);
    }
  });
});

describe("the key of settings", () => {
  it("is the same for the same settings, whatever their order, and another for others", () => {
    expect(settingKey({ a: 1, b: "x" }, "t")).toBe(settingKey({ b: "x", a: 1 }, "t"));
    const all: Settings[] = [{ a: 1 }, { a: "1" }, { a: true }, { a: 1, b: 1 }, {}];
    const keys = all.map((one) => settingKey(one));
    expect(new Set([...keys, settingKey({ a: 1 }, "t"), settingKey({ a: 1 }, "u")]).size).toBe(7);
  });
});
