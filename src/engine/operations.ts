import { elements } from "../numerics/shape.js";
import { convolvedShape, fieldShape, kernelShape, planeOf, type Sliding } from "./convolution.js";
import type { Application, Attributes, OperationName, Program, Tensor } from "./program.js";
import {
  broadcastAxes,
  broadcastShapes,
  formatShape,
  type Shape,
  ShapeError,
  sameShape,
  withLength,
} from "./shape.js";

/** A tensor, or a number that stands for a scalar constant. */
export type Operand = Tensor | number;

/** What reverse-mode differentiation knows of an operation y = f(operands) when the gradient of y arrives. */
interface Arrival<K extends OperationName> {
  /** Gradient of the differentiated value with respect to `y`; of `y`'s shape. */
  readonly g: Tensor;
  readonly y: Tensor;
  readonly operands: readonly Tensor[];
  readonly attributes: Attributes[K];
}

interface Rule<K extends OperationName> {
  /** The result's shape, or undefined where the operands do not fit. */
  shape(operands: readonly Shape[], attributes: Attributes[K]): Shape | undefined;
  /** Vector-Jacobian product: for each operand its gradient, or null where that is zero or makes no sense. */
  vjp(arrival: Arrival<K>): (Tensor | null)[];
  /** Which operands may, or must, be whole numbers; none by default. */
  readonly ints?: "any" | "second";
}

type Rules = { readonly [K in OperationName]: Rule<K> };

const same = ([x]: readonly Shape[]): Shape => x;
const broadcasting = ([a, b]: readonly Shape[]): Shape | undefined => broadcastShapes(a, b);

/** The primitive operations. Gradients are written in operations again, so that they have gradients in turn. */
export const OPERATIONS: Rules = {
  // Elementwise, with NumPy's broadcasting.
  add: { shape: broadcasting, vjp: ({ g, operands: [a, b] }) => [sumTo(g, a.shape), sumTo(g, b.shape)] },
  subtract: {
    shape: broadcasting,
    vjp: ({ g, operands: [a, b] }) => [sumTo(g, a.shape), negate(sumTo(g, b.shape))],
  },
  multiply: {
    shape: broadcasting,
    vjp: ({ g, operands: [a, b] }) =>
      a === b
        ? [multiply(multiply(g, 2), a), null]
        : [sumTo(multiply(g, b), a.shape), sumTo(multiply(g, a), b.shape)],
  },
  divide: {
    shape: broadcasting,
    vjp: ({ g, y, operands: [a, b] }) => [
      sumTo(divide(g, b), a.shape),
      negate(sumTo(divide(multiply(g, y), b), b.shape)),
    ],
  },
  negate: { shape: same, vjp: ({ g }) => [negate(g)] },
  exp: { shape: same, vjp: ({ g, y }) => [multiply(g, y)] },
  log: { shape: same, vjp: ({ g, operands: [x] }) => [divide(g, x)] },
  sqrt: { shape: same, vjp: ({ g, y }) => [divide(multiply(g, 0.5), y)] },
  tanh: { shape: same, vjp: ({ g, y }) => [multiply(g, subtract(1, multiply(y, y)))] },
  erf: {
    shape: same,
    vjp: ({ g, operands: [x] }) => [
      multiply(g, multiply(2 / Math.sqrt(Math.PI), exp(negate(multiply(x, x))))),
    ],
  },
  gelu: { shape: same, vjp: ({ g, operands: [x] }) => [multiply(g, geluSlope(x))] },
  geluSlope: {
    shape: same,
    vjp: ({ g, operands: [x] }) => {
      const square = multiply(x, x);
      const density = multiply(exp(multiply(square, -0.5)), 1 / Math.sqrt(2 * Math.PI));
      return [multiply(g, multiply(subtract(2, square), density))];
    },
  },
  relu: { shape: same, vjp: ({ g, y }) => [multiply(g, step(y))] },
  step: { shape: same, vjp: () => [null] },
  // Of its result, which has the sign of x and is kept in any case.
  leakyRelu: {
    shape: same,
    vjp: ({ g, y, attributes: { slope } }) => [multiply(g, leakySlope(y, slope))],
  },
  leakySlope: { shape: same, vjp: () => [null] },

  // Sums and products.
  sum: {
    shape: ([x], { axes }) =>
      areAxes(axes, x) ? x.map((n, axis) => (axes.includes(axis) ? 1 : n)) : undefined,
    vjp: ({ g, operands: [x] }) => [broadcast(g, x.shape)],
  },
  matmul: {
    shape: ([a, b], { transposeA, transposeB }) => {
      if (a.length < 2 || b.length < 2) return undefined;
      const [rows, inner] = transposeA ? a.slice(-2).reverse() : a.slice(-2);
      const [innerB, columns] = transposeB ? b.slice(-2).reverse() : b.slice(-2);
      const batch = broadcastShapes(a.slice(0, -2), b.slice(0, -2));
      return batch && inner === innerB ? [...batch, rows, columns] : undefined;
    },
    vjp: ({ g, operands: [a, b], attributes: { transposeA, transposeB } }) => {
      const toA = transposeA
        ? matmul(b, g, { transposeA: transposeB, transposeB: true })
        : matmul(g, b, { transposeB: !transposeB });
      const toB = transposeB
        ? matmul(g, a, { transposeA: true, transposeB: transposeA })
        : matmul(a, g, { transposeA: !transposeA });
      return [sumTo(toA, a.shape), sumTo(toB, b.shape)];
    },
  },

  // Convolutions of plane fields: each is the derivative of the other two.
  convolve: {
    shape: ([x, kernel], sliding) => convolvedShape(x, kernel, sliding),
    vjp: ({ g, operands: [x, kernel], attributes }) => [
      convolveBack(g, kernel, planeOf(x.shape), attributes),
      convolveKernel(x, g, planeOf(kernel.shape), attributes),
    ],
  },
  convolveBack: {
    shape: ([y, kernel], { size, ...sliding }) => fieldShape(y, kernel, size, sliding),
    vjp: ({ g, operands: [y, kernel], attributes }) => [
      convolve(g, kernel, attributes),
      convolveKernel(g, y, planeOf(kernel.shape), attributes),
    ],
  },
  convolveKernel: {
    shape: ([x, y], { size, ...sliding }) => kernelShape(x, y, size, sliding),
    vjp: ({ g, operands: [x, y], attributes }) => [
      convolveBack(y, g, planeOf(x.shape), attributes),
      convolve(x, g, attributes),
    ],
  },

  // Values moved, not changed: indices may be moved as well.
  broadcast: {
    ints: "any",
    shape: ([x], { shape }) => {
      const common = broadcastShapes(x, shape);
      return common && sameShape(common, shape) ? shape : undefined;
    },
    vjp: ({ g, operands: [x] }) => [sumTo(g, x.shape)],
  },
  reshape: {
    ints: "any",
    shape: ([x], { shape }) => (elements(x) === elements(shape) ? shape : undefined),
    vjp: ({ g, operands: [x] }) => [reshape(g, x.shape)],
  },
  transpose: {
    ints: "any",
    shape: ([x], { order }) =>
      order.length === x.length && areAxes(order, x) ? order.map((axis) => x[axis]) : undefined,
    vjp: ({ g, attributes: { order } }) => [transpose(g, inversePermutation(order))],
  },
  slice: {
    ints: "any",
    shape: ([x], { axis, start, end }) =>
      axis in x && 0 <= start && start < end && end <= x[axis] ? withLength(x, axis, end - start) : undefined,
    vjp: ({ g, operands: [x], attributes: { axis, start, end } }) => [
      pad(g, axis, start, x.shape[axis] - end),
    ],
  },
  pad: {
    ints: "any",
    shape: ([x], { axis, before, after }) =>
      axis in x && before >= 0 && after >= 0 ? withLength(x, axis, before + x[axis] + after) : undefined,
    vjp: ({ g, operands: [x], attributes: { axis, before } }) => [
      slice(g, axis, before, before + x.shape[axis]),
    ],
  },
  concat: {
    ints: "any",
    shape: (xs, { axis }) => {
      const fits =
        axis in xs[0] &&
        xs.every((x) => axis in x && sameShape(withLength(x, axis, 0), withLength(xs[0], axis, 0)));
      return fits
        ? withLength(
            xs[0],
            axis,
            xs.reduce((sum, x) => sum + x[axis], 0),
          )
        : undefined;
    },
    vjp: ({ g, operands, attributes: { axis } }) => {
      let end = 0;
      return operands.map(({ shape }) => {
        end += shape[axis];
        return slice(g, axis, end - shape[axis], end);
      });
    },
  },
  gather: {
    ints: "second",
    shape: ([table, indices]) => (table.length > 0 ? [...indices, ...table.slice(1)] : undefined),
    vjp: ({ g, operands: [table, indices] }) => [scatterAdd(g, indices, table.shape[0]), null],
  },
  scatterAdd: {
    ints: "second",
    shape: ([rows, indices], { rows: count }) =>
      sameShape(rows.slice(0, indices.length), indices) ? [count, ...rows.slice(indices.length)] : undefined,
    vjp: ({ g, operands: [, indices] }) => [gather(g, indices), null],
  },
};

export const add = (a: Operand, b: Operand): Tensor => apply("add", pair(a, b), {});
export const subtract = (a: Operand, b: Operand): Tensor => apply("subtract", pair(a, b), {});
export const multiply = (a: Operand, b: Operand): Tensor => apply("multiply", pair(a, b), {});
export const divide = (a: Operand, b: Operand): Tensor => apply("divide", pair(a, b), {});
export const negate = (x: Tensor): Tensor => apply("negate", [x], {});
export const exp = (x: Tensor): Tensor => apply("exp", [x], {});
/** Natural logarithm. */
export const log = (x: Tensor): Tensor => apply("log", [x], {});
export const sqrt = (x: Tensor): Tensor => apply("sqrt", [x], {});
export const tanh = (x: Tensor): Tensor => apply("tanh", [x], {});
/** The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x. */
export const erf = (x: Tensor): Tensor => apply("erf", [x], {});
/** x times the probability that a standard normal number is below x (Hendrycks and Gimpel 2016), by the error function. */
export const gelu = (x: Tensor): Tensor => apply("gelu", [x], {});
/** The derivative of `gelu`. */
export const geluSlope = (x: Tensor): Tensor => apply("geluSlope", [x], {});
/** max(x, 0); its derivative at 0 is 0. */
export const relu = (x: Tensor): Tensor => apply("relu", [x], {});
/** 1 where x > 0, else 0. */
export const step = (x: Tensor): Tensor => apply("step", [x], {});

/** x where it is positive, else slope x, for a slope between 0 and 1; its derivative at 0 is the slope. */
export function leakyRelu(x: Tensor, slope: number): Tensor {
  if (!(slope >= 0 && slope <= 1)) throw new ShapeError(`leakyRelu takes a slope from 0 to 1, not ${slope}`);
  return apply("leakyRelu", [x], { slope });
}
/** 1 where x > 0, else the slope. */
export const leakySlope = (x: Tensor, slope: number): Tensor => apply("leakySlope", [x], { slope });

/*
 * Axes of the functions below may be counted from the end, -1 for the last one: whoever works with the last axes need
 * not know how many, of clients say, are before them.
 */

/** Sums over axes, all by default. `keep` leaves them in the shape with length 1. */
export function sum(x: Tensor, over: readonly number[] = [...x.shape.keys()], { keep = false } = {}): Tensor {
  const axes = over.map((axis) => fromStart(axis, x));
  const kept = axes.length === 0 ? x : apply("sum", [x], { axes: [...axes].sort((a, b) => a - b) });
  return keep
    ? kept
    : reshape(
        kept,
        x.shape.filter((_, axis) => !axes.includes(axis)),
      );
}

/** Means over axes, all by default. */
export function mean(
  x: Tensor,
  axes: readonly number[] = [...x.shape.keys()],
  { keep = false } = {},
): Tensor {
  const count = elements(axes.map((axis) => x.shape[fromStart(axis, x)]));
  return multiply(sum(x, axes, { keep }), 1 / count);
}

/** Repeats along axes of length 1 and along new leading ones. */
export function broadcast(x: Tensor, shape: Shape): Tensor {
  return sameShape(x.shape, shape) ? x : apply("broadcast", [x], { shape });
}

/** The same values in the same order, in another shape. */
export function reshape(x: Tensor, shape: Shape): Tensor {
  return sameShape(x.shape, shape) ? x : apply("reshape", [x], { shape });
}

/** Axis i of the result is axis `order[i]` of x; reversed by default. A short order is one of the last axes. */
export function transpose(x: Tensor, order: readonly number[] = [...x.shape.keys()].reverse()): Tensor {
  const before = Math.max(0, x.shape.length - order.length);
  const whole = [...Array(before).keys(), ...order.map((axis) => before + axis)];
  return whole.every((axis, position) => axis === position) ? x : apply("transpose", [x], { order: whole });
}

/** Products of matrices in the last two axes, which may be read transposed. Axes before them broadcast. */
export function matmul(
  a: Tensor,
  b: Tensor,
  { transposeA = false, transposeB = false }: { transposeA?: boolean; transposeB?: boolean } = {},
): Tensor {
  return apply("matmul", [a, b], { transposeA, transposeB });
}

const AT_EVERY_PLACE: Sliding = { strides: [1, 1], padding: [0, 0] };

/**
 * The kernel [..., out, in, height, width] laid over fields [..., samples, in, rows, columns] at every place and
 * multiplied, as neural networks mean convolution: without turning the kernel. One place after the other, no zeros
 * around by default. Axes before these, over clients say, are the same for both.
 */
export function convolve(x: Tensor, kernel: Tensor, options: Partial<Sliding> = {}): Tensor {
  const { strides, padding } = { ...AT_EVERY_PLACE, ...options };
  return apply("convolve", [x, kernel], { strides, padding });
}

/** The transpose of `convolve` as a map of fields: from [..., samples, out, ...] to [..., samples, in, ...size]. */
export function convolveBack(
  y: Tensor,
  kernel: Tensor,
  size: readonly [number, number],
  options: Partial<Sliding> = {},
): Tensor {
  const { strides, padding } = { ...AT_EVERY_PLACE, ...options };
  return apply("convolveBack", [y, kernel], { strides, padding, size });
}

/** The transpose of `convolve` as a map of kernels: to one of `size`, from fields and what meets their results. */
export function convolveKernel(
  x: Tensor,
  y: Tensor,
  size: readonly [number, number],
  options: Partial<Sliding> = {},
): Tensor {
  const { strides, padding } = { ...AT_EVERY_PLACE, ...options };
  return apply("convolveKernel", [x, y], { strides, padding, size });
}

/** Positions `start` to `end - 1` of an axis. */
export function slice(x: Tensor, along: number, start: number, end: number): Tensor {
  const axis = fromStart(along, x);
  return start === 0 && end === x.shape[axis] ? x : apply("slice", [x], { axis, start, end });
}

/** Zeros before and after the values along an axis. */
export function pad(x: Tensor, axis: number, before: number, after: number): Tensor {
  return before === 0 && after === 0 ? x : apply("pad", [x], { axis: fromStart(axis, x), before, after });
}

/** Tensors one after another along an axis. */
export function concat(xs: readonly Tensor[], axis: number): Tensor {
  return xs.length === 1 ? xs[0] : apply("concat", xs, { axis: fromStart(axis, xs[0]) });
}

/** Rows of a table (axis 0) by their indices: shape `[...indices, ...row]`. */
export const gather = (table: Tensor, indices: Tensor): Tensor => apply("gather", [table, indices], {});

/** A table of `count` rows of zeros to which each row of `rows` is added at its index: the transpose of `gather`. */
export const scatterAdd = (rows: Tensor, indices: Tensor, count: number): Tensor =>
  apply("scatterAdd", [rows, indices], { rows: count });

/** Sums out what broadcasting from `shape` repeated. */
export function sumTo(x: Tensor, shape: Shape): Tensor {
  return reshape(sum(x, broadcastAxes(shape, x.shape), { keep: true }), shape);
}

/** The gradients of an operation's operands from that of its result. */
export function vjp<K extends OperationName>(node: Application<K>, y: Tensor, g: Tensor): (Tensor | null)[] {
  return OPERATIONS[node.operation].vjp({ g, y, operands: node.operands, attributes: node.attributes });
}

function apply<K extends OperationName>(
  operation: K,
  operands: readonly Tensor[],
  attributes: Attributes[K],
): Tensor {
  const { program } = operands[0];
  if (operands.some((operand) => operand.program !== program))
    throw new ShapeError(`${operation} takes tensors of one program, not of several`);
  const { ints, shape: rule } = OPERATIONS[operation];
  const wanted = operands.map((_, i) =>
    ints === "any" ? operands[0].dtype : ints === "second" && i === 1 ? "int" : "float",
  );
  const wrong = operands.findIndex(({ dtype }, i) => dtype !== wanted[i]);
  if (wrong >= 0)
    throw new ShapeError(
      `${operation} takes ${wanted.join(" and ")}, but operand ${wrong + 1} is ${operands[wrong].dtype}`,
    );
  const shapes = operands.map(({ shape }) => shape);
  const shape = rule(shapes, attributes);
  if (shape) return program.apply(operation, operands, attributes, shape);
  const told = Object.keys(attributes).length > 0 ? ` with ${JSON.stringify(attributes)}` : "";
  throw new ShapeError(`${operation} cannot take ${shapes.map(formatShape).join(" and ")}${told}`);
}

function pair(a: Operand, b: Operand): [Tensor, Tensor] {
  const program = programOf(a) ?? programOf(b);
  if (!program) throw new ShapeError(`one operand must be a tensor, not ${a} and ${b}`);
  return [typeof a === "number" ? program.constant(a) : a, typeof b === "number" ? program.constant(b) : b];
}

const fromStart = (axis: number, { shape }: Tensor): number => (axis < 0 ? shape.length + axis : axis);

const programOf = (x: Operand): Program | undefined => (typeof x === "number" ? undefined : x.program);

function areAxes(axes: readonly number[], shape: Shape): boolean {
  return new Set(axes).size === axes.length && axes.every((axis) => axis in shape);
}

function inversePermutation(order: readonly number[]): number[] {
  return [...order.keys()].map((axis) => order.indexOf(axis));
}
