import { sameShape } from "../shape.js";
import { type Graph, isAlias, type Node, swappedFrom } from "./graph.js";
import { type Index, ZERO } from "./index-algebra.js";

/** A sum over the inner axis of a factor, for each row of the left one or each column of the right one. */
export interface FactorSum {
  readonly node: Node;
  readonly side: 0 | 1;
  /** The coordinates in the sum of what belongs to an element of the product. */
  readonly coordinates: (ofProduct: readonly Index[]) => readonly Index[];
}

export type FactorSums = ReadonlyMap<Node, readonly FactorSum[]>;

/**
 * Sums that kernels of products add up on the way, by products: that of a layer's weights reads all that the gradient
 * of its biases is the sum of. The graph has products before these sums then.
 */
export function withFactorSums(
  graph: Graph,
  products: ReadonlySet<Node>,
): { graph: Graph; factorSums: FactorSums } {
  const sums = new Map<string, Node>();
  for (const node of graph.nodes)
    if (node.operation.name === "sum" && node.operation.axes.length === 1)
      sums.set(keyOf(node.operands[0], node.operation.axes[0]), node);
  const factorSums = new Map<Node, FactorSum[]>();
  const productOf = new Map<Node, Node>();
  for (const product of products)
    for (const side of [0, 1] as const) {
      const factor = factorsOf(product, side).find((one) => sums.has(keyOf(...one)));
      const node = factor && sums.get(keyOf(...factor))!;
      if (!node || productOf.has(node) || dependsOn(product, node, productOf)) continue;
      productOf.set(node, product);
      const coordinates = (at: readonly Index[]) => alongFactor(at, side, factor[1]);
      factorSums.set(product, [...(factorSums.get(product) ?? []), { node, side, coordinates }]);
    }
  return { graph: { ...graph, nodes: inOrder(graph.nodes, productOf) }, factorSums };
}

const keyOf = ({ id }: Node, axis: number): string => `${id} ${axis}`;

/** A factor with its inner axis, as it is and as it is the transpose of something, if each matrix has its own. */
function factorsOf({ operands, shape }: Node, side: 0 | 1): (readonly [Node, number])[] {
  const factor = operands[side];
  const rank = shape.length;
  if (!sameShape(factor.shape.slice(0, -2), shape.slice(0, -2)) || isRepeated(factor)) return [];
  const before = swappedFrom(factor);
  const last = [rank - 1, rank - 2];
  return [[factor, last[side]], ...(before ? [[before, last[1 - side]] as const] : [])];
}

/** Whether a factor is the same for several matrices. */
function isRepeated(factor: Node): boolean {
  return isAlias(factor) && (factor.operation.name === "broadcast" || isRepeated(factor.operands[0]));
}

/** Coordinates with the row, or the column, in the one of the last two axes that a sum has kept. */
function alongFactor(at: readonly Index[], side: 0 | 1, summed: number): readonly Index[] {
  const rank = at.length;
  const kept = at[rank - 2 + side];
  return [...at.slice(0, -2), ...[rank - 2, rank - 1].map((axis) => (axis === summed ? ZERO : kept))];
}

/** Whether one node needs another, given what else sums wait for. */
function dependsOn(node: Node, other: Node, productOf: ReadonlyMap<Node, Node>): boolean {
  const visited = new Set<Node>();
  const visit = (x: Node): boolean => {
    if (x === other) return true;
    if (visited.has(x)) return false;
    visited.add(x);
    return needsOf(x, productOf).some(visit);
  };
  return visit(node);
}

/** The same nodes, each after all that it needs. */
function inOrder(nodes: readonly Node[], productOf: ReadonlyMap<Node, Node>): Node[] {
  const ordered = new Set<Node>();
  const append = (node: Node) => {
    if (ordered.has(node)) return;
    needsOf(node, productOf).forEach(append);
    ordered.add(node);
  };
  nodes.forEach(append);
  return [...ordered];
}

function needsOf(node: Node, productOf: ReadonlyMap<Node, Node>): readonly Node[] {
  const product = productOf.get(node);
  return product ? [...node.operands, product] : node.operands;
}
