import type { AddedProduct, Matrix } from "../../plan/layout/products.js";
import type { OwnProduct, TransformedLayer } from "../../plan/plan.js";
import { matrixText } from "../matrix-text.js";
import { type Passes, TILE, WARP } from "../tensor-cores.js";
import { FOURS, HIGH, MATRICES, SIDE, STEPS, type TransformedSizes } from "./tiling.js";

/** B^T, T^T and W, which all strips of a block share, in shared memory. */
export function factorsText(
  { layer, transform }: TransformedLayer,
  sizes: TransformedSizes,
  passes: Passes,
): string {
  const { rows, inner } = layer;
  const { steps, tiles, warps, backWidth, forthWidth, forth } = sizes;
  /** Pairs of numbers k and k + 1 of each column `at`; it and they are counted such that threads read neighbours. */
  const pairsText = (
    { pairs, columns, to, width }: Record<"pairs" | "columns" | "to" | "width", number>,
    { transposed, rowStride }: Matrix,
    number: (at: string) => (k: string) => string,
  ) => {
    const cell = transposed
      ? `pair = place / ${columns}u, at = place % ${columns}u`
      : `pair = place % ${pairs}u, at = place / ${pairs}u`;
    const placed = (k: string) =>
      number(transposed ? `(${k}) * ${rowStride}u + at` : `at * ${rowStride}u + ${k}`)(k);
    return `for (unsigned place = threadIdx.x; place < ${pairs * columns}u; place += ${32 * warps}u) {
  const unsigned ${cell};
  factor[${to}u + pair * ${width}u + at] = divided<${passes}>(${placed("2u * pair")}, ${placed("2u * pair + 1u")});
}
`;
  };
  const ofBack = { pairs: (TILE.inner / 2) * steps, columns: rows, to: 0, width: backWidth };
  const ofForth = { pairs: rows / 2, columns: tiles * TILE.columns, to: forth, width: forthWidth };
  const inside = (condition: string, isCertain: boolean, value: string) =>
    isCertain ? value : `(${condition} ? ${value} : 0.f)`;
  return (
    pairsText(
      ofBack,
      layer.a,
      (at) => (k) => inside(`${k} < ${inner}u`, inner === 2 * ofBack.pairs, `a[${at}]`),
    ) +
    pairsText(
      ofForth,
      transform.a,
      (at) => () => inside(`at < ${transform.rows}u`, transform.rows === ofForth.columns, `e[${at}]`),
    ) +
    (layer.added ? weightsText(layer, layer.added, sizes, passes) : "")
  );
}

/** W as threads have it of the left factor of (X W)^T: four numbers' high parts and their low ones, for each tile. */
function weightsText(
  layer: OwnProduct,
  { b }: AddedProduct,
  { warps, alike, weights }: TransformedSizes,
  passes: Passes,
): string {
  const { batch, group = batch } = layer;
  const number = (e: number) => {
    const [k, at] = [`k${e < 2 ? "" : " + 1u"}`, `at${e % 2 === 0 ? "" : " + 8u"}`];
    return b.transposed ? `own[(${at}) * ${b.rowStride}u + ${k}]` : `own[(${k}) * ${b.rowStride}u + ${at}]`;
  };
  const tiles = STEPS * HIGH;
  return `for (unsigned place = threadIdx.x; place < ${MATRICES * tiles * WARP}u; place += ${32 * warps}u) {
  const unsigned tile = place / 32u, n = (begin / ${alike}u + tile / ${tiles}u) * ${group}u;
  if (n >= ${batch}u) break;
  const float* const own = d + ${matrixText(layer, b)};
  const unsigned k = tile % ${tiles}u / ${HIGH}u * 8u + 2u * (place % 4u), at = tile % ${HIGH}u * 16u + place % 32u / 4u;
  const float4 even = divided<${passes}>(${number(0)}, ${number(1)}), odd = divided<${passes}>(${number(2)}, ${number(3)});
  factor[${weights}u + tile * 64u + place % 32u] = make_float4(even.x, even.y, odd.x, odd.y);
  factor[${weights}u + tile * 64u + 32u + place % 32u] = make_float4(even.z, even.w, odd.z, odd.w);
}
`;
}

/** Sends inputs of a strip at some points on their way, fours of a row exchanged: no two threads read from one bank then. */
export function requestText({ a: x }: AddedProduct, { layer }: TransformedLayer, place: string): string {
  return `auto request = [&](unsigned strip, unsigned points, float* to) {
  ${place}  const float* from = c + ${matrixText(layer, x)} + (size_t)(points + lane / ${FOURS}u) * ${x.rowStride}u + first + 4u * (lane % ${FOURS}u);
  to += lane / ${FOURS}u * ${SIDE}u + 4u * (lane % ${FOURS}u ^ 2u * (lane / ${FOURS}u));
#pragma unroll
  for (unsigned piece = 0; piece < ${FOURS}u; piece++)
    copy<4>(to + piece * ${4 * SIDE}u, from + piece * ${4 * x.rowStride}u, 16u);
};
`;
}

/** A strip of S, as the left factor of (B S)^T. */
export function spectrumText({ layer }: TransformedLayer, steps: number): string {
  const { b, inner } = layer;
  const [down, along] = b.transposed ? [b.rowStride, 1] : [1, b.rowStride];
  const number = (e: number) => {
    const value = `own[s * ${TILE.inner * along}u + half * ${8 * down}u + ${e * along}u]`;
    const k = `8u * s + 2u * member + ${e}u`;
    return inner === TILE.inner * steps ? value : `${k} < ${inner}u ? ${value} : 0.f`;
  };
  return `const float* const own = b + ${matrixText(layer, b)} + (size_t)(first + group) * ${down}u + 2u * member * ${along}u;
float x[${steps}][${HIGH}][4];
#pragma unroll
for (unsigned s = 0; s < ${steps}u; s++)
#pragma unroll
  for (unsigned half = 0; half < ${2 * HIGH}u; half++) {
    x[s][half / 2u][half % 2u] = ${number(0)};
    x[s][half / 2u][half % 2u + 2u] = ${number(1)};
  }
`;
}
