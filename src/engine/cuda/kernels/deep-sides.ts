import type { Matrix, Product } from "../plan/products.js";
import type { ResultText } from "./element-text.js";
import { patchesText, placesTogether, shiftText } from "./patches-text.js";
import { every, leaving, TILE, vectorLength } from "./tensor-cores.js";

/** How many parts of both factors are in shared memory or on their way; of large ones that are deep one less will do. */
const STAGES = 4;
/** Numbers from which on a part is large, and deep. */
const LARGE = 2048;
const DEEP = 32;

/** What a block computes: tiles of rows and columns, of all its warps and of each of them. */
export interface DeepTiles {
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
  /** Numbers between two rows in shared memory, such that no two threads read from the same bank, and in all. */
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
  { warpRows, warpColumns, high, wide, depth }: DeepTiles,
  [ofRows, ofColumns]: ResultText["sums"] = [undefined, undefined],
) {
  const left = sideOf("a", a, !a.transposed, depth, warpRows * high * TILE.rows, rows);
  const right = sideOf("b", b, b.transposed, depth, warpColumns * wide * TILE.columns, columns);
  const size = left.size + right.size;
  return {
    left: { ...left, hasOnes: ofColumns !== undefined && hasRoom(left) },
    right: { ...right, start: left.size, hasOnes: ofRows !== undefined && hasRoom(right) },
    size,
    stages: size >= LARGE && depth >= DEEP ? STAGES - 1 : STAGES,
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
  const stride = alongInner ? leaving(8, 16, depth) : leaving(4, 16, length);
  const size = stride * (alongInner ? length : depth);
  return { name, matrix, alongInner, depth, length, limit, stride, size, start: 0, hasOnes: false };
}

/** Whether a line can follow a factor's last one without being part of what is copied with it. */
function hasRoom({ matrix, alongInner, length, limit }: Side): boolean {
  return limit % length !== 0 && (alongInner || limit % copiedAtOnce(matrix) === 0);
}

function copiedAtOnce({ offset, rowStride, batchStride, groupStride = 0, patches }: Matrix): 1 | 2 | 4 {
  return patches
    ? placesTogether(patches, offset, batchStride, groupStride)
    : vectorLength(offset, rowStride, batchStride, groupStride);
}

/** The numbers of two rows of A, 8 apart, for the inner axis at k and k + 1. */
export function fourOf({ alongInner, stride }: Side): string {
  return alongInner
    ? `const float* at = left + (rowOf + 16 * i) * ${stride}u + k;
      const float2 p = *(const float2*)at, q = *(const float2*)(at + ${8 * stride});
      const float x[4] = {p.x, q.x, p.y, q.y};`
    : `const float* at = left + k * ${stride}u + rowOf + 16 * i;
      const float x[4] = {at[0], at[8], at[${stride}], at[${stride + 8}]};`;
}

/** The numbers of a column of B for the inner axis at k and k + 1. */
export function twoOf({ alongInner, stride }: Side): string {
  return alongInner
    ? `const float2 p = *(const float2*)(right + (columnOf + 8 * j) * ${stride}u + k);
      const float y[2] = {p.x, p.y};`
    : `const float* at = right + k * ${stride}u + columnOf + 8 * j;
      const float y[2] = {at[0], at[${stride}]};`;
}

/** Copies a part of a factor, with zeros for what lies beyond it. */
export function copyText(product: Product, side: Side, threads: number): string {
  const { name, matrix, alongInner, depth, length, limit, stride, hasOnes } = side;
  const { inner } = product;
  const { patches } = matrix;
  const count = copiedAtOnce(matrix);
  const [lines, numbers] = alongInner ? [length, depth] : [depth, length];
  const [lineLimit, numberLimit] = alongInner ? [limit, inner] : [inner, limit];
  const [line, number] = alongInner ? [`${name}Start`, "start"] : ["start", `${name}Start`];
  const pieces = (lines * numbers) / count;
  const across = numbers / count;
  const bytes = numberLimit % count === 0 ? `${4 * count}u` : `4u * min(${count}u, ${numberLimit}u - number)`;
  const places = alongInner ? "" : ", placed = places[at]";
  const [found, inside, place] = patches
    ? [
        `const int2 tapped = taps[${alongInner ? "down" : "line"}]${places};\n    `,
        "(tapped.y & placed.y) == 0",
        "(tapped.x + placed.x)",
      ]
    : [
        "",
        `line < ${lineLimit}u && number < ${numberLimit}u`,
        `(size_t)line * ${matrix.rowStride}u + number`,
      ];
  // As many threads as there are side by side divide all of them: along the inner axis each has one place in all turns.
  const first =
    patches && alongInner
      ? `const int2 placed = ${placeText(product, side, `(start + threadIdx.x % ${across}u * ${count}u)`)};\n`
      : "";
  return `${first}#pragma unroll
  for (unsigned turn = 0; turn < ${Math.ceil(pieces / threads)}u; turn++) {
    const unsigned piece = turn * ${threads}u + threadIdx.x;
    const unsigned down = piece / ${across}u, at = piece % ${across}u * ${count}u;
    const unsigned line = ${line} + down, number = ${number} + at;
    ${found}const bool inside = ${inside};
    if (${every(pieces % threads === 0 ? undefined : `piece < ${pieces}u`, hasOnes ? `${alongInner ? "line" : "number"} < ${limit}u` : undefined)})
      copy<${count}>(to + down * ${stride}u + at, inside ? ${name} + ${place} : ${name}, inside ? ${bytes} : 0u);
  }`;
}

/**
 * Pairs of numbers of tables of where patches lie: of all lines that a block copies, and of the places across the inner
 * axis. Places along it are reckoned when they are copied, by each thread but one at a time.
 */
export function tableSizes(
  { inner }: Product,
  { matrix, alongInner, depth, length }: Side,
): readonly number[] {
  if (!matrix.patches) return [];
  return alongInner ? [length] : [Math.ceil(inner / depth) * depth, length];
}

/** Tables of where patches lie, from number `start` of shared memory on. */
export function tablesText(product: Product, side: Side, start: number, threads: number): string {
  const { patches } = side.matrix;
  if (!patches) return "";
  const [lines, places] = tableSizes(product, side);
  const { name, alongInner, limit } = side;
  const [line, lineLimit] = alongInner ? [`${name}Start + i`, limit] : ["i", product.inner];
  const fill = (table: string, count: number, value: string) =>
    `for (unsigned i = threadIdx.x; i < ${count}u; i += ${threads}u) ${table}[i] = ${value};\n`;
  return (
    `${patchesText(patches)}int2* taps = (int2*)(memory + ${start}u);\n` +
    fill("taps", lines, `tap(${line}, ${line} < ${lineLimit}u)`) +
    (places
      ? `int2* places = taps + ${lines}u;\n${fill("places", places, placeText(product, side, `${name}Start + i`))}`
      : "") +
    "__syncthreads();\n"
  );
}

/** What patches have at a place, unless it is beyond those of the matrix. */
function placeText(product: Product, { matrix, alongInner, limit }: Side, number: string): string {
  const last = alongInner ? product.inner : limit;
  return `place(${number} + ${shiftText(product, matrix.patches!)}, ${number} < ${last}u)`;
}

/** Fills what lies beyond a factor in shared memory: a line of ones, then zeros. */
export function onesText(
  { name, hasOnes, alongInner, depth, length, limit, stride, start }: Side,
  { size, stages }: { readonly size: number; readonly stages: number },
  threads: number,
): string {
  if (!hasOnes) return "";
  const place = alongInner ? `across * ${stride}u + along` : `along * ${stride}u + across`;
  return `for (unsigned place = threadIdx.x; place < ${stages * depth * length}u; place += ${threads}u) {
  const unsigned across = place % ${length}u, along = place / ${length}u % ${depth}u, part = place / ${length * depth}u;
  if (${name}Start + across >= ${limit}u) memory[part * ${size}u + ${start}u + ${place}] = ${name}Start + across == ${limit}u ? 1.f : 0.f;
}
__syncthreads();
`;
}
