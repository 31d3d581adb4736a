import { elements } from "../../numerics/shape.js";
import type { Application, OperationName, Program, Tensor } from "../program.js";
import { broadcastShapes, type Shape, sameShape } from "../shape.js";
import { EXTENSIONS, type OnnxGraph, type OnnxPrecision } from "./graph.js";
import { scaledAndActivated, scaledAndShifted } from "./scaled-fields.js";

/** Several operations that one node of ONNX computes with fewer passes through memory. */
export interface Fusion {
  /** The tensors within, which are not computed on their own. */
  readonly within: readonly Tensor[];
  encode(graph: OnnxGraph, nameOf: (tensor: Tensor) => string): string;
}

/** The application that made a tensor, if it is of this kind and the tensor is used once. */
export type Within = <K extends OperationName>(tensor: Tensor, operation: K) => Application<K> | undefined;

/** Finds what can be computed together, by the tensor that comes out. */
export function fusions(
  program: Program,
  live: readonly Tensor[],
  { extensions, precision }: { readonly extensions: boolean; readonly precision: OnnxPrecision },
): ReadonlyMap<number, Fusion> {
  // ONNX Runtime has it in float32 alone.
  const pointwise = extensions && precision === "float32";
  const uses = useCounts(program, live);
  const within: Within = <K extends OperationName>({ id }: Tensor, operation: K) => {
    const node = program.nodes[id];
    const fits = node.kind === "operation" && node.operation === operation && uses.get(id) === 1;
    return fits ? (node as Application<K>) : undefined;
  };
  const fusionOf = (tensor: Tensor, node: Application): Fusion | undefined => {
    switch (node.operation) {
      case "add":
        return (
          gemm(tensor, node as Application<"add">, within) ?? scaledAndShifted(tensor, within, pointwise)
        );
      case "subtract":
        return gemm(tensor, node as Application<"subtract">, within);
      case "leakyRelu":
        return pointwise ? scaledAndActivated(node as Application<"leakyRelu">, within) : undefined;
      case "sum":
        return extensions ? dots(node as Application<"sum">, within) : undefined;
    }
  };
  const found = new Map<number, Fusion>();
  for (const tensor of live) {
    const node = program.nodes[tensor.id];
    if (node.kind !== "operation") continue;
    const fusion = fusionOf(tensor, node);
    if (fusion) found.set(tensor.id, fusion);
  }
  return found;
}

/** Layers with their bias, and predictions minus targets: a 2-D product that is only added to something. */
function gemm(
  { shape }: Tensor,
  { operation, operands: [a, b] }: Application<"add" | "subtract">,
  within: Within,
): Fusion | undefined {
  const sign = operation === "add" ? 1 : -1;
  for (const [factor, addend, alpha, beta] of [[a, b, 1, sign] as const, [b, a, sign, 1] as const]) {
    const product = factor.shape.length === 2 ? within(factor, "matmul") : undefined;
    if (!product || !repeats(addend.shape, factor.shape) || !sameShape(shape, factor.shape)) continue;
    const { transposeA, transposeB } = product.attributes;
    return {
      within: [factor],
      encode: (graph, nameOf) =>
        graph.node("Gemm", [...product.operands, addend].map(nameOf), {
          alpha: { float: alpha },
          beta: { float: beta },
          transA: transposeA,
          transB: transposeB,
        }),
    };
  }
  return undefined;
}

/** Sums of products over the last axes: scalar products, without the products in memory. */
function dots(
  { operands: [x], attributes: { axes } }: Application<"sum">,
  within: Within,
): Fusion | undefined {
  const product = within(x, "multiply");
  const trailing = axes.every((axis, i) => axis === x.shape.length - axes.length + i);
  if (!product || !trailing || !product.operands.every(({ shape }) => sameShape(shape, x.shape)))
    return undefined;
  const outer = x.shape.slice(0, -axes.length);
  const rows = [elements(outer), 1, elements(x.shape) / elements(outer)];
  if (rows[2] < LONG) return undefined;
  return {
    within: [x],
    encode(graph, nameOf) {
      const vectors = product.operands.map((operand) => graph.reshape(nameOf(operand), rows));
      const result = graph.node("FusedMatMul", vectors, { transB: true }, EXTENSIONS);
      return graph.reshape(result, [...outer, ...axes.map(() => 1)]);
    },
  };
}

/** Vectors below this length are not worth a product of matrices. */
const LONG = 32;

const repeats = (small: Shape, large: Shape): boolean => {
  const common = broadcastShapes(small, large);
  return common !== undefined && sameShape(common, large);
};

function useCounts(program: Program, live: readonly Tensor[]): Map<number, number> {
  const counts = new Map<number, number>();
  const count = ({ id }: Tensor) => counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { id } of live) {
    const node = program.nodes[id];
    if (node.kind === "operation") node.operands.forEach(count);
  }
  for (const output of program.outputs.values()) count(output);
  return counts;
}
