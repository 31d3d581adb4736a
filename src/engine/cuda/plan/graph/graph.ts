import { elements } from "../../../../numerics/shape.js";
import type { Sliding } from "../../../convolution.js";
import { ELEMENTWISE, type ElementwiseName, type TensorType } from "../../../program.js";
import { broadcastShapes, type Shape, sameShape, withLength } from "../../../shape.js";

/** A kernel's size and how it moves: how patches of a field are cut out. */
export interface Cutting extends Sliding {
  readonly kernel: readonly [number, number];
}

/**
 * What the compiler distinguishes. A `matmul` has two factors, or two more of a product that is added (see AddedProduct
 * in products.ts). Beyond the operations of programs there are those that a convolution or a scatter
 * is made of besides a product or a sum: `patches` [samples, channels, height, width, places...] of a field, their
 * transpose `overlap`, and `spread`, rows each at its index in a table of its own.
 */
export type Operation =
  | { readonly name: "input"; readonly input: string }
  | { readonly name: "constant"; readonly values: Float32Array | Float64Array | Int32Array }
  | { readonly name: ElementwiseName; readonly slope?: number }
  | { readonly name: "copy" | "reshape" | "broadcast" | "gather" | "spread" }
  | { readonly name: "transpose"; readonly order: readonly number[] }
  | { readonly name: "reverse"; readonly axes: readonly number[] }
  | { readonly name: "slice"; readonly axis: number; readonly start: number }
  | { readonly name: "pad"; readonly axis: number; readonly before: number }
  | { readonly name: "concat"; readonly axis: number }
  | ({ readonly name: "patches" | "overlap" } & Cutting)
  | { readonly name: "sum"; readonly axes: readonly number[] }
  | { readonly name: "matmul"; readonly again?: true };

export interface Node {
  readonly id: number;
  readonly operation: Operation;
  readonly operands: readonly Node[];
  readonly shape: Shape;
  readonly dtype: TensorType;
}

/** A program in the compiler's operations. */
export interface Graph {
  /** Operands before results. */
  readonly nodes: readonly Node[];
  readonly outputs: ReadonlyMap<string, Node>;
  readonly carried: ReadonlyMap<string, string>;
}

/** Writes a graph; equal nodes are made once. */
export class GraphWriter {
  readonly nodes: Node[] = [];
  readonly #known = new Map<string, Node>();

  input(input: string, shape: Shape, dtype: TensorType): Node {
    return this.#append({ name: "input", input }, [], shape, dtype);
  }

  constant(values: Float32Array | Float64Array | Int32Array, shape: Shape): Node {
    const dtype = values instanceof Int32Array ? "int" : "float";
    return this.#append({ name: "constant", values }, [], shape, dtype);
  }

  apply(operation: Operation, operands: readonly Node[], shape: Shape): Node {
    const key = `${operands.map(({ id }) => id)} ${JSON.stringify(operation)} ${shape}`;
    const known = this.#known.get(key) ?? this.#append(operation, operands, shape, operands[0].dtype);
    this.#known.set(key, known);
    return known;
  }

  elementwise(name: ElementwiseName, ...operands: Node[]): Node {
    const shape = operands.map((node) => node.shape).reduce((a, b) => broadcastShapes(a, b)!);
    return this.apply({ name }, operands, shape);
  }

  reshape(x: Node, shape: Shape): Node {
    return sameShape(x.shape, shape) ? x : this.apply({ name: "reshape" }, [x], shape);
  }

  broadcast(x: Node, shape: Shape): Node {
    return sameShape(x.shape, shape) ? x : this.apply({ name: "broadcast" }, [x], shape);
  }

  slice(x: Node, axis: number, start: number, end: number): Node {
    if (start === 0 && end === x.shape[axis]) return x;
    return this.apply({ name: "slice", axis, start }, [x], withLength(x.shape, axis, end - start));
  }

  /** With zeros before and after along an axis, `length` numbers in all. */
  pad(x: Node, axis: number, before: number, length: number): Node {
    if (length === x.shape[axis]) return x;
    return this.apply({ name: "pad", axis, before }, [x], withLength(x.shape, axis, length));
  }

  transpose(x: Node, order: readonly number[]): Node {
    if (order.every((axis, i) => axis === i)) return x;
    return this.apply(
      { name: "transpose", order },
      [x],
      order.map((axis) => x.shape[axis]),
    );
  }

  /** With the last two axes exchanged. */
  swapped(x: Node): Node {
    const before = swappedFrom(x);
    if (before) return before;
    const rank = x.shape.length;
    return this.transpose(x, [...x.shape.keys()].slice(0, -2).concat(rank - 1, rank - 2));
  }

  /** With the last elements along some axes first. */
  reverse(x: Node, axes: readonly number[]): Node {
    const long = axes.filter((axis) => x.shape[axis] > 1);
    return long.length === 0 ? x : this.apply({ name: "reverse", axes: long }, [x], x.shape);
  }

  concat(xs: readonly Node[], axis: number): Node {
    const length = xs.reduce((sum, { shape }) => sum + shape[axis], 0);
    return xs.length === 1
      ? xs[0]
      : this.apply({ name: "concat", axis }, xs, withLength(xs[0].shape, axis, length));
  }

  /** Products of matrices in the last two axes; those before broadcast. */
  matmul(a: Node, b: Node): Node {
    return this.apply({ name: "matmul" }, [a, b], productShape(a, b));
  }

  /** A product that is computed once more, whoever else has it. */
  matmulAgain(a: Node, b: Node): Node {
    return this.apply({ name: "matmul", again: true }, [a, b], productShape(a, b));
  }

  /** A product a b with the product x w added, of which w is repeated along the diagonal. */
  addedProduct(a: Node, b: Node, x: Node, w: Node): Node {
    return this.apply({ name: "matmul" }, [a, b, x, w], productShape(a, b));
  }

  /** Sums over axes, which stay with length 1. */
  sum(x: Node, axes: readonly number[]): Node {
    return this.apply(
      { name: "sum", axes },
      [x],
      x.shape.map((length, axis) => (axes.includes(axis) ? 1 : length)),
    );
  }

  #append(operation: Operation, operands: readonly Node[], shape: Shape, dtype: TensorType): Node {
    const node: Node = { id: this.nodes.length, operation, operands, shape: [...shape], dtype };
    this.nodes.push(node);
    return node;
  }
}

/** The same node in another graph, of what its operands have become there. */
export function copied(writer: GraphWriter, node: Node, made: ReadonlyMap<Node, Node>): Node {
  const { operation, operands, shape, dtype } = node;
  if (operation.name === "input") return writer.input(operation.input, shape, dtype);
  if (operation.name === "constant") return writer.constant(operation.values, shape);
  return writer.apply(
    operation,
    operands.map((operand) => made.get(operand)!),
    shape,
  );
}

function productShape(a: Node, b: Node): Shape {
  const batch = broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2))!;
  return [...batch, a.shape.at(-2)!, b.shape.at(-1)!];
}

const ALIASES: ReadonlySet<string> = new Set(["reshape", "broadcast", "transpose", "reverse", "slice"]);

/** Whether a node only reads another one's elements in another order. */
export function isAlias({ operation: { name } }: Node): boolean {
  return ALIASES.has(name);
}

/** Whether a node has memory of its own from the beginning. */
export function isGiven({ operation: { name } }: Node): boolean {
  return name === "input" || name === "constant";
}

/** Whether a node is made by a sum or a product, which end a kernel; all others can be computed where they are used. */
export function isAnchor({ operation: { name } }: Node): boolean {
  return name === "sum" || name === "matmul";
}

/** The node whose elements an alias reads. */
export function sourceOf(node: Node): Node {
  return isAlias(node) ? sourceOf(node.operands[0]) : node;
}

/** Who takes each node, every one once. */
export type Users = ReadonlyMap<Node, readonly Node[]>;

export function usersOf({ nodes }: Graph): Users {
  const users = new Map<Node, Node[]>();
  for (const node of nodes)
    for (const operand of new Set(node.operands)) {
      const known = users.get(operand);
      if (known) known.push(node);
      else users.set(operand, [node]);
    }
  return users;
}

/** What a node is the transpose of in its last two axes, if it is nothing else. */
export function swappedFrom({ operation, operands }: Node): Node | undefined {
  if (operation.name !== "transpose") return undefined;
  const rank = operation.order.length;
  const isSwap = operation.order.every((axis, i) => axis === (i < rank - 2 ? i : 2 * rank - 3 - i));
  return isSwap ? operands[0] : undefined;
}

/** What is copied of an operand that a library cannot read: it can read the transpose of a copy. */
export function upright(operand: Node): Node {
  const before = swappedFrom(operand);
  return before && isAlias(before) ? before : operand;
}

/** The single value of a node that is known now. */
export function literalOf({ operation, shape }: Node): number | undefined {
  return operation.name === "constant" && elements(shape) === 1 ? operation.values[0] : undefined;
}

/** Whether an operation is one of single elements. */
export const isElementwise = (name: string): name is ElementwiseName =>
  (ELEMENTWISE as readonly string[]).includes(name);
