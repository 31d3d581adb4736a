import type { AddedProduct, Product } from "../../plan/products.js";
import { indented } from "../element-text.js";
import { matrixText } from "../matrix-text.js";
import { type Passes, passesOver, TILE, vectorLength } from "../tensor-cores.js";
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
  const { tiles, high, addedWidth } = sizes;
  const count = x.transposed
    ? 1
    : vectorLength(x.offset, x.rowStride, x.batchStride, x.groupStride ?? 0, inner);
  const pieces = (tiles * TILE.columns * inner) / count;
  const row = product.columns % (tiles * TILE.columns) === 0 ? "" : `if (row < ${product.columns}u) `;
  const before = `__syncwarp();
{
  const float* from = c + ${matrixText(product, x)};
#pragma unroll 4
  for (unsigned piece = lane; piece < ${pieces}u; piece += 32u) {
    const unsigned at = piece / ${inner / count}u, k = piece % ${inner / count}u * ${count}u;
    const unsigned row = start + at, column = first / ${columns}u * ${inner}u + k;
    ${row}copy<${count}>(stage + at * ${addedWidth}u + k, from + ${x.transposed ? `(size_t)column * ${x.rowStride}u + row` : `(size_t)row * ${x.rowStride}u + column`}, ${4 * count}u);
  }
}
`;
  const own = (k: string) =>
    w.transposed ? `own[row * ${w.rowStride}u + ${k}]` : `own[(${k}) * ${w.rowStride}u + row]`;
  const after = `asm volatile("cp.async.wait_all;" ::: "memory");
__syncwarp();
{
  const float* own = d + ${matrixText(product, w)};
#pragma unroll 1
  for (unsigned s = 0; s < ${inner / TILE.inner}u; s++) {
    const unsigned k = 8u * s + 2u * member;
    float x[${high}][4];
#pragma unroll
    for (unsigned half = 0; half < ${2 * high}u; half++) {
      const unsigned row = first % ${columns}u + 8u * half + group;
      x[half / 2u][half % 2u] = ${own("k")};
      x[half / 2u][half % 2u + 2u] = ${own("k + 1u")};
    }
${indented(multiplyText("x[e / 4u][e % 4u]", `of_pair<${passes}>(stage + (8u * (j + m) + group) * ${addedWidth}u + k)`, sizes, passes))}  }
}
`;
  return { before, after };
}

/** Multiplies a step along the inner axis: numbers of A, which `e` counts, with those of B for tile j + m of columns. */
export function multiplyText(left: string, right: string, { high, tiles }: Sizes, passes: Passes): string {
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
  return `  unsigned high[${high}][4], low[${high}][4];
#pragma unroll
  for (unsigned e = 0; e < ${4 * high}u; e++) divide<${passes}>(${left}, high[e / 4u][e % 4u], low[e / 4u][e % 4u]);
#pragma unroll
  for (unsigned j = 0; j < ${tiles}u; j += ${IN_TURN}u) {
    float4 y[${IN_TURN}];
#pragma unroll
    for (unsigned m = 0; m < ${IN_TURN}u; m++)
      if (j + m < ${tiles}u) y[m] = ${right};
${multiply}  }
`;
}
