import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { onnxBackend, onnxDoubleBackend } from "../../src/engine/onnx/onnx-backend.js";
import * as ops from "../../src/engine/operations.js";
import { Program, type Tensor } from "../../src/engine/program.js";
import { compile, differences, draw, error, evaluate } from "./evaluation.js";
import { OPERATION_CASES, type OperationCase } from "./operation-cases.js";

const operandsOf = ({ shapes, positive, title }: OperationCase): Float64Array[] =>
  shapes.map((shape, i) => draw(shape, `${title} ${i}`, positive ? [0.5, 2] : [-1, 1]));

/** A scalar that weights every element of the result, nonlinear so that second derivatives are not all zero. */
function scalarOf({ apply, title }: OperationCase, operands: readonly Tensor[]): Tensor {
  const y = apply(operands);
  const weighted = ops.multiply(y, y.program.constant(draw(y.shape, `${title} weights`), y.shape));
  return ops.sum(ops.multiply(weighted, ops.add(y, 1)));
}

const gradients = (given: OperationCase) => (operands: readonly Tensor[]) =>
  gradient(scalarOf(given, operands), operands);

/** Products of the Hessian with fixed vectors. */
const hessianProducts = (given: OperationCase) => (operands: readonly Tensor[]) => {
  const slope = gradients(given)(operands)
    .map((g, i) => ops.sum(ops.multiply(g, g.program.constant(draw(g.shape, `direction ${i}`), g.shape))))
    .reduce(ops.add);
  return gradient(slope, operands);
};

it("has a case for every operation", () => {
  const covered = new Set(OPERATION_CASES.map(({ operation }) => operation));
  expect(
    Object.keys(ops.OPERATIONS).filter((name) => !covered.has(name as OperationCase["operation"])),
  ).toEqual([]);
});

describe.each(OPERATION_CASES)("$title", (given) => {
  const values = operandsOf(given);

  it("has the gradient that finite differences give", async () => {
    const scalar = await compile((xs) => [scalarOf(given, xs)], given.shapes);
    const expected = await differences(async (at) => (await scalar(at))[0][0], values);
    const actual = await evaluate(gradients(given), given.shapes, values);
    actual.forEach((g, i) => {
      expect(error(g, expected[i])).toBeLessThan(1e-8);
    });
  });

  it("has the Hessian that finite differences of its gradient give", async () => {
    const slopes = await compile(gradients(given), given.shapes);
    const directions = given.shapes.map((shape, i) => draw(shape, `direction ${i}`));
    const slope = async (at: readonly Float64Array[]) =>
      (await slopes(at)).reduce(
        (sum, g, i) => sum + directions[i].reduce((dot, v, k) => dot + v * g[k], 0),
        0,
      );
    const expected = await differences(slope, values);
    const actual = await evaluate(hessianProducts(given), given.shapes, values);
    actual.forEach((product, i) => {
      expect(error(product, expected[i])).toBeLessThan(1e-8);
    });
  });

  it.each([
    { backend: onnxBackend, tolerance: 2e-6 },
    { backend: onnxDoubleBackend, tolerance: 1e-13 },
  ])(
    "is the same in the $backend.name backend, with its gradient and Hessian",
    async ({ backend, tolerance }) => {
      const all = (xs: readonly Tensor[]) => [
        given.apply(xs),
        ...gradients(given)(xs),
        ...hessianProducts(given)(xs),
      ];
      const expected = await evaluate(all, given.shapes, values);
      const actual = await evaluate(all, given.shapes, values, backend);
      actual.forEach((y, i) => {
        expect(error(y, expected[i])).toBeLessThan(tolerance);
      });
    },
  );
});

describe("a mistake", () => {
  const program = new Program();
  const x = program.input("x", [3, 4]);
  const vector = program.input("vector", [5]);
  const index = program.input("index", [2], "int");
  const plane = program.input("plane", [1, 2, 3, 3]);
  const kernel = program.input("kernel", [2, 1, 3, 3]);

  it.each([
    ["add cannot take [3, 4] and [5]", () => ops.add(x, vector)],
    ["matmul cannot take [3, 4] and [3, 4]", () => ops.matmul(x, x)],
    ["matmul cannot take [3, 4] and [5]", () => ops.matmul(x, vector)],
    ['sum cannot take [3, 4] with {"axes":[2]}', () => ops.sum(x, [2])],
    ["broadcast cannot take [3, 4]", () => ops.broadcast(x, [4])],
    ["reshape cannot take [3, 4]", () => ops.reshape(x, [5])],
    ["transpose cannot take [3, 4]", () => ops.transpose(x, [0, 0])],
    ["slice cannot take [3, 4]", () => ops.slice(x, 1, 2, 5)],
    ["pad cannot take [3, 4]", () => ops.pad(x, 2, 1, 1)],
    ["concat cannot take [3, 4] and [5]", () => ops.concat([x, vector], 0)],
    ["scatterAdd cannot take [3, 4] and [2]", () => ops.scatterAdd(x, index, 5)],
    ["convolve cannot take [3, 4] and [3, 4]", () => ops.convolve(x, x)],
    [
      'convolveBack cannot take [1, 2, 3, 3] and [2, 1, 3, 3] with {"strides":[2,2],"padding":[0,0],"size":[9,8]}',
      () => ops.convolveBack(plane, kernel, [9, 8], { strides: [2, 2] }),
    ],
    [
      "convolveBack cannot take [1, 2, 3, 3] and [2, 1, 2, 3]",
      () => ops.convolveBack(plane, ops.slice(kernel, 2, 0, 2), [0, 5], { padding: [2, 0] }),
    ],
    [
      "convolveKernel cannot take [1, 2, 3, 3] and [1, 2, 3, 3]",
      () => ops.convolveKernel(plane, plane, [2, 1]),
    ],
    ["gather takes float and int, but operand 2 is float", () => ops.gather(x, vector)],
    ["exp takes float, but operand 1 is int", () => ops.exp(index)],
    ["add takes tensors of one program", () => ops.add(x, new Program().constant(1))],
    ["gradient of a tensor of shape [3, 4] needs a seed", () => gradient(x, [x])],
  ])("tells that %s", (message, make) => {
    expect(make).toThrow(message);
  });
});
