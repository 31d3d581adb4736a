import type { Matrix } from "../../plan/layout/products.js";
import type { BackwardLayer } from "../../plan/plan.js";
import { type ElementText, eachOf, forEach, indented } from "../element-text.js";
import type { KernelBody } from "../kernel-body.js";
import { matrixText } from "../matrix-text.js";
import { LONGEST_SUM, type Passes, passesOver, TILE } from "../tensor-cores.js";
import { type BackwardSizes, backwardSizes, RESIDENT, STRIP } from "./tiling.js";

/** What becomes of a layer on its way back, in CUDA C. */
export interface BackwardText {
  /** Computes t0, the derivative by the layer's elements, and t1, t2, ..., of which columns are added up. */
  readonly derivative: Omit<ElementText, "store">;
  /** Stores `value`, the sum of a column of t1, t2, ... */
  readonly lines: readonly string[];
  readonly inputs: ElementText;
  readonly weights: ElementText;
  /** Stores `value`, the sum of a column of the derivative. */
  readonly sums: string | undefined;
}

/** Tiles of eight rows that a warp computes at a time, so that no product waits for the one before. */
const AT_ONCE = 2;

/**
 * G = f(X W), G W^T and X^T G, where G has many columns and is not stored. A block has some rows of X, a strip at a time,
 * which its threads divide into high and low parts for all; each of its warps has 16 columns of W, in registers. What it
 * computes of G^T lies in its registers as the left factor of (X^T G)^T does, which it adds up as long as there are rows.
 * For G W^T it goes through shared memory.
 *
 * `a` points to X, `b` to W and `c` to W^T, or what is in its place.
 */
export function backwardKernel(one: BackwardLayer, text: BackwardText, passes: Passes): KernelBody {
  const { layer, weights } = one;
  const sizes = backwardSizes(one);
  const { threads, steps, strips, blocks, end } = sizes;
  const parts = layer.rows / weights.inner;
  const often = LONGEST_SUM / STRIP;
  const names = text.lines.map((_, k) => `line${k}`);
  const body = `extern __shared__ float4 factor[];
float* const memory = (float*)factor;
const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, group = lane / 4u, member = lane % 4u;
const unsigned n = blockIdx.x / ${parts}u, first = blockIdx.x % ${parts}u * ${weights.inner}u;
${loadText(one, sizes, passes)}load(0u);
${factorText(one, sizes, passes)}${weightsText(one, passes)}const unsigned shift = ${placeText("group")}, places[2] = {${placeText("(2u * member)")}, ${placeText("(2u * member + 1u)")}};
const unsigned own = 16u * warp + group;
float* kept = memory + ${sizes.kept}u + threadIdx.x;
#pragma unroll
for (unsigned e = 0; e < ${4 * steps}u; e++) kept[e * ${threads}u] = 0.f;
float total[${steps}][4] = {};
float ${["sums", ...names].map((name) => `${name}[2] = {}`).join(", ")};
#pragma unroll 1
for (unsigned strip = 0; strip < ${strips}u; strip++) {
  asm volatile("cp.async.wait_all;" ::: "memory");
  divide_all();
  __syncthreads();
  if (strip + 1u < ${strips}u) load(strip + 1u);
  const unsigned start = first + strip * ${STRIP}u;
  // Where a thread's numbers are: those of a row of X, those of two rows' column, and those of G.
  const float* along = x + shift * ${sizes.inputWidth}u + 2u * member;
  const float* down[2] = {x + places[0] * ${sizes.inputWidth}u + group, x + places[1] * ${sizes.inputWidth}u + group};
  float* g = memory + ${sizes.derivative}u;
  float* to[2] = {g + places[0] * ${sizes.derivativeWidth}u + own, g + places[1] * ${sizes.derivativeWidth}u + own};
#pragma unroll 1
  for (unsigned j = 0; j < ${STRIP / TILE.columns}u; j += ${AT_ONCE}u) {
${indented(indented(derivativeText(text, names, sizes, passes)))}  }
  if (strip % ${often}u == ${often - 1}u || strip == ${strips - 1}u) {
#pragma unroll
    for (unsigned e = 0; e < ${4 * steps}u; e++) {
      const float sum = kept[e * ${threads}u] + total[e / 4u][e % 4u];
      kept[e * ${threads}u] = sum;
      total[e / 4u][e % 4u] = strip == ${strips - 1}u ? sum : 0.f;
    }
  }
${indented(linesText(one, text, names))}  __syncthreads();
${indented(inputsText(one, text.inputs, sizes, passes))}}
{
  const unsigned n = blockIdx.x;
${indented(text.sums ? columnsText("sums", text.sums) : "")}#pragma unroll
  for (unsigned s = 0; s < ${steps}u; s++) {
${indented(
  indented(
    eachOf(4, text.weights, {
      place: "const unsigned row = 8u * s + 2u * member + part % 2u, column = own + part / 2u * 8u;\n",
      value: "const float value = total[s][part];\n",
    }),
  ),
)}  }
}
`;
  return { text: body, blocks: [blocks, 1, 1], threads, resident: RESIDENT, sharedBytes: 4 * end };
}

/**
 * The row of a tile of eight that takes the place of the r-th: as they lie in shared memory, threads then read from
 * different banks both along rows and down columns.
 */
function placeText(r: string): string {
  return `((${r} & 4u) | (((${r} & 1u) << 1 | ((${r} >> 1) & 1u)) ^ ((${r} >> 1) & 2u)))`;
}

/**
 * Sends a strip of the inputs on its way to shared memory, and divides the numbers of the strip that has come: a thread
 * those that it sent for, so that it need not wait for others. Low parts lie behind the high ones of all the strip.
 */
function loadText({ layer, weights }: BackwardLayer, sizes: BackwardSizes, passes: Passes): string {
  const { threads, sent, input, inputWidth } = sizes;
  const { inner, a } = layer;
  const fours = inner / 4;
  const pieces = (
    each: string,
  ) => `  for (unsigned piece = threadIdx.x; piece < ${STRIP * fours}u; piece += ${threads}u) {
    const unsigned line = piece / ${fours}u, along = piece % ${fours}u * 4u;
${indented(indented(each))}  }
`;
  return `const float* const from = a + (size_t)blockIdx.x * ${weights.inner * a.rowStride}u;
float4* const sent = (float4*)(memory + ${sent}u);
float* const x = memory + ${input}u;
auto load = [&](unsigned strip) {
${pieces(`copy<4>((float*)&sent[piece], from + (size_t)(strip * ${STRIP}u + line) * ${a.rowStride}u + along, 16u);\n`)}};
auto divide_all = [&] {
${pieces(`const float4 four = sent[piece], front = divided<${passes}>(four.x, four.y), rear = divided<${passes}>(four.z, four.w);
float* to = x + line * ${inputWidth}u + along;
*(float4*)to = make_float4(front.x, front.y, rear.x, rear.y);
*(float4*)(to + ${STRIP * inputWidth}u) = make_float4(front.z, front.w, rear.z, rear.w);
`)}};
`;
}

/** The right factor of G W^T in shared memory, divided into high and low parts. */
function factorText({ inputs }: BackwardLayer, sizes: BackwardSizes, passes: Passes): string {
  const { columns, inner, b } = inputs;
  const number = (k: string) => numberText("right", b, k, "at");
  const [pair, at] = b.transposed
    ? [`place % ${inner / 2}u`, `place / ${inner / 2}u`]
    : [`place / ${columns}u`, `place % ${columns}u`];
  return `{
  const float* right = c + ${matrixText(inputs, b)};
  for (unsigned place = threadIdx.x; place < ${(inner / 2) * columns}u; place += ${sizes.threads}u) {
    const unsigned pair = ${pair}, at = ${at};
    factor[pair * ${sizes.factorWidth}u + at] = divided<${passes}>(${number("2u * pair")}, ${number("2u * pair + 1u")});
  }
}
`;
}

/** A warp's columns of W, as the left factor of (X W)^T. */
function weightsText({ layer }: BackwardLayer, passes: Passes): string {
  const { b, inner } = layer;
  const steps = inner / TILE.inner;
  const number = numberText(
    "right",
    b,
    "(8u * s + 2u * member + e / 2u)",
    "(16u * warp + group + e % 2u * 8u)",
  );
  return `unsigned high[${steps}][4], low[${steps}][4];
{
  const float* right = b + ${matrixText(layer, b)};
#pragma unroll
  for (unsigned s = 0; s < ${steps}u; s++)
#pragma unroll
    for (unsigned e = 0; e < 4u; e++) divide<${passes}>(${number}, high[s][e], low[s][e]);
}
`;
}

/** Two tiles of rows of G^T, which are stored in shared memory, added up, and multiplied with X. */
function derivativeText(
  { derivative }: BackwardText,
  lines: readonly string[],
  { steps, inputWidth, derivativeWidth }: BackwardSizes,
  passes: Passes,
): string {
  const added = ["sums", ...lines].map((name, k) => `${name}[part / 2u] += t${k}[part];\n`).join("");
  const elements = forEach(4, `const float value = y[m][part];\n${derivative.compute}`, {
    place: "const unsigned row = start + 8u * (j + m) + places[part % 2u], column = own + part / 2u * 8u;\n",
  });
  const products = (m: string, total: string, left: readonly [string, string], unrolled: string) =>
    passesOver(passes)
      .map(
        ([ofLeft, ofRight]) =>
          `${unrolled}multiply_add(${total}, ${ofLeft === "high" ? left[0] : left[1]}, ${ofRight}Right${m}[0], ${ofRight}Right${m}[1]);\n`,
      )
      .join("");
  return `float y[${AT_ONCE}][4] = {};
#pragma unroll
for (unsigned s = 0; s < ${steps}u; s++) {
  unsigned highRight[${AT_ONCE}][2], lowRight[${AT_ONCE}][2];
#pragma unroll
  for (unsigned m = 0; m < ${AT_ONCE}u; m++) {
    const float* at = along + j * ${8 * inputWidth}u + (m * ${8 * inputWidth}u + 8u * s);
    const float2 high = *(const float2*)at, low = *(const float2*)(at + ${STRIP * inputWidth}u);
    highRight[m][0] = __float_as_uint(high.x), highRight[m][1] = __float_as_uint(high.y);
    lowRight[m][0] = __float_as_uint(low.x), lowRight[m][1] = __float_as_uint(low.y);
  }
${indented(products("[m]", "y[m]", ["high[s]", "low[s]"], `#pragma unroll\nfor (unsigned m = 0; m < ${AT_ONCE}u; m++) `))}}
#pragma unroll
for (unsigned m = 0; m < ${AT_ONCE}u; m++) {
${indented(derivative.declare(4) + elements)}${indented(
  forEach(
    4,
    `to[part % 2u][j * ${8 * derivativeWidth}u + (m * ${8 * derivativeWidth}u + part / 2u * 8u)] = t0[part];\n${added}`,
  ),
)}  unsigned highLeft[4], lowLeft[4];
#pragma unroll
  for (unsigned e = 0; e < 4u; e++) divide<${passes}>(t0[e % 2u * 2u + e / 2u], highLeft[e], lowLeft[e]);
#pragma unroll
  for (unsigned s = 0; s < ${steps}u; s++) {
    unsigned highRight[2], lowRight[2];
#pragma unroll
    for (unsigned e = 0; e < 2u; e++) {
      const float* at = down[e] + j * ${8 * inputWidth}u + (m * ${8 * inputWidth}u + 8u * s);
      highRight[e] = __float_as_uint(at[0]), lowRight[e] = __float_as_uint(at[${STRIP * inputWidth}u]);
    }
${indented(indented(products("", "total[s]", ["highLeft", "lowLeft"], "")))}  }
}
`;
}

/** A strip of G W^T, of which each warp computes some tiles. */
function inputsText(
  { layer, inputs }: BackwardLayer,
  elements: ElementText,
  { warps, tiles, across, derivativeWidth, factorWidth }: BackwardSizes,
  passes: Passes,
): string {
  const down = STRIP / TILE.rows;
  const isWhole = tiles * (warps / down) === across;
  const multiply = passesOver(passes)
    .map(([ofLeft, ofRight]) => {
      const [p, q] = ofRight === "high" ? ["x", "y"] : ["z", "w"];
      return `#pragma unroll
  for (unsigned m = 0; m < ${tiles}u; m++)
    multiply_add(result[m], ${ofLeft}Left, __float_as_uint(right[m].${p}), __float_as_uint(right[m].${q}));
`;
    })
    .join("");
  const store = eachOf(4, elements, {
    place: `const unsigned row = start + top + part / 2u * 8u, column = 8u * (beside + m) + 2u * member + part % 2u;\n`,
    ...(!isWhole && { condition: `column < ${inputs.columns}u` }),
    value: "const float value = result[m][part];\n",
  });
  return `const unsigned top = warp % ${down}u * 16u + group, beside = warp / ${down}u * ${tiles}u;
const float* left = g + top * ${derivativeWidth}u + 2u * member;
const float4* pairs = factor + member * ${factorWidth}u + group;
float result[${tiles}][4] = {};
#pragma unroll 4
for (unsigned s = 0; s < ${layer.columns / TILE.inner}u; s++) {
  const float2 upper = *(const float2*)(left + 8u * s), lower = *(const float2*)(left + (8u * s + ${8 * derivativeWidth}u));
  unsigned highLeft[4], lowLeft[4];
  divide<${passes}>(upper.x, highLeft[0], lowLeft[0]);
  divide<${passes}>(lower.x, highLeft[1], lowLeft[1]);
  divide<${passes}>(upper.y, highLeft[2], lowLeft[2]);
  divide<${passes}>(lower.y, highLeft[3], lowLeft[3]);
  float4 right[${tiles}];
#pragma unroll
  for (unsigned m = 0; m < ${tiles}u; m++)
    right[m] = pairs[8u * ${isWhole ? "beside" : `min(beside + m, ${across - 1}u)`} + (4u * s * ${factorWidth}u${isWhole ? " + 8u * m" : ""})];
${multiply}}
#pragma unroll
for (unsigned m = 0; m < ${tiles}u; m++) {
${indented(store)}}
`;
}

/** Stores sums of columns, as often as there are all rows of them. */
function linesText({ layer }: BackwardLayer, { lines }: BackwardText, names: readonly string[]): string {
  return lines
    .map((store, k) => {
      const strips = layer.lines[k].length / STRIP;
      return `if (strip % ${strips}u == ${strips - 1}u) {
  const unsigned row = start;
${indented(columnsText(names[k], store))}  ${names[k]}[0] = ${names[k]}[1] = 0.f;
}
`;
    })
    .join("");
}

/** Adds up what the threads of a column have. */
function columnsText(name: string, store: string): string {
  return `#pragma unroll
for (unsigned half = 0; half < 2u; half++) {
  float value = ${name}[half];
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  value += __shfl_xor_sync(0xffffffffu, value, 2);
  const unsigned column = own + half * 8u;
  if (member == 0u) {
${indented(indented(store))}  }
}
`;
}

function numberText(from: string, { transposed, rowStride }: Matrix, row: string, column: string): string {
  const [line, number] = transposed ? [column, row] : [row, column];
  return `${from}[(${line}) * ${rowStride}u + ${number}]`;
}
