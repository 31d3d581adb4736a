import type { Product } from "../plan/products.js";
import {
  copyText,
  DEPTH,
  fourOf,
  onesText,
  type Side,
  sidesOf,
  tableSizes,
  tablesText,
  twoOf,
} from "./deep-sides.js";
import { eachOf, indented, type ResultText } from "./element-text.js";
import type { KernelBody, Multiprocessors } from "./kernel-body.js";
import { matrixText } from "./matrix-text.js";
import { LONGEST_SUM, type Passes, passesOver, TILE } from "./tensor-cores.js";

/** How a product with a long inner axis is divided: into blocks of warps, each with `high` x `wide` tiles of its own. */
export interface DeepTiling {
  readonly warpRows: number;
  readonly warpColumns: number;
  readonly high: number;
  readonly wide: number;
  readonly resident: number;
}

const SHORTEST = 8 * DEPTH;
/** Blocks that share a matrix at most: the library is better at large results. */
const MOST_BLOCKS = 4;
const MOST_TILES = { rows: 8, columns: 16 } as const;

/** The division of a product with few rows and columns and a long inner axis, or undefined if it is not like that. */
export function deepTiling(
  product: Product,
  { processors, shared, blockShared }: Multiprocessors,
): DeepTiling | undefined {
  const { rows, columns, inner, batch } = product;
  const down = Math.ceil(rows / TILE.rows);
  const across = Math.ceil(columns / TILE.columns);
  const blocks = Math.ceil(down / MOST_TILES.rows) * Math.ceil(across / MOST_TILES.columns);
  if (inner < SHORTEST || blocks > MOST_BLOCKS || batch * blocks < processors) return undefined;
  const rowTiles = Math.ceil(down / Math.ceil(down / MOST_TILES.rows));
  const columnTiles = Math.ceil(across / Math.ceil(across / MOST_TILES.columns));
  // Few warps with many tiles each divide few numbers twice; fewer than four would leave most of the time unused.
  const high = rowTiles === 4 || rowTiles === 8 ? 2 : 1;
  const warpRows = rowTiles / high;
  const warpColumns = warpRows <= 2 && columnTiles > 1 ? 2 : 1;
  const tiling = { warpRows, warpColumns, high, wide: Math.ceil(columnTiles / warpColumns), resident: 1 };
  const registers = 4 * high * tiling.wide + 80;
  const warps = warpRows * warpColumns;
  const byRegisters = Math.floor(2 ** 16 / (32 * warps * registers));
  const bytes = sharedBytesOf(product, tiling);
  if (bytes > blockShared) return undefined;
  const byMemory = Math.floor(shared / (bytes + 1024));
  return { ...tiling, resident: Math.max(1, Math.min(3, byRegisters, byMemory)) };
}

/**
 * C = A B with few rows and columns and a long inner axis. Parts of both factors are copied to shared memory while
 * those before are multiplied; warps divide the numbers that they need into high and low parts. Long sums are kept
 * apart, in shared memory, from what tensor cores add up, since these do not round.
 */
export function deepKernel(
  product: Product,
  tiling: DeepTiling,
  { elements, sums }: ResultText,
  passes: Passes,
): KernelBody {
  const { rows, columns, inner, batch, a, b } = product;
  const { warpRows, warpColumns, high, wide, resident } = tiling;
  // By one pass, sums would have no more than the products' 10 bits of each number.
  const sides = sidesOf(product, tiling, passes === 1 ? undefined : sums);
  const { left, right, size, stages } = sides;
  const [tall, across] = [left.length, right.length];
  const threads = 32 * warpRows * warpColumns;
  const down = Math.ceil(rows / tall);
  const parts = Math.ceil(inner / DEPTH);
  const isLong = inner > LONGEST_SUM;
  const kept = keptNumbers(product, tiling);
  const often = LONGEST_SUM / DEPTH;
  const multiply = passesOver(passes)
    .map(
      ([ofLeft, ofRight]) => `#pragma unroll
    for (int j = 0; j < ${wide}; j++)
#pragma unroll
      for (int i = 0; i < ${high}; i++) multiply_add(total[i][j], ${ofLeft}[i], ${ofRight}Right[j][0], ${ofRight}Right[j][1]);`,
    )
    .join("\n");
  const store = eachOf(4, elements, {
    place: `const unsigned row = aStart + rowOf + 16 * i + part / 2u * 8u;
const unsigned column = bStart + columnOf - group + 8 * j + 2u * member + part % 2u;
`,
    condition: `row < ${rows}u && column < ${columns}u`,
    value: "const float value = total[i][j][part];\n",
  });
  const [addedLeft, addedRight] = [sums[0] && !right.hasOnes, sums[1] && !left.hasOnes];
  const text = `extern __shared__ float4 factor[];
float* memory = (float*)factor;
const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, group = lane / 4u, member = lane % 4u;
const unsigned n = blockIdx.y;
const unsigned aStart = blockIdx.x % ${down}u * ${tall}u, bStart = blockIdx.x / ${down}u * ${across}u;
const unsigned rowOf = warp % ${warpRows}u * ${high * TILE.rows}u + group, columnOf = warp / ${warpRows}u * ${wide * TILE.columns}u + group;
a += ${matrixText(product, a)};
b += ${matrixText(product, b)};
${tablesText(product, left, stages * size + kept, threads)}${tablesText(product, right, stages * size + kept, threads)}auto load = [&](unsigned part) {
  const unsigned start = part * ${DEPTH}u;
  float* to = memory + part % ${stages}u * ${size}u;
${copyText(product, left, threads)}
  to += ${left.size}u;
${copyText(product, right, threads)}
};
auto ready = [] { asm volatile("cp.async.commit_group;" ::: "memory"); };
${onesText(left, sides, threads)}${onesText(right, sides, threads)}float total[${high}][${wide}][4] = {};
${addedLeft ? `float rowSums[${high}][2] = {};\n` : ""}${addedRight ? `float columnSums[${wide}] = {};\n` : ""}${
  isLong
    ? `float* kept = memory + ${stages * size}u + threadIdx.x;
#pragma unroll
for (unsigned e = 0; e < ${4 * high * wide}u; e++) kept[e * ${threads}u] = 0.f;
`
    : ""
}#pragma unroll
for (unsigned ahead = 0; ahead < ${stages - 1}u; ahead++) {
  if (ahead < ${parts}u) load(ahead);
  ready();
}
for (unsigned turn = 0; turn < ${parts}u; turn++) {
  asm volatile("cp.async.wait_group ${stages - 2};" ::: "memory");
  __syncthreads();
  if (turn + ${stages - 1}u < ${parts}u) load(turn + ${stages - 1}u);
  ready();
  const float* left = memory + turn % ${stages}u * ${size}u;
  const float* right = left + ${left.size}u;
#pragma unroll
  for (unsigned s = 0; s < ${DEPTH / TILE.inner}u; s++) {
    const unsigned k = 8u * s + 2u * member;
    unsigned high[${high}][4], low[${high}][4], highRight[${wide}][2], lowRight[${wide}][2];
#pragma unroll
    for (int i = 0; i < ${high}; i++) {
      ${fourOf(left)}
${addedLeft ? "      for (int e = 0; e < 2; e++) rowSums[i][e] += x[e] + x[e + 2];\n" : ""}#pragma unroll
      for (int e = 0; e < 4; e++) divide<${passes}>(x[e], high[i][e], low[i][e]);
    }
#pragma unroll
    for (int j = 0; j < ${wide}; j++) {
      ${twoOf(right)}
${addedRight ? "      columnSums[j] += y[0] + y[1];\n" : ""}#pragma unroll
      for (int e = 0; e < 2; e++) divide<${passes}>(y[e], highRight[j][e], lowRight[j][e]);
    }
${multiply}
  }
${
  isLong
    ? `  if (turn % ${often}u == ${often - 1}u || turn == ${parts - 1}u) {
#pragma unroll
    for (int i = 0; i < ${high}; i++)
#pragma unroll
      for (int j = 0; j < ${wide}; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const float sum = kept[((i * ${wide} + j) * 4 + e) * ${threads}] + total[i][j][e];
          kept[((i * ${wide} + j) * 4 + e) * ${threads}] = sum;
          total[i][j][e] = turn == ${parts - 1}u ? sum : 0.f;
        }
  }
`
    : ""
}}
#pragma unroll
for (int i = 0; i < ${high}; i++)
#pragma unroll
  for (int j = 0; j < ${wide}; j++)
  {
${store}${storedOnes(left, right, sums, { rows, columns })}  }
${sumsText([addedLeft ? sums[0] : undefined, addedRight ? sums[1] : undefined], tiling, { rows, columns })}`;
  return {
    text,
    blocks: [down * Math.ceil(columns / across), batch, 1],
    threads,
    resident,
    sharedBytes: sharedBytesOf(product, tiling),
  };
}

/** Shared memory of a block: parts of the factors, what long sums have come to so far, and where patches lie. */
function sharedBytesOf(product: Product, tiling: DeepTiling): number {
  const { left, right, size, stages } = sidesOf(product, tiling);
  const tables = [left, right].flatMap((side) => tableSizes(product, side)).reduce((a, b) => a + b, 0);
  return 4 * (stages * size + keptNumbers(product, tiling) + 2 * tables);
}

function keptNumbers({ inner }: Product, { warpRows, warpColumns, high, wide }: DeepTiling): number {
  return inner > LONGEST_SUM ? 4 * high * wide * 32 * warpRows * warpColumns : 0;
}

/** Stores the sums that a factor's ones have made of the other one. */
function storedOnes(
  left: Side,
  right: Side,
  [ofRows, ofColumns]: ResultText["sums"],
  { rows, columns }: Pick<Product, "rows" | "columns">,
): string {
  const each = (condition: string, store: string) =>
    `#pragma unroll
for (unsigned part = 0; part < 4u; part++) {
  const unsigned row = aStart + rowOf + 16 * i + part / 2u * 8u;
  const unsigned column = bStart + columnOf - group + 8 * j + 2u * member + part % 2u;
  const float value = total[i][j][part];
  if (${condition}) {
${indented(indented(store))}  }
}
`;
  return (
    (ofColumns && left.hasOnes ? each(`row == ${rows}u && column < ${columns}u`, ofColumns) : "") +
    (ofRows && right.hasOnes ? each(`column == ${columns}u && row < ${rows}u`, ofRows) : "")
  );
}

/**
 * Stores sums of the factors that threads have added up. Warps with the same rows, or columns, have the same ones, and so
 * have blocks: the first of them stores.
 */
function sumsText(
  [ofRows, ofColumns]: ResultText["sums"],
  { warpRows, high, wide }: DeepTiling,
  { rows, columns }: Pick<Product, "rows" | "columns">,
): string {
  const together =
    "value += __shfl_xor_sync(0xffffffffu, value, 1);\nvalue += __shfl_xor_sync(0xffffffffu, value, 2);\n";
  const left =
    ofRows &&
    `if (bStart == 0u && warp / ${warpRows}u == 0u)
#pragma unroll
  for (unsigned part = 0; part < ${2 * high}u; part++) {
    const unsigned row = aStart + rowOf + 8u * part;
    float value = rowSums[part / 2u][part % 2u];
${indented(indented(together))}    if (member == 0u && row < ${rows}u) {
${indented(indented(indented(ofRows)))}    }
  }
`;
  const right =
    ofColumns &&
    `if (aStart == 0u && warp % ${warpRows}u == 0u)
#pragma unroll
  for (unsigned part = 0; part < ${wide}u; part++) {
    const unsigned column = bStart + columnOf + 8u * part;
    float value = columnSums[part];
${indented(indented(together))}    if (member == 0u && column < ${columns}u) {
${indented(indented(indented(ofColumns)))}    }
  }
`;
  return (left ?? "") + (right ?? "");
}
