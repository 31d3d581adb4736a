import { vectorLength } from "../../plan/expressions/vector-length.js";
import type { Matrix, Product } from "../../plan/layout/products.js";
import type { ResultText } from "../element-text.js";
import { placesTogether } from "../patches-text.js";
import { leaving, TILE } from "../tensor-cores.js";

/** How many parts of both factors are in shared memory or on their way; of large ones that are deep one less will do. */
const STAGES = 4;
/** Numbers from which on a part is large. */
const LARGE = 2048;
/** Numbers along the inner axis of a deep part; others have half as many. */
const DEEP = 32;

/** What a block computes: tiles of rows and columns, of all its warps and of each of them. */
export interface LongKTiles {
  readonly warpRows: number;
  readonly warpColumns: number;
  readonly high: number;
  readonly wide: number;
  /** Numbers of the inner axis that are in shared memory at a time. */
  readonly depth: number;
  /** Teams of warps with the same tiles: each takes its share of the steps along the inner axis. */
  readonly teams: number;
}

/** A factor on its way to shared memory. */
export interface Side {
  readonly name: "a" | "b";
  readonly matrix: Matrix;
  /** Whether numbers that follow each other along the inner axis are neighbours; otherwise those across it are. */
  readonly alongInner: boolean;
  /** Numbers of the inner axis that are copied at a time. */
  readonly depth: number;
  /** Rows of A, or columns of B, of a block and in all. */
  readonly length: number;
  readonly limit: number;
  /** Numbers between two lines in shared memory, and in all. */
  readonly stride: number;
  readonly size: number;
  /** Where its numbers begin in a part of both. */
  readonly start: number;
  /** Whether a line of ones follows the last one: products with them are the other factor's sums. */
  readonly hasOnes: boolean;
}

/** Both factors, the numbers that a part of both takes, and how many parts there are at a time. */
export function sidesOf(
  { rows, columns, a, b }: Product,
  { warpRows, warpColumns, high, wide, depth }: LongKTiles,
  [ofRows, ofColumns]: ResultText["sums"] = [undefined, undefined],
) {
  const left = sideOf("a", a, !a.transposed, depth, warpRows * high * TILE.rows, rows);
  const right = sideOf("b", b, b.transposed, depth, warpColumns * wide * TILE.columns, columns);
  const size = left.size + right.size;
  return {
    left: { ...left, hasOnes: ofColumns !== undefined && hasRoom(left) },
    right: { ...right, start: left.size, hasOnes: ofRows !== undefined && hasRoom(right) },
    size,
    stages: size >= LARGE && depth === DEEP ? STAGES - 1 : STAGES,
  };
}

function sideOf(
  name: "a" | "b",
  matrix: Matrix,
  alongInner: boolean,
  depth: number,
  length: number,
  limit: number,
): Side {
  // No two threads read from the same bank: across the inner axis by lines that are longer than what they hold.
  const stride = alongInner ? depth : leaving(4, 16, length);
  const size = stride * (alongInner ? length : depth);
  return { name, matrix, alongInner, depth, length, limit, stride, size, start: 0, hasOnes: false };
}

/** Whether a line can follow a factor's last one without being part of what is copied with it. */
function hasRoom({ matrix, alongInner, length, limit }: Side): boolean {
  return limit % length !== 0 && (alongInner || limit % copiedAtOnce(matrix) === 0);
}

/** Numbers of a factor that are copied with one instruction. */
export function copiedAtOnce({
  offset,
  rowStride,
  batchStride,
  groupStride = 0,
  patches,
}: Matrix): 1 | 2 | 4 {
  return patches
    ? placesTogether(patches, offset, batchStride, groupStride)
    : vectorLength(offset, rowStride, batchStride, groupStride);
}

/**
 * Where a number is in shared memory, in CUDA C. Along the inner axis, eights of numbers change places from line to line,
 * so that no two threads read from the same bank; `alike` is a line that is the same but for a multiple of four.
 */
export function placeOf(
  { alongInner, depth, stride }: Side,
  line: string,
  number: string,
  alike = line,
): string {
  if (!alongInner) return `${line} * ${stride}u + ${number}`;
  return `${line} * ${stride}u + (${number} ^ ${depth === DEEP ? `${alike} % 4u` : `${alike} / 2u % 2u`} * 8u)`;
}

/**
 * Where a thread copies `number` of the lines `down`, which are `abreast` apart from turn to turn: the places are, too,
 * where eights lie alike in all of them.
 */
export function placeInTurn(side: Side, first: string, number: string, abreast: number): string {
  const { alongInner, stride } = side;
  return alongInner && abreast % 4 !== 0
    ? placeOf(side, "down", number)
    : `(${placeOf(side, first, number)}) + turn * ${abreast * stride}u`;
}

/** The numbers of two rows of A, 8 apart, for the inner axis at k and k + 1. */
export function fourOf(side: Side): string {
  const { alongInner, stride } = side;
  return alongInner
    ? `const float* at = left + ${placeOf(side, "(rowOf + 16 * i)", "k", "group")};
      const float2 p = *(const float2*)at, q = *(const float2*)(at + ${8 * stride});
      const float x[4] = {p.x, q.x, p.y, q.y};`
    : `const float* at = left + k * ${stride}u + rowOf + 16 * i;
      const float x[4] = {at[0], at[8], at[${stride}], at[${stride + 8}]};`;
}

/** The numbers of a column of B for the inner axis at k and k + 1. */
export function twoOf(side: Side): string {
  const { alongInner, stride } = side;
  return alongInner
    ? `const float2 p = *(const float2*)(right + ${placeOf(side, "(columnOf + 8 * j)", "k", "group")});
      const float y[2] = {p.x, p.y};`
    : `const float* at = right + k * ${stride}u + columnOf + 8 * j;
      const float y[2] = {at[0], at[${stride}]};`;
}
