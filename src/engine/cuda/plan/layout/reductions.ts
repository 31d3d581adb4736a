import { elements } from "../../../../numerics/shape.js";
import type { Node } from "../graph/graph.js";

/** Threads of every block. */
export const BLOCK = 256;
/** Blocks that keep a GPU's memory busy: eight on each of 132 multiprocessors. */
const BLOCKS = 1024;
/** Numbers that a thread adds up at least before a sum is divided among more blocks. */
const LEAST = 8;
/** How many times as many a sum has that is worth dividing until the last blocks leave few idle. */
const LONG = 64;

/** Numbers up to which a thread adds them up alone, and sums from which on there are threads enough for that. */
const SHORT = 16;
const MANY = 2 ** 13;
/** Threads that share a sum across memory. */
const ACROSS = 8;
/** Those that share one of many short sums along memory: each then reads several numbers before it adds them up. */
const ALONG = { threads: 8, length: 256, outputs: 2 ** 16 } as const;

/** How a sum is divided among threads. */
export interface ReductionLayout {
  /** Numbers that come out. */
  readonly outputs: number;
  /** Numbers that go into each. */
  readonly length: number;
  /** Threads that share a sum; a block computes 256 / threads of them. */
  readonly threads: number;
  /** Whether neighbouring threads add up one sum, because its numbers are neighbours in memory, or neighbouring sums. */
  readonly along: boolean;
  /** Parts of each sum, which blocks of their own add up; they are summed in turn by another kernel. */
  readonly chunks: number;
  /** Numbers of each part but the last, which may have fewer. */
  readonly part: number;
}

export function reductionLayout(x: Node, axes: readonly number[]): ReductionLayout {
  const length = elements(axes.map((axis) => x.shape[axis]));
  const outputs = elements(x.shape) / length;
  const last = x.shape.reduce((found, extent, axis) => (extent > 1 ? axis : found), -1);
  const along = axes.includes(last);
  const threads = threadsOf(outputs, length, along);
  const blocks = Math.ceil(outputs / (BLOCK / threads));
  const most = Math.floor(length / (LEAST * threads));
  const [fewest, enough] = most < LONG ? [BLOCKS / 4, BLOCKS] : [2 * BLOCKS, 2 * BLOCKS];
  const divided = blocks < fewest && most > 1 && threads > 1;
  const even = divided ? LEAST * threads : 1;
  const wanted = length / (divided ? Math.min(most, Math.ceil(enough / blocks)) : 1);
  const part = Math.ceil(wanted / even) * even;
  const chunks = Math.ceil(length / part);
  return { outputs, length, threads, along, chunks, part };
}

/** The sum of the parts of each sum, which lie [chunks, outputs]. */
export function finalLayout({ outputs, chunks }: ReductionLayout): ReductionLayout {
  return {
    outputs,
    length: chunks,
    threads: threadsOf(outputs, chunks, false),
    along: false,
    chunks: 1,
    part: chunks,
  };
}

function threadsOf(outputs: number, length: number, along: boolean): number {
  const shortest = outputs < MANY && !along ? ACROSS : SHORT + 1;
  if (length < shortest) return 1;
  if (!along) return ACROSS;
  if (length <= ALONG.length && outputs >= ALONG.outputs) return ALONG.threads;
  return length <= 1024 ? 32 : BLOCK;
}
