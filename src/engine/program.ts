import { elements } from "../numerics/shape.js";
import type { Sliding } from "./convolution.js";
import { formatShape, type Shape, ShapeError, sameShape } from "./shape.js";

/** Floating-point numbers, in the backend's precision, or whole numbers: indices. */
export type TensorType = "float" | "int";

/** A value of a program. Its shape is known when the program is built, its content when it runs. */
export interface Tensor {
  readonly program: Program;
  /** The position of its node in `program.nodes`. */
  readonly id: number;
  readonly shape: Shape;
  readonly dtype: TensorType;
}

/** Operations of one element of each operand, with NumPy's broadcasting. */
export const ELEMENTWISE = [
  "add",
  "subtract",
  "multiply",
  "divide",
  "negate",
  "exp",
  "log",
  "sqrt",
  "tanh",
  "erf",
  "gelu",
  "geluSlope",
  "relu",
  "step",
  "leakyRelu",
  "leakySlope",
] as const;
type LeakyName = "leakyRelu" | "leakySlope";
export type ElementwiseName = (typeof ELEMENTWISE)[number];

/** What each primitive operation is told besides its operands. */
export interface Attributes
  extends Readonly<Record<Exclude<ElementwiseName, LeakyName>, NoAttributes>>,
    Readonly<Record<LeakyName, { readonly slope: number }>> {
  readonly sum: { readonly axes: readonly number[] };
  readonly broadcast: { readonly shape: Shape };
  readonly reshape: { readonly shape: Shape };
  readonly transpose: { readonly order: readonly number[] };
  readonly matmul: { readonly transposeA: boolean; readonly transposeB: boolean };
  readonly convolve: Sliding;
  readonly convolveBack: Sliding & { readonly size: readonly [number, number] };
  readonly convolveKernel: Sliding & { readonly size: readonly [number, number] };
  readonly slice: { readonly axis: number; readonly start: number; readonly end: number };
  readonly pad: { readonly axis: number; readonly before: number; readonly after: number };
  readonly concat: { readonly axis: number };
  readonly gather: NoAttributes;
  readonly scatterAdd: { readonly rows: number };
}
export type NoAttributes = Readonly<Record<never, never>>;
export type OperationName = keyof Attributes;

export interface InputNode {
  readonly kind: "input";
  readonly name: string;
}

export interface ConstantNode {
  readonly kind: "constant";
  readonly values: Float32Array | Float64Array | Int32Array;
}

/** A primitive operation applied to tensors. */
export interface Application<K extends OperationName = OperationName> {
  readonly kind: "operation";
  readonly operation: K;
  readonly operands: readonly Tensor[];
  readonly attributes: Attributes[K];
}

export type Node = InputNode | ConstantNode | { [K in OperationName]: Application<K> }[OperationName];

/**
 * A tensor program: a list of operations on tensors of known shapes, with named inputs and outputs. It is written
 * once, by calling the functions of `operations.ts` on its tensors, and then compiled by a backend.
 */
export class Program {
  /** Every tensor's origin, operands before results. */
  readonly nodes: Node[] = [];
  readonly inputs = new Map<string, Tensor>();
  readonly outputs = new Map<string, Tensor>();
  /** From the name of an output to the input that takes its value after each run. */
  readonly carried = new Map<string, string>();
  readonly #tensors: Tensor[] = [];
  readonly #known = new Map<string, Tensor>();

  /** A value given to each run, or once by `Executable.write`. */
  input(name: string, shape: Shape, dtype: TensorType = "float"): Tensor {
    this.#claim(name);
    const tensor = this.#append({ kind: "input", name }, checked(`input "${name}"`, shape), dtype);
    this.inputs.set(name, tensor);
    return tensor;
  }

  /** Floating-point values that are part of the program; a number makes a scalar, a list a vector. */
  constant(values: number | readonly number[] | Float32Array | Float64Array, shape?: Shape): Tensor {
    if (typeof values === "number") {
      const scalar = this.#shared(`constant ${values}`, () =>
        this.#constant(Float64Array.of(values), [], "float"),
      );
      return shape === undefined || shape.length === 0
        ? scalar
        : this.apply("broadcast", [scalar], { shape }, shape);
    }
    const floats =
      values instanceof Float32Array || values instanceof Float64Array ? values : Float64Array.from(values);
    return this.#constant(floats, shape ?? [floats.length], "float");
  }

  /** Whole numbers that are part of the program, such as indices for `gather`. */
  constantInts(values: readonly number[] | Int32Array, shape?: Shape): Tensor {
    const ints = values instanceof Int32Array ? values : Int32Array.from(values);
    return this.#constant(ints, shape ?? [ints.length], "int");
  }

  /** Declares a float tensor as an output with this name. */
  output(name: string, tensor: Tensor): void {
    this.#claim(name);
    if (tensor.program !== this) throw new ShapeError(`output "${name}" is a tensor of another program`);
    if (tensor.dtype !== "float") throw new ShapeError(`output "${name}" must be float, not ${tensor.dtype}`);
    this.outputs.set(name, tensor);
  }

  /**
   * Carries an output into an input: after a run, its value becomes the input of the next run. It stays on the backend.
   * The run does not return it; `Executable.read` fetches it.
   */
  carry(output: string, input: string): void {
    const from = this.outputs.get(output);
    const to = this.inputs.get(input);
    if (!from || !to)
      throw new ShapeError(`carry needs an output and an input, not "${output}" and "${input}"`);
    if (!sameShape(from.shape, to.shape) || from.dtype !== to.dtype)
      throw new ShapeError(
        `output "${output}" of shape ${formatShape(from.shape)} cannot become input "${input}" of shape ${formatShape(to.shape)}`,
      );
    if ([...this.carried.values()].includes(input))
      throw new ShapeError(`input "${input}" is carried already`);
    this.carried.set(output, input);
  }

  /** Appends a primitive operation, or finds the tensor that the same one made before. For `operations.ts`. */
  apply<K extends OperationName>(
    operation: K,
    operands: readonly Tensor[],
    attributes: Attributes[K],
    shape: Shape,
  ): Tensor {
    const key = `${operation} ${operands.map(({ id }) => id)} ${JSON.stringify(attributes)}`;
    return this.#shared(key, () => {
      const node = { kind: "operation", operation, operands, attributes } as Node;
      return this.#append(node, shape, operands[0].dtype);
    });
  }

  /** The tensor that node `id` makes. */
  tensor(id: number): Tensor {
    return this.#tensors[id];
  }

  /** The tensors that some output depends on, and every input, operands before results. */
  liveTensors(): Tensor[] {
    const live = new Set<number>([...this.outputs.values()].map(({ id }) => id));
    for (let id = this.nodes.length - 1; id >= 0; id--) {
      const node = this.nodes[id];
      if (node.kind === "input") live.add(id);
      else if (node.kind === "operation" && live.has(id))
        for (const operand of node.operands) live.add(operand.id);
    }
    return this.#tensors.filter(({ id }) => live.has(id));
  }

  /** Inputs and outputs share their names' space, as they do in an ONNX file. */
  #claim(name: string): void {
    if (this.inputs.has(name) || this.outputs.has(name))
      throw new ShapeError(`the program has an input or output "${name}" already`);
  }

  #constant(values: ConstantNode["values"], shape: Shape, dtype: TensorType): Tensor {
    if (elements(checked("constant", shape)) !== values.length)
      throw new ShapeError(`a constant of shape ${formatShape(shape)} cannot hold ${values.length} values`);
    return this.#append({ kind: "constant", values }, shape, dtype);
  }

  #shared(key: string, make: () => Tensor): Tensor {
    const known = this.#known.get(key) ?? make();
    this.#known.set(key, known);
    return known;
  }

  #append(node: Node, shape: Shape, dtype: TensorType): Tensor {
    const tensor: Tensor = { program: this, id: this.nodes.length, shape: [...shape], dtype };
    this.nodes.push(node);
    this.#tensors.push(tensor);
    return tensor;
  }
}

function checked(what: string, shape: Shape): Shape {
  if (shape.some((length) => !Number.isSafeInteger(length) || length < 1))
    throw new ShapeError(`${what} has shape ${formatShape(shape)}; every axis has a length of 1 or more`);
  return shape;
}
