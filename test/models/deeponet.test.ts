import { describe, expect, it } from "vitest";
import { Program } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { DEEPONETS } from "../../src/federation/task-operator.js";
import { deepOnetLayout, predictDeepOnet } from "../../src/models/deeponet-network.js";
import { glorotNormal } from "../../src/models/initialisers.js";
import { parameterCount, weightsOf } from "../../src/models/parameter-layout.js";
import { stream } from "../../src/random/stream.js";
import { plainDeepOnet } from "../federation/plain-federation.js";
import { smallProblem } from "../federation/small-problem.js";

describe("DeepONet", () => {
  it.each([
    ["antiderivative", 100, 1, 7401],
    ["diffusion-reaction", 101, 2, 50901],
    ["burgers", 101, 2, 15041],
  ] as const)("has the paper's number of parameters for %s", (task, sensors, coordinates, count) => {
    expect(parameterCount(deepOnetLayout({ sensors, coordinates, ...DEEPONETS[task] }))).toBe(count);
  });

  it.each([1, 2, 3])(
    "of depth %i predicts what loops over its layers give, for each of two replicas",
    async (depth) => {
      const sizes = { sensors: 5, coordinates: 2, width: 6, depth };
      const problem = smallProblem([4], { sizes });
      const { layout } = problem.operator;
      const count = parameterCount(layout);
      const replicas = [1, 2].map((seed) => biased(glorotNormal(layout, stream(seed, "model"))));
      const program = new Program();
      const inputs = program.input("inputs", [4, 5]);
      const points = program.constant(problem.points, [7, 2]);
      program.output(
        "u",
        predictDeepOnet(weightsOf(program.input("parameters", [2, count]), layout), inputs, points, sizes),
      );
      const executable = await referenceBackend.compile(program);
      const { u } = await executable.run({
        inputs: problem.train.inputs,
        parameters: Float32Array.from(replicas.flatMap((values) => [...values])),
      });
      const expected = replicas.flatMap((parameters) =>
        [0, 1, 2, 3].flatMap(
          (i) => plainDeepOnet(problem, parameters, problem.train.inputs.subarray(5 * i, 5 * i + 5)).values,
        ),
      );
      expect(u.length).toBe(expected.length);
      expected.forEach((value, i) => {
        expect(u[i]).toBeCloseTo(value, 10);
      });
    },
  );
});

describe("glorotNormal", () => {
  const layout = deepOnetLayout({ sensors: 101, coordinates: 2, width: 64, depth: 2 });
  const parameters = glorotNormal(layout, stream(3, "model"));

  it("draws matrices with variance 2 / (in + out) and leaves biases zero", () => {
    for (const { shape, start, size } of layout) {
      const values = Array.from(parameters.subarray(start, start + size));
      const square = values.reduce((sum, value) => sum + value * value, 0) / size;
      if (shape.length === 1) expect(square).toBe(0);
      else expect(square / (2 / (shape[0] + shape[1]))).toBeCloseTo(1, size > 1000 ? 0.9 : -0.5);
    }
  });

  it("gives the same numbers for the same stream and others for another", () => {
    expect(glorotNormal(layout, stream(3, "model"))).toEqual(parameters);
    expect(glorotNormal(layout, stream(4, "model"))).not.toEqual(parameters);
  });
});

/** Biases that are not zero, so that a forgotten one would show. */
function biased(parameters: Float32Array): Float32Array {
  return parameters.map((value, i) => (value === 0 ? 0.1 * Math.sin(i) : value));
}
