import { describe, expect, it } from "vitest";
import { DataError } from "../../../src/errors.js";
import { checkParameters } from "../../../src/federation/chosen-model.js";
import { checkClientsFit } from "../../../src/federation/rounds/clients-memory.js";
import { keptVectors } from "../../../src/federation/rounds/kept-vectors.js";
import { runOptions } from "../../../src/federation/run-options.js";
import { initialState } from "../../../src/federation/trainer-state.js";
import { smallProblem } from "../small-problem.js";

const problem = smallProblem([3, 20]);

describe("clients that have not taken part yet", () => {
  it("cost nothing: ten of a million with a large model keep what they use", async () => {
    const few = runOptions({
      ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: 1, localSteps: 1, batch: 4, train: 2e6 },
      ...{ clients: 1e6, minSize: 1, participation: 10 },
    });
    const own = Int32Array.of(0, 1);
    const many = {
      ...problem,
      clientIndices: new Array<Int32Array>(few.clients).fill(own),
      weights: new Float64Array(few.clients).fill(1 / few.clients),
    };
    const start = initialState(many, few); // 8 GB for all: two vectors of a thousand numbers each
    expect(start.clients.first).toHaveLength(0);
    const kept = keptVectors(["first"], start, few.clients);
    kept.copy("first", 7, new Float32Array(start.server.parameters.length).fill(2));
    expect(kept.of("first", 7)[0]).toBe(2);
    expect(kept.of("first", 8)[0]).toBe(0);
    expect(kept.state().partial?.present).toEqual(Int32Array.of(7));
  });
});

describe("the memory of clients", () => {
  const model = { numbers: 2_368_001, vectors: 2 };

  it("is refused in one line before training where it is too small", () => {
    const check = (options: { participation?: number; rounds: number }, gigabytes: number) => () =>
      checkClientsFit(1000, model, options, 1e9 * gigabytes);
    expect(check({ rounds: 100 }, 16)).toThrow(DataError);
    expect(check({ rounds: 100 }, 16)).toThrow(
      /^1000 clients keep 2 vectors of 2,368,001 parameters each, .*: 37\.9 GB, but 16\.0 GB of memory are free: take fewer clients [^\n]*$/,
    );
    expect(check({ rounds: 100 }, 40)).not.toThrow();
    // Ten rounds of ten clients have met a hundred clients, at most.
    expect(check({ rounds: 10, participation: 10 }, 16)).not.toThrow();
    expect(check({ rounds: 1000, participation: 10 }, 16)).toThrow("1000 clients keep 2 vectors");
  });

  it("is no matter where clients keep nothing", () => {
    expect(() => checkClientsFit(1000, { ...model, vectors: 0 }, { rounds: 100 }, 0)).not.toThrow();
  });
});

describe("a model that is too large", () => {
  it("is told by the clients of a round, since the others cost nothing", () => {
    const { layout } = problem.operator;
    const large = [{ ...layout[0], size: 2 ** 20 }];
    const options = (more: object) =>
      runOptions({
        ...{ task: "antiderivative", alpha: 1, clients: 2000, minSize: 1, train: 4000 },
        ...more,
      });
    expect(() => checkParameters(large, options({}))).toThrow(
      /^a model of 1\.05e\+6 parameters for 2000 clients /,
    );
    for (const more of [{ participation: 10 }, { strategy: { name: "centralised" } }])
      expect(() => checkParameters(large, options(more))).not.toThrow();
  });
});
