import { elements } from "../../../../numerics/shape.js";
import { type Graph, isAnchor, isGiven, type Node } from "../graph/graph.js";
import type { Stages } from "./stages.js";

/** Minimum number of elements of a result that is worth computing as late as possible. */
const LARGE = 2 ** 22;

/**
 * Moves large results that depend on inputs alone, such as batches of samples, to the last stage with a launch before
 * they are needed. At the first stage, the batches of all steps of a round would fill the memory.
 */
export function sinkLargeGathers(
  graph: Graph,
  stored: ReadonlySet<Node>,
  stages: Stages,
  launches: ReadonlySet<number>,
): Map<Node, number> {
  const fromInputs = new Set<Node>();
  for (const node of graph.nodes)
    if (isGiven(node) || (!isAnchor(node) && node.operands.every((x) => fromInputs.has(x))))
      fromInputs.add(node);
  const late = new Map<Node, number>();
  const firstUse = new Map<Node, number>();
  for (const node of [...graph.nodes].reverse()) {
    let use = firstUse.get(node) ?? Infinity;
    if (isAnchor(node) || stored.has(node)) {
      const needed = use - 1;
      use = stages.at(node);
      if (fromInputs.has(node) && elements(node.shape) >= LARGE && needed < Infinity) {
        use = latest(launches, use, needed);
        late.set(node, use);
      }
    }
    for (const operand of node.operands)
      firstUse.set(operand, Math.min(firstUse.get(operand) ?? Infinity, use));
  }
  return late;
}

/** The last launch from one stage to another, or the first stage. */
function latest(launches: ReadonlySet<number>, from: number, to: number): number {
  let stage = to;
  while (stage > from && !launches.has(stage)) stage--;
  return Math.max(stage, from);
}
