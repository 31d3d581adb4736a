import type { Graph, Node } from "../graph/graph.js";
import type { Homes } from "../layout/buffer-placement.js";
import { type Choice, type Epilogue, type Epilogues, type Need, ridingOn } from "../stages/epilogues.js";
import { type Stages, stagesOf } from "../stages/stages.js";
import { afterWaiting } from "./deferred-epilogues.js";
import type { FactorSums } from "./factor-sums.js";
import { needsOf, ridersOf } from "./fusable-consumers.js";
import { areAlike, type Lines, lineSumsOf, type Passengers } from "./line-sums.js";

/** What kernels of products can add up. */
export interface AddedUp {
  readonly factors: FactorSums;
  readonly lines: (product: Node, lines: Lines) => boolean;
}

/**
 * Chooses what is computed within products, and orders the graph's nodes such that all that a product then needs comes
 * before it. A stored result of elementwise operations rides along with the last product that it is made of, or with
 * one that can wait for the rest: its pass over memory is saved, and often that of the bare product. So do sums along
 * rows or columns of what becomes of a product.
 */
export function withEpilogues(
  graph: Graph,
  stored: ReadonlySet<Node>,
  homes: Homes,
  products: ReadonlySet<Node>,
  addedUp: AddedUp,
): { graph: Graph; epilogues: Epilogues } {
  const riders = ridersOf(graph, products);
  const passengers = { riders, lineSums: lineSumsOf(graph, riders, addedUp.lines) };
  let epilogues: Epilogues = new Map(
    [...products].map((node) => [
      node,
      { stores: [], needs: [], sums: addedUp.factors.get(node) ?? [], lines: [] },
    ]),
  );
  let ordered = graph;
  for (;;) {
    const stages = stagesOf(ordered, stored, homes, { epilogues });
    const found =
      atOnce(ordered, stored, passengers, epilogues, stages) ??
      afterWaiting(ordered, stored, passengers, epilogues, stages);
    if (!found) return { graph: ordered, epilogues };
    epilogues = found.epilogues;
    ordered = { ...graph, nodes: inOrder(ordered.nodes, stages, found) };
  }
}

/**
 * Epilogues with all that can be added to them without making any product wait. As the stages at hand stay valid, no
 * two products can come to wait for each other.
 */
function atOnce(
  { nodes }: Graph,
  stored: ReadonlySet<Node>,
  { riders, lineSums }: Passengers,
  epilogues: Epilogues,
  stages: Stages,
): Choice | undefined {
  const result = new Map<Node, Epilogue>(epilogues);
  const riding = ridingOn(epilogues);
  let changed = false;
  const areReady = (needs: readonly Need[], product: Node) =>
    needs.every((need) => stages.taken(need.node, need.operand) <= stages.at(product));
  const add = (product: Node, { stores = [], lines = [], needs = [] }: Partial<Epilogue>) => {
    const known = result.get(product)!;
    result.set(product, {
      ...known,
      stores: [...known.stores, ...stores],
      lines: [...known.lines, ...lines],
      needs: [...known.needs, ...needs],
    });
    changed = true;
  };
  for (const node of nodes) {
    if (riding.has(node)) continue;
    const line = lineSums.get(node);
    if (line) {
      const needs = needsOf(node.operands[0], line.product, riders);
      const known = result.get(line.product)!.lines;
      if (areReady(needs, line.product) && areAlike([...known, line]))
        add(line.product, { lines: [line], needs });
    }
    if (!stored.has(node)) continue;
    const products = [...(riders.get(node)?.keys() ?? [])].sort((a, b) => stages.at(b) - stages.at(a));
    for (const product of products) {
      const needs = needsOf(node, product, riders);
      if (!areReady(needs, product)) continue;
      add(product, { stores: [riders.get(node)!.get(product)!], needs });
      break;
    }
  }
  return changed ? { epilogues: result, moved: new Map() } : undefined;
}

/** Nodes stage by stage, with products last and what rides on them after. */
function inOrder(nodes: readonly Node[], stages: Stages, { epilogues, moved }: Choice): Node[] {
  const riding = ridingOn(epilogues);
  const stage = (node: Node): number => {
    const product = riding.get(node);
    return product ? stage(product) + 1 : (moved.get(node) ?? stages.at(node));
  };
  const isProduct = (node: Node) => (node.operation.name === "matmul" ? 1 : 0);
  const keys = new Map(nodes.map((node) => [node, 2 * stage(node) + isProduct(node)]));
  return [...nodes].sort((a, b) => keys.get(a)! - keys.get(b)!);
}
