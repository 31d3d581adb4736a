import type { Graph, Node } from "../graph/graph.js";
import type { Placements } from "../layout/buffer-placement.js";
import { type Choice, type Epilogue, type Epilogues, fusedInto, type Need } from "../stages/epilogues.js";
import { type Stages, stagesOf } from "../stages/stages.js";
import { deferredEpilogues } from "./deferred-epilogues.js";
import type { FactorSums } from "./factor-sums.js";
import { fusableConsumers, needsOf } from "./fusable-consumers.js";
import { areAlike, type Fusable, type Lines, lineSumsOf } from "./line-sums.js";

/** What kernels of products can add up. */
export interface AddedUp {
  readonly factors: FactorSums;
  readonly lines: (product: Node, lines: Lines) => boolean;
}

/**
 * Chooses the epilogue of each product, and orders the nodes so that a product comes after everything its epilogue
 * needs. A stored elementwise result is fused into the last product that it depends on, or into one that can be deferred
 * until the rest is there: that saves its pass over memory, and often the store of the bare product. Sums along rows or
 * columns of such results are fused too.
 */
export function withEpilogues(
  graph: Graph,
  stored: ReadonlySet<Node>,
  placements: Placements,
  products: ReadonlySet<Node>,
  addedUp: AddedUp,
): { graph: Graph; epilogues: Epilogues } {
  const consumers = fusableConsumers(graph, products);
  const fusable = { consumers, lineSums: lineSumsOf(graph, consumers, addedUp.lines) };
  let epilogues: Epilogues = new Map(
    [...products].map((node) => [
      node,
      { stores: [], needs: [], sums: addedUp.factors.get(node) ?? [], lines: [] },
    ]),
  );
  let ordered = graph;
  for (;;) {
    const stages = stagesOf(ordered, stored, placements, { epilogues });
    const found =
      immediateEpilogues(ordered, stored, fusable, epilogues, stages) ??
      deferredEpilogues(ordered, stored, fusable, epilogues, stages);
    if (!found) return { graph: ordered, epilogues };
    epilogues = found.epilogues;
    ordered = { ...graph, nodes: inOrder(ordered.nodes, stages, found) };
  }
}

/**
 * Epilogues with everything that can be fused without deferring a product. The given stages stay valid, so no two
 * products can wait for each other.
 */
function immediateEpilogues(
  { nodes }: Graph,
  stored: ReadonlySet<Node>,
  { consumers, lineSums }: Fusable,
  epilogues: Epilogues,
  stages: Stages,
): Choice | undefined {
  const result = new Map<Node, Epilogue>(epilogues);
  const fused = fusedInto(epilogues);
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
    if (fused.has(node)) continue;
    const line = lineSums.get(node);
    if (line) {
      const needs = needsOf(node.operands[0], line.product, consumers);
      const known = result.get(line.product)!.lines;
      if (areReady(needs, line.product) && areAlike([...known, line]))
        add(line.product, { lines: [line], needs });
    }
    if (!stored.has(node)) continue;
    const products = [...(consumers.get(node)?.keys() ?? [])].sort((a, b) => stages.at(b) - stages.at(a));
    for (const product of products) {
      const needs = needsOf(node, product, consumers);
      if (!areReady(needs, product)) continue;
      add(product, { stores: [consumers.get(node)!.get(product)!], needs });
      break;
    }
  }
  return changed ? { epilogues: result, moved: new Map() } : undefined;
}

/** Nodes stage by stage: products last, then what is fused into them. */
function inOrder(nodes: readonly Node[], stages: Stages, { epilogues, moved }: Choice): Node[] {
  const fused = fusedInto(epilogues);
  const stage = (node: Node): number => {
    const product = fused.get(node);
    return product ? stage(product) + 1 : (moved.get(node) ?? stages.at(node));
  };
  const isProduct = (node: Node) => (node.operation.name === "matmul" ? 1 : 0);
  const keys = new Map(nodes.map((node) => [node, 2 * stage(node) + isProduct(node)]));
  return [...nodes].sort((a, b) => keys.get(a)! - keys.get(b)!);
}
