import { vectorLength } from "../../plan/expressions/vector-length.js";
import type { AddedProduct, Matrix } from "../../plan/layout/products.js";
import type { TransformedLayer } from "../../plan/plan.js";
import { HOPPER, type Multiprocessors } from "../kernel-body.js";
import { LONGEST_SUM, leaving, TILE } from "../tensor-cores.js";

/** Rows, which are points along a line, and columns of it that a warp has at a time. */
export const SIDE = 32;
/** Numbers of such a square. */
export const SQUARE = SIDE * SIDE;
/** Tiles of a square: its columns, which are rows of what tensor cores compute, and its rows. */
export const HIGH = SIDE / TILE.rows;
export const TILES = SIDE / TILE.columns;
/** Steps of tensor cores along a side, and fours of a row. */
export const STEPS = SIDE / TILE.inner;
export const FOURS = SIDE / 4;
/** Warps of a block, of which a multiprocessor has one: as many as have the registers that they need, or fewer. */
const WARPS = [12, 8] as const;
/** Matrices of weights that a block has: its strips lie one behind the other, and are of two at most. */
export const MATRICES = 2;

export type TransformedSizes = NonNullable<ReturnType<typeof transformedSizes>>;

/** How a layer is divided, with so many numbers fetched for each of its elements; undefined if there is no room. */
export function transformedSizes(
  { layer, transform }: TransformedLayer,
  reads: number,
  { processors, blockShared }: Multiprocessors,
) {
  const { rows, columns, inner, batch, group = batch, added } = layer;
  /** Steps along the inner axis of the transform back, and tiles of what the transform makes of a line. */
  const steps = Math.ceil(inner / TILE.inner);
  const tiles = Math.ceil(transform.rows / TILE.columns);
  /** Pairs of rows of the right factors in shared memory, such that no two threads read from the same bank. */
  const backWidth = leaving(2, 8, rows);
  const forthWidth = leaving(2, 8, tiles * TILE.columns);
  /** Where in shared memory, in fours of numbers, the transform, weights and the warps' squares begin. */
  const forth = (TILE.inner / 2) * steps * backWidth;
  const weights = forth + (rows / 2) * forthWidth;
  const squares = weights + (added ? (MATRICES * SQUARE) / 2 : 0);
  /** Squares that a warp has: two for inputs, if there are any, or one, and those for what is fetched. */
  const ahead = added ? 2 : 1;
  const own = (ahead + reads) * SQUARE;
  const warps = WARPS.find((count) => 16 * squares + 4 * own * count <= blockShared);
  if (!warps) return undefined;
  /** Strips of 32 columns of a line, those of all lines with the same weights, all, and those of a block. */
  const across = columns / SIDE;
  const alike = (added ? group : batch) * across;
  const strips = batch * across;
  const rounds = Math.ceil(strips / alike / processors);
  const ofBlock = Math.ceil(strips / (rounds * processors));
  return {
    steps,
    tiles,
    backWidth,
    forthWidth,
    forth,
    weights,
    squares,
    ahead,
    own,
    warps,
    across,
    alike,
    strips,
    ofBlock,
    end: 16 * squares + 4 * own * warps,
  };
}

/** Whether there is a kernel for a layer and its transform, and enough to do for a GPU. */
export function hasTransformedKernel(one: TransformedLayer, gpu: Multiprocessors = HOPPER): boolean {
  const { layer, transform } = one;
  const { rows, columns, inner, a, b } = layer;
  const isWhole = rows % SIDE === 0 && columns % SIDE === 0;
  if (!isWhole || inner > SIDE || transform.rows > SIDE || rows > LONGEST_SUM) return false;
  const isFixed = ({ batchStride, groupStride = 0 }: Matrix) => batchStride === 0 && groupStride === 0;
  if (!isFixed(a) || !isFixed(transform.a) || (layer.added && !suitsAdded(layer.added))) return false;
  if ([a, b, transform.a, transform.b].some(({ patches }) => patches)) return false;
  const sizes = transformedSizes(one, 0, gpu);
  return sizes !== undefined && sizes.strips >= gpu.processors * sizes.warps;
}

/** Whether a layer at each point has 32 channels, the same weights all along lines, and inputs that are read in fours. */
function suitsAdded({ inner, columns, a: x, b: weights }: AddedProduct): boolean {
  const { offset, rowStride, batchStride, groupStride = 0 } = x;
  return (
    inner === SIDE &&
    columns === SIDE &&
    weights.batchStride === 0 &&
    !x.transposed &&
    !x.patches &&
    !weights.patches &&
    vectorLength(offset, rowStride, batchStride, groupStride) === 4
  );
}
