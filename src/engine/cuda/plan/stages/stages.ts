import { elements } from "../../../../numerics/shape.js";
import {
  type Graph,
  isAlias,
  isAnchor,
  isElementwise,
  isGiven,
  type Node,
  sourceOf,
} from "../graph/graph.js";
import { behindReshapes, type Placements } from "../layout/buffer-placement.js";
import { reductionLayout } from "../layout/reductions.js";
import { type Epilogues, fusedInto } from "./epilogues.js";

/** Elements from which on, and times larger than its operand, a result reads the operand instead of repeating its work. */
const MANY = 2 ** 18;
const TIMES = 8;

/**
 * When each node is computed. A stage reads only what earlier ones wrote; all kernels of a stage are one launch.
 * Elementwise results are computed at the first stage at which all that they are made of is there, whether they are
 * stored or computed again within a kernel; a sum or a product ends a stage.
 */
export interface Stages {
  /** The stage of a node's kernel. */
  readonly at: (node: Node) => number;
  /** The first stage that can compute with it, whether it reads it or computes it again. */
  readonly usable: (node: Node) => number;
  /** The first stage that can read it from memory; infinite if it is not stored. */
  readonly ready: (node: Node) => number;
  /** The first stage at which a node can take its i-th operand, from memory where it should be read. */
  readonly taken: (node: Node, i: number) => number;
}

export interface StageOptions {
  /** What is computed within products, and ready with them. All that it is made of comes before in the graph. */
  readonly epilogues?: Epilogues;
  readonly notBefore?: ReadonlyMap<Node, number>;
}

export function stagesOf(
  { nodes }: Graph,
  stored: ReadonlySet<Node>,
  placements: Placements,
  { epilogues = new Map(), notBefore = new Map() }: StageOptions = {},
): Stages {
  const fused = fusedInto(epilogues);
  const at = new Map<Node, number>();
  const ready = new Map<Node, number>();
  const usable = (node: Node): number =>
    isAnchor(node) || isGiven(node) || fused.has(node) ? ready.get(node)! : at.get(node)!;
  /** The first stage that can read a node, or what it is an alias or consists of patches of. */
  const readable = (node: Node): number =>
    (isAlias(node) || node.operation.name === "patches") && !stored.has(node)
      ? readable(node.operands[0])
      : ready.get(node)!;
  const taken = (node: Node, i: number): number => {
    const x = node.operands[i];
    const isRead = mustBeRead(node, i) || (isMuchLarger(node, x) && stored.has(sourceOf(x)));
    return isRead ? readable(x) : usable(x);
  };
  for (const node of nodes) {
    const product = fused.get(node);
    if (product) {
      at.set(node, at.get(product)!);
      ready.set(node, at.get(product)! + 1);
      continue;
    }
    const needs = epilogues.get(node)?.needs ?? [];
    const stage = latest([
      notBefore.get(node) ?? 0,
      ...node.operands.map((_, i) => taken(node, i)),
      ...needs.map((need) => taken(need.node, need.operand)),
    ]);
    at.set(node, stage);
    ready.set(node, isGiven(node) ? 0 : Infinity);
    if (node.operation.name === "sum") {
      const { chunks } = reductionLayout(node.operands[0], node.operation.axes);
      ready.set(node, stage + (chunks > 1 ? 2 : 1));
    } else if (node.operation.name === "matmul" || (stored.has(node) && node.operation.name !== "concat"))
      ready.set(node, stage + 1);
    else if (stored.has(node))
      ready.set(
        node,
        latest(
          node.operands.map((part, i) =>
            placements.isPlaced(node, i) ? ready.get(behindReshapes(part))! : usable(part) + 1,
          ),
        ),
      );
  }
  return { at: (node) => at.get(node)!, usable, ready: (node) => ready.get(node)!, taken };
}

/**
 * Whether an operand is taken from memory and not computed on the spot; patches of samples are read where these lie, and
 * columns of short sums, which are elementwise, computed where they overlap.
 */
export function mustBeRead({ operation: { name }, operands }: Node, operand: number): boolean {
  if (name === "patches") return sourceOf(operands[0]).operation.name !== "gather";
  if (name === "overlap") return !isElementwise(sourceOf(operands[0]).operation.name);
  return name === "matmul" || (name === "gather" && operand === 0);
}

/** Whether computing an operand for each of a node's elements would be most of the work. */
export function isMuchLarger(node: Node, x: Node): boolean {
  const size = elements(node.shape);
  const least = (operand: Node): number =>
    Math.min(elements(operand.shape), isAlias(operand) ? least(operand.operands[0]) : Infinity);
  return !isAlias(node) && size >= MANY && size >= TIMES * least(x);
}

function latest(stages: readonly number[]): number {
  return stages.reduce((a, b) => Math.max(a, b), 0);
}
