import { type Graph, isAnchor, type Node, type Users, usersOf } from "../graph/graph.js";
import { type Choice, type Epilogue, type Epilogues, fusedInto } from "../stages/epilogues.js";
import type { Stages } from "../stages/stages.js";
import { needsOf } from "./fusable-consumers.js";
import { areAlike, type Fusable } from "./line-sums.js";

/**
 * Epilogues of products that are deferred for them. Of two terms of a sum, for example, the first is computed early
 * although nothing can use it before the second is there. Only products that nothing else waits for are deferred.
 */
export function deferredEpilogues(
  graph: Graph,
  stored: ReadonlySet<Node>,
  fusable: Fusable,
  epilogues: Epilogues,
  stages: Stages,
): Choice | undefined {
  const { consumers, lineSums } = fusable;
  const users = usersOf(graph);
  const fused = fusedInto(epilogues);
  const result = new Map<Node, Epilogue>(epilogues);
  const moved = new Map<Node, number>();
  for (const [product, { stores, sums, lines }] of epilogues) {
    if (stores.length > 0 || sums.length > 0 || lines.length > 0) continue;
    const { group, others, between } = firstTakers(product, stored, fusable, fused, users, stages);
    const needs = group.flatMap((node) =>
      needsOf(lineSums.has(node) ? node.operands[0] : node, product, consumers),
    );
    const lined = group.flatMap((node) => lineSums.get(node) ?? []);
    const waitsFor = (nodes: { has(node: Node): boolean }) =>
      needs.some(({ node, operand }) => nodes.has(node.operands[operand]));
    // No product waits for itself; what another one has just moved is judged the next time.
    if (group.length === 0 || !areAlike(lined) || waitsFor(between) || waitsFor(moved)) continue;
    const stage = needs.reduce(
      (latest, { node, operand }) => Math.max(latest, stages.taken(node, operand)),
      stages.at(product),
    );
    const isEarly = (node: Node) =>
      node.operation.name === "concat" ? stages.ready(node) < stage + 2 : stages.at(node) < stage + 1;
    if (others.some(isEarly)) continue;
    result.set(product, {
      stores: group.flatMap((node) => consumers.get(node)?.get(product) ?? []),
      needs,
      sums,
      lines: lined,
    });
    moved.set(product, stage);
    for (const node of between) moved.set(node, Math.max(stage + 1, stages.at(node)));
  }
  return moved.size > 0 ? { epilogues: result, moved } : undefined;
}

/**
 * The consumers of a product: the fusable ones of the first stage together with their own fusable consumers, all others,
 * and the nodes computed on the way to any of them.
 */
function firstTakers(
  product: Node,
  stored: ReadonlySet<Node>,
  { consumers, lineSums }: Fusable,
  fused: ReadonlyMap<Node, Node>,
  users: Users,
  stages: Stages,
) {
  const takers = new Set<Node>();
  const between = new Set<Node>();
  const explore = (node: Node) => {
    for (const user of users.get(node) ?? [])
      if (stored.has(user) || isAnchor(user)) takers.add(user);
      else if (!between.has(user)) {
        between.add(user);
        explore(user);
      }
  };
  explore(product);
  const first = [...takers].reduce((least, node) => Math.min(least, stages.at(node)), Infinity);
  const group = new Set<Node>();
  // Takers grow while they are gone through.
  for (const node of takers) {
    const isFusable = isAnchor(node)
      ? lineSums.get(node)?.product === product
      : consumers.get(node)?.has(product);
    if (!isFusable || fused.has(node) || stages.at(node) !== first) continue;
    group.add(node);
    if (!isAnchor(node)) explore(node);
  }
  return { group: [...group], others: [...takers].filter((node) => !group.has(node)), between };
}
