import * as ops from "../../src/engine/operations.js";
import type { OperationName, Tensor } from "../../src/engine/program.js";
import type { Shape } from "../../src/engine/shape.js";

/** A small function of float tensors, with values at which it is smooth. */
export interface OperationCase {
  readonly title: string;
  readonly operation: OperationName;
  readonly shapes: readonly Shape[];
  readonly apply: (operands: readonly Tensor[]) => Tensor;
  /** Draws operands from (0.5, 2) instead of (-1, 1). */
  readonly positive?: boolean;
}

const ODD_PAIRS: readonly (readonly [Shape, Shape])[] = [
  [
    [3, 5],
    [3, 5],
  ],
  [[2, 3, 5], [5]],
  [
    [3, 1],
    [2, 1, 7],
  ],
  [[], [3, 2]],
  [[1, 1], [5]],
];

const { add, subtract, multiply, divide } = ops;
const binary = Object.entries({ add, subtract, multiply, divide }).flatMap(([operation, apply]) =>
  ODD_PAIRS.map(
    (shapes): OperationCase => ({
      title: `${operation} of [${shapes[0]}] and [${shapes[1]}]`,
      operation: operation as OperationName,
      shapes,
      apply: ([a, b]) => apply(a, b),
      positive: operation === "divide",
    }),
  ),
);

const { negate, exp, log, sqrt, tanh, erf, gelu, geluSlope, relu, step } = ops;
const unary = Object.entries({ negate, exp, log, sqrt, tanh, erf, gelu, geluSlope, relu, step }).flatMap(
  ([operation, apply]) =>
    [[7], [3, 1, 5], []].map(
      (shape): OperationCase => ({
        title: `${operation} of [${shape}]`,
        operation: operation as OperationName,
        shapes: [shape],
        apply: ([x]) => apply(x),
        positive: operation === "log" || operation === "sqrt",
      }),
    ),
);

const PRODUCTS: readonly (readonly [Shape, Shape])[] = [
  [
    [3, 5],
    [5, 2],
  ],
  [
    [1, 7],
    [7, 1],
  ],
  [
    [4, 3, 5],
    [4, 5, 2],
  ],
  [
    [3, 5],
    [2, 5, 3],
  ],
  [
    [2, 1, 3, 5],
    [3, 5, 2],
  ],
  [
    [3, 3, 5],
    [5, 2],
  ],
];

const swapped = (shape: Shape): Shape => [...shape.slice(0, -2), ...shape.slice(-2).reverse()];

const products = PRODUCTS.flatMap(([a, b]) =>
  [false, true].flatMap((transposeA) =>
    [false, true].map(
      (transposeB): OperationCase => ({
        title: `matmul of [${a}] and [${b}]${transposeA ? ", first transposed" : ""}${transposeB ? ", second transposed" : ""}`,
        operation: "matmul",
        shapes: [transposeA ? swapped(a) : a, transposeB ? swapped(b) : b],
        apply: ([x, y]) => ops.matmul(x, y, { transposeA, transposeB }),
      }),
    ),
  ),
);

function one(
  title: string,
  operation: OperationName,
  shape: Shape,
  apply: (x: Tensor) => Tensor,
): OperationCase {
  return { title, operation: operation as OperationName, shapes: [shape], apply: ([x]) => apply(x) };
}

interface ConvolutionCase {
  readonly field: Shape;
  readonly kernel: Shape;
  readonly result: Shape;
  readonly strides: readonly [number, number];
  readonly padding: readonly [number, number];
}

const CONVOLUTIONS: readonly ConvolutionCase[] = [
  { field: [2, 2, 4, 3], kernel: [3, 2, 3, 2], result: [2, 3, 2, 2], strides: [1, 1], padding: [0, 0] },
  { field: [1, 2, 7, 2], kernel: [2, 2, 5, 1], result: [1, 2, 4, 2], strides: [2, 1], padding: [2, 0] },
  { field: [2, 1, 5, 6], kernel: [2, 1, 3, 3], result: [2, 2, 3, 3], strides: [2, 2], padding: [1, 1] },
  { field: [1, 1, 7, 5], kernel: [1, 1, 2, 3], result: [1, 1, 2, 3], strides: [3, 2], padding: [0, 1] },
  { field: [2, 3, 2, 3], kernel: [2, 3, 2, 3], result: [2, 2, 1, 1], strides: [1, 1], padding: [0, 0] },
];

/** The same for clients that each have fields and kernels of their own, along one axis or two. */
const withClients = ({ field, kernel, result, ...sliding }: ConvolutionCase, clients: Shape) => ({
  field: [...clients, ...field],
  kernel: [...clients, ...kernel],
  result: [...clients, ...result],
  ...sliding,
});

const convolutions = [
  ...CONVOLUTIONS,
  withClients(CONVOLUTIONS[1], [3]),
  withClients(CONVOLUTIONS[2], [2, 1]),
  withClients(CONVOLUTIONS[4], [2]),
].flatMap(({ field, kernel, result, strides, padding }): OperationCase[] => {
  const sliding = { strides, padding };
  const size = (shape: Shape): [number, number] => [shape.at(-2)!, shape.at(-1)!];
  const how = `strides ${strides}, padding ${padding}`;
  return [
    {
      title: `convolve of [${field}] and [${kernel}], ${how}`,
      operation: "convolve",
      shapes: [field, kernel],
      apply: ([x, k]) => ops.convolve(x, k, sliding),
    },
    {
      title: `convolveBack of [${result}] and [${kernel}], ${how}`,
      operation: "convolveBack",
      shapes: [result, kernel],
      apply: ([y, k]) => ops.convolveBack(y, k, size(field), sliding),
    },
    {
      title: `convolveKernel of [${field}] and [${result}], ${how}`,
      operation: "convolveKernel",
      shapes: [field, result],
      apply: ([x, y]) => ops.convolveKernel(x, y, size(kernel), sliding),
    },
  ];
});

export const OPERATION_CASES: readonly OperationCase[] = [
  ...binary,
  ...unary,
  ...products,
  ...convolutions,
  one("leakyRelu", "leakyRelu", [3, 5], (x) => ops.leakyRelu(x, 0.2)),
  one("leakySlope", "leakySlope", [7], (x) => ops.multiply(ops.leakySlope(x, 0.2), x)),
  one("sum of everything", "sum", [3, 5], (x) => ops.sum(x)),
  one("sum of a scalar", "sum", [], (x) => ops.sum(x)),
  one("sum over axes 2 and 0", "sum", [3, 5, 2], (x) => ops.sum(x, [2, 0])),
  one("sum over axis 1, kept", "sum", [3, 5, 2], (x) => ops.sum(x, [1], { keep: true })),
  one("mean over the last axis but one", "sum", [3, 5, 2], (x) => ops.mean(x, [-2])),
  one("mean over axis 1", "sum", [3, 5, 2], (x) => ops.mean(x, [1])),
  one("broadcast of a scalar", "broadcast", [], (x) => ops.broadcast(x, [2, 3])),
  one("broadcast in the middle", "broadcast", [3, 1, 2], (x) => ops.broadcast(x, [2, 3, 5, 2])),
  one("reshape", "reshape", [3, 4], (x) => ops.reshape(x, [2, 1, 6])),
  one("reshape to a scalar", "reshape", [1, 1], (x) => ops.reshape(x, [])),
  one("transpose", "transpose", [3, 5], (x) => ops.transpose(x)),
  one("transpose of a cycle", "transpose", [2, 3, 5, 1], (x) => ops.transpose(x, [2, 0, 3, 1])),
  one("transpose of the last axes", "transpose", [2, 3, 5, 4], (x) => ops.transpose(x, [1, 2, 0])),
  one("slice of the first axis", "slice", [5, 3], (x) => ops.slice(x, 0, 1, 4)),
  one("slice of the last axis", "slice", [2, 3, 5], (x) => ops.slice(x, -1, 4, 5)),
  one("pad on both sides", "pad", [3, 2], (x) => ops.pad(x, 0, 2, 1)),
  one("pad of the last axis", "pad", [3, 2], (x) => ops.pad(x, -1, 0, 3)),
  {
    title: "concat of three",
    operation: "concat",
    shapes: [
      [2, 1, 3],
      [2, 4, 3],
      [2, 2, 3],
    ],
    apply: (xs) => ops.concat(xs, -2),
  },
  one("gather of rows, one twice", "gather", [5, 3], (x) =>
    ops.gather(x, x.program.constantInts([4, 0, 4, 2], [2, 2])),
  ),
  one("gather of numbers", "gather", [5], (x) => ops.gather(x, x.program.constantInts([3, 3, 1]))),
  one("gather of one matrix", "gather", [3, 2, 2], (x) => ops.gather(x, x.program.constantInts([2], []))),
  one("scatterAdd of rows, one twice", "scatterAdd", [2, 2, 3], (x) =>
    ops.scatterAdd(x, x.program.constantInts([4, 0, 4, 2], [2, 2]), 5),
  ),
  one("scatterAdd of numbers", "scatterAdd", [3], (x) =>
    ops.scatterAdd(x, x.program.constantInts([1, 1, 0]), 4),
  ),
];
