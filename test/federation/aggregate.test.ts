import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { hold } from "../../src/federation/held-inputs.js";
import { aggregateProgram, coefficients, roundProgram } from "../../src/federation/rounds/round-program.js";
import { runOptions } from "../../src/federation/run-options.js";
import { initialState } from "../../src/federation/trainer-state.js";
import { draw } from "../engine/evaluation.js";
import { smallProblem } from "./small-problem.js";

const options = runOptions({
  task: "antiderivative",
  alpha: 1,
  seed: 3,
  localSteps: 2,
  clientState: "average",
});
const [clients, count] = [3, 50];
const local = Float32Array.from(draw([clients * count], "local"));
const first = Float32Array.from(draw([clients * count], "first"));
const second = Float32Array.from(draw([clients * count], "second"));
const shares = Float64Array.of(0.2, 0.5, 0.3);

/** The sum over clients of share * vector, one after another in float64, rounded to float32. */
const meanOf = (vectors: Float32Array) =>
  Float32Array.from({ length: count }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < clients; k++) sum += shares[k] * vectors[k * count + i];
    return sum;
  });

describe("the aggregation", () => {
  it("by the reference is the float64 mean of clients, one after another, to the last bit", async () => {
    const executable = await referenceBackend.compile(aggregateProgram(clients, count, options));
    const found = await executable.run({
      local,
      shares,
      "server.parameters": new Float32Array(count),
      "stepped.first": first,
      "stepped.second": second,
    });
    expect(Float32Array.from(found["new server.parameters"])).toEqual(meanOf(local));
    expect(Float32Array.from(found["new clients.first"])).toEqual(meanOf(first));
    expect(Float32Array.from(found["new clients.second"])).toEqual(meanOf(second));
  });
});

describe.each([
  ["the reference", referenceBackend],
  ["ONNX Runtime", onnxBackend],
])("a round by %s", (_, backend: Backend) => {
  const problem = smallProblem([5, 6, 7]);
  const { training } = problem;
  const program = roundProgram(training, options, { replicas: 1, clients: 3, steps: 2, rows: 4 });
  const start = initialState(problem, options);
  const indices = Int32Array.from({ length: 2 * 3 * 4 }, (_, i) => i % 18);

  /** The parameters after a round in which clients have these shares; `changed` is another batch of the second client. */
  const after = async (given: readonly number[], changed = false) => {
    const executable = await backend.compile(program);
    hold(executable, training);
    await executable.run({
      ...coefficients([0], 2, options),
      shares: Float64Array.from(given),
      "server.parameters": start.server.parameters,
      "clients.first": start.clients.first,
      "clients.second": start.clients.second,
      indices: changed
        ? indices.map((index, i) => (Math.floor(i / 4) % 3 === 1 ? 17 - index : index))
        : indices,
      weights: new Float32Array(indices.length).fill(0.25),
    });
    const parameters = Array.from(executable.read("server.parameters"));
    await executable.close();
    return parameters;
  };

  it("takes the clients' shares as an input, 0 for one that is absent", async () => {
    expect(await after([0.5, 0, 0.5], true)).toEqual(await after([0.5, 0, 0.5]));
    expect(await after([0.25, 0.5, 0.25], true)).not.toEqual(await after([0.25, 0.5, 0.25]));
  });
});

describe("the optimiser's coefficients", () => {
  it("count the steps that clients have taken, anew in every round if their state is reset", () => {
    const [kept, reset] = [options, { ...options, clientState: "reset" as const }];
    expect(coefficients([6], 2, kept)["coefficient 0"]).not.toEqual(
      coefficients([0], 2, kept)["coefficient 0"],
    );
    expect(coefficients([6], 2, reset)).toEqual(coefficients([0], 2, kept));
  });
});
