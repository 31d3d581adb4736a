import { elements } from "../../files/element-type.js";
import { type Graph, isAnchor, isGiven, type Node } from "./graph.js";
import type { Homes } from "./homes.js";
import { reductionLayout } from "./reductions.js";
import { type Stages, stagesOf } from "./stages.js";

/** Nodes times stages up to which the search is worth its time. */
const MOST_WORK = 2 ** 19;

/** Numbers from which on a result is not computed long before it is needed. */
const LARGE = 2 ** 22;

/**
 * Stages with as few launches as a simple search finds, and without large results that lie in memory for long before
 * they are needed.
 */
export function gatheredStages(graph: Graph, stored: ReadonlySet<Node>, homes: Homes): Stages {
  const notBefore = new Map<Node, number>();
  const stages = fewerLaunches(graph, stored, homes, notBefore);
  const launches = launchesOf(graph, stored, homes, stages);
  for (const [node, stage] of latestStages(graph, stored, stages)) {
    let late = stage;
    while (late > stages.at(node) && !launches.has(late)) late--;
    notBefore.set(node, late);
  }
  return stagesOf(graph, stored, homes, notBefore);
}

/** All kernels of a stage wait for the next one if the last stage comes no later for it and one launch is saved. */
function fewerLaunches(
  graph: Graph,
  stored: ReadonlySet<Node>,
  homes: Homes,
  notBefore: Map<Node, number>,
): Stages {
  let best = stagesOf(graph, stored, homes);
  let launches = launchesOf(graph, stored, homes, best);
  const last = lastStage(graph, best);
  if (graph.nodes.length * last > MOST_WORK) return best;
  for (let stage = 0; stage < last; stage++) {
    const waiting = graph.nodes.filter((node) => isComputed(node, stored) && best.at(node) === stage);
    if (waiting.length === 0) continue;
    const trial = new Map([...notBefore, ...waiting.map((node) => [node, stage + 1] as const)]);
    const stages = stagesOf(graph, stored, homes, trial);
    const found = launchesOf(graph, stored, homes, stages);
    if (found.size >= launches.size || lastStage(graph, stages) > last) continue;
    for (const [node, at] of trial) notBefore.set(node, at);
    [best, launches] = [stages, found];
  }
  return best;
}

/**
 * The last stages at which large results of inputs alone, such as batches of samples, can be computed. They could be at
 * the first one, but those of all steps of a round would then fill the memory.
 */
function latestStages(graph: Graph, stored: ReadonlySet<Node>, stages: Stages): Map<Node, number> {
  const fromInputs = new Set<Node>();
  const firstUse = new Map<Node, number>();
  for (const node of graph.nodes)
    if (isGiven(node) || (!isAnchor(node) && node.operands.every((x) => fromInputs.has(x))))
      fromInputs.add(node);
  for (const node of [...graph.nodes].reverse()) {
    const isMade = isAnchor(node) || stored.has(node);
    const use = isMade ? stages.at(node) : (firstUse.get(node) ?? Infinity);
    for (const operand of node.operands)
      firstUse.set(operand, Math.min(firstUse.get(operand) ?? Infinity, use));
  }
  const isWaiting = (node: Node) =>
    stored.has(node) && fromInputs.has(node) && elements(node.shape) >= LARGE && firstUse.has(node);
  return new Map(graph.nodes.filter(isWaiting).map((node) => [node, firstUse.get(node)! - 1]));
}

const isComputed = (node: Node, stored: ReadonlySet<Node>): boolean =>
  !isGiven(node) && (stored.has(node) || node.operation.name === "sum");

/** Stages that have a launch. */
function launchesOf(graph: Graph, stored: ReadonlySet<Node>, homes: Homes, stages: Stages): Set<number> {
  const found = new Set<number>();
  for (const node of graph.nodes) {
    if (!isComputed(node, stored)) continue;
    if (node.operation.name === "concat")
      node.operands.forEach((part, i) => {
        if (!homes.isPlaced(node, i)) found.add(stages.usable(part));
      });
    else found.add(stages.at(node));
    if (node.operation.name === "sum" && reductionLayout(node.operands[0], node.operation.axes).chunks > 1)
      found.add(stages.at(node) + 1);
  }
  return found;
}

function lastStage({ nodes }: Graph, stages: Stages): number {
  return nodes.reduce((last, node) => Math.max(last, stages.at(node)), 0);
}
