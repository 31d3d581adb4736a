import { elements } from "../../../../numerics/shape.js";
import type { Application, Program, Tensor } from "../../../program.js";
import type { Shape } from "../../../shape.js";
import { type Graph, GraphWriter, isAlias, isGiven, type Node } from "./graph.js";
import { lowerConvolution } from "./lower-convolution.js";
import { divisionOf, lowerProduct, type ProductOptions, sumInParts } from "./lower-product.js";

/**
 * A simplified program in the compiler's operations: convolutions become products of patches, small and long products
 * become sums (see lower-product.ts), and what goes out gets memory in which it lies as it should.
 */
export function lower(program: Program, options: ProductOptions = {}): Graph {
  const graph = new GraphWriter();
  const made = new Map<number, Node>();
  const divisions = divisionsOf(program, options);
  for (const { id, shape, dtype } of program.liveTensors()) {
    const node = program.nodes[id];
    made.set(
      id,
      node.kind === "input"
        ? graph.input(node.name, shape, dtype)
        : node.kind === "constant"
          ? graph.constant(node.values, shape)
          : lowered(
              graph,
              node,
              node.operands.map((operand) => made.get(operand.id)!),
              shape,
              { ...options, divisions },
            ),
    );
  }
  const outputs = new Map<string, Node>();
  for (const [name, { id }] of program.outputs) {
    const node = made.get(id)!;
    outputs.set(name, liesPlainly(node) ? node : graph.apply({ name: "copy" }, [node], node.shape));
  }
  return { nodes: graph.nodes, outputs, carried: program.carried };
}

/** Whether a node is computed and lies in memory of its own, in order. */
function liesPlainly(node: Node): boolean {
  if (node.operation.name === "reshape") return liesPlainly(node.operands[0]);
  return !isAlias(node) && !isGiven(node);
}

function lowered(
  graph: GraphWriter,
  node: Application,
  operands: readonly Node[],
  shape: Shape,
  options: ProductOptions & { readonly divisions: Divisions },
): Node {
  const [x, y] = operands;
  const { operation } = node;
  switch (operation) {
    case "sum": {
      const { axes } = attributesOf(node, operation);
      const parts = axes.length === 1 ? options.divisions.get(keyOf(node.operands[0], axes[0])) : undefined;
      return parts ? sumInParts(graph, x, axes[0], parts) : sum(graph, x, axes);
    }
    case "matmul":
      return lowerProduct(graph, x, y, attributesOf(node, operation), shape, options);
    case "convolve":
    case "convolveBack":
    case "convolveKernel":
      return lowerConvolution(graph, operation, x, y, attributesOf(node, operation), shape, options);
    case "scatterAdd": {
      const count = elements(y.shape);
      const rows = graph.reshape(x, [count, ...x.shape.slice(y.shape.length)]);
      const spread = graph.apply({ name: "spread" }, [rows, graph.reshape(y, [count])], [count, ...shape]);
      return graph.reshape(sum(graph, spread, [0]), shape);
    }
    case "transpose":
      return graph.apply({ name: operation, order: attributesOf(node, operation).order }, operands, shape);
    case "slice": {
      const { axis, start } = attributesOf(node, operation);
      return graph.apply({ name: operation, axis, start }, operands, shape);
    }
    case "pad": {
      const { axis, before } = attributesOf(node, operation);
      return graph.apply({ name: operation, axis, before }, operands, shape);
    }
    case "concat":
      return graph.apply({ name: operation, axis: attributesOf(node, operation).axis }, operands, shape);
    case "leakySlope":
      // It has the sign of x as well: x is computed where it is needed, its leaky ReLU would have to be kept.
      return graph.apply(
        { name: operation, slope: attributesOf(node, operation).slope },
        [x.operation.name === "leakyRelu" ? x.operands[0] : x],
        shape,
      );
    case "leakyRelu":
      return graph.apply({ name: operation, slope: attributesOf(node, operation).slope }, operands, shape);
    default:
      return graph.apply({ name: operation }, operands, shape);
  }
}

/** Into how many parts products divide the axes over which they add up, by tensor and axis. */
type Divisions = ReadonlyMap<string, number>;

const keyOf = ({ id }: Tensor, axis: number): string => `${id} ${axis}`;

function divisionsOf(program: Program, options: ProductOptions): Divisions {
  const divisions = new Map<string, number>();
  for (const { id, shape } of program.liveTensors()) {
    const node = program.nodes[id];
    if (node.kind !== "operation" || node.operation !== "matmul") continue;
    const { transposeA, transposeB } = attributesOf(node, node.operation);
    const [a, b] = node.operands;
    const turned = ({ shape: of }: Tensor, is: boolean) =>
      is ? [...of.slice(0, -2), of.at(-1)!, of.at(-2)!] : of;
    const parts = divisionOf(turned(a, transposeA), turned(b, transposeB), shape, options);
    if (parts === 1) continue;
    divisions.set(keyOf(a, a.shape.length - (transposeA ? 2 : 1)), parts);
    divisions.set(keyOf(b, b.shape.length - (transposeB ? 1 : 2)), parts);
  }
  return divisions;
}

/** A sum over axes of length 1 is none. */
function sum(graph: GraphWriter, x: Node, axes: readonly number[]): Node {
  const long = axes.filter((axis) => x.shape[axis] > 1);
  return long.length === 0 ? x : graph.sum(x, long);
}

function attributesOf<K extends Application["operation"]>(node: Application, _: K) {
  return node.attributes as Application<K>["attributes"];
}
