import type { Product } from "../../plan/layout/products.js";
import type { Multiprocessors } from "../kernel-body.js";
import { TILE } from "../tensor-cores.js";
import { sharedBytesOf } from "./memory.js";
import type { LongKTiles } from "./sides.js";

/** How a product with a long inner axis is divided, and how many blocks a multiprocessor has room for. */
export interface LongKTiling extends LongKTiles {
  readonly resident: number;
}

const SHORTEST = 128;
/** Blocks that share a matrix at most: the library is better at large results. */
const MOST_BLOCKS = 4;
const MOST_TILES = { rows: 8, columns: 16 } as const;
const MOST_RESIDENT = 8;
/** Warps of a block that has teams at most, and where that leaves a multiprocessor with less than enough of them. */
const TEAMED_WARPS = [4, 8] as const;
/** Warps of a multiprocessor that are enough: deep parts are better than more of them. */
const ENOUGH_WARPS = 12;
/** Registers of a thread that the compiler can do with: for each tile, for each row of them, and for all else. */
const REGISTERS = { tile: 6, row: 8, rest: 40 } as const;

/** The division of a product with few rows and columns and a long inner axis, or undefined if it is not like that. */
export function longKTiling(product: Product, gpu: Multiprocessors): LongKTiling | undefined {
  const { rows, columns, inner, batch } = product;
  const down = Math.ceil(rows / TILE.rows);
  const across = Math.ceil(columns / TILE.columns);
  const blocks = Math.ceil(down / MOST_TILES.rows) * Math.ceil(across / MOST_TILES.columns);
  if (inner < SHORTEST || blocks > MOST_BLOCKS || batch * blocks < gpu.processors) return undefined;
  const rowTiles = Math.ceil(down / Math.ceil(down / MOST_TILES.rows));
  const columnTiles = Math.ceil(across / Math.ceil(across / MOST_TILES.columns));
  // Few warps with many tiles each divide few numbers twice; fewer than four would leave most of the time unused.
  const high = rowTiles === 4 || rowTiles === 8 ? 2 : 1;
  const warpRows = Math.ceil(rowTiles / high);
  const warpColumns = warpRows <= 2 && columnTiles > 1 ? 2 : 1;
  const tiles = { warpRows, warpColumns, high, wide: Math.ceil(columnTiles / warpColumns) };
  const [deep, other] = [32, 16].map((depth) => inTeams(product, { ...tiles, depth }, gpu));
  if (!deep || !other) return other;
  // Threads wait for each other less often where parts are deep, but these take the room of other blocks.
  const wanted = Math.min(other.resident, Math.ceil((batch * blocks) / gpu.processors));
  const isEnough = deep.resident >= wanted || residentWarps(deep) >= ENOUGH_WARPS;
  return isEnough ? deep : other;
}

/** Warps of a block. */
export function warpsOf({ warpRows, warpColumns, teams }: LongKTiles): number {
  return warpRows * warpColumns * teams;
}

/** Warps of a multiprocessor. */
function residentWarps(tiling: LongKTiling): number {
  return tiling.resident * warpsOf(tiling);
}

/** With teams where blocks have few warps, or undefined if there is not enough shared memory. */
function inTeams(
  product: Product,
  tiles: Omit<LongKTiles, "teams">,
  gpu: Multiprocessors,
): LongKTiling | undefined {
  const [usual, large] = TEAMED_WARPS.map((most) => withMostWarps(product, tiles, most, gpu));
  return usual && residentWarps(usual) >= ENOUGH_WARPS ? usual : large;
}

/** In as many teams as make the most warps of a multiprocessor, with up to `blockWarps` in a block. */
function withMostWarps(
  product: Product,
  tiles: Omit<LongKTiles, "teams">,
  blockWarps: number,
  { shared, blockShared }: Multiprocessors,
): LongKTiling | undefined {
  const steps = tiles.depth / TILE.inner;
  const tilings = [1, 2, 4]
    .map((teams) => ({ ...tiles, teams }))
    .filter((tiling) => tiling.teams === 1 || (tiling.teams <= steps && warpsOf(tiling) <= blockWarps))
    .filter((tiling) => sharedBytesOf(product, tiling) <= blockShared)
    .map((tiling) => {
      const byRegisters = Math.floor(mostWarps(tiling) / warpsOf(tiling));
      const byMemory = Math.floor(shared / (sharedBytesOf(product, tiling) + 1024));
      return { ...tiling, resident: Math.max(1, Math.min(MOST_RESIDENT, byRegisters, byMemory)) };
    });
  const most = Math.max(...tilings.map(residentWarps));
  return tilings.find((tiling) => residentWarps(tiling) === most);
}

/** Warps of a multiprocessor, each of whose quarters has 2^14 registers, which threads get by eights. */
function mostWarps({ high, wide }: LongKTiles): number {
  const registers = REGISTERS.tile * high * wide + REGISTERS.row * high + REGISTERS.rest;
  return 4 * Math.floor(2 ** 14 / (32 * 8 * Math.ceil(registers / 8)));
}
