import type { Index } from "../expressions/index-algebra.js";
import type { FactorSum } from "../fusion/factor-sums.js";
import type { LineSum } from "../fusion/line-sums.js";
import type { Node } from "../graph/graph.js";

/** What one of our kernels does with the elements of a product. */
export interface Epilogue {
  /** Stored nodes that have each element of the product once, changed on its way; computed with the product. */
  readonly stores: readonly FusableConsumer[];
  /** Operands that these are made of besides the product, each with the node that takes it. */
  readonly needs: readonly Need[];
  /** Sums of its factors. */
  readonly sums: readonly FactorSum[];
  /** Sums of what becomes of its elements, along rows or columns. */
  readonly lines: readonly LineSum[];
}

/** Epilogues by product. The library computes products without one. */
export type Epilogues = ReadonlyMap<Node, Epilogue>;

/** Epilogues to go on with, and stages that nodes move to, where they differ from those at hand. */
export interface Choice {
  readonly epilogues: Epilogues;
  readonly moved: ReadonlyMap<Node, number>;
}

/** A node each of whose elements depends on one element of a product, and where that element goes. */
export interface FusableConsumer {
  readonly node: Node;
  readonly coordinates: (ofProduct: readonly Index[]) => readonly Index[];
}

export interface Need {
  readonly node: Node;
  readonly operand: number;
}

/** The nodes that products compute in their epilogues, with their products. */
export function fusedInto(epilogues: Epilogues): ReadonlyMap<Node, Node> {
  return new Map(
    [...epilogues].flatMap(([product, { stores, sums, lines }]) =>
      [...stores, ...sums, ...lines].map(({ node }) => [node, product] as const),
    ),
  );
}
