import { elements } from "../../files/element-type.js";
import { type Epilogues, ridingOn } from "./epilogues.js";
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
export function gatheredStages(
  graph: Graph,
  stored: ReadonlySet<Node>,
  homes: Homes,
  epilogues: Epilogues,
): Stages {
  const notBefore = new Map<Node, number>();
  const riding = ridingOn(epilogues);
  const launched = graph.nodes.filter(
    (node) => !isGiven(node) && !riding.has(node) && (stored.has(node) || node.operation.name === "sum"),
  );
  const staged: Staged = (later) => stagesOf(graph, stored, homes, { epilogues, notBefore: later });
  const stages = fewerLaunches(graph, homes, launched, notBefore, staged);
  const launches = launchesOf(launched, homes, stages);
  for (const [node, stage] of lateStages(graph, stored, stages, launches)) notBefore.set(node, stage);
  return staged(notBefore);
}

/** Stages where some nodes come no sooner than said. */
type Staged = (notBefore: ReadonlyMap<Node, number>) => Stages;

/** All kernels of a stage wait for the next one if the last stage comes no later for it and one launch is saved. */
function fewerLaunches(
  graph: Graph,
  homes: Homes,
  launched: readonly Node[],
  notBefore: Map<Node, number>,
  staged: Staged,
): Stages {
  let best = staged(notBefore);
  let launches = launchesOf(launched, homes, best);
  const last = lastStage(graph, best);
  if (graph.nodes.length * last > MOST_WORK) return best;
  for (let stage = 0; stage < last; stage++) {
    const waiting = launched.filter((node) => best.at(node) === stage);
    if (waiting.length === 0) continue;
    const trial = new Map([...notBefore, ...waiting.map((node) => [node, stage + 1] as const)]);
    const stages = staged(trial);
    const found = launchesOf(launched, homes, stages);
    if (found.size >= launches.size || lastStage(graph, stages) > last) continue;
    for (const [node, at] of trial) notBefore.set(node, at);
    [best, launches] = [stages, found];
  }
  return best;
}

/**
 * For large results of inputs alone, such as batches of samples, the last stage with a launch before they are needed.
 * They could be computed at the first one, but those of all steps of a round would then fill the memory.
 */
function lateStages(
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

/** Stages that have a launch, for these nodes. */
function launchesOf(nodes: readonly Node[], homes: Homes, stages: Stages): Set<number> {
  const found = new Set<number>();
  for (const node of nodes) {
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
