import { describe, expect, it } from "vitest";
import { evaluationRows } from "../../src/federation/observables/observables.js";
import { replicaData, shareSamples } from "../../src/federation/replicas/replicas-data.js";
import { fittingReplicas, replicaBytes } from "../../src/federation/replicas/replicas-memory.js";
import { runOptions } from "../../src/federation/run-options.js";
import { buildOnGrid } from "../models/build-on-grid.js";
import { smallProblem } from "./small-problem.js";

const first = smallProblem([4, 5]).train;
const equal = smallProblem([9]).train;
const other = smallProblem([3, 4], { seed: 8 }).train;

describe("samples of several replicas", () => {
  it("lie one behind another, equal ones once", () => {
    const shared = shareSamples([first, other, equal, other]);
    expect(shared.starts).toEqual([0, 9, 0, 9]);
    expect(shared.samples).toBe(16);
    expect(shared.inputs).toEqual(Float32Array.of(...first.inputs, ...other.inputs));
    expect(shared.responses).toEqual(Float32Array.of(...first.responses, ...other.responses));
  });

  it("are not copied if all replicas have the same", () => {
    const shared = shareSamples([first, equal]);
    expect(shared.starts).toEqual([0, 0]);
    expect(shared.responses).toBe(first.responses);
  });

  it("are held as the run alone holds them, unless the backend wants another layout", () => {
    const problem = smallProblem([4, 5]);
    const held = (...given: Parameters<typeof replicaData>) => replicaData(...given).training(9).shape;
    expect(held([problem], {})).toBe(problem.training);
    expect(held([problem], { prefersLargeKernels: true })).not.toBe(problem.training);
    expect(held([problem, smallProblem([3], { seed: 8 })], {}).data.inputs.shape[0]).toBe(12);
  });
});

describe("replicas that fit into memory", () => {
  const options = runOptions({ task: "antiderivative", alpha: 1, seed: 0, clients: 3, batch: 8 });
  const problem = smallProblem([10, 10, 10]);

  it("are as many as their bytes allow, and at least one", () => {
    for (const replicas of [2, 7, 60]) {
      const bytes = replicaBytes(problem, options, {}, replicas);
      expect(fittingReplicas(problem, options, {}, bytes)).toBe(replicas);
      expect(fittingReplicas(problem, options, {}, 0.99 * bytes)).toBe(replicas - 1);
    }
    expect(fittingReplicas(problem, options, {}, 10)).toBe(1);
    const endless = fittingReplicas(problem, options, {}, Infinity);
    expect(endless).toBeGreaterThan(100);
    expect(endless).toBeLessThan(2 ** 31); // tensors have so many numbers at most
  });

  it("take more memory with more clients, larger batches and optimisers that remember more", () => {
    const bytes = (changes: Partial<typeof options>) =>
      replicaBytes(problem, { ...options, ...changes }, {}, 1);
    const usual = bytes({});
    expect(bytes({ clients: 6 })).toBeGreaterThan(usual);
    expect(bytes({ batch: 64 })).toBeGreaterThan(usual);
    expect(bytes({ optimizer: { name: "sgd", rate: 0.01, momentum: 0 } })).toBeLessThan(usual);
  });

  it("are counted by what the backend itself says that a round needs", () => {
    const frugal = { demand: () => ({ working: 1, largest: 2 ** 28 }) };
    expect(replicaBytes(problem, options, frugal, 3)).toBeLessThan(replicaBytes(problem, options, {}, 3));
    expect(fittingReplicas(problem, options, frugal, Infinity)).toBe(7); // of tensors with fewer than 2^31 numbers
  });

  it("are evaluated in parts that fit, however large their activations", () => {
    const shapes = { inputShape: [128, 128], responseShape: [128, 128] };
    const operator = buildOnGrid("fno", shapes);
    const gpu = { prefersLargeKernels: true };
    const alone = evaluationRows(operator, 1, 1000, gpu);
    expect(alone.errors * operator.activation).toBeLessThanOrEqual(2 ** 28);
    expect(alone.gradients).toBe(16);
    expect(evaluationRows(operator, 20, 1000, gpu)).toEqual({ errors: 6, gradients: 6 });
    expect(evaluationRows(operator, 1000, 1000, gpu)).toEqual({ errors: 1, gradients: 1 });
    expect(evaluationRows(problem.operator, 25, 30, gpu)).toEqual({ errors: 30, gradients: 30 });
  });
});
