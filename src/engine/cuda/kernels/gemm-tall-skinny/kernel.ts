import { type FetchedElementText, indented, type LineText } from "../element-text.js";
import type { KernelBody } from "../kernel-body.js";
import { type Passes, TILE } from "../tensor-cores.js";
import { addedText, multiplyText } from "./added.js";
import { leftText } from "./left.js";
import { linesText } from "./lines.js";
import { storeText } from "./results.js";
import { rightText } from "./right.js";
import { isShared, sizesOf, type TallSkinnyProduct, type TallSkinnyTiling } from "./tiling.js";

/**
 * C = A B with many rows and a small B. B lies in shared memory, its numbers divided into high and low parts once;
 * warps read strips of A straight into registers and need not wait for each other. All that is read for a strip's
 * elements is on its way to shared memory meanwhile. Results go through shared memory so that threads side by side
 * store numbers side by side.
 */
export function tallSkinnyKernel(
  tall: TallSkinnyProduct,
  { warps, blocks, resident, across }: TallSkinnyTiling,
  elements: FetchedElementText,
  lines: readonly LineText[],
  passes: Passes,
): KernelBody {
  const { product, byColumns, rowsOfBlock } = tall;
  const { rows, columns, inner, batch } = product;
  const sizes = sizesOf(tall, across);
  const { steps, segment, tiles, high, width, factor, table, stage, room } = sizes;
  const threads = 32 * warps;
  const shared = isShared(product);
  const tallness = high * TILE.rows;
  const strips = Math.ceil(rows / tallness);
  const rowsLeft = rows % tallness === 0 ? undefined : `row < ${rows}u`;
  // Equal segments may have more steps than the inner axis.
  const innerLeft = (k: string) => (inner === steps * TILE.inner ? undefined : `${k} < ${inner}u`);
  const left = leftText(product, {
    high,
    steps,
    threads,
    table: (factor - table) / 16,
    from: byColumns ? "b" : "a",
    rowsLeft,
    innerLeft,
  });
  const sums = linesText(lines);
  const store = storeText(elements, sums, tall, sizes);
  const all = shared ? strips * batch : strips;
  const own = rowsOfBlock && rowsOfBlock / tallness;
  const [begin, end, step] = own
    ? [`blockIdx.x * ${own}u`, `min(blockIdx.x * ${own}u + ${own}u, ${all}u)`, warps]
    : [`blockIdx.x * ${warps}u`, `${all}u`, blocks * warps];
  const place = `const unsigned n = ${shared ? `strip / ${strips}u` : "blockIdx.y"}, first = ${shared ? `strip % ${strips}u` : "strip"} * ${tallness}u;\n`;
  const stageOf = (one: string) =>
    `((float*)(factor + ${factor / 16}u) + ${one} * ${(stage + room) / 4}u + ${room / 4}u)`;
  const last = sums.last({ columns, line: sizes.line, warps, stageOf });
  const added = product.added && addedText(product, product.added, sizes, passes);
  const text = `extern __shared__ float4 factor[];
const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, group = lane / 4u, member = lane % 4u;
const unsigned start = blockIdx.z * ${tiles * TILE.columns}u;
float* room = (float*)(factor + ${factor / 16}u) + warp * ${(stage + room) / 4}u;
float* stage = room + ${room / 4}u;
const float4* const pairs = factor + member * ${width}u + group;
${left.declared}{
${indented(rightText(tall, sizes, { threads, innerLeft, passes }) + left.prepared)}}
__syncthreads();
${sums.declared}for (unsigned strip = ${begin} + warp; strip < ${end}; strip += ${step}u) {
  ${place}${indented(left.before)}${indented(added?.before ?? "")}${indented(store.before)}  float total[${high}][${tiles}][4] = {};
${segment === steps ? "  {\n    const unsigned from = 0;" : `#pragma unroll 1\n  for (unsigned from = 0; from < ${steps}u; from += ${segment}u) {`}
    ${left.segment}    float x[${segment}][${high}][4];
#pragma unroll
    for (unsigned s = 0; s < ${segment}u; s++)
#pragma unroll
      for (unsigned half = 0; half < ${2 * high}u; half++) {
        const unsigned k = 8u * (from + s) + 2u * member, row = first + 8u * half + group;
${indented(indented(indented(indented(left.read))))}      }
#pragma unroll
    for (unsigned s = 0; s < ${segment}u; s++) {
${indented(multiplyText("x[s][e / 4u][e % 4u]", `pairs[(from + s) * ${4 * width}u + 8u * (j + m)]`, sizes, passes))}    }
  }
${indented(added?.after ?? "")}${indented(store.after)}}
${last && `{\n  const unsigned strip = ${begin};\n  ${place}  const unsigned row = first;\n${indented(last)}}\n`}`;
  return {
    text,
    blocks: [blocks, shared ? 1 : batch, across],
    threads,
    resident,
    sharedBytes: factor + (stage + room) * warps,
  };
}
