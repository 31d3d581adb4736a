import { elements } from "../../../../numerics/shape.js";
import { sameShape, stridesOf } from "../../../shape.js";
import { Expressions } from "../expressions/expression.js";
import { coordinatesOf, dot, type Index, reach, variable, ZERO } from "../expressions/index-algebra.js";
import { type Graph, isAlias, type Node } from "../graph/graph.js";
import { behindReshapes, onward, type Placements, partsOf, placeIn } from "../layout/buffer-placement.js";
import { finalLayout, reductionLayout } from "../layout/reductions.js";
import { type Job, loadsOf, type MapJob, type ReduceJob, type Step, type Store, storesOf } from "../plan.js";
import { type Epilogues, fusedInto } from "../stages/epilogues.js";
import type { Stages } from "../stages/stages.js";
import { productSteps, withNeededResults } from "./product-steps.js";
import { Reader } from "./reading.js";

/** Pointers that a launch takes at most, of the 512 that CUDA allows. */
const POINTERS = 400;
/** Sums that one pass over memory adds up at most: each takes registers and shared memory. */
const SUMS_TOGETHER = 8;

interface Scheduled {
  readonly steps: readonly Step[];
  /** Buffers for parts of divided sums, with their sizes. */
  readonly partial: ReadonlyMap<number, number>;
}

/** The steps of a graph: stage by stage one launch for all that is elementwise or a sum, then the products. */
export function schedule(
  graph: Graph,
  placements: Placements,
  stored: ReadonlySet<Node>,
  stages: Stages,
  epilogues: Epilogues,
): Scheduled {
  const partial = new Map<number, number>();
  const expressions = new Expressions();
  const reader = new Reader(expressions, placements, (node) => stages.ready(node));
  const jobs = new Map<number, Job[]>();
  const fused = fusedInto(epilogues);

  const { reductions, attached } = reductionsOf(graph, stored, stages, fused);
  const rearranged = rearrangements(graph, stored, stages, attached);
  /** Stores an element, and again wherever copies in another order have it. */
  const storesAt = (node: Node, at: readonly Index[], stage: number): Store[] => {
    const value = reader.definition(node, at, stage);
    const copies = [...rearranged].filter(([, source]) => source === node).map(([copy]) => copy);
    return [
      { ...placeIn(placements.of(node), at), value },
      ...copies.map((copy) => ({ ...placeIn(placements.of(copy), forwards(copy, node, at)), value })),
    ];
  };
  for (const { stage, nodes, stores } of reductions) {
    const [{ operands }] = nodes;
    const [x] = operands;
    const { axes } = nodes[0].operation as { axes: readonly number[] };
    const layout = reductionLayout(x, axes);
    const output = variable("o", layout.outputs);
    const chunk = variable("c", layout.chunks);
    const at = summedCoordinates(x, axes, output, variable("r", layout.length));
    const result = at.map((index, axis) => (axes.includes(axis) ? ZERO : index));
    const whole: Store[] = nodes.map((node) => ({
      ...placeIn(placements.of(node), result),
      value: reader.value(node.operands[0], at, stage),
    }));
    const along = stores.flatMap((node) => storesAt(node, reshapedFrom(x, at, node), stage));
    if (layout.chunks === 1) {
      append(jobs, stage, { kind: "reduce", layout, sums: whole, stores: along });
      continue;
    }
    const places = nodes.map((_, i) => ({
      buffer: graph.nodes.length + partial.size + i,
      index: dot(0, [layout.outputs, 1], [chunk, output]),
    }));
    const sums = whole.map(({ value }, i) => ({ ...places[i], value }));
    append(jobs, stage, { kind: "reduce", layout, sums, stores: along });
    const last = finalLayout(layout);
    const parts = dot(0, [layout.outputs, 1], [variable("r", last.length), output]);
    const finals = whole.map((store, i) => ({
      ...store,
      value: expressions.load({ buffer: places[i].buffer, index: parts }, []),
    }));
    append(jobs, stage + 1, { kind: "reduce", layout: last, sums: finals, stores: [] });
    for (const { buffer } of places) partial.set(buffer, layout.chunks * layout.outputs);
  }

  for (const node of graph.nodes) {
    const stage = stages.at(node);
    const isWritten = attached.has(node) || rearranged.has(node) || fused.has(node);
    if (!stored.has(node) || isWritten) continue;
    const parts =
      node.operation.name === "concat"
        ? partsOf(node).filter((_, i) => !placements.isPlaced(node, i))
        : [{ part: node, coordinates: (at: readonly Index[]) => at }];
    for (const { part, coordinates } of parts) {
      const size = elements(part.shape);
      const at = coordinatesOf(variable("i", size), part.shape);
      const stageOfPart = part === node ? stage : stages.usable(part);
      const stores =
        part === node
          ? storesAt(node, at, stage)
          : [
              {
                ...placeIn(placements.of(node), coordinates(at)),
                value: reader.value(part, at, stageOfPart),
              },
            ];
      append(jobs, stageOfPart, { kind: "map", size, stores });
    }
  }

  const products = productSteps(graph, placements, stored, stages, epilogues, expressions);
  const last = [...jobs.keys(), ...products.map(({ stage }) => stage)].reduce((a, b) => Math.max(a, b), -1);
  const steps = Array.from({ length: last + 1 }, (_, stage): Step[] => [
    ...launches(mergedMaps(jobs.get(stage) ?? []), stage),
    ...products.filter((product) => product.stage === stage),
  ]).flat();
  return { steps: withNeededResults(steps, graph, placements), partial };
}

interface Reduction {
  readonly stage: number;
  /** Sums over the same axes of tensors of the same shape, added up in one pass. */
  readonly nodes: Node[];
  /** Stored nodes that are computed on the way. */
  readonly stores: Node[];
}

/** Which sums share a pass over memory, and which stored nodes are written in that pass. */
function reductionsOf(
  graph: Graph,
  stored: ReadonlySet<Node>,
  stages: Stages,
  fused: ReadonlyMap<Node, Node>,
) {
  const groups = new Map<string, Reduction[]>();
  const attached = new Set<Node>();
  for (const node of graph.nodes) {
    if (node.operation.name !== "sum" || fused.has(node)) continue;
    const [x] = node.operands;
    const stage = stages.at(node);
    const key = `${stage} ${x.shape} over ${node.operation.axes}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    let reduction = group.find(
      ({ nodes }) => nodes.length < SUMS_TOGETHER && related(nodes[0].operands[0], x, stage, stages),
    );
    if (!reduction) {
      reduction = { stage, nodes: [], stores: [] };
      group.push(reduction);
    }
    reduction.nodes.push(node);
    const source = behindReshapes(x);
    const computed = stored.has(source) && stages.at(source) === stage && source.operation.name !== "concat";
    if (computed && !attached.has(source)) {
      attached.add(source);
      reduction.stores.push(source);
    }
  }
  const reductions = [...groups.values()].flat();
  for (const node of graph.nodes) {
    const isOpen = stored.has(node) && !attached.has(node) && !fused.has(node);
    if (!isOpen || isAlias(node) || node.operation.name === "concat") continue;
    const reduction = reductions.find(
      ({ stage, nodes: [{ operands }] }) =>
        stage === stages.at(node) &&
        sameShape(operands[0].shape, node.shape) &&
        related(operands[0], node, stage, stages),
    );
    if (!reduction) continue;
    attached.add(node);
    reduction.stores.push(node);
  }
  return { reductions, attached };
}

/** Whether a stage computes two results from a large tensor that they have in common. */
function related(a: Node, b: Node, stage: number, stages: Stages): boolean {
  const ofA = readFor(a, stage, stages);
  const least = elements(a.shape) / 2;
  return [...readFor(b, stage, stages)].some((node) => ofA.has(node) && elements(node.shape) >= least);
}

/** A node, all that it is computed from on the spot, and what that reads from memory. */
function readFor(node: Node, stage: number, stages: Stages): Set<Node> {
  const found = new Set<Node>();
  const visit = (x: Node) => {
    if (found.has(x)) return;
    found.add(x);
    if (stages.ready(x) > stage) x.operands.forEach(visit);
  };
  visit(node);
  return found;
}

/** Coordinates in x of number `r` that goes into sum `o`. */
function summedCoordinates(x: Node, axes: readonly number[], o: Index, r: Index): Index[] {
  const kept = [...x.shape.keys()].filter((axis) => !axes.includes(axis));
  const ofKept = coordinatesOf(
    o,
    kept.map((axis) => x.shape[axis]),
  );
  const ofSummed = coordinatesOf(
    r,
    axes.map((axis) => x.shape[axis]),
  );
  return [...x.shape.keys()].map((axis) =>
    axes.includes(axis) ? ofSummed[axes.indexOf(axis)] : ofKept[kept.indexOf(axis)],
  );
}

/** Coordinates in a node of the element that x, a reshaped form of it, has at these. */
function reshapedFrom(x: Node, at: readonly Index[], node: Node): readonly Index[] {
  return x === node ? at : coordinatesOf(dot(0, stridesOf(x.shape), at), node.shape);
}

/**
 * Stored aliases that have each element of a stored node once, with that node: the same kernel writes both. Those that
 * are written on the way to a sum are left out.
 */
function rearrangements(
  graph: Graph,
  stored: ReadonlySet<Node>,
  stages: Stages,
  attached: ReadonlySet<Node>,
): Map<Node, Node> {
  const found = new Map<Node, Node>();
  for (const node of graph.nodes) {
    if (!stored.has(node) || !isAlias(node) || attached.has(node)) continue;
    let source = node;
    while (source.operation.name === "reshape" || source.operation.name === "transpose")
      [source] = source.operands;
    const computed = stored.has(source) && !isAlias(source) && source.operation.name !== "concat";
    if (computed && stages.at(source) === stages.at(node)) found.set(node, source);
  }
  return found;
}

/** Coordinates in a rearrangement of what its source has at these. */
function forwards(node: Node, source: Node, at: readonly Index[]): readonly Index[] {
  return node === source ? at : onward(node, forwards(node.operands[0], source, at));
}

/** Elementwise jobs over the same number of elements that read a large tensor in common become one. */
function mergedMaps(jobs: readonly Job[]): Job[] {
  const merged: { job: MapJob; parts: Set<number> }[] = [];
  const others: ReduceJob[] = [];
  for (const job of jobs) {
    if (job.kind === "reduce") {
      others.push(job);
      continue;
    }
    const parts = new Set(
      loadsOf(job.stores)
        .filter(({ index }) => 2 * reach(index) >= job.size)
        .map(({ id }) => id),
    );
    const known = merged.find(
      (other) => other.job.size === job.size && [...parts].some((id) => other.parts.has(id)),
    );
    if (!known) merged.push({ job, parts });
    else {
      known.job = { ...known.job, stores: [...known.job.stores, ...job.stores] };
      for (const id of parts) known.parts.add(id);
    }
  }
  return [...others, ...merged.map(({ job }) => job)];
}

/** Jobs side by side in as few launches as their pointers allow. */
function launches(jobs: readonly Job[], stage: number): Step[] {
  const result: Job[][] = [];
  let pointers = Infinity;
  for (const job of jobs) {
    const own = pointersOf(job);
    if (pointers + own > POINTERS) {
      result.push([]);
      pointers = 0;
    }
    result.at(-1)!.push(job);
    pointers += own;
  }
  return result.map((together) => ({ kind: "launch", stage, jobs: together }));
}

function pointersOf(job: Job): number {
  const stores = storesOf(job);
  return new Set([...stores, ...loadsOf(stores)].map(({ buffer }) => buffer)).size;
}

function append<V>(lists: Map<number, V[]>, key: number, value: V): void {
  const list = lists.get(key) ?? [];
  list.push(value);
  lists.set(key, list);
}
