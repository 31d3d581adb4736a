import { vectorLength } from "../../plan/expressions/vector-length.js";
import type { BackwardLayer } from "../../plan/plan.js";
import { HOPPER, type Multiprocessors } from "../kernel-body.js";
import { leaving, TILE } from "../tensor-cores.js";

/** Rows that a block takes at a time. */
export const STRIP = 64;
/** Tiles of rows of a strip, which as many warps, or twice as many, share. */
const TILES_DOWN = STRIP / TILE.rows;
/** Inner numbers of a layer for which a warp has room in registers, for its weights and for sums of theirs. */
const MOST_INNER = 32;
const MOST_COLUMNS = 128;
/** Blocks that a multiprocessor has room for. */
export const RESIDENT = 2;

export type BackwardSizes = ReturnType<typeof backwardSizes>;

export function backwardSizes({ layer, inputs, weights }: BackwardLayer) {
  const warps = layer.columns / TILE.rows;
  const threads = 32 * warps;
  /** Steps along the inner axis of the layer, which are tiles of its weights' derivative as well. */
  const steps = layer.inner / TILE.inner;
  /** Tiles of columns that a warp has of the inputs' derivative, and all of a strip's. */
  const across = inputs.columns / TILE.columns;
  const tiles = Math.ceil(across / (warps / TILES_DOWN));
  /** Rows in shared memory, such that no two threads read from the same bank. */
  const inputWidth = leaving(8, 32, layer.inner);
  const derivativeWidth = leaving(8, 32, layer.columns);
  const factorWidth = leaving(2, 8, inputs.columns);
  /** Where in shared memory, in numbers, inputs begin that come and that are there, the derivative, and long sums. */
  const sent = 4 * (layer.columns / 2) * factorWidth;
  const input = sent + STRIP * layer.inner;
  const derivative = input + 2 * STRIP * inputWidth;
  const kept = derivative + STRIP * derivativeWidth;
  const end = kept + 4 * steps * threads;
  return {
    warps,
    threads,
    steps,
    across,
    tiles,
    inputWidth,
    derivativeWidth,
    factorWidth,
    sent,
    input,
    derivative,
    kept,
    end,
    strips: weights.inner / STRIP,
    blocks: weights.batch,
  };
}

/** Whether there is a kernel for a layer's way back, and enough to do for a GPU. */
export function hasBackwardKernel(one: BackwardLayer, gpu: Multiprocessors = HOPPER): boolean {
  const { layer, inputs, weights } = one;
  const { inner, columns, a } = layer;
  const isWhole =
    inner % TILE.inner === 0 &&
    columns % (TILES_DOWN * TILE.rows) === 0 &&
    inputs.columns % TILE.columns === 0 &&
    [weights.inner, ...layer.lines.map(({ length }) => length)].every((rows) => rows % STRIP === 0);
  if (!isWhole || inner > MOST_INNER || columns > MOST_COLUMNS || inputs.columns > MOST_INNER) return false;
  if (vectorLength(a.offset, a.rowStride) < 4) return false;
  const { end, blocks } = backwardSizes(one);
  return blocks >= gpu.processors && 4 * end <= gpu.blockShared && (4 * end + 1024) * RESIDENT <= gpu.shared;
}
