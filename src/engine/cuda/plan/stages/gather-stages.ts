import { type Graph, isGiven, type Node } from "../graph/graph.js";
import type { Placements } from "../layout/buffer-placement.js";
import { reductionLayout } from "../layout/reductions.js";
import { type Epilogues, fusedInto } from "./epilogues.js";
import { sinkLargeGathers } from "./sink-large-gathers.js";
import { type Stages, stagesOf } from "./stages.js";

/** Nodes times stages up to which the search is worth its time. */
const MOST_WORK = 2 ** 19;

/**
 * Stages with as few launches as a simple search finds: all kernels of a stage wait for the next one if the last
 * stage comes no later for it and one launch is saved. Large results of inputs alone then wait as long as they can.
 */
export function gatheredStages(
  graph: Graph,
  stored: ReadonlySet<Node>,
  placements: Placements,
  epilogues: Epilogues,
): Stages {
  const notBefore = new Map<Node, number>();
  const fused = fusedInto(epilogues);
  const launched = graph.nodes.filter(
    (node) => !isGiven(node) && !fused.has(node) && (stored.has(node) || node.operation.name === "sum"),
  );
  let best = stagesOf(graph, stored, placements, { epilogues });
  let launches = launchesOf(launched, placements, best);
  const last = lastStage(graph, best);
  const searched = graph.nodes.length * last > MOST_WORK ? 0 : last;
  for (let stage = 0; stage < searched; stage++) {
    const waiting = launched.filter((node) => best.at(node) === stage);
    if (waiting.length === 0) continue;
    const trial = new Map([...notBefore, ...waiting.map((node) => [node, stage + 1] as const)]);
    const stages = stagesOf(graph, stored, placements, { epilogues, notBefore: trial });
    const found = launchesOf(launched, placements, stages);
    if (found.size >= launches.size || lastStage(graph, stages) > last) continue;
    for (const [node, at] of trial) notBefore.set(node, at);
    [best, launches] = [stages, found];
  }
  for (const [node, stage] of sinkLargeGathers(graph, stored, best, launches)) notBefore.set(node, stage);
  return stagesOf(graph, stored, placements, { epilogues, notBefore });
}

/** Stages that have a launch, for these nodes. */
function launchesOf(nodes: readonly Node[], placements: Placements, stages: Stages): Set<number> {
  const found = new Set<number>();
  for (const node of nodes) {
    if (node.operation.name === "concat")
      node.operands.forEach((part, i) => {
        if (!placements.isPlaced(node, i)) found.add(stages.usable(part));
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
