import type { Product } from "../../plan/layout/products.js";
import { eachOf, indented, type ResultText } from "../element-text.js";
import type { KernelBody } from "../kernel-body.js";
import { matrixText } from "../matrix-text.js";
import { LONGEST_SUM, type Passes, passesOver, TILE } from "../tensor-cores.js";
import { beyondText, copyText } from "./copies.js";
import { hasLongSums, longKMemory } from "./memory.js";
import { fourOf, sidesOf, twoOf } from "./sides.js";
import { storedOnes, sumsText } from "./sums.js";
import { tablesText } from "./tables.js";
import { teamsText } from "./teams.js";
import { type LongKTiling, warpsOf } from "./tiling.js";

/** Tiles whose steps are written out one after another, but for two steps of any: more of them would take too many registers. */
const UNROLLED_TILES = 32;

/**
 * C = A B with few rows and columns and a long inner axis. Parts of both factors are copied to shared memory while
 * those before are multiplied; warps divide the numbers that they need into high and low parts. Where there are few
 * tiles, teams of warps share the steps along the inner axis, and add up what they have in the end. Long sums are kept
 * apart, in shared memory, from what tensor cores add up, since these do not round.
 */
export function longKKernel(
  product: Product,
  tiling: LongKTiling,
  { elements, sums }: ResultText,
  passes: Passes,
): KernelBody {
  const { rows, columns, inner, batch, a, b } = product;
  const { warpRows, warpColumns, high, wide, depth, teams, resident } = tiling;
  // By one pass, sums would have no more than the products' 10 bits of each number.
  const sides = sidesOf(product, tiling, passes === 1 ? undefined : sums);
  const { left, right, size, stages } = sides;
  const [tall, across] = [left.length, right.length];
  const warps = warpRows * warpColumns;
  const threads = 32 * warpsOf(tiling);
  const down = Math.ceil(rows / tall);
  const parts = Math.ceil(inner / depth);
  const isLong = hasLongSums(product, tiling);
  const memory = longKMemory(product, tiling);
  const often = (LONGEST_SUM * teams) / depth;
  const steps = depth / TILE.inner / teams;
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
  const [addedLeft, addedRight] = [
    sums[0] !== undefined && !right.hasOnes,
    sums[1] !== undefined && !left.hasOnes,
  ];
  const text = `extern __shared__ float4 factor[];
float* memory = (float*)factor;
const unsigned lane = threadIdx.x % 32u, group = lane / 4u, member = lane % 4u;
const unsigned warp = threadIdx.x / 32u${teams > 1 ? ` % ${warps}u, team = threadIdx.x / ${32 * warps}u` : ""};
const unsigned n = blockIdx.y;
const unsigned aStart = blockIdx.x % ${down}u * ${tall}u, bStart = ${columns <= across ? "0u" : `blockIdx.x / ${down}u * ${across}u`};
const unsigned rowOf = warp % ${warpRows}u * ${high * TILE.rows}u + group, columnOf = warp / ${warpRows}u * ${wide * TILE.columns}u + group;
a += ${matrixText(product, a)};
b += ${matrixText(product, b)};
// The compiler would reckon again for each number where its matrix begins.
asm("" : "+l"(a), "+l"(b));
${tablesText(product, left, memory.tables, threads)}${tablesText(product, right, memory.tables, threads)}auto load = [&](unsigned part) {
  const unsigned start = part * ${depth}u;
  float* to = memory + part % ${stages}u * ${size}u;
${indented(copyText(product, left, threads))}  to += ${left.size}u;
${indented(copyText(product, right, threads))}};
auto ready = [] { asm volatile("cp.async.commit_group;" ::: "memory"); };
${beyondText(left, sides, threads)}${beyondText(right, sides, threads)}float total[${high}][${wide}][4] = {};
${addedLeft ? `float rowSums[${high}][2] = {};\n` : ""}${addedRight ? `float columnSums[${wide}] = {};\n` : ""}${
  isLong
    ? `float* kept = memory + ${memory.kept}u + threadIdx.x;
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
#pragma unroll ${Math.min(steps, Math.max(2, Math.floor(UNROLLED_TILES / (high * wide))))}
  for (unsigned s = 0; s < ${steps}u; s++) {
    const unsigned k = 8u * ${teams > 1 ? `(team * ${steps}u + s)` : "s"} + 2u * member;
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
${teamsText(tiling, [addedLeft, addedRight])}#pragma unroll
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
    sharedBytes: 4 * memory.end,
  };
}
