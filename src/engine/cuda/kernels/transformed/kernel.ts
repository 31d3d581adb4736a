import type { AddedProduct } from "../../plan/layout/products.js";
import type { TransformedLayer } from "../../plan/plan.js";
import { type FetchedElementText, forEach, indented } from "../element-text.js";
import { multiplyText, timesText } from "../gemm-tall-skinny/added.js";
import { fetchText } from "../gemm-tall-skinny/results.js";
import { HOPPER, type KernelBody, type Target } from "../kernel-body.js";
import { type Passes, TILE } from "../tensor-cores.js";
import { factorsText, requestText, spectrumText } from "./loads.js";
import {
  FOURS,
  HIGH,
  SIDE,
  SQUARE,
  STEPS,
  TILES,
  type TransformedSizes,
  transformedSizes,
} from "./tiling.js";

/** What becomes of the elements of both products, in CUDA C. */
interface Elements {
  readonly layer: FetchedElementText;
  readonly transform: FetchedElementText;
}

const WAIT = (pending: number) => `asm volatile("cp.async.wait_group ${pending};" ::: "memory");\n`;
const COMMIT = 'asm volatile("cp.async.commit_group;" ::: "memory");\n';

/**
 * Y = B S + X W, or B S alone, for every line of a field, and T f(Y), where f(Y) is stored as well. A warp has 32 columns of
 * Y, one sample's channels, and goes along the line in squares. As the factors are given in the other order, it has the
 * spectrum S in registers, and B, T and W lie in shared memory, divided into high and low parts. X comes there a square
 * ahead. What becomes of a square goes through the same memory: once for threads that store numbers side by side, and once
 * as the left factor of (T f(Y))^T, which is added up in registers along the line.
 *
 * `a` points to B, `b` to S, `c` to X, `d` to W and `e` to T.
 */
export function transformedKernel(
  one: TransformedLayer,
  elements: Elements,
  { passes = 3, multiprocessors = HOPPER }: Target = {},
): KernelBody {
  const { layer, transform } = one;
  const { rows, added } = layer;
  const { reads } = elements.layer;
  const fetching = transformedSizes(one, reads.length, multiprocessors);
  const sizes = fetching ?? transformedSizes(one, 0, multiprocessors)!;
  // What takes too much room is read when it is needed.
  const isFetched = fetching !== undefined && reads.length > 0;
  const { steps, tiles, warps, across, strips, ofBlock, squares, ahead, own } = sizes;
  const which = layer.epilogue.findIndex(({ buffer }) => buffer === transform.b.buffer);
  const place = `const unsigned n = strip / ${across}u, first = strip % ${across}u * ${SIDE}u;\n`;
  const fetched = { panel: SQUARE, line: SIDE, down: "points", beside: "first", inside: "true" };
  const fetches = reads.map((read, k) => fetchText(read, k, { ...fetched, columns: layer.columns }));
  const inputs = added
    ? inputsText(added, one, sizes, { place, isFetched, passes })
    : { requested: "", weights: "", ahead: "", times: "" };
  const text = `extern __shared__ float4 factor[];
const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, group = lane / 4u, member = lane % 4u;
const unsigned begin = blockIdx.x * ${ofBlock}u, end = min(begin + ${ofBlock}u, ${strips}u);
${factorsText(one, sizes, passes)}__syncthreads();
float* const squares = (float*)(factor + ${squares}u) + warp * ${own}u;
${isFetched ? `float* const room = squares + ${ahead * SQUARE}u;\n` : ""}const float4* const back = factor + member * ${sizes.backWidth}u + group;
const float4* const forth = factor + ${sizes.forth}u + member * ${sizes.forthWidth}u + group;
unsigned present = 0, strip = begin + warp;
${inputs.requested}#pragma unroll 1
for (; strip < end; strip += ${warps}u) {
  ${place}${indented(inputs.weights + spectrumText(one, steps))}  float sums[${HIGH}][${tiles}][4] = {};
#pragma unroll 1
  for (unsigned points = 0; points < ${rows}u; points += ${SIDE}u, present ^= ${ahead - 1}u) {
    float* const square = squares + present * ${SQUARE}u;
    __syncwarp();
${indented(indented((isFetched ? fetches.join("") + COMMIT : "") + inputs.ahead))}    float total[${HIGH}][${TILES}][4] = {};
    {
      const float4* const pairs = back + points;
#pragma unroll
      for (unsigned s = 0; s < ${steps}u; s++) {
${indented(indented(indented(multiplyText("x[s][e / 4u][e % 4u]", `pairs[s * ${4 * sizes.backWidth}u + 8u * (j + m)]`, { high: HIGH, tiles: TILES }, passes))))}      }
    }
${indented(indented(inputs.times + stagedText("total", TILES) + (isFetched ? WAIT(ahead - 1) : "")))}    __syncwarp();
${indented(indented(treatedText(elements.layer, { isFetched, down: "points", count: SIDE, kept: `t${which}` })))}    __syncwarp();
${indented(indented(forthText(sizes, passes)))}  }
  float* const square = squares + (present ^ ${ahead - 1}u) * ${SQUARE}u;
  __syncwarp();
${indented(stagedText("sums", tiles))}  __syncwarp();
${indented(treatedText(elements.transform, { isFetched: false, down: "0u", count: transform.rows }))}}
`;
  return {
    text,
    blocks: [Math.ceil(strips / ofBlock), 1, 1],
    threads: 32 * warps,
    resident: 1,
    sharedBytes: sizes.end,
  };
}

/** What X W takes: its first square and, of every strip, the weights; of every square, the next one and the product. */
function inputsText(
  added: AddedProduct,
  one: TransformedLayer,
  { warps, alike, weights }: TransformedSizes,
  { place, isFetched, passes }: { place: string; isFetched: boolean; passes: Passes },
) {
  return {
    requested: `${requestText(added, one, place)}if (strip < end) request(strip, 0, squares);
${COMMIT}`,
    weights: `const unsigned matrix = strip / ${alike}u - begin / ${alike}u;
const float4* const weights = factor + (${weights}u + matrix * ${SQUARE / 2}u) + lane;
`,
    ahead: `{
  float* const other = squares + (present ^ 1u) * ${SQUARE}u;
  if (points < ${one.layer.rows - SIDE}u) request(strip, points + ${SIDE}u, other);
  else if (strip + ${warps}u < end) request(strip + ${warps}u, 0, other);
}
${COMMIT}`,
    times: WAIT(isFetched ? 2 : 1) + pointsText(passes),
  };
}

/** Adds (X W)^T, and leaves X. */
function pointsText(passes: Passes): string {
  return `__syncwarp();
#pragma unroll 2
for (unsigned s = 0; s < ${STEPS}u; s++) {
  const float* const line = square + group * ${SIDE}u + 8u * (s ^ group % 4u) + 2u * member;
  unsigned high[${HIGH}][4], low[${HIGH}][4];
#pragma unroll
  for (unsigned i = 0; i < ${HIGH}u; i++) {
    const float4 upper = weights[(s * ${HIGH}u + i) * 64u], lower = weights[(s * ${HIGH}u + i) * 64u + 32u];
    const float parts[2][4] = {{upper.x, upper.y, upper.z, upper.w}, {lower.x, lower.y, lower.z, lower.w}};
#pragma unroll
    for (unsigned e = 0; e < 4u; e++) {
      high[i][e] = __float_as_uint(parts[0][e]);
      low[i][e] = __float_as_uint(parts[1][e]);
    }
  }
${timesText(`of_pair<${passes}>(line + 8u * (j + m) * ${SIDE}u)`, { high: HIGH, tiles: TILES }, passes)}}
__syncwarp();
`;
}

/** Where in a square a thread has the q-th of its columns at its first row; the others are at fixed places from there. */
const OWN = `square + ${2 * SIDE}u * member + group + 8u * (q ^ member)`;

/** Lays so many tiles of rows that tensor cores computed into a square, fours of a row where `treatedText` finds them. */
function stagedText(name: string, tiles: number): string {
  return `#pragma unroll
for (unsigned q = 0; q < ${2 * HIGH}u; q++) {
  float* const to = ${OWN};
#pragma unroll
  for (unsigned j = 0; j < ${tiles}u; j++) {
    to[j * ${TILE.columns * SIDE}u] = ${name}[q / 2u][j][2u * (q % 2u)];
    to[j * ${TILE.columns * SIDE}u + ${SIDE}u] = ${name}[q / 2u][j][2u * (q % 2u) + 1u];
  }
}
`;
}

/** Adds what becomes of a square to the transform. */
function forthText({ tiles, forthWidth }: TransformedSizes, passes: Passes): string {
  return `{
  float (&total)[${HIGH}][${tiles}][4] = sums;
  const float4* const pairs = forth + points / 2u * ${forthWidth}u;
#pragma unroll 2
  for (unsigned s = 0; s < ${STEPS}u; s++) {
    float left[${HIGH}][4];
#pragma unroll
    for (unsigned q = 0; q < ${2 * HIGH}u; q++) {
      const float* const from = ${OWN} + s * ${TILE.inner * SIDE}u;
      left[q / 2u][q % 2u] = from[0];
      left[q / 2u][q % 2u + 2u] = from[${SIDE}];
    }
${indented(multiplyText("left[e / 4u][e % 4u]", `pairs[s * ${4 * forthWidth}u + 8u * (j + m)]`, { high: HIGH, tiles }, passes))}  }
}
`;
}

interface Treated {
  readonly isFetched: boolean;
  /** The first row of the square, in CUDA C, and how many it has. */
  readonly down: string;
  readonly count: number;
  /** What of an element takes its place in the square. */
  readonly kept?: string;
}

/** What becomes of a square's elements, some at a time. */
function treatedText(elements: FetchedElementText, { isFetched, down, count, kept }: Treated): string {
  const text = elements.vectors ?? elements;
  const [type, abreast] = elements.vectors ? ["float4", 4] : ["float", 1];
  const parts = Math.ceil(count / abreast);
  const atOnce = Math.min(parts, 4 + (4 - abreast));
  const turns = Math.ceil(parts / atOnce);
  const [below, along, four] =
    abreast === 4
      ? [`(turn * ${atOnce}u + part) * 4u + lane / ${FOURS}u`, `4u * (lane % ${FOURS}u)`, `lane % ${FOURS}u`]
      : [`turn * ${atOnce}u + part`, "lane", "lane / 4u"];
  const within = `below * ${SIDE}u + 4u * (${four} ^ 2u * (below / 2u % 4u))${abreast === 4 ? "" : " + lane % 4u"}`;
  const place = `const unsigned below = ${below}, along = ${along}, spot = below * ${SIDE}u + along;
const unsigned row = ${down} + below, column = first + along${elements.vectors ? ", f = column / 4u" : ""};
${type}* const at = (${type}*)&square[${within}];
`;
  const condition = turns * atOnce * abreast === count ? {} : { condition: `below < ${count}u` };
  const each = (body: string) => forEach(atOnce, body, { place, ...condition });
  const compute = isFetched ? text.computeFetched(SQUARE) : text.compute;
  // All is computed before any of it is stored.
  const done =
    text.declare(atOnce) +
    each(`const ${type} value = *at;\n${compute}`) +
    each(text.store + (kept ? `*at = ${kept}[part];\n` : ""));
  return `#pragma unroll 1
for (unsigned turn = 0; turn < ${turns}u; turn++) {
${indented(done)}}
`;
}
