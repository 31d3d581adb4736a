import { describe, expect, it } from "vitest";
import { fno2dOperator } from "../../src/federation/field-operators.js";
import { shareSamples } from "../../src/federation/fleet-data.js";
import { fittingRuns, runBytes } from "../../src/federation/fleet-memory.js";
import { runOptions } from "../../src/federation/run-options.js";
import { smallProblem } from "./small-problem.js";

const first = smallProblem([4, 5]).train;
const equal = smallProblem([9]).train;
const other = smallProblem([3, 4], { seed: 8 }).train;

describe("samples of several runs", () => {
  it("lie one behind another, equal ones once", () => {
    const shared = shareSamples([first, other, equal, other]);
    expect(shared.starts).toEqual([0, 9, 0, 9]);
    expect(shared.samples).toBe(16);
    expect(shared.inputs).toEqual(Float32Array.of(...first.inputs, ...other.inputs));
    expect(shared.responses).toEqual(Float32Array.of(...first.responses, ...other.responses));
  });

  it("are not copied if all runs have the same", () => {
    const shared = shareSamples([first, equal]);
    expect(shared.starts).toEqual([0, 0]);
    expect(shared.responses).toBe(first.responses);
  });
});

describe("runs that fit into memory", () => {
  const options = runOptions({ task: "antiderivative", alpha: 1, seed: 0, clients: 3, batch: 8 });
  const problem = smallProblem([10, 10, 10]);

  it("are as many as their bytes allow, and at least one", () => {
    const bytes = runBytes(problem, options, {});
    expect(fittingRuns(problem, options, {}, 7.5 * bytes)).toBe(7);
    expect(fittingRuns(problem, options, {}, 10)).toBe(1);
    const endless = fittingRuns(problem, options, {}, Infinity);
    expect(endless).toBeGreaterThan(100);
    expect(endless).toBeLessThan(2 ** 31); // tensors have so many numbers at most
  });

  it("take more memory with more clients, larger batches and optimisers that remember more", () => {
    const bytes = (changes: Partial<typeof options>) => runBytes(problem, { ...options, ...changes }, {});
    const usual = bytes({});
    expect(bytes({ clients: 6 })).toBeGreaterThan(usual);
    expect(bytes({ batch: 64 })).toBeGreaterThan(usual);
    expect(bytes({ optimizer: { name: "sgd", rate: 0.01, momentum: 0 } })).toBeLessThan(usual);
  });

  it("go alone if their model takes one client at a time", () => {
    const shapes = { inputShape: [1, 5], responseShape: [1, 7] };
    const operator = fno2dOperator(shapes, { width: 2, modes: 1, layers: 1, projection: 2 });
    expect(fittingRuns({ ...problem, operator }, options, {}, Infinity)).toBe(1);
  });
});
