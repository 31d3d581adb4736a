import type { Product } from "../../plan/layout/products.js";
import { forEach, indented, type ResultText } from "../element-text.js";
import type { KernelBody, Multiprocessors } from "../kernel-body.js";
import { leaving, type Passes, TILE, WARP } from "../tensor-cores.js";
import { timesText } from "./added.js";
import { leftText } from "./left.js";
import { rightText } from "./right.js";
import { IN_TURN, isShared } from "./tiling.js";

/** Tiles of rows that a warp computes at a time, and steps along the inner axis for which it has room in registers. */
const HIGH = 2;
const MOST_STEPS = 4;
/** Tiles of columns at a time: with several sums, fewer leave room for these. */
const ABREAST = { one: IN_TURN, several: IN_TURN / 2 } as const;
const WARPS = 8;
const RESIDENT = 2;

/** Whether nothing but sums of rows is wanted of a product, and there is a kernel for it that stores nothing else. */
export function hasRowSumsKernel(product: Product, { elements, sums, lines }: ResultText): boolean {
  const { rows, columns, inner, a, b, added } = product;
  const isWanted =
    lines.length > 0 &&
    lines.every(({ along }) => along === "row") &&
    sums.every((sum) => sum === undefined) &&
    elements.reads.length === 0 &&
    elements.vectors?.store === "";
  return (
    isWanted &&
    !added &&
    !a.patches &&
    !b.patches &&
    inner <= MOST_STEPS * TILE.inner &&
    rows % (HIGH * TILE.rows) === 0 &&
    columns % (IN_TURN * TILE.columns) === 0
  );
}

/**
 * Sums along rows of what becomes of C = A B, where C has many rows and is not stored. B lies in shared memory, its
 * columns in such an order that a thread has four neighbours of each row, of which it adds up what becomes of them; it
 * needs no more of C at a time than a few tiles of columns have.
 */
export function rowSumsKernel(
  product: Product,
  { elements, lines }: ResultText,
  passes: Passes,
  gpu: Multiprocessors,
): KernelBody {
  const { rows, columns, inner, batch } = product;
  const steps = Math.ceil(inner / TILE.inner);
  const tiles = columns / TILE.columns;
  const width = leaving(2, 8, columns);
  const threads = WARP * WARPS;
  const shared = isShared(product);
  const tallness = HIGH * TILE.rows;
  const strips = (rows / tallness) * (shared ? batch : 1);
  const blocks = blocksOf(strips, shared ? 1 : batch, gpu);
  const innerLeft = (k: string) => (inner === steps * TILE.inner ? undefined : `${k} < ${inner}u`);
  const left = leftText(product, {
    high: HIGH,
    steps,
    threads,
    table: 0,
    from: "a",
    rowsLeft: undefined,
    innerLeft,
  });
  const right = rightText(
    { product, byColumns: false, reads: 0 },
    { tiles, pairs: 4 * steps, width },
    {
      threads,
      innerLeft,
      passes,
      // Of 16 columns the first two of each four are in one tile, and the other two in the next one.
      spot: "(at / 16u * 16u + at / 2u % 2u * 8u + at % 16u / 4u * 2u + at % 2u)",
    },
  );
  const vectors = elements.vectors!;
  const abreast = lines.length > 1 ? ABREAST.several : ABREAST.one;
  const halves = 2 * HIGH;
  const count = (abreast / 2) * halves;
  const [half, four] = [`part % ${halves}u`, `part / ${halves}u`];
  const value = (e: number) =>
    `total[${half} / 2u][2u * (${four}) + ${Math.floor(e / 2)}u][${half} % 2u * 2u + ${e % 2}u]`;
  const text = `extern __shared__ float4 factor[];
const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, group = lane / 4u, member = lane % 4u;
const unsigned start = 0;
const float4* const pairs = factor + member * ${width}u + group;
${left.declared}{
${indented(right)}}
__syncthreads();
for (unsigned strip = blockIdx.x * ${WARPS}u + warp; strip < ${strips}u; strip += ${blocks * WARPS}u) {
  const unsigned n = ${shared ? `strip / ${strips / batch}u` : "blockIdx.y"}, first = ${shared ? `strip % ${strips / batch}u` : "strip"} * ${tallness}u, from = 0;
${indented(left.before + left.segment)}  unsigned upper[${steps}][${HIGH}][4], lower[${steps}][${HIGH}][4];
  {
    float x[${steps}][${HIGH}][4];
#pragma unroll
    for (unsigned s = 0; s < ${steps}u; s++)
#pragma unroll
      for (unsigned half = 0; half < ${halves}u; half++) {
        const unsigned k = 8u * s + 2u * member, row = first + 8u * half + group;
${indented(indented(indented(indented(left.read))))}      }
#pragma unroll
    for (unsigned s = 0; s < ${steps}u; s++)
#pragma unroll
      for (unsigned e = 0; e < ${4 * HIGH}u; e++)
        divide<${passes}>(x[s][e / 4u][e % 4u], upper[s][e / 4u][e % 4u], lower[s][e / 4u][e % 4u]);
  }
  float ${lines.map(({ name }) => `${name}Sum[${halves}] = {}`).join(", ")};
#pragma unroll 1
  for (unsigned beside = 0; beside < ${columns}u; beside += ${abreast * TILE.columns}u) {
    const float4* const own = pairs + beside;
    float total[${HIGH}][${abreast}][4] = {};
#pragma unroll
    for (unsigned s = 0; s < ${steps}u; s++) {
      const auto& high = upper[s];
      const auto& low = lower[s];
${indented(indented(indented(timesText(`own[s * ${4 * width}u + 8u * (j + m)]`, { high: HIGH, tiles: abreast }, passes))))}    }
${indented(indented(vectors.declare(count)))}    float ${lines.map(({ name }) => `${name}[${count}] = {}`).join(", ")};
${indented(
  indented(
    forEach(
      count,
      `const float4 value = make_float4(${[0, 1, 2, 3].map(value).join(", ")});\n${vectors.compute}${lines
        .map(({ name }) => `${name}Sum[${half}] += ${name}[part];\n`)
        .join("")}`,
      {
        place: `const unsigned row = first + 8u * (${half}) + group, column = beside + 16u * (${four}) + 4u * member, f = column / 4u;\n`,
      },
    ),
  ),
)}  }
${indented(
  forEach(
    halves,
    lines
      .map(
        ({ name, store }) => `{
  float value = ${name}Sum[part];
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  value += __shfl_xor_sync(0xffffffffu, value, 2);
  if (member == 0u) {
${indented(indented(store))}  }
}
`,
      )
      .join(""),
    { place: "const unsigned row = first + 8u * part + group;\n" },
  ),
)}}
`;
  return {
    text,
    blocks: [blocks, shared ? 1 : batch, 1],
    threads,
    resident: RESIDENT,
    sharedBytes: 16 * 4 * steps * width,
  };
}

/** Blocks that share the strips of a matrix, so that the least time is lost at the end. */
function blocksOf(strips: number, matrices: number, { processors }: Multiprocessors): number {
  const room = RESIDENT * processors;
  const time = (blocks: number) =>
    Math.ceil((blocks * matrices) / room) * (Math.ceil(strips / (blocks * WARPS)) + 0.5);
  return [1, 2, 3]
    .map((waves) => Math.max(1, Math.floor((waves * room) / matrices)))
    .reduce((best, blocks) => (time(blocks) < time(best) ? blocks : best));
}
