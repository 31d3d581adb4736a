import type { Load } from "../plan/expressions/expression.js";
import { dependsOn, dot, variable } from "../plan/expressions/index-algebra.js";
import { BLOCK } from "../plan/layout/reductions.js";
import { loadsOf } from "../plan/plan.js";
import { type Fours, inFours, type Neighbours } from "./vectorize.js";

/** Fours of a map that blocks take in turns: `width` of them in each, one a thread. */
export interface Turns {
  readonly width: number;
  readonly blocks: number;
  /** By `block`, the turn, which is called `part`, and the thread. */
  readonly fours: Fours;
}

export const TURNS = 8;
/** Blocks that a GPU should have at least, to be kept busy. */
const ENOUGH = 256;

/**
 * Fours of a map in turns, if threads keep to their places in lines then and most of what they read stays the same: a layer
 * of few inputs would wait for its weights, which it reads for each of its results, longer than for memory.
 */
export function inTurns(map: Neighbours, plain: Fours): Turns | undefined {
  const count = map.extent / 4;
  for (const line of linesOf(plain)) {
    const width = BLOCK - (BLOCK % line);
    const blocks = count / (TURNS * width);
    if (blocks < ENOUGH || !Number.isInteger(blocks)) continue;
    const counters = [variable("block", blocks), variable("part", TURNS), variable("threadIdx.x", width)];
    const fours = inFours({ ...map, four: dot(0, [TURNS * width, width, 1], counters) });
    if (fours && mostStays(fours)) return { width, blocks, fours };
  }
  return undefined;
}

/** Lengths of lines, in fours, along which the same is read again and again. */
function linesOf(fours: Fours): Set<number> {
  const atoms = readsOf(fours).flatMap(({ index }) => index.terms.map(({ atom }) => atom));
  return new Set(atoms.flatMap((atom) => (atom.kind === "remainder" && atom.by <= BLOCK ? [atom.by] : [])));
}

function mostStays(fours: Fours): boolean {
  const reads = readsOf(fours);
  return 2 * reads.filter(({ index }) => !dependsOn(index, "part")).length > reads.length;
}

/** What a thread reads of its four, one or four numbers at a time. */
function readsOf({ elements, together }: Fours): Load[] {
  const loads = loadsOf(elements.flatMap(({ stores }) => stores));
  return [...new Set(loads.map((load) => together.get(load)?.first ?? load))];
}
