import { DataError } from "../errors.js";
import { toNumbers } from "../files/ndarray.js";
import { erf } from "../numerics/error-function.js";
import { elements } from "../numerics/shape.js";
import { acceptInput, type Backend, type Executable, heldInput } from "./backend.js";
import type { Sliding } from "./convolution.js";
import type { Application, Attributes, OperationName, Program, Tensor } from "./program.js";
import { type Shape, stridesOf } from "./shape.js";

/** A tensor's content: float64 in row-major order; whole numbers too, which float64 holds exactly. */
interface Value {
  readonly shape: Shape;
  readonly values: Float64Array;
}

type Kernel<K extends OperationName> = (
  operands: readonly Value[],
  attributes: Attributes[K],
  shape: Shape,
) => Float64Array;
type Kernels = { readonly [K in OperationName]: Kernel<K> };

/** Each operation by its definition, one element after another. */
const KERNELS: Kernels = {
  // The server's aggregation consists of these: with loops of their own they take a third of the time.
  add: pairwise((a, b, sum) => {
    for (let i = 0; i < sum.length; i++) sum[i] = a[i] + b[i];
  }),
  subtract: pairwise((a, b, difference) => {
    for (let i = 0; i < difference.length; i++) difference[i] = a[i] - b[i];
  }),
  multiply: pairwise((a, b, product) => {
    for (let i = 0; i < product.length; i++) product[i] = a[i] * b[i];
  }),
  divide: pairwise((a, b, quotient) => {
    for (let i = 0; i < quotient.length; i++) quotient[i] = a[i] / b[i];
  }),
  negate: elementwise((x) => -x),
  exp: elementwise(Math.exp),
  log: elementwise(Math.log),
  sqrt: elementwise(Math.sqrt),
  tanh: elementwise(Math.tanh),
  erf: elementwise(erf),
  gelu: elementwise((x) => (x / 2) * (1 + erf(x * Math.SQRT1_2))),
  geluSlope: elementwise(
    (x) => (1 + erf(x * Math.SQRT1_2)) / 2 + (x * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI),
  ),
  relu: elementwise((x) => Math.max(x, 0)),
  step: elementwise((x) => (x > 0 ? 1 : 0)),
  leakyRelu: ([x], { slope }) => x.values.map((value) => (value > 0 ? value : slope * value)),
  leakySlope: ([x], { slope }) => x.values.map((value) => (value > 0 ? 1 : slope)),
  sum: ([x], _, shape) => {
    const result = new Float64Array(elements(shape));
    offsets(x.shape, broadcastStrides(shape, x.shape)).forEach((to, from) => {
      result[to] += x.values[from];
    });
    return result;
  },
  matmul: ([a, b], { transposeA, transposeB }, shape) => {
    const [rows, columns] = shape.slice(-2);
    const batch = shape.slice(0, -2);
    const inner = a.shape.at(transposeA ? -2 : -1)!;
    const [rowA, innerA] = transposeA ? [1, rows] : [inner, 1];
    const [innerB, columnB] = transposeB ? [1, inner] : [columns, 1];
    const startsA = offsets(batch, broadcastStrides(a.shape.slice(0, -2), batch));
    const startsB = offsets(batch, broadcastStrides(b.shape.slice(0, -2), batch));
    const result = new Float64Array(elements(shape));
    startsA.forEach((matrixA, at) => {
      for (let row = 0; row < rows; row++) {
        const to = (at * rows + row) * columns;
        for (let k = 0; k < inner; k++) {
          const factor = a.values[matrixA * rows * inner + row * rowA + k * innerA];
          const from = startsB[at] * inner * columns + k * innerB;
          for (let column = 0; column < columns; column++)
            result[to + column] += factor * b.values[from + column * columnB];
        }
      }
    });
    return result;
  },
  convolve: ([x, kernel], sliding, shape) => {
    const result = new Float64Array(elements(shape));
    meetings(x.shape, kernel.shape, shape, sliding, (atX, atKernel, atY) => {
      result[atY] += x.values[atX] * kernel.values[atKernel];
    });
    return result;
  },
  convolveBack: ([y, kernel], sliding, shape) => {
    const result = new Float64Array(elements(shape));
    meetings(shape, kernel.shape, y.shape, sliding, (atX, atKernel, atY) => {
      result[atX] += y.values[atY] * kernel.values[atKernel];
    });
    return result;
  },
  convolveKernel: ([x, y], sliding, shape) => {
    const result = new Float64Array(elements(shape));
    meetings(x.shape, shape, y.shape, sliding, (atX, atKernel, atY) => {
      result[atKernel] += x.values[atX] * y.values[atY];
    });
    return result;
  },
  broadcast: ([x], _, shape) => repeated(x, shape),
  reshape: ([x]) => x.values,
  transpose: ([x], { order }, shape) => {
    const strides = stridesOf(x.shape);
    return pick(
      x.values,
      offsets(
        shape,
        order.map((axis) => strides[axis]),
      ),
    );
  },
  slice: ([x], { axis, start }, shape) => {
    const strides = stridesOf(x.shape);
    return pick(x.values, offsets(shape, strides, start * strides[axis]));
  },
  pad: ([x], { axis, before }, shape) => {
    const strides = stridesOf(shape);
    return place(shape, [{ value: x, at: before * strides[axis] }]);
  },
  concat: (xs, { axis }, shape) => {
    const stride = stridesOf(shape)[axis];
    let at = 0;
    const placed = xs.map((value) => {
      at += value.shape[axis] * stride;
      return { value, at: at - value.shape[axis] * stride };
    });
    return place(shape, placed);
  },
  gather: ([table, indices], _, shape) => {
    const row = elements(table.shape.slice(1));
    const result = new Float64Array(elements(shape));
    indices.values.forEach((index, i) => {
      result.set(table.values.subarray(checkedRow(index, table.shape[0]) * row, (index + 1) * row), i * row);
    });
    return result;
  },
  scatterAdd: ([rows, indices], { rows: count }, shape) => {
    const row = elements(shape.slice(1));
    const result = new Float64Array(elements(shape));
    indices.values.forEach((index, i) => {
      const start = checkedRow(index, count) * row;
      for (let k = 0; k < row; k++) result[start + k] += rows.values[i * row + k];
    });
    return result;
  },
};

/** Plain TypeScript in float64: slow, obviously right, and the oracle for all other backends. */
export const referenceBackend: Backend = {
  name: "reference",
  async compile(program) {
    return new ReferenceExecutable(program);
  },
};

class ReferenceExecutable implements Executable {
  readonly #program: Program;
  readonly #live: readonly Tensor[];
  /** Tensors that no later one needs, by the last one that does. */
  readonly #spent: ReadonlyMap<number, readonly number[]>;
  readonly #held = new Map<string, Float64Array>();

  constructor(program: Program) {
    this.#program = program;
    this.#live = program.liveTensors();
    this.#spent = spentTensors(program, this.#live);
  }

  async run(inputs: Parameters<Executable["run"]>[0] = {}, wanted?: readonly string[]) {
    for (const [name, values] of Object.entries(inputs)) this.write(name, values);
    const known = new Map<number, Value>();
    for (const tensor of this.#live) {
      const node = this.#program.nodes[tensor.id];
      const values =
        node.kind === "input"
          ? heldInput(this.#held, node.name)
          : node.kind === "constant"
            ? toNumbers(node.values)
            : evaluate(
                node,
                node.operands.map(({ id }) => known.get(id)!),
                tensor.shape,
              );
      known.set(tensor.id, { shape: tensor.shape, values });
      for (const id of this.#spent.get(tensor.id) ?? []) known.delete(id);
    }
    const outputs: Record<string, Float64Array> = {};
    for (const [name, tensor] of this.#program.outputs) {
      const { values } = known.get(tensor.id)!;
      const input = this.#program.carried.get(name);
      if (input !== undefined) this.#held.set(input, values);
      else if (wanted?.includes(name) ?? true) outputs[name] = values.slice();
    }
    return outputs;
  }

  read(name: string) {
    return heldInput(this.#held, name).slice();
  }

  write(name: string, values: Parameters<Executable["write"]>[1]) {
    acceptInput(this.#program, name, values);
    this.#held.set(name, values instanceof Float64Array ? values.slice() : toNumbers(values));
  }

  async close() {
    this.#held.clear();
  }
}

/** Tensors by the last one that is computed from them; outputs are kept. */
function spentTensors(program: Program, live: readonly Tensor[]): Map<number, number[]> {
  const lastUse = new Map<number, number>();
  for (const { id } of live) {
    const node = program.nodes[id];
    if (node.kind === "operation") for (const operand of node.operands) lastUse.set(operand.id, id);
  }
  for (const { id } of program.outputs.values()) lastUse.delete(id);
  const spent = new Map<number, number[]>();
  for (const [id, user] of lastUse) spent.set(user, [...(spent.get(user) ?? []), id]);
  return spent;
}

function evaluate<K extends OperationName>(
  node: Application<K>,
  operands: readonly Value[],
  shape: Shape,
): Float64Array {
  return KERNELS[node.operation](operands, node.attributes, shape);
}

function pairwise(fill: (a: Float64Array, b: Float64Array, result: Float64Array) => void) {
  return (operands: readonly Value[], _: unknown, shape: Shape): Float64Array => {
    const [a, b] = operands.map((x) => repeated(x, shape));
    const result = new Float64Array(a.length);
    fill(a, b, result);
    return result;
  };
}

function elementwise(f: (a: number, b: number) => number) {
  return (operands: readonly Value[], _: unknown, shape: Shape): Float64Array => {
    const [a, b = a] = operands.map((x) => repeated(x, shape));
    const result = new Float64Array(a.length);
    for (let i = 0; i < result.length; i++) result[i] = f(a[i], b[i]);
    return result;
  };
}

/** Visits every product of a convolution: which elements of field, kernel and result meet. */
function meetings(
  x: Shape,
  kernel: Shape,
  y: Shape,
  { strides, padding }: Sliding,
  visit: (atX: number, atKernel: number, atY: number) => void,
): void {
  const [samples, inputs, rows, columns] = x.slice(-4);
  const [, , height, width] = kernel.slice(-4);
  const [, outputs, yRows, yColumns] = y.slice(-4);
  for (let atY = 0; atY < elements(y); atY++) {
    const column = (atY % yColumns) * strides[1] - padding[1];
    const row = (Math.floor(atY / yColumns) % yRows) * strides[0] - padding[0];
    const output = Math.floor(atY / (yColumns * yRows)) % outputs;
    /** Counted through all clients, if there are several: those of one follow those of another. */
    const sample = Math.floor(atY / (yColumns * yRows * outputs));
    const client = Math.floor(sample / samples);
    for (let input = 0; input < inputs; input++)
      for (let i = Math.max(0, -row); i < Math.min(height, rows - row); i++)
        for (let j = Math.max(0, -column); j < Math.min(width, columns - column); j++)
          visit(
            ((sample * inputs + input) * rows + row + i) * columns + column + j,
            (((client * outputs + output) * inputs + input) * height + i) * width + j,
            atY,
          );
  }
}

/** Where each element of `shape`, in row-major order, lies in memory with these strides. */
function offsets(shape: Shape, strides: readonly number[], start = 0): Int32Array {
  let found = Int32Array.of(start);
  shape.forEach((length, axis) => {
    const longer = new Int32Array(found.length * length);
    for (let i = 0, to = 0; i < found.length; i++)
      for (let k = 0; k < length; k++) longer[to++] = found[i] + k * strides[axis];
    found = longer;
  });
  return found;
}

/** Strides with which a tensor of shape `from` is read as one of shape `to`: 0 where it repeats. */
function broadcastStrides(from: Shape, to: Shape): number[] {
  const strides = stridesOf(from);
  const added = to.length - from.length;
  return to.map((_, axis) => (axis < added || from[axis - added] === 1 ? 0 : strides[axis - added]));
}

function pick(values: Float64Array, at: Int32Array): Float64Array {
  const picked = new Float64Array(at.length);
  for (let i = 0; i < at.length; i++) picked[i] = values[at[i]];
  return picked;
}

/** Values as a tensor of a larger shape repeats them. */
function repeated({ shape: from, values }: Value, shape: Shape): Float64Array {
  const size = elements(shape);
  if (values.length === size) return values;
  return values.length === 1
    ? new Float64Array(size).fill(values[0])
    : pick(values, offsets(shape, broadcastStrides(from, shape)));
}

/** Zeros of a shape into which values are written, each from its offset on. */
function place(shape: Shape, placed: readonly { value: Value; at: number }[]): Float64Array {
  const result = new Float64Array(elements(shape));
  for (const { value, at } of placed)
    offsets(value.shape, stridesOf(shape), at).forEach((to, from) => {
      result[to] = value.values[from];
    });
  return result;
}

function checkedRow(index: number, rows: number): number {
  if (!(index >= 0 && index < rows))
    throw new DataError(`index ${index} is not one of rows 0 to ${rows - 1}`);
  return index;
}
