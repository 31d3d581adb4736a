import type { Product } from "../../plan/layout/products.js";
import { indented, type ResultText } from "../element-text.js";
import type { LongKTiles, Side } from "./sides.js";

/** Stores the sums that a factor's ones have made of the other one. */
export function storedOnes(
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
export function sumsText(
  [ofRows, ofColumns]: ResultText["sums"],
  { warpRows, high, wide }: LongKTiles,
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
