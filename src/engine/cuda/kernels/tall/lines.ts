import type { Lines } from "../../plan/line-sums.js";
import type { Product } from "../../plan/products.js";
import { forEach, indented, type LineText } from "../element-text.js";
import { TILE } from "../tensor-cores.js";

const WARP = 32;
/** Elements that a warp treats at a time. */
const AT_ONCE = 8 * WARP;

/** Whether a kernel with all columns of a product in a strip can add up such lines: its threads keep to columns then. */
export function canAddUp({ rows, columns }: Product, { along, length }: Lines): boolean {
  const isWhole = columns % WARP === 0 && AT_ONCE % columns === 0 && rows % TILE.rows === 0;
  return isWhole && (along === "row" || (rows % length === 0 && length % TILE.rows === 0));
}

/** Rows that a block must have for itself, if it adds up columns. */
export function rowsOfBlock(lines: readonly Lines[]): number | undefined {
  return lines.find(({ along }) => along === "column")?.length;
}

/** Where a strip's elements are treated: `width` columns, of which the first row is `row` in CUDA C. */
interface Treated {
  readonly width: number;
  readonly row: string;
}

export interface LinesText {
  /** Before the first strip. */
  readonly declared: string;
  /** After elements have been computed, and before others are. */
  readonly each: (treated: Treated) => string;
  /** After the last strip, where `n` and `row` are of a block's first one: `stageOf` is where a warp has room. */
  readonly last: (width: number, warps: number, stageOf: (warp: string) => string) => string;
}

/** Sums of rows are put together at once, sums of columns by the threads that have these columns in all strips. */
export function linesText(lines: readonly LineText[]): LinesText {
  const columns = lines.filter(({ along }) => along === "column");
  const rows = lines.filter(({ along }) => along === "row");
  return {
    declared: columns.map((_, k) => `float columns${k}[${AT_ONCE / WARP}] = {};\n`).join(""),
    each: ({ width, row }) => {
      const turns = width / WARP;
      const added = columns.map(({ value }, k) => `columns${k}[part % ${turns}u] += ${value}[part];\n`);
      const put = rows.map(({ value, store }) => {
        const terms = Array.from({ length: turns }, (_, i) => `${value}[${turns}u * part + ${i}u]`);
        return `{
  float value = ${terms.join(" + ")};
#pragma unroll
  for (unsigned half = 16u; half > 0u; half /= 2u) value += __shfl_xor_sync(0xffffffffu, value, half);
  const unsigned row = ${row} + part;
  if (lane == 0u) {
${indented(indented(store))}  }
}
`;
      });
      return (
        (columns.length > 0 ? forEach(AT_ONCE / WARP, added.join("")) : "") +
        (rows.length > 0 ? forEach(AT_ONCE / width, put.join("")) : "")
      );
    },
    last: (width, warps, stageOf) =>
      columns
        .map(
          ({ store }, k) => `__syncthreads();
#pragma unroll
for (unsigned turn = 0; turn < ${width / WARP}u; turn++) ${stageOf("warp")}[${WARP}u * turn + lane] = columns${k}[turn];
__syncthreads();
for (unsigned column = threadIdx.x; column < ${width}u; column += ${WARP * warps}u) {
  float value = 0.f;
#pragma unroll
  for (unsigned other = 0; other < ${warps}u; other++) value += ${stageOf("other")}[column];
${indented(store)}}
`,
        )
        .join(""),
  };
}
