import type { AddedProduct, Product } from "../../plan/layout/products.js";
import type { Multiprocessors } from "../kernel-body.js";
import { LONGEST_SUM, leaving, TILE } from "../tensor-cores.js";
import { isStreamed } from "./left.js";

/** How a product with many rows is divided. */
export interface TallSkinnyTiling {
  /** Warps of a block; each computes a strip of rows at a time. */
  readonly warps: number;
  /** Blocks that share the strips of a matrix. */
  readonly blocks: number;
  /** Blocks that a multiprocessor has room for. */
  readonly resident: number;
  /** Equal parts into which the columns are divided. */
  readonly across: number;
}

/** A product with many rows, and what becomes of its elements. */
export interface TallSkinnyProduct {
  readonly product: Product;
  /**
   * Whether the factors are given in the other order: elements of a column are then neighbours, not those of a row. So
   * it must be where a product is added.
   */
  readonly byColumns: boolean;
  /** Numbers that are read for each element. */
  readonly reads: number;
  /** Rows one behind the other that a block has for itself, if it must. */
  readonly rowsOfBlock?: number;
}

const MOST_COLUMNS = 128;
/** Numbers of the left factor, in steps of 8 along the inner axis, that a thread has in registers for its rows. */
const MOST_STEPS = 16;
/** Columns, in tiles, up to which a warp computes twice as many rows with them. */
const FEW_TILES = 8;
/** With fewer tiles of rows for each multiprocessor there is too little to gain. */
const FEWEST_STRIPS = 8;
/** Share of a multiprocessor's shared memory for several blocks: what is left is cache, through which A comes. */
const MOST_SHARED = 0.75;
/** Warps that keep a multiprocessor busy. */
const ENOUGH_WARPS = 16;
/** Columns, in tiles, whose products are computed in turn, so that none waits for the one before. */
export const IN_TURN = 4;
const REGISTERS = 2 ** 16;

/**
 * The division of a product C = A B with many rows and a small B, or undefined if it has too few rows or B is too
 * large. Strips of rows and blocks are counted in whole numbers: that with the least time lost at the end is taken.
 */
export function tallSkinnyTiling(
  tall: TallSkinnyProduct,
  gpu: Multiprocessors,
): TallSkinnyTiling | undefined {
  const { product } = tall;
  const { rows, columns, inner, batch } = product;
  const across = Math.ceil(columns / mostColumns(tall));
  const matrices = (isShared(product) ? 1 : batch) * across;
  const tileRows = Math.ceil(rows / TILE.rows) * (isShared(product) ? batch : 1);
  if (inner > LONGEST_SUM || tileRows < 2 * FEWEST_STRIPS || !isStreamed(product, isShared(product)))
    return undefined;
  if (tileRows * matrices < FEWEST_STRIPS * gpu.processors) return undefined;
  const { tiles, high, segment, factor, stage, room } = sizesOf(tall, across);
  if (product.added && !canAdd(product.added, high * TILE.rows)) return undefined;
  const strips = Math.ceil(rows / (high * TILE.rows)) * (isShared(product) ? batch : 1);
  // As compilers turn out to need them.
  const registers =
    40 + (2 + 4 * high) * tiles + 3.6 * high * segment + (product.a.patches ? 4 * high + 2 : 0);
  const held = Math.floor(REGISTERS / 32 / registers);
  const fitting = [3, 2, 1].flatMap((resident) => {
    const most = Math.min(resident === 1 ? 12 : 8, Math.floor(held / resident));
    const available = resident === 1 ? gpu.blockShared : MOST_SHARED * gpu.shared;
    const found = Array.from({ length: Math.max(0, most - 3) }, (_, i) => i + 4).filter((warps) => {
      const bytes = factor + (stage + room) * warps;
      // Four warps at a time get their registers.
      const counted = product.a.patches ? 4 * Math.ceil(warps / 4) : warps;
      return counted * resident <= held && bytes <= gpu.blockShared && (bytes + 1024) * resident <= available;
    });
    const counts = tall.rowsOfBlock
      ? [Math.ceil((strips * high * TILE.rows) / tall.rowsOfBlock)]
      : [1, 2, 3].map((waves) => Math.max(1, Math.floor((waves * resident * gpu.processors) / matrices)));
    return found.flatMap((warps) =>
      counts.map((blocks) => {
        const turns = Math.ceil(strips / (blocks * warps));
        const rounds = Math.ceil((blocks * matrices) / (resident * gpu.processors));
        // A block loads B before its first strip, which takes about as long as half a strip.
        const busy = Math.max(ENOUGH_WARPS, warps * resident);
        return { warps, blocks, resident, across, time: rounds * (turns + 0.5) * busy };
      }),
    );
  });
  if (fitting.length === 0) return undefined;
  const { time, ...best } = fitting.reduce((a, b) => (b.time < a.time ? b : a));
  return best;
}

/** Whether strips of so many rows lie within the columns of a product that is added, and its steps are whole. */
function canAdd({ inner, columns }: AddedProduct, tallness: number): boolean {
  return columns % tallness === 0 && inner % TILE.inner === 0;
}

/**
 * Columns that a block computes at most. By columns few of them leave a warp room for lines of 32 numbers, which is
 * worth reading A more often unless that is most of what is read and written; where a product is added, still fewer
 * leave room for more warps.
 */
function mostColumns({ product: { columns, inner, added }, byColumns }: TallSkinnyProduct): number {
  if (!byColumns || 2 * inner > columns) return MOST_COLUMNS;
  return (added ? FEW_TILES / 2 : FEW_TILES) * TILE.columns;
}

/** Whether all matrices of the batch have the same right factor. */
export const isShared = ({ b, batch }: Product): boolean =>
  (b.batchStride === 0 && (b.groupStride ?? 0) === 0) || batch === 1;

export type Sizes = ReturnType<typeof sizesOf>;

export function sizesOf({ product, byColumns, reads }: TallSkinnyProduct, across: number) {
  const { columns, inner, a, added } = product;
  const tiles = Math.ceil(Math.ceil(columns / TILE.columns) / across);
  const wanted = Math.ceil(inner / TILE.inner);
  /** Tiles of rows of a strip: with two, lines by columns are 32 numbers, all of a piece of memory that is read at once. */
  const high = byColumns && tiles <= FEW_TILES ? 2 : 1;
  // Where patches lie takes registers as well.
  const mostSteps = a.patches && tiles >= IN_TURN ? MOST_STEPS / 2 : MOST_STEPS;
  const segments = Math.ceil((high * wanted) / mostSteps);
  const segment = Math.ceil(wanted / segments);
  const steps = segment * segments;
  /** Pairs of B's rows, with its columns and two more, so that no two threads read from the same bank. */
  const pairs = (TILE.inner / 2) * steps;
  const width = leaving(2, 8, tiles * TILE.columns);
  /** Neighbouring results of a strip, and all of it. */
  const line = byColumns ? high * TILE.rows : tiles * TILE.columns;
  const panel = high * TILE.rows * tiles * TILE.columns;
  const stageLines = byColumns ? Math.min(4, tiles) * TILE.columns : TILE.rows / 2;
  const stageWidth = byColumns ? leaving(4, 16, line) : leaving(8, 16, line);
  /** Rows of what is multiplied to be added. */
  const addedWidth = added ? leaving(8, 16, added.inner) : 0;
  /** Bytes of a table of patches beside B. */
  const table = a.patches ? 8 * TILE.inner * steps : 0;
  /** Bytes of B, of results on their way, before which it holds what is multiplied to be added, and of what is read. */
  const factor = 16 * pairs * width + table;
  const stage = 4 * Math.max(stageLines * stageWidth, tiles * TILE.columns * addedWidth);
  const room = 4 * reads * panel;
  return {
    tiles,
    high,
    steps,
    segment,
    pairs,
    width,
    line,
    panel,
    stageLines,
    stageWidth,
    addedWidth,
    factor,
    table,
    stage,
    room,
  };
}
