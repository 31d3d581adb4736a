import { expect, it } from "vitest";
import type { PlanOptions } from "../../src/engine/cuda/compile-plan.js";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import type { Device } from "../../src/engine/cuda/device/device.js";
import { hasBackwardKernel } from "../../src/engine/cuda/kernels/backward/tiling.js";
import { canAddUp } from "../../src/engine/cuda/kernels/gemm-tall-skinny/lines.js";
import { gradient } from "../../src/engine/gradient.js";
import * as ops from "../../src/engine/operations.js";
import type { Tensor } from "../../src/engine/program.js";
import type { Shape } from "../../src/engine/shape.js";
import { erf } from "../../src/numerics/error-function.js";
import { compile, draw, error, evaluate } from "../engine/evaluation.js";

/** A wide layer that one with few outputs follows. */
export interface LayerCase {
  readonly batch: number;
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
  readonly outputs: number;
  /** Whether all of the batch have the same weights, of which they have gradients of their own. */
  readonly shared?: boolean;
}

/** Shapes of inputs, weights, biases and the weights that follow. */
export function layerShapes({ batch, rows, inner, columns, outputs, shared }: LayerCase): Shape[] {
  const own = shared ? [] : [batch];
  return [
    [batch, rows, inner],
    [...own, inner, columns],
    [...own, 1, columns],
    [...own, columns, outputs],
  ];
}

/** What comes out of both layers, and gradients of all that goes in. */
export function layerWithGradients([x, ...given]: readonly Tensor[]): Tensor[] {
  const parameters = given.map((one) =>
    one.shape.length < 3 ? ops.broadcast(one, [x.shape[0], ...one.shape]) : one,
  );
  const [weights, bias, last] = parameters;
  const y = ops.matmul(ops.gelu(ops.add(ops.matmul(x, weights), bias)), last);
  return [y, ...gradient(ops.sum(ops.multiply(y, ops.tanh(y))), [x, ...parameters])];
}

/** The same by loops in float64. */
function expected(one: LayerCase, [x, weights, bias, last]: readonly Float64Array[]): Float64Array[] {
  const { batch, rows, inner, columns, outputs, shared } = one;
  const y = new Float64Array(batch * rows * outputs);
  const ofX = new Float64Array(x.length);
  const [ofWeights, ofBias, ofLast] = [inner * columns, columns, columns * outputs].map(
    (size) => new Float64Array(batch * size),
  );
  const [h, activated] = [new Float64Array(columns), new Float64Array(columns)];
  for (let n = 0; n < batch; n++) {
    const own = shared ? 0 : n;
    const [w, b, v] = [own * inner * columns, own * columns, own * columns * outputs];
    for (let row = n * rows; row < (n + 1) * rows; row++) {
      h.set(bias.subarray(b, b + columns));
      for (let k = 0; k < inner; k++)
        for (let c = 0; c < columns; c++) h[c] += x[row * inner + k] * weights[w + k * columns + c];
      for (let c = 0; c < columns; c++) activated[c] = (h[c] / 2) * (1 + erf(h[c] * Math.SQRT1_2));
      const slopes = Array.from({ length: outputs }, (_, o) => {
        let sum = 0;
        for (let c = 0; c < columns; c++) sum += activated[c] * last[v + c * outputs + o];
        y[row * outputs + o] = sum;
        return Math.tanh(sum) + sum * (1 - Math.tanh(sum) ** 2);
      });
      for (let c = 0; c < columns; c++) {
        const normal = Math.exp((-h[c] * h[c]) / 2) / Math.sqrt(2 * Math.PI);
        let derivative = 0;
        for (let o = 0; o < outputs; o++) {
          derivative += slopes[o] * last[v + c * outputs + o];
          ofLast[(n * columns + c) * outputs + o] += slopes[o] * activated[c];
        }
        derivative *= (1 + erf(h[c] * Math.SQRT1_2)) / 2 + h[c] * normal;
        ofBias[n * columns + c] += derivative;
        for (let k = 0; k < inner; k++) {
          ofX[row * inner + k] += derivative * weights[w + k * columns + c];
          ofWeights[(n * inner + k) * columns + c] += derivative * x[row * inner + k];
        }
      }
    }
  }
  return [y, ofX, ofWeights, ofBias, ofLast];
}

/** Counts the layers whose way back is one kernel. */
function countingBackend(device: Device, options: PlanOptions = {}) {
  const { multiprocessors } = device;
  let joined = 0;
  const backend = cudaBackend(device, {
    ...options,
    hasBackwardKernel: (layer) => {
      const hasKernel = hasBackwardKernel(layer, multiprocessors);
      if (hasKernel) joined++;
      return hasKernel;
    },
  });
  return { backend, joined: () => joined };
}

/** Tests that a kernel adds up columns over fewer rows than a block has. */
export function shortLinesTest(device: () => Device): void {
  it("adds up columns of a layer over some rows at a time on the way back", async () => {
    const { backend, joined } = countingBackend(device(), {
      hasKernel: () => true,
      canReduceLines: canAddUp,
    });
    const [batch, rows, inner, columns, parts] = [2, 512, 16, 64, 4];
    const shapes = [
      [batch, rows, inner],
      [batch, inner, columns],
      [batch, 1, columns],
      [batch, rows, 1],
    ];
    const build = ([x, weights, bias, factor]: readonly Tensor[]) => {
      const h = ops.add(ops.matmul(x, weights), bias);
      const derivative = ops.multiply(ops.gelu(h), factor);
      const squares = ops.multiply(h, ops.multiply(h, factor));
      return [
        ops.matmul(derivative, weights, { transposeB: true }),
        ops.matmul(x, derivative, { transposeA: true }),
        ops.sum(ops.reshape(squares, [batch, parts, rows / parts, columns]), [2]),
      ];
    };
    const values = shapes.map((shape, i) => draw(shape, `short lines ${i}`));
    const expected = await evaluate(build, shapes, values);
    const found = await evaluate(build, shapes, values, backend);
    found.forEach((y, i) => {
      expect(error(y, expected[i])).toBeLessThan(5e-6);
    });
    expect(joined()).toBe(1);
  });
}

/** Tests that a layer's way back is one kernel, which computes what loops do, and the same twice. */
export function backwardTests(device: () => Device, cases: readonly LayerCase[]): void {
  it.each(cases)(
    "goes back through $batch x $rows rows of a layer from $inner to $columns numbers and $outputs, in one kernel",
    async (one) => {
      const { backend, joined } = countingBackend(device());
      const shapes = layerShapes(one);
      const values = shapes.map((shape, i) => draw(shape, `layer ${i}`));
      const run = await compile(layerWithGradients, shapes, backend);
      const [first, again] = [await run(values), await run(values)];
      await run.close();
      expected(one, values).forEach((y, i) => {
        expect(error(first[i], y)).toBeLessThan(5e-6);
        expect(error(again[i], first[i])).toBe(0);
      });
      expect(joined()).toBe(1);
    },
  );
}
