import { vectorLength } from "../../plan/expressions/vector-length.js";
import type { Product } from "../../plan/layout/products.js";
import { matrixText } from "../matrix-text.js";
import { patchesText, shiftText } from "../patches-text.js";
import { every, TILE } from "../tensor-cores.js";

/** Whether it is the left factor that consists of patches, if any does, and all with the same B have the same places. */
export function isStreamed({ a, b, batch }: Product, isShared: boolean): boolean {
  return b.patches === undefined && !(isShared && batch > 1 && a.patches?.shift);
}

/** How a warp of a tall kernel reads its rows of the left factor, in CUDA C. */
export interface LeftText {
  /** What all strips need, within the block in which the right factor is loaded and before it. */
  readonly declared: string;
  readonly prepared: string;
  /** What a strip needs: n is its matrix, `first` its first row. */
  readonly before: string;
  /** What a part of the inner axis needs: `from` is its first step. */
  readonly segment: string;
  /** Reads numbers k and k + 1 of `row` into x[s][half / 2], where s counts steps and half rows. */
  readonly read: string;
}

interface Strips {
  /** Tiles of rows, and steps along the inner axis. */
  readonly high: number;
  readonly steps: number;
  readonly threads: number;
  /** Behind so many groups of four numbers, shared memory has room for a table of patches. */
  readonly table: number;
  /** The pointer to the factor, and whether there is a row or a number of it, where that is not certain. */
  readonly from: string;
  readonly rowsLeft: string | undefined;
  readonly innerLeft: (k: string) => string | undefined;
}

export function leftText(product: Product, strips: Strips): LeftText {
  return product.a.patches ? ofPatches(product, strips) : ofMatrix(product, strips);
}

/** A thread knows where its first number is; how far the others are from it is part of the instructions. */
function ofMatrix(product: Product, { from, rowsLeft, innerLeft }: Strips): LeftText {
  const { a, inner } = product;
  const [down, along] = a.transposed ? [1, a.rowStride] : [a.rowStride, 1];
  const number = (e: number) => `own[s * ${TILE.inner * along}u + half * ${8 * down}u + ${e * along}u]`;
  const inPairs =
    !a.transposed && vectorLength(a.offset, a.rowStride, a.batchStride, a.groupStride ?? 0, inner) > 1;
  const read = inPairs
    ? `const float2 both = ${every(rowsLeft, innerLeft("k"))} ? *(const float2*)&${number(0)} : make_float2(0.f, 0.f);
x[s][half / 2u][half % 2u] = both.x;
x[s][half / 2u][half % 2u + 2u] = both.y;
`
    : `x[s][half / 2u][half % 2u] = ${every(rowsLeft, innerLeft("k"))} ? ${number(0)} : 0.f;
x[s][half / 2u][half % 2u + 2u] = ${every(rowsLeft, innerLeft("k + 1u"))} ? ${number(1)} : 0.f;
`;
  return {
    declared: "",
    prepared: "",
    before: `const float* left = ${from} + ${matrixText(product, a)} + (size_t)(first + group) * ${down}u + 2u * member * ${along}u;\n`,
    segment: `const float* own = left + (size_t)from * ${TILE.inner * along}u;\n`,
    read,
  };
}

/** Where patches lie along the inner axis is in a table, and where they lie at a thread's rows in registers. */
function ofPatches(product: Product, strips: Strips): LeftText {
  const { high, steps, threads, table, from, rowsLeft, innerLeft } = strips;
  const { transposed } = product.a;
  const patches = product.a.patches!;
  const tap = (line: string, inside = "true") => `tap(${line}, ${inside})`;
  const place = (number: string, inside = "true") =>
    `place(${number} + ${shiftText(product, patches)}, ${inside})`;
  const [ofRow, ofInner] = transposed ? [place, tap] : [tap, place];
  const inField = (at: "x" | "z", bits: "y" | "w") =>
    `(own[half].y & both.${bits}) == 0 ? ${from}[own[half].x + both.${at}] : 0.f`;
  return {
    declared: `${patchesText(patches)}int2* table = (int2*)(factor + ${table}u);\n`,
    prepared: `for (unsigned k = threadIdx.x; k < ${TILE.inner * steps}u; k += ${threads}u) table[k] = ${ofInner("k", innerLeft("k"))};\n`,
    before: `int2 own[${2 * high}];
#pragma unroll
for (unsigned half = 0; half < ${2 * high}u; half++) {
  const unsigned row = first + 8u * half + group;
  own[half] = ${ofRow("row", rowsLeft)};
  own[half].x += (int)(${matrixText(product, product.a)});
}
`,
    segment: "",
    read: `const int4 both = *(const int4*)&table[k];
x[s][half / 2u][half % 2u] = ${inField("x", "y")};
x[s][half / 2u][half % 2u + 2u] = ${inField("z", "w")};
`,
  };
}
