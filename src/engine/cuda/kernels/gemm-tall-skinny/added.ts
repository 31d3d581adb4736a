import { vectorLength } from "../../plan/expressions/vector-length.js";
import type { AddedProduct, Matrix, Product } from "../../plan/layout/products.js";
import { indented } from "../element-text.js";
import { matrixText } from "../matrix-text.js";
import { type Passes, passesOver, TILE, WARP } from "../tensor-cores.js";
import { IN_TURN, type Sizes } from "./tiling.js";

/**
 * Adds another product to a strip. As the factors are given in the other order, a strip has columns of its right factor
 * W, and takes all that the left one X has for them to shared memory while the first product is computed.
 */
export function addedText(
  product: Product,
  { inner, columns, a: x, b: w }: AddedProduct,
  sizes: Sizes,
  passes: Passes,
): { before: string; after: string } {
  const { high, addedWidth } = sizes;
  const [down, along] = w.transposed ? [w.rowStride, 1] : [1, w.rowStride];
  const after = `asm volatile("cp.async.wait_all;" ::: "memory");
__syncwarp();
{
  const float* own = d + ${matrixText(product, w)} + (first % ${columns}u + group) * ${down}u + 2u * member * ${along}u;
  const float* line = stage + group * ${addedWidth}u + 2u * member;
#pragma unroll 1
  for (unsigned s = 0; s < ${inner / TILE.inner}u; s++, own += ${TILE.inner * along}, line += ${TILE.inner}) {
    float x[${high}][4];
#pragma unroll
    for (unsigned half = 0; half < ${2 * high}u; half++) {
      x[half / 2u][half % 2u] = own[half * ${8 * down}u];
      x[half / 2u][half % 2u + 2u] = own[half * ${8 * down}u + ${along}u];
    }
${indented(multiplyText("x[e / 4u][e % 4u]", `of_pair<${passes}>(line + 8u * (j + m) * ${addedWidth}u)`, sizes, passes))}  }
}
`;
  const before = `__syncwarp();
{
  const float* from = c + ${matrixText(product, x)};
${indented(copiesText(product, { inner, columns, x }, sizes))}}
`;
  return { before, after };
}

/** Takes a warp's part of X to shared memory. Where it can a thread keeps to its places along the inner axis. */
function copiesText(
  product: Product,
  { inner, columns, x }: Pick<AddedProduct, "inner" | "columns"> & { readonly x: Matrix },
  { tiles, addedWidth }: Sizes,
): string {
  const count = x.transposed
    ? 1
    : vectorLength(x.offset, x.rowStride, x.batchStride, x.groupStride ?? 0, inner);
  const ofLine = inner / count;
  const pieces = tiles * TILE.columns * ofLine;
  const isInside = product.columns % (tiles * TILE.columns) === 0;
  const keeps = !x.transposed && WARP % ofLine === 0 && pieces % WARP === 0;
  const column = (k: string) => `first / ${columns}u * ${inner}u + ${k}`;
  if (!keeps)
    return `#pragma unroll 4
for (unsigned piece = lane; piece < ${pieces}u; piece += ${WARP}u) {
  const unsigned at = piece / ${ofLine}u, k = piece % ${ofLine}u * ${count}u;
  const unsigned row = start + at, column = ${column("k")};
  ${isInside ? "" : `if (row < ${product.columns}u) `}copy<${count}>(stage + at * ${addedWidth}u + k, from + ${x.transposed ? `(size_t)column * ${x.rowStride}u + row` : `(size_t)row * ${x.rowStride}u + column`}, ${4 * count}u);
}
`;
  const abreast = WARP / ofLine;
  return `const unsigned at = lane / ${ofLine}u, k = lane % ${ofLine}u * ${count}u;
from += (size_t)(start + at) * ${x.rowStride}u + ${column("k")};
float* to = stage + at * ${addedWidth}u + k;
#pragma unroll
for (unsigned piece = 0; piece < ${pieces / WARP}u; piece++)
  ${isInside ? "" : `if (start + at + piece * ${abreast}u < ${product.columns}u) `}copy<${count}>(to + piece * ${abreast * addedWidth}u, from + piece * ${abreast * x.rowStride}u, ${4 * count}u);
`;
}

/** Multiplies a step along the inner axis: numbers of A, which `e` counts, with those of B for tile j + m of columns. */
export function multiplyText(left: string, right: string, tiles: Tiles, passes: Passes): string {
  const count = 4 * tiles.high;
  return `  unsigned high[${tiles.high}][4], low[${tiles.high}][4];
#pragma unroll
  for (unsigned e = 0; e < ${count}u; e++) divide<${passes}>(${left}, high[e / 4u][e % 4u], low[e / 4u][e % 4u]);
${timesText(right, tiles, passes)}`;
}

type Tiles = Pick<Sizes, "high" | "tiles">;

/** The same of numbers of A that are divided into `high` and `low` parts. */
export function timesText(right: string, { high, tiles }: Tiles, passes: Passes): string {
  const multiply = passesOver(passes)
    .map(([ofLeft, ofRight]) => {
      const [p, q] = ofRight === "high" ? ["x", "y"] : ["z", "w"];
      return `#pragma unroll
    for (unsigned i = 0; i < ${high}u; i++)
#pragma unroll
      for (unsigned m = 0; m < ${IN_TURN}u; m++)
        if (j + m < ${tiles}u) multiply_add(total[i][j + m], ${ofLeft}[i], __float_as_uint(y[m].${p}), __float_as_uint(y[m].${q}));
`;
    })
    .join("");
  return `#pragma unroll
  for (unsigned j = 0; j < ${tiles}u; j += ${IN_TURN}u) {
    float4 y[${IN_TURN}];
#pragma unroll
    for (unsigned m = 0; m < ${IN_TURN}u; m++)
      if (j + m < ${tiles}u) y[m] = ${right};
${multiply}  }
`;
}
