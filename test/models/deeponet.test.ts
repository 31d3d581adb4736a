import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SOURCES } from "../../src/datasets/sources.js";
import { gradient } from "../../src/engine/gradient.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { mean, multiply } from "../../src/engine/operations.js";
import { Program, type Tensor } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { deeponet } from "../../src/models/deeponet.js";
import { type DeepOnetSizes, deepOnetLayout, predictDeepOnet } from "../../src/models/deeponet-network.js";
import { glorotNormal } from "../../src/models/initialisers.js";
import { parameterCount, weightsOf } from "../../src/models/parameter-layout.js";
import { stream } from "../../src/random/stream.js";
import { error, evaluate } from "../engine/evaluation.js";
import { plainDeepOnet } from "../federation/plain-federation.js";
import { smallProblem } from "../federation/small-problem.js";

describe("DeepONet", () => {
  it.each([
    ["antiderivative", 100, 1, 7401],
    ["diffusion-reaction", 101, 2, 50901],
    ["burgers", 101, 2, 15041],
  ] as const)("has the paper's number of parameters for %s", (task, sensors, coordinates, count) => {
    const sizes = SOURCES[task].model.options as { width: number; depth: number };
    expect(parameterCount(deepOnetLayout({ sensors, coordinates, ...sizes }))).toBe(count);
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

interface Golden {
  readonly depth: number;
  readonly outputs: number;
  readonly latent: number;
  readonly activation: "relu" | "tanh";
  readonly trunk_output: "activation" | "relu" | "none";
  readonly prediction: readonly number[];
  readonly gradient: readonly number[];
}

/** By PyTorch: scripts/golden/deeponet.py. */
const golden: readonly Golden[] = JSON.parse(
  readFileSync(new URL("../golden/deeponet.json", import.meta.url), "utf8"),
);

describe("DeepONet", () => {
  it.each(golden)(
    "has PyTorch's predictions and gradients with depth $depth, $outputs outputs, latent $latent, $activation, trunk output $trunk_output",
    async ({ prediction, gradient: slopes, trunk_output: trunkOutput, ...rest }) => {
      const sizes: DeepOnetSizes = { sensors: 5, coordinates: 2, width: 4, ...rest, trunkOutput };
      const layout = deepOnetLayout(sizes);
      const numbers = (length: number, f: (i: number) => number) =>
        Float64Array.from({ length }, (_, i) => f(i));
      const shapes = [[parameterCount(layout)], [3, 5], [6, 2]];
      const values = [
        numbers(slopes.length, (i) => 0.3 * Math.sin(i + 1)),
        numbers(15, Math.cos),
        numbers(12, (i) => Math.sin(i) / 2),
      ];
      const build = ([parameters, inputs, points]: readonly Tensor[]) => {
        const y = predictDeepOnet(weightsOf(parameters, layout), inputs, points, sizes);
        return [y, ...gradient(mean(multiply(y, y)), [parameters])];
      };
      const exact = await evaluate(build, shapes, values);
      expect(error(exact[0], prediction)).toBeLessThan(1e-9);
      expect(error(exact[1], slopes)).toBeLessThan(1e-9);
      const fast = await evaluate(build, shapes, values, onnxBackend);
      expect(error(fast[0], prediction)).toBeLessThan(1e-5);
      expect(error(fast[1], slopes)).toBeLessThan(1e-5);
    },
  );
});

describe("PyTorch's initialiser", () => {
  it("draws weights and biases of a layer within 1 / sqrt(fan in), and leaves the output's bias zero", () => {
    const layout = deepOnetLayout({ sensors: 100, coordinates: 2, width: 64, depth: 2, latent: 30 });
    const values = likePyTorchDeepOnet();
    for (const { name, start, size } of layout) {
      const largest = Math.max(...values.subarray(start, start + size).map(Math.abs));
      const [, net, layer] = /^(branch|trunk)\.(\d)/.exec(name) ?? [];
      const bound = net ? 1 / Math.sqrt(layer === "1" ? 64 : net === "branch" ? 100 : 2) : 0;
      expect(largest).toBeLessThanOrEqual(bound);
      expect(largest).toBeGreaterThanOrEqual(0.8 * bound);
    }
  });

  const likePyTorchDeepOnet = () =>
    deeponet
      .build(
        { inputs: { channels: 1, grid: [100] }, responses: { channels: 1, grid: [3, 3] } },
        { width: 64, depth: 2, latent: 30, initialiser: "pytorch" },
      )
      .initial(stream(3, "model"));
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
