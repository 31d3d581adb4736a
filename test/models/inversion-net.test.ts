import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { mean, multiply, sum } from "../../src/engine/operations.js";
import { Program, type Tensor } from "../../src/engine/program.js";
import {
  type InversionNetSizes,
  initialInversionNet,
  inversionNetLayout,
  predictInversionNet,
} from "../../src/models/inversion-net.js";
import { parameterCount, weightsOf } from "../../src/models/parameter-layout.js";
import { stream } from "../../src/random/stream.js";
import { draw, error, evaluate } from "../engine/evaluation.js";

const SMALL = { receivers: 20, sources: 2, channels: [2, 2, 8, 2, 4] as const };

interface Golden {
  readonly time: number;
  readonly receivers: number;
  readonly map: readonly [number, number];
  readonly outputs: number;
  readonly normalisation: "none" | "group" | "batch";
  readonly count: number;
  readonly prediction: number[];
  readonly gradient: number[];
}

const golden: readonly Golden[] = JSON.parse(
  readFileSync(new URL("../golden/inversion-net.json", import.meta.url), "utf8"),
);

const every = (step: number, values: ArrayLike<number>) =>
  Array.from(values).filter((_, i) => i % step === 0);

describe("InversionNet", () => {
  it.each([
    ["none", 1_526_105],
    ["group", 1_527_185],
    ["batch", 1_527_185],
  ] as const)("has about 1.5 million parameters with normalisation %s", (normalisation, count) => {
    expect(parameterCount(inversionNetLayout({ time: 1000, normalisation }))).toBe(count);
  });

  it("is the original at its channels, but for biases before and the normalisation after the last layer", () => {
    const sizes = { time: 1000, channels: [32, 64, 128, 256, 512] as const, normalisation: "group" as const };
    const layout = inversionNetLayout(sizes);
    const normalisedChannels = layout.reduce(
      (sum, { name, size }) => sum + (name.endsWith("scale") ? size : 0),
      0,
    );
    expect(parameterCount(layout) + normalisedChannels + 2).toBe(24_409_123);
  });

  it.each([1000, 500, 250, 125, 64, 47])("makes a picture of %i samples in time", (time) => {
    const sizes: InversionNetSizes = { time };
    const program = new Program();
    const layout = inversionNetLayout(sizes);
    const parameters = program.input("parameters", [parameterCount(layout)]);
    const inputs = program.input("inputs", [2, 5, time, 70]);
    expect(predictInversionNet(weightsOf(parameters, layout), inputs, sizes).shape).toEqual([2, 1, 70, 70]);
    const bottleneck = layout.find(({ shape }) => shape[0] === 128)!;
    expect(bottleneck.shape).toEqual([128, 64, time === 47 ? 6 : 8, 9]);
  });

  it.each(golden)(
    "has PyTorch's predictions and gradients from $time x $receivers to $outputs x $map, normalisation $normalisation",
    async ({ count, prediction, gradient: slopes, ...shape }) => {
      const { time, receivers } = shape;
      const sizes: InversionNetSizes = { ...SMALL, ...shape };
      const layout = inversionNetLayout(sizes);
      expect(parameterCount(layout)).toBe(count);
      const shapes = [[count], [3, 2, time, receivers]];
      const values = [
        Float64Array.from({ length: count }, (_, i) => 0.5 * Math.sin(i + 1)),
        Float64Array.from({ length: 6 * time * receivers }, (_, i) => Math.cos(i)),
      ];
      const build = ([parameters, inputs]: readonly Tensor[]) => {
        const y = predictInversionNet(weightsOf(parameters, layout), inputs, sizes);
        return [y, ...gradient(mean(multiply(y, y)), [parameters])];
      };
      const exact = await evaluate(build, shapes, values);
      expect(error(every(97, exact[0]), prediction)).toBeLessThan(1e-9);
      expect(error(every(13, exact[1]), slopes)).toBeLessThan(1e-9);
      const fast = await evaluate(build, shapes, values, onnxBackend);
      expect(error(fast[0], exact[0])).toBeLessThan(1e-4);
      expect(error(fast[1], exact[1])).toBeLessThan(1e-4);
    },
  );

  it.each(["none", "group", "batch"] as const)(
    "gives each of several clients the prediction and the gradient of its own weights, normalisation %s",
    async (normalisation) => {
      const sizes: InversionNetSizes = { ...SMALL, time: 47, normalisation };
      const layout = inversionNetLayout(sizes);
      const count = parameterCount(layout);
      const build = ([parameters, inputs]: readonly Tensor[]) => {
        const y = predictInversionNet(weightsOf(parameters, layout), inputs, sizes);
        return [y, ...gradient(sum(multiply(y, y)), [parameters])];
      };
      const shapes = [[count], [2, 2, 47, 20]];
      const together = shapes.map((shape) => [2, ...shape]);
      const values = together.map((shape, i) => draw(shape, `inversion net ${i}`, [-0.5, 0.5]));
      const half = (all: ArrayLike<number>, client: number) =>
        Float64Array.from(all).slice((client * all.length) / 2, ((client + 1) * all.length) / 2);
      const found = await evaluate(build, together, values);
      const fast = await evaluate(build, together, values, onnxBackend);
      for (const client of [0, 1]) {
        const alone = values.map((all) => half(all, client));
        const expected = await evaluate(build, shapes, alone);
        expected.forEach((numbers, i) => {
          expect(error(half(found[i], client), numbers)).toBeLessThan(1e-11);
          expect(error(half(fast[i], client), numbers)).toBeLessThan(1e-4);
        });
      }
    },
  );

  it("starts with scales of one, shifts of zero and kernels within PyTorch's bounds", () => {
    const sizes = { ...SMALL, time: 125 };
    const values = initialInversionNet(sizes, stream(1, "model"));
    for (const { name, shape, start, size } of inversionNetLayout(sizes)) {
      const block = values.subarray(start, start + size);
      const largest = Math.max(...block.map(Math.abs));
      if (name.endsWith("scale")) expect([...block]).toEqual(Array(size).fill(1));
      else if (name.endsWith("shift")) expect([...block]).toEqual(Array(size).fill(0));
      else if (name.endsWith("weight")) {
        const bound = 1 / Math.sqrt(shape[1] * shape[2] * shape[3]);
        expect(largest).toBeLessThanOrEqual(bound * (1 + 1e-6));
        expect(largest).toBeGreaterThan(0.8 * bound);
      }
    }
  });
});
