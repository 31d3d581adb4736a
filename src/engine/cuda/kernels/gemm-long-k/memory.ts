import type { Product } from "../../plan/layout/products.js";
import { LONGEST_SUM } from "../tensor-cores.js";
import { type DeepTiles, sidesOf } from "./sides.js";
import { tableSizes } from "./tables.js";

/** Where in a block's shared memory, counted in numbers, what begins; parts of the factors come first. */
export interface DeepMemory {
  /** What each thread's long sums have come to so far. */
  readonly kept: number;
  /** Where patches lie. */
  readonly tables: number;
  readonly end: number;
}

export function deepMemory(product: Product, tiles: DeepTiles): DeepMemory {
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
export function sharedBytesOf(product: Product, tiles: DeepTiles): number {
  return 4 * deepMemory(product, tiles).end;
}

/** Whether a thread's sums are too long for tensor cores, which do not round. */
export function hasLongSums({ inner }: Product, { teams }: DeepTiles): boolean {
  return inner > LONGEST_SUM * teams;
}

/** Sums that a thread hands over at most: those of its tiles, and of rows and columns of the factors. */
export function handedOver({ high, wide }: DeepTiles): number {
  return 4 * high * wide + 2 * high + wide;
}
