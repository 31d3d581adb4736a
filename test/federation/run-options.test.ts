import { describe, expect, it } from "vitest";
import { OptionError } from "../../src/errors.js";
import { type GivenRunOptions, runOptions } from "../../src/federation/run-options.js";

const given: GivenRunOptions = { task: "burgers", alpha: 0.1, seed: 42 };

describe("runOptions", () => {
  it("fills in the paper's values", () => {
    expect(runOptions(given)).toEqual({
      task: "burgers",
      parameters: { viscosity: 0.1 },
      train: 800,
      test: 500,
      alpha: 0.1,
      seed: 42,
      dataSeed: 42,
      clients: 10,
      bins: 10,
      minSize: 16,
      repair: "closest",
      rounds: 1000,
      localSteps: 5,
      batch: 64,
      optimizer: { name: "adam", rate: 1e-3 },
      normalise: "none",
      model: {},
      clientState: "keep",
      backend: "onnx",
      threads: 1,
      checkpoints: [0, 1, 5, 10, 20, 50, 100, 200, 500, 1000],
    });
  });

  it("has no viscosity for an equation without one", () => {
    expect(runOptions({ ...given, task: "antiderivative" }).parameters).toEqual({});
  });

  it("measures at the checkpoints that a run reaches and at its end", () => {
    expect(runOptions({ ...given, rounds: 12 }).checkpoints).toEqual([0, 1, 5, 10, 12]);
    expect(runOptions({ ...given, rounds: 0 }).checkpoints).toEqual([0]);
    expect(runOptions({ ...given, rounds: 9, checkpoints: [3, 0, 3] }).checkpoints).toEqual([0, 3, 9]);
  });

  it.each<[Partial<GivenRunOptions>, RegExp]>([
    [{ task: "heat" as "burgers" }, /no task "heat"/],
    [{ alpha: 0 }, /alpha is a number from 1e-6/],
    [{ seed: 1.5 }, /seed 1.5/],
    [{ clients: 100 }, /800 samples cannot give 100 clients/],
    [{ rounds: -1 }, /rounds is a whole number from 0/],
    [{ localSteps: 0 }, /local_steps is a whole number from 1/],
    [{ batch: 2.5 }, /batch is a whole number/],
    [{ threads: 0 }, /threads is a whole number/],
    [{ test: 0 }, /no samples to measure the error on/],
    [{ checkpoints: [-1] }, /checkpoint -1/],
    [{ optimizer: { name: "adam", rate: 0 } }, /adam's rate is a number from 1e-12 to 1000, not 0/],
    [{ optimizer: { name: "sgd", rate: 1, momentum: 1 } }, /sgd's momentum is a number from 0 to below 1/],
    [{ clientState: "forget" as "keep" }, /client_state is one of keep, reset, average, not "forget"/],
    [{ backend: "torch" as "onnx" }, /backend is one of onnx, reference, not "torch"/],
    [{ task: "antiderivative", parameters: { viscosity: 0.1 } }, /viscosity is an option of burgers/],
  ])("refuses %o", (change, message) => {
    expect(() => runOptions({ ...given, ...change })).toThrow(OptionError);
    expect(() => runOptions({ ...given, ...change })).toThrow(message);
  });
});
