import type { Load } from "../plan/expressions/expression.js";
import { dependsOn, dot, variable } from "../plan/expressions/index-algebra.js";
import { BLOCK } from "../plan/layout/reductions.js";
import { loadsOf } from "../plan/plan.js";
import { type Neighbours, type Vectorized, vectorize } from "./vectorize.js";

/** A vectorized map in which each thread takes several vectors, `width` vectors apart, one block's worth at a time. */
export interface BlockStride {
  readonly width: number;
  readonly blocks: number;
  /** Indexed by `block`, by the step within the thread, which is called `part`, and by the thread. */
  readonly vectors: Vectorized;
}

/** Vectors that each thread takes. */
export const STEPS_PER_THREAD = 8;
/** Minimum number of blocks that keeps a GPU busy. */
const ENOUGH = 256;

/**
 * A vectorized map by block strides, if threads then keep their places in lines and most of what they read stays the
 * same. A layer of few inputs would otherwise spend most of its time rereading its weights.
 */
export function withBlockStride(map: Neighbours, plain: Vectorized): BlockStride | undefined {
  const count = map.extent / 4;
  for (const line of linesOf(plain)) {
    const width = BLOCK - (BLOCK % line);
    const blocks = count / (STEPS_PER_THREAD * width);
    if (blocks < ENOUGH || !Number.isInteger(blocks)) continue;
    const counters = [
      variable("block", blocks),
      variable("part", STEPS_PER_THREAD),
      variable("threadIdx.x", width),
    ];
    const vectors = vectorize({ ...map, four: dot(0, [STEPS_PER_THREAD * width, width, 1], counters) });
    if (vectors && mostStays(vectors)) return { width, blocks, vectors };
  }
  return undefined;
}

/** Lengths of lines, in vectors, along which the same is read again and again. */
function linesOf(vectors: Vectorized): Set<number> {
  const atoms = readsOf(vectors).flatMap(({ index }) => index.terms.map(({ atom }) => atom));
  return new Set(atoms.flatMap((atom) => (atom.kind === "remainder" && atom.by <= BLOCK ? [atom.by] : [])));
}

function mostStays(vectors: Vectorized): boolean {
  const reads = readsOf(vectors);
  return 2 * reads.filter(({ index }) => !dependsOn(index, "part")).length > reads.length;
}

/** What a thread reads of its four, one or four numbers at a time. */
function readsOf({ elements, together }: Vectorized): Load[] {
  const loads = loadsOf(elements.flatMap(({ stores }) => stores));
  return [...new Set(loads.map((load) => together.get(load)?.first ?? load))];
}
