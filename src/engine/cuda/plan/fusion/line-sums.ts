import { type Index, quotient, remainder, variable, ZERO } from "../expressions/index-algebra.js";
import type { Graph, Node } from "../graph/graph.js";
import type { FusableConsumer } from "../stages/epilogues.js";
import type { FusableConsumers } from "./fusable-consumers.js";

/**
 * A sum of what becomes of a product's elements, which its kernel adds up: over each row, or over `length` rows for
 * each column.
 */
export interface LineSum extends Lines {
  readonly node: Node;
  readonly product: Node;
  /** The coordinates in what is summed of an element of the product. */
  readonly of: FusableConsumer["coordinates"];
  /** The coordinates in the sum of what an element of the product goes into. */
  readonly coordinates: FusableConsumer["coordinates"];
}

export interface Lines {
  readonly along: "row" | "column";
  readonly length: number;
}

export type LineSums = ReadonlyMap<Node, LineSum>;

/** What can be fused into products. */
export interface Fusable {
  readonly consumers: FusableConsumers;
  readonly lineSums: LineSums;
}

/** The sums that kernels of products can compute, where `addsUp` has a kernel for such lines. */
export function lineSumsOf(
  { nodes }: Graph,
  consumers: FusableConsumers,
  addsUp: (product: Node, lines: Lines) => boolean,
): LineSums {
  const found = new Map<Node, LineSum>();
  for (const node of nodes) {
    const { operation, operands } = node;
    if (operation.name !== "sum" || operation.axes.length !== 1) continue;
    const [x] = operands;
    const [axis] = operation.axes;
    for (const [product, { coordinates: of }] of consumers.get(x) ?? []) {
      const lines = linesAlong(product, of, axis, x.shape[axis]);
      if (!lines || !addsUp(product, lines)) continue;
      const coordinates = (at: readonly Index[]) => of(at).map((index, i) => (i === axis ? ZERO : index));
      found.set(node, { node, product, of, coordinates, ...lines });
      break;
    }
  }
  return found;
}

/** The lines of the product over which a sum along an axis of a consumer goes, if it goes over lines. */
function linesAlong(
  { shape }: Node,
  of: FusableConsumer["coordinates"],
  axis: number,
  length: number,
): Lines | undefined {
  const at = shape.map((extent, i) => variable(`a${i}`, extent));
  const [row, column] = at.slice(-2);
  const has = (along: Index, others: readonly Index[]) => {
    const expected = new Set([along, ...others, ...at.slice(0, -2), ZERO].map(({ key }) => key));
    const all = of(at);
    return all[axis].key === along.key && all.every(({ key }) => expected.has(key));
  };
  if (has(column, [row])) return { along: "row", length };
  return has(remainder(row, length), [quotient(row, length), column])
    ? { along: "column", length }
    : undefined;
}

/** Whether a kernel adds up all of these at a time: columns, if any, over as many rows. */
export function areAlike(sums: readonly Lines[]): boolean {
  return new Set(sums.flatMap(({ along, length }) => (along === "column" ? [length] : []))).size <= 1;
}
