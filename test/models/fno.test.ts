import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { mean, multiply, sum } from "../../src/engine/operations.js";
import type { Tensor } from "../../src/engine/program.js";
import type { Shape } from "../../src/engine/shape.js";
import { type FnoSizes, fnoLayout, initialFno, predictFno } from "../../src/models/fno.js";
import { type ParameterLayout, parameterCount, weightsOf } from "../../src/models/parameter-layout.js";
import { elements } from "../../src/numerics/shape.js";
import { stream } from "../../src/random/stream.js";
import { draw, error, evaluate } from "../engine/evaluation.js";
import { plainFno2d } from "./plain-fno2d.js";

const SMALL = { dimensions: 2, inputs: 2, outputs: 2, width: 3, layers: 2, projection: 4 };

const predicted = (sizes: FnoSizes) => (tensors: readonly Tensor[]) =>
  predictFno(weightsOf(tensors[0], fnoLayout(sizes)), tensors[1], sizes);

function range(layout: ParameterLayout, values: Float32Array, name: string): readonly [number, number] {
  const { start, size } = layout.find((block) => block.name === name)!;
  const block = values.subarray(start, start + size);
  return [Math.min(...block), Math.max(...block)];
}

interface Golden {
  readonly grid: readonly number[];
  readonly modes: number;
  readonly padding: number;
  readonly coordinates: "unit" | "none";
  readonly prediction: readonly number[];
  readonly gradient: readonly number[];
}

/** By PyTorch's FFT: scripts/golden/fno.py. */
const golden: readonly Golden[] = JSON.parse(
  readFileSync(new URL("../golden/fno.json", import.meta.url), "utf8"),
);

describe("FNO", () => {
  it.each(golden)(
    "has PyTorch's predictions and gradients on $grid points, $modes modes, padding $padding, coordinates $coordinates",
    async ({ grid, modes, padding, coordinates, prediction, gradient: slopes }) => {
      const sizes = { ...SMALL, dimensions: grid.length, modes, padding, coordinates };
      const inputs = [2, 2, ...grid];
      const values = [
        Float64Array.from(slopes, (_, i) => 0.3 * Math.sin(i + 1)),
        Float64Array.from({ length: elements(inputs) }, (_, i) => Math.cos(i)),
      ];
      const build = (tensors: readonly Tensor[]) => {
        const y = predicted(sizes)(tensors);
        return [y, ...gradient(mean(multiply(y, y)), [tensors[0]])];
      };
      const shapes = [[parameterCount(fnoLayout(sizes))], inputs];
      const exact = await evaluate(build, shapes, values);
      expect(error(exact[0], prediction)).toBeLessThan(1e-9);
      expect(error(exact[1], slopes)).toBeLessThan(1e-9);
      const fast = await evaluate(build, shapes, values, onnxBackend);
      expect(error(fast[0], prediction)).toBeLessThan(1e-5);
      expect(error(fast[1], slopes)).toBeLessThan(1e-5);
    },
  );

  it("has as many modes by default as its number of axes allows for", () => {
    const frequencies = (dimensions: number) =>
      fnoLayout({ dimensions, inputs: 1, outputs: 1 }).find(({ name }) => name === "spectral.0.real")!.shape;
    expect([1, 2, 3].map((dimensions) => frequencies(dimensions)[0])).toEqual([16, 2 * 12 ** 2, 4 * 8 ** 3]);
  });
});

describe("FNO2D", () => {
  it.each([
    ["Darcy flow", 1, 1, 2_368_001],
    ["a dam break in three channels", 3, 3, 2_368_323],
    ["a dam break from ten frames", 10, 1, 2_368_289],
    ["flow past a cylinder with three inputs", 3, 2, 2_368_194],
  ])("has the known number of parameters for %s", (_, inputs, outputs, count) => {
    expect(parameterCount(fnoLayout({ dimensions: 2, inputs, outputs }))).toBe(count);
  });

  it.each([
    { rows: 8, columns: 8, modes: 3, padding: 0 },
    { rows: 9, columns: 7, modes: 4, padding: 0 },
    { rows: 7, columns: 10, modes: 2, padding: 2 },
    { rows: 8, columns: 6, modes: 4, padding: 0 },
  ])(
    "predicts what full transforms by direct sums give on $rows x $columns points, $modes modes, padding $padding",
    async ({ rows, columns, modes, padding }) => {
      const sizes = { ...SMALL, modes, padding };
      const shapes = [[parameterCount(fnoLayout(sizes))], [3, 2, rows, columns]];
      const values = shapes.map((shape, i) => draw(shape, `fno2d ${i}`));
      const [actual] = await evaluate((tensors) => [predicted(sizes)(tensors)], shapes, values);
      const expected = plainFno2d(values[0], values[1], shapes[1], { ...sizes });
      expect(error(actual, expected)).toBeLessThan(1e-12);
    },
  );

  it("maps the same function to the same function on a finer grid", async () => {
    const sizes = { ...SMALL, layers: 1, modes: 4 };
    const layout = fnoLayout(sizes);
    const parameters = draw([parameterCount(layout)], "parameters");
    // Without weights of the coordinates, which are not periodic, everything before the layer is band-limited.
    parameters.fill(0, sizes.inputs * sizes.width, (sizes.inputs + 2) * sizes.width);
    const on = async (rows: number, columns: number) => {
      const wave = (i: number, j: number, channel: number) =>
        Math.sin(2 * Math.PI * ((2 * i) / rows + (channel * 3 * j) / columns)) +
        Math.cos(2 * Math.PI * ((-3 * i) / rows + j / columns));
      const inputs = Float64Array.from({ length: 2 * rows * columns }, (_, at) =>
        wave(Math.floor(at / columns) % rows, at % columns, Math.floor(at / (rows * columns))),
      );
      const shapes = [[parameters.length], [1, 2, rows, columns]];
      return (await evaluate((tensors) => [predicted(sizes)(tensors)], shapes, [parameters, inputs]))[0];
    };
    const coarse = await on(8, 7);
    const fine = await on(24, 14);
    const common = coarse.map((_, at) => {
      const [channel, i, j] = [Math.floor(at / 56), Math.floor(at / 7) % 8, at % 7];
      return fine[(channel * 24 + 3 * i) * 14 + 2 * j];
    });
    expect(error(coarse, common)).toBeLessThan(1e-12);
  });

  it("refuses more modes than the grid has", () => {
    const build = (...grid: number[]) => {
      const sizes = { ...SMALL, dimensions: grid.length, modes: 4 };
      return evaluate(
        (tensors) => [predicted(sizes)(tensors)],
        [[parameterCount(fnoLayout(sizes))], [1, 2, ...grid]],
        [],
      );
    };
    return Promise.all([
      expect(build(5)).rejects.toThrow("a grid of 5 points has at most 3 modes, not 4"),
      expect(build(8, 4, 9)).rejects.toThrow("a grid of 8 x 4 x 9 points has at most 2 modes, not 4"),
      expect(build(7, 8)).rejects.toThrow("a grid of 7 x 8 points has at most 3 modes, not 4"),
      expect(build(8, 5)).rejects.toThrow("a grid of 8 x 5 points has at most 3 modes, not 4"),
    ]);
  });

  it("starts where PyTorch's implementations start", () => {
    const sizes = { dimensions: 2, inputs: 1, outputs: 1, modes: 1 };
    const layout = fnoLayout(sizes);
    const values = initialFno(sizes, stream(1, "model"));
    for (const [name, low, high] of [
      ["lift.weight", -1 / Math.sqrt(3), 1 / Math.sqrt(3)],
      ["spectral.1.real", 0, 1 / 1024],
      ["spectral.3.imaginary", 0, 1 / 1024],
      ["local.2.weight", -1 / Math.sqrt(32), 1 / Math.sqrt(32)],
      ["local.2.bias", -1 / Math.sqrt(32), 1 / Math.sqrt(32)],
      ["output.weight", -1 / Math.sqrt(128), 1 / Math.sqrt(128)],
    ] as const) {
      const [least, most] = range(layout, values, name);
      const slack = 0.2 * (high - low);
      expect(least).toBeGreaterThanOrEqual(low - 1e-7);
      expect(least).toBeLessThan(low + slack);
      expect(most).toBeLessThanOrEqual(high + 1e-7);
      expect(most).toBeGreaterThan(high - slack);
    }
    expect(initialFno(sizes, stream(1, "model"))).toEqual(values);
    expect(initialFno(sizes, stream(2, "model"))).not.toEqual(values);
  });

  it("gives each of several clients the prediction and the gradient of its own weights", async () => {
    const sizes = { ...SMALL, modes: 2, padding: 1 };
    const count = parameterCount(fnoLayout(sizes));
    const build = (tensors: readonly Tensor[]) => {
      const y = predicted(sizes)(tensors);
      return [y, ...gradient(sum(multiply(y, y)), [tensors[0]])];
    };
    const shapes = [[count], [2, 2, 5, 6]];
    for (const clients of [[3], [2, 2]]) {
      const together = shapes.map((shape) => [...clients, ...shape]);
      const values = together.map((shape, i) => draw(shape, `fno2d clients ${i}`));
      const found = await evaluate(build, together, values);
      for (let client = 0; client < elements(clients); client++) {
        const own = (all: ArrayLike<number>, shape: Shape) =>
          Float64Array.from(all).slice(client * elements(shape), (client + 1) * elements(shape));
        const alone = values.map((all, i) => own(all, shapes[i]));
        const [prediction, slopes] = await evaluate(build, shapes, alone);
        expect(error(own(found[0], [2, 2, 5, 6]), prediction)).toBeLessThan(1e-12);
        expect(error(own(found[1], [count]), slopes)).toBeLessThan(1e-12);
      }
    }
  });
});
