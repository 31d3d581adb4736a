import { sameShape } from "../../../shape.js";
import { type Index, ZERO } from "../expressions/index-algebra.js";
import { type Graph, isAlias, type Node, swappedFrom } from "../graph/graph.js";

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
  const order = new Order(graph.nodes, productOf);
  for (const product of products)
    for (const side of [0, 1] as const) {
      const factor = factorsOf(product, side).find((one) => sums.has(keyOf(...one)));
      const node = factor && sums.get(keyOf(...factor))!;
      if (!node || productOf.has(node) || !order.move(product, node)) continue;
      productOf.set(node, product);
      const coordinates = (at: readonly Index[]) => alongFactor(at, side, factor[1]);
      factorSums.set(product, [...(factorSums.get(product) ?? []), { node, side, coordinates }]);
    }
  return { graph: { ...graph, nodes: order.nodes }, factorSums };
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

/**
 * Nodes, each after all that it needs, also as sums come to wait for products. As a rule a sum and its product are not
 * far apart: only what lies between them is gone through, however long the program is.
 */
class Order {
  readonly nodes: Node[];
  readonly #places: Map<Node, number>;
  readonly #productOf: ReadonlyMap<Node, Node>;

  constructor(nodes: readonly Node[], productOf: ReadonlyMap<Node, Node>) {
    this.nodes = [...nodes];
    this.#places = new Map(nodes.map((node, place) => [node, place]));
    this.#productOf = productOf;
  }

  /** Moves a product, with all that it needs, before a sum, unless it needs that sum itself. */
  move(product: Node, sum: Node): boolean {
    const first = this.#places.get(sum)!;
    const needed = new Set([product]);
    // They grow while they are gone through.
    for (const node of needed)
      for (const need of needsOf(node, this.#productOf))
        if (this.#places.get(need)! >= first) needed.add(need);
    if (needed.has(sum)) return false;
    const between = this.nodes.slice(first, this.#places.get(product)! + 1);
    const others = between.filter((node) => !needed.has(node));
    [...between.filter((node) => needed.has(node)), ...others].forEach((node, i) => {
      this.nodes[first + i] = node;
      this.#places.set(node, first + i);
    });
    return true;
  }
}

function needsOf(node: Node, productOf: ReadonlyMap<Node, Node>): readonly Node[] {
  const product = productOf.get(node);
  return product ? [...node.operands, product] : node.operands;
}
