import type { Product } from "../../plan/layout/products.js";
import { LONGEST_SUM } from "../tensor-cores.js";
import { type LongKTiles, sidesOf } from "./sides.js";
import { tableSizes } from "./tables.js";

/** Where in a block's shared memory, counted in numbers, what begins; parts of the factors come first. */
export interface LongKMemory {
  /** What each thread's long sums have come to so far. */
  readonly kept: number;
  /** Where patches lie. */
  readonly tables: number;
  readonly end: number;
}

export function longKMemory(product: Product, tiles: LongKTiles): LongKMemory {
  const { left, right, size, stages } = sidesOf(product, tiles);
  const { warpRows, warpColumns, high, wide, teams } = tiles;
  const threads = 32 * warpRows * warpColumns;
  // When all parts are multiplied, the first team takes over the others' sums where these were.
  const kept = Math.max(stages * size, (teams - 1) * threads * handedOver(tiles));
  const tables = kept + (hasLongSums(product, tiles) ? teams * threads * 4 * high * wide : 0);
  const patches = [left, right].flatMap((side) => tableSizes(product, side)).reduce((a, b) => a + b, 0);
  return { kept, tables, end: tables + 2 * patches };
}

/** Bytes of shared memory of a block. */
export function sharedBytesOf(product: Product, tiles: LongKTiles): number {
  return 4 * longKMemory(product, tiles).end;
}

/** Whether a thread's sums are too long for tensor cores, which do not round. */
export function hasLongSums({ inner }: Product, { teams }: LongKTiles): boolean {
  return inner > LONGEST_SUM * teams;
}

/** Sums that a thread hands over at most: those of its tiles, and of rows and columns of the factors. */
export function handedOver({ high, wide }: LongKTiles): number {
  return 4 * high * wide + 2 * high + wide;
}
