import { elements } from "../../../../numerics/shape.js";
import { copied, type Graph, GraphWriter, isElementwise, type Node } from "../graph/graph.js";
import { behindReshapes } from "../layout/buffer-placement.js";

/** Minimum tensor size, and minimum reduction length, for sharing a pass. */
const LARGE = 2 ** 16;
const SEVERAL = 8;

/** A sum of neighbours, `inner` numbers apart, as all tensors count them that have the same elements in order. */
interface Stretch {
  readonly count: number;
  readonly inner: number;
}

/**
 * Sums of a large tensor over p q numbers, of which others are over q, as sums over q and then over p: all take one pass
 * over it then. The gradient of a layer that adds something to all samples alike and something to each has such sums.
 */
export function withSharedSums(graph: Graph): Graph {
  const taken = new Map<Node, Stretch[]>();
  for (const node of graph.nodes) {
    const stretch = stretchOf(node);
    if (!stretch || stretch.count < SEVERAL) continue;
    const source = behindReshapes(node.operands[0]);
    if (elements(source.shape) >= LARGE) taken.set(source, [...(taken.get(source) ?? []), stretch]);
  }
  const writer = new GraphWriter();
  const made = new Map<Node, Node>();
  for (const node of graph.nodes) {
    const shared = sharedOf(node, taken);
    made.set(node, shared ? inTurn(writer, node, shared, made) : copied(writer, node, made));
  }
  const outputs = new Map([...graph.outputs].map(([name, node]) => [name, made.get(node)!]));
  return { nodes: writer.nodes, outputs, carried: graph.carried };
}

/** What a node adds up, if it is a sum over one axis. */
function stretchOf({ operation, operands }: Node): Stretch | undefined {
  if (operation.name !== "sum" || operation.axes.length !== 1) return undefined;
  const [axis] = operation.axes;
  const { shape } = operands[0];
  return { count: shape[axis], inner: elements(shape.slice(axis + 1)) };
}

/** How many numbers another sum of a tensor that this one is made of takes at a time, of those that this one does. */
function sharedOf(node: Node, taken: ReadonlyMap<Node, readonly Stretch[]>): number | undefined {
  const stretch = stretchOf(node);
  if (!stretch) return undefined;
  const { count, inner } = stretch;
  const [operand] = node.operands;
  return leavesOf(operand, elements(operand.shape))
    .flatMap((leaf) => taken.get(leaf) ?? [])
    .find((other) => other.inner === inner && other.count < count && count % other.count === 0)?.count;
}

/** The tensors that a node is made of element by element, in the same order. */
function leavesOf(node: Node, size: number): Node[] {
  const source = behindReshapes(node);
  if (elements(source.shape) !== size) return [];
  return [
    source,
    ...(isElementwise(source.operation.name) ? source.operands.flatMap((x) => leavesOf(x, size)) : []),
  ];
}

function inTurn(writer: GraphWriter, node: Node, few: number, made: ReadonlyMap<Node, Node>): Node {
  const { axes } = node.operation as Extract<Node["operation"], { name: "sum" }>;
  const [axis] = axes;
  const operand = made.get(node.operands[0])!;
  const { shape } = operand;
  const parts = writer.reshape(operand, [
    ...shape.slice(0, axis),
    shape[axis] / few,
    few,
    ...shape.slice(axis + 1),
  ]);
  return writer.reshape(writer.sum(writer.sum(parts, [axis + 1]), [axis]), node.shape);
}
