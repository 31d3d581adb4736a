import { elements } from "../../../../numerics/shape.js";
import {
  type Graph,
  isAlias,
  isAnchor,
  isElementwise,
  isGiven,
  type Node,
  sourceOf,
  type Users,
  upright,
  usersOf,
} from "../graph/graph.js";
import { behindReshapes, type Placements } from "../layout/buffer-placement.js";
import { unstoredPatches } from "../layout/patch-matrix.js";
import { fits, type Product } from "../layout/products.js";
import { patchesToStore } from "./patches-to-store.js";
import { isMuchLarger, mustBeRead, type Stages, stagesOf } from "./stages.js";

/** Minimum number of inputs for which caching an intermediate of a much larger result pays. */
const SEVERAL = 3;

/**
 * The nodes that are written to memory besides sums and products: operands of products, parts of outputs, and results
 * that cost more to recompute, many times or at several stages, than to keep.
 */
export function materializedNodes(
  graph: Graph,
  placements: Placements,
  isOurs: (product: Product) => boolean,
): ReadonlySet<Node> {
  const stored = new Set<Node>();
  const store = (node: Node) => {
    if (!isAnchor(node) && !isGiven(node)) stored.add(node);
  };
  for (const node of patchesToStore(graph, placements, isOurs)) store(node);
  const patches: ReadonlySet<Node> = new Set(stored);
  for (const node of graph.nodes)
    if (node.operation.name === "matmul")
      node.operands.forEach((operand, side) => {
        const read = unstoredPatches(operand, patches);
        if (read) store(sourceOf(read.operands[0]));
        else store(fits(node, side, placements, isOurs, patches) ? sourceOf(operand) : upright(operand));
      });
    else
      node.operands.forEach((operand, i) => {
        if (mustBeRead(node, i)) store(sourceOf(operand));
      });
  for (const output of graph.outputs.values()) store(sourceOf(output));
  const users = usersOf(graph);
  for (const node of graph.nodes) {
    if (node.operation.name !== "concat" || node.dtype !== "float") continue;
    if (!stored.has(node) && isOnlyCopied(node, users, stored)) continue;
    store(node);
    node.operands.forEach((part, i) => {
      if (placements.isPlaced(node, i)) store(behindReshapes(part));
    });
  }
  for (const node of worthSharing(graph, stored)) stored.add(node);
  for (const node of worthKeeping(graph, stored, stagesOf(graph, stored, placements))) stored.add(node);
  return stored;
}

/** Whether all that is made of a node is one stored copy of its elements in another order. */
function isOnlyCopied(node: Node, users: Users, stored: ReadonlySet<Node>): boolean {
  const found: Node[] = [];
  const visit = (x: Node): void => {
    for (const user of users.get(x) ?? [])
      if (isAlias(user) && !stored.has(user)) visit(user);
      else found.push(user);
  };
  visit(node);
  return found.length === 1 && isAlias(found[0]) && elements(found[0].shape) === elements(node.shape);
}

/** Elementwise results of several tensors that a much larger one would compute for each of its elements. */
function worthSharing({ nodes }: Graph, stored: ReadonlySet<Node>): Node[] {
  const isCandidate = (node: Node) =>
    isElementwise(node.operation.name) && !stored.has(node) && leavesOf(node, stored).size >= SEVERAL;
  return nodes.flatMap((node) =>
    isElementwise(node.operation.name)
      ? node.operands
          .filter((x) => isMuchLarger(node, x))
          .map(sourceOf)
          .filter(isCandidate)
      : [],
  );
}

/** The tensors in memory that a node is computed from. */
function leavesOf(node: Node, stored: ReadonlySet<Node>): Set<Node> {
  const leaves = new Set<Node>();
  const visited = new Set<Node>();
  const visit = (x: Node): void => {
    if (visited.has(x)) return;
    visited.add(x);
    if (isAnchor(x) || isGiven(x) || stored.has(x)) leaves.add(x);
    else x.operands.forEach(visit);
  };
  node.operands.forEach(visit);
  return leaves;
}

/** Elementwise results of two large operands or more, and overlaps of patches, that several stages need. */
function worthKeeping(graph: Graph, stored: ReadonlySet<Node>, stages: Stages): Node[] {
  const uses = stagesOfUse(graph, stored, stages);
  const isCandidate = (node: Node) =>
    !isAlias(node) &&
    !isAnchor(node) &&
    !isGiven(node) &&
    !stored.has(node) &&
    node.dtype === "float" &&
    uses.get(node)!.size > 1 &&
    (node.operation.name === "overlap" || largeReads(node, stages) > 1);
  const candidates = new Set(graph.nodes.filter(isCandidate));
  const users = new Map<Node, Node[]>();
  for (const node of graph.nodes)
    for (const operand of node.operands) {
      const source = sourceOf(operand);
      users.set(source, [...(users.get(source) ?? []), node]);
    }
  /** Whether a node only enters other candidates, with which it is kept; zeros around it change nothing. */
  const entersOthers = (node: Node): boolean =>
    users.get(node)!.every((user) => {
      const isMargin = user.operation.name === "pad" && !stored.has(user);
      return candidates.has(sourceOf(user)) || (isMargin && entersOthers(user));
    });
  return [...candidates].filter((node) => !entersOthers(node));
}

/** The stages whose kernels compute a node, for themselves or on the way to something else. */
function stagesOfUse(graph: Graph, stored: ReadonlySet<Node>, stages: Stages): Map<Node, Set<number>> {
  const uses = new Map(graph.nodes.map((node) => [node, new Set<number>()]));
  const visit = (node: Node, stage: number) => {
    if (isAnchor(node) || isGiven(node) || stages.ready(node) <= stage || uses.get(node)!.has(stage)) return;
    uses.get(node)!.add(stage);
    for (const operand of node.operands) visit(operand, stage);
  };
  for (const node of graph.nodes) {
    if (stored.has(node)) visit(node, stages.at(node));
    if (node.operation.name === "sum") visit(node.operands[0], stages.at(node));
  }
  return uses;
}

/** How many tensors of at least half its size a node is computed from; an overlap takes as long as reading one. */
function largeReads(node: Node, stages: Stages): number {
  const stage = stages.at(node);
  const found = new Set<Node>();
  const visited = new Set<Node>();
  const visit = (x: Node) => {
    if (visited.has(x)) return;
    visited.add(x);
    if (x.operation.name === "overlap" || (!isAlias(x) && stages.ready(x) <= stage)) {
      if (2 * elements(x.shape) >= elements(node.shape)) found.add(x);
    } else x.operands.forEach(visit);
  };
  node.operands.forEach(visit);
  return found.size;
}
