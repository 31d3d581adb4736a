import { type Choice, type Epilogue, type Epilogues, ridingOn } from "./epilogues.js";
import type { FactorSums } from "./factor-sums.js";
import type { Graph, Node } from "./graph.js";
import type { Homes } from "./homes.js";
import { needsOf, type Riders, ridersOf } from "./riders.js";
import { type Stages, stagesOf } from "./stages.js";
import { afterWaiting } from "./waiting-products.js";

/**
 * Chooses what is computed within products, and orders the graph's nodes such that all that a product then needs comes
 * before it. A stored result of elementwise operations rides along with the last product that it is made of, or with
 * one that can wait for the rest: its pass over memory is saved, and often that of the bare product.
 */
export function withEpilogues(
  graph: Graph,
  stored: ReadonlySet<Node>,
  homes: Homes,
  products: ReadonlySet<Node>,
  factorSums: FactorSums,
): { graph: Graph; epilogues: Epilogues } {
  const riders = ridersOf(graph, products);
  let epilogues: Epilogues = new Map(
    [...products].map((node) => [node, { stores: [], needs: [], sums: factorSums.get(node) ?? [] }]),
  );
  let ordered = graph;
  for (;;) {
    const stages = stagesOf(ordered, stored, homes, { epilogues });
    const found =
      atOnce(ordered, stored, riders, epilogues, stages) ??
      afterWaiting(ordered, stored, riders, epilogues, stages);
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
  riders: Riders,
  epilogues: Epilogues,
  stages: Stages,
): Choice | undefined {
  const result = new Map<Node, Epilogue>(epilogues);
  const riding = ridingOn(epilogues);
  let changed = false;
  for (const node of nodes) {
    if (!stored.has(node) || riding.has(node)) continue;
    const products = [...(riders.get(node)?.keys() ?? [])].sort((a, b) => stages.at(b) - stages.at(a));
    for (const product of products) {
      const needs = needsOf(node, product, riders);
      if (!needs.every((need) => stages.taken(need.node, need.operand) <= stages.at(product))) continue;
      const known = result.get(product)!;
      const rider = riders.get(node)!.get(product)!;
      result.set(product, {
        ...known,
        stores: [...known.stores, rider],
        needs: [...known.needs, ...needs],
      });
      changed = true;
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
