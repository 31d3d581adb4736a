import type { Sliding } from "../convolution.js";
import type { Shape } from "../shape.js";
import type { Encodings } from "./encoding.js";
import type { OnnxGraph } from "./graph.js";
import { oneByOne } from "./one-by-one.js";

/**
 * What differs in float64: ONNX Runtime's CPU provider (1.30) has no double kernels for Erf, Conv and ConvTranspose,
 * and attributes of nodes are float32. Everything else, FusedMatMul included, is as in float32.
 */
export const DOUBLE_ENCODINGS = {
  erf: ([x], _, { graph }) => errorFunction(graph, x),
  gelu: ([x], _, { graph }) =>
    graph.node("Mul", [graph.node("Mul", [x, graph.scalar(0.5)]), onePlusErf(graph, scaled(graph, x))]),
  geluSlope: ([x], _, { graph }) => {
    const h = scaled(graph, x);
    const below = graph.node("Mul", [onePlusErf(graph, h), graph.scalar(0.5)]);
    const bell = graph.node("Mul", [h, gaussian(graph, h)]);
    return graph.node("Add", [below, graph.node("Mul", [bell, graph.scalar(1 / Math.sqrt(Math.PI))])]);
  },
  step: ([x], _, { graph }) => positive(graph, x),
  leakyRelu: ([x], { slope }, { graph }) =>
    graph.node("Max", [x, graph.node("Mul", [x, graph.scalar(slope)])]),
  leakySlope: ([x], { slope }, { graph }) => graph.node("Max", [positive(graph, x), graph.scalar(slope)]),
  convolve: oneByOne(([x, kernel], { strides, padding }, { graph, operands, result }) => {
    const [to, from, height, width] = operands[1].shape;
    const pads = [...padding, ...padding];
    const padded = graph.node("Pad", [x, graph.ints(pads), "", graph.ints([2, 3])]);
    const columns = windows(graph, padded, { kernel: [height, width], strides, result: result.shape });
    const order = graph.node("Transpose", [kernel], { perm: [0, 2, 3, 1] });
    const matrix = graph.reshape(order, [to, height * width * from]);
    return product(graph, matrix, columns, result.shape);
  }),
  // The field is the plain convolution of the results, spread out by the strides, with the kernel turned round.
  convolveBack: oneByOne(([y, kernel], { strides, padding }, { graph, operands, result }) => {
    const [samples, to, rows, columns] = operands[0].shape;
    const [, from, height, width] = operands[1].shape;
    const apart = graph.reshape(y, [samples, to, rows, 1, columns, 1]);
    const gaps = graph.ints([0, 0, strides[0] - 1, strides[1] - 1]);
    const spread = graph.node("Pad", [apart, gaps, "", graph.ints([3, 5])]);
    const lengths = [rows * strides[0], columns * strides[1]];
    const plane = graph.reshape(spread, [samples, to, ...lengths]);
    const pads = [
      ...[height, width].map((length, axis) => length - 1 - padding[axis]),
      ...lengths.map((length, axis) => result.shape[2 + axis] + padding[axis] - length),
    ];
    const padded = graph.node("Pad", [plane, graph.ints(pads), "", graph.ints([2, 3])]);
    const windowed = windows(graph, padded, {
      kernel: [height, width],
      strides: [1, 1],
      result: result.shape,
      turned: true,
    });
    const order = graph.node("Transpose", [kernel], { perm: [1, 2, 3, 0] });
    const matrix = graph.reshape(order, [from, height * width * to]);
    return product(graph, matrix, windowed, result.shape);
  }),
} satisfies Partial<Encodings>;

interface Windows {
  readonly kernel: readonly [number, number];
  readonly strides: Sliding["strides"];
  /** Of the convolution. */
  readonly result: Shape;
  /** Whether the last element of the kernel comes first. */
  readonly turned?: boolean;
}

/** What each element of a kernel meets, one element after another: [samples, elements x channels, places]. */
function windows(graph: OnnxGraph, padded: string, { kernel, strides, result, turned }: Windows): string {
  const [samples, , rows, columns] = result;
  const [height, width] = kernel;
  const parts = Array.from({ length: height * width }, (_, at) => {
    const start = [Math.floor(at / width), at % width];
    const end = [start[0] + strides[0] * (rows - 1) + 1, start[1] + strides[1] * (columns - 1) + 1];
    const bounds = [start, end, [2, 3], strides].map((values) => graph.ints([...values]));
    return graph.node("Slice", [padded, ...bounds]);
  });
  const all = graph.node("Concat", turned ? parts.reverse() : parts, { axis: 1 });
  return graph.reshape(all, [samples, -1, rows * columns]);
}

function product(graph: OnnxGraph, matrix: string, columns: string, shape: Shape): string {
  return graph.reshape(graph.node("MatMul", [matrix, columns]), shape);
}

/** 1 where x > 0, else 0. */
const positive = (graph: OnnxGraph, x: string): string =>
  graph.node("Max", [graph.node("Sign", [x]), graph.scalar(0)]);

const scaled = (graph: OnnxGraph, x: string): string => graph.node("Mul", [x, graph.scalar(Math.SQRT1_2)]);

const onePlusErf = (graph: OnnxGraph, h: string): string =>
  graph.node("Add", [errorFunction(graph, h), graph.scalar(1)]);

/** exp(-x^2) */
const gaussian = (graph: OnnxGraph, x: string): string =>
  graph.node("Exp", [graph.node("Neg", [graph.node("Mul", [x, x])])]);

/** Beyond it erf is 1 to the last bit. */
const LARGE = 6;
/** From it on 1 - erf is what the rational function gives. */
const SMALL = 0.5;

// Rational approximations of W. J. Cody, Mathematics of Computation 23 (1969), as in his CALERF: highest power first.
const NEAR = {
  over: [0.18577770618460315, 3.1611237438705655, 113.86415415105016, 377.485237685302, 3209.3775891384694],
  under: [1, 23.601290952344122, 244.02463793444417, 1282.6165260773723, 2844.236833439171],
};
const FAR = {
  over: [
    2.1531153547440383e-8, 0.5641884969886701, 8.883149794388377, 66.11919063714163, 298.6351381974001,
    881.952221241769, 1712.0476126340707, 2051.0783778260716, 1230.3393547979972,
  ],
  under: [
    1, 15.744926110709835, 117.6939508913125, 537.1811018620099, 1621.3895745666903, 3290.7992357334597,
    4362.619090143247, 3439.3676741437216, 1230.3393548037495,
  ],
};

/** erf(x) = x p(x^2) near zero, sign(x) (1 - exp(-x^2) r(|x|)) away from it; about 1e-15 either way. */
function errorFunction(graph: OnnxGraph, x: string): string {
  const size = graph.node("Min", [graph.node("Abs", [x]), graph.scalar(LARGE)]);
  const small = graph.node("Min", [size, graph.scalar(SMALL)]);
  const near = graph.node("Mul", [x, ratio(graph, graph.node("Mul", [small, small]), NEAR)]);
  const large = graph.node("Max", [size, graph.scalar(SMALL)]);
  const tail = graph.node("Mul", [gaussian(graph, large), ratio(graph, large, FAR)]);
  const far = graph.node("Mul", [graph.node("Sign", [x]), graph.node("Sub", [graph.scalar(1), tail])]);
  return graph.node("Where", [graph.node("Less", [size, graph.scalar(SMALL)]), near, far]);
}

function ratio(graph: OnnxGraph, x: string, { over, under }: typeof NEAR): string {
  const polynomial = ([highest, ...rest]: readonly number[]) =>
    rest.reduce(
      (value, coefficient) => graph.node("Add", [graph.node("Mul", [value, x]), graph.scalar(coefficient)]),
      graph.scalar(highest),
    );
  return graph.node("Div", [polynomial(over), polynomial(under)]);
}
