import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { Program } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { heldInputs, hold } from "../../src/federation/held-inputs.js";
import { roundProgram } from "../../src/federation/rounds/round-program.js";
import { CLIENT_STATES, runOptions } from "../../src/federation/run-options.js";
import { joined, weightsOf } from "../../src/models/parameter-layout.js";
import type { Training } from "../../src/models/trainable-model.js";
import { stream } from "../../src/random/stream.js";
import { interpretingBackend } from "../engine/cuda/plan/interpret.js";
import { draw, error } from "../engine/evaluation.js";
import { plainFederation } from "./plain-federation.js";
import { replicaOf, roundsOf } from "./replica-of.js";
import { smallProblem } from "./small-problem.js";

const backend = interpretingBackend();
const optimizers = [
  { name: "adam", rate: 1e-2 },
  { name: "sgd", rate: 1e-2, momentum: 0.9 },
] as const;
const cases = optimizers.flatMap((optimizer) =>
  CLIENT_STATES.flatMap((clientState) =>
    [1, 2].map((localSteps) => ({ optimizer, clientState, localSteps })),
  ),
);

describe("rounds on a backend that prefers large operations, by the plans of the CUDA compiler,", () => {
  const problem = smallProblem([3, 20, 40], { sizes: { sensors: 5, coordinates: 2, width: 6, depth: 3 } });

  it.each(cases)(
    "are federated averaging by loops: $optimizer.name, $clientState, $localSteps",
    async (chosen) => {
      const options = runOptions({
        ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: 2, batch: 17 },
        ...chosen,
        backend: "reference",
      });
      const replica = replicaOf(problem, options);
      const expected = plainFederation(problem, options, replica.start.server.parameters);
      const rounds = await roundsOf(replica, backend);
      await rounds.next(false);
      const [dispersion] = Array.from(await rounds.next(true));
      const [parameters] = rounds.parameters();
      await rounds.close();
      expect(dispersion / expected.dispersion).toBeCloseTo(1, 4);
      const worst = expected.parameters.reduce(
        (most, v, i) => Math.max(most, Math.abs(v - parameters[i])),
        0,
      );
      expect(worst).toBeLessThan(1e-6);
    },
  );
});

describe("a round of several replicas, by the plans of the CUDA compiler,", () => {
  it("is what the reference computes", async () => {
    const { operator, train } = smallProblem([6]);
    const training = operator.training(train, { largeKernels: true });
    const options = runOptions({ task: "antiderivative", alpha: 1, seed: 1 });
    const program = roundProgram(training, options, { replicas: 2, clients: 3, steps: 3, rows: 5 }, backend);
    const run = async (on: Backend) => {
      const executable = await on.compile(program);
      hold(executable, training);
      for (const [name, { shape, dtype }] of program.inputs) {
        if (name in training.data) continue;
        const values = draw(
          shape,
          name,
          dtype === "int" || name.startsWith("clients.") ? [0, 1] : [0.1, 0.5],
        );
        executable.write(name, dtype === "int" ? Int32Array.from(values, (x) => Math.floor(6 * x)) : values);
      }
      await executable.run();
      const { dispersion } = await executable.run();
      return [
        dispersion,
        ...["server.parameters", "clients.first", "clients.second"].map((name) => executable.read(name)),
      ];
    };
    const expected = await run(referenceBackend);
    (await run(backend)).forEach((values, i) => {
      expect(error(values, expected[i])).toBeLessThan(1e-9);
    });
  });
});

describe("the wide training of a DeepONet", () => {
  it("has the same gradients although points fill up a large grid", async () => {
    const problem = smallProblem([4], { points: 1030 });
    const wide = problem.operator.training(problem.train, { largeKernels: true });
    expect(wide.data.responses.shape).toEqual([4, 1152]);
    const parameters = problem.operator.initial(stream(2, "model"));
    const gradientOf = async (training: Training) => {
      const program = new Program();
      const gradients = training.gradients(
        weightsOf(program.input("parameters", [parameters.length]), training.blocks),
        heldInputs(program, training),
        program.constantInts([2, 0, 3]),
        program.constant([0.5, 0.5, 0]),
      );
      program.output("gradient", joined(training.blocks.map(({ name }) => gradients[name])));
      const executable = await referenceBackend.compile(program);
      hold(executable, training);
      return (await executable.run({ parameters })).gradient;
    };
    const expected = await gradientOf(problem.training);
    (await gradientOf(wide)).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 12);
    });
  });
});
