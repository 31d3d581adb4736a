import type { Lines } from "../../plan/fusion/line-sums.js";
import type { Product } from "../../plan/layout/products.js";
import { forEach, indented, type LineText } from "../element-text.js";
import { TILE, WARP } from "../tensor-cores.js";
import { foursOf, type Treatment } from "./treatment.js";

/** Whether a kernel with all columns of a product in a strip can add up such lines. */
export function canAddUp({ rows, columns }: Product, { along, length }: Lines): boolean {
  if (columns % 4 !== 0 || rows % TILE.rows !== 0) return false;
  if (along === "column") return rows % length === 0 && length % TILE.rows === 0;
  const { ofLine, abreast } = foursOf(Math.ceil(columns / TILE.columns) * TILE.columns);
  return abreast === 1 || abreast * ofLine === WARP;
}

/** Rows that a block must have for itself, if it adds up columns. */
export function rowsOfBlock(lines: readonly Lines[]): number | undefined {
  return lines.find(({ along }) => along === "column")?.length;
}

export interface LinesText {
  /** Before the first strip. */
  readonly declared: string;
  /** Before some elements are computed, and after. */
  readonly around: (treatment: Treatment) => { readonly before: string; readonly after: string };
  /** After the last strip, where `n` and `row` are of a block's first one: `stageOf` is where a warp has room. */
  readonly last: (sizes: Last) => string;
}

interface Last {
  readonly columns: number;
  /** Columns with those that fill the last tile. */
  readonly line: number;
  readonly warps: number;
  readonly stageOf: (warp: string) => string;
}

/** Sums of rows are put together at once, sums of columns by the threads that have these columns in all strips. */
export function linesText(lines: readonly LineText[]): LinesText {
  const columns = lines.filter(({ along }) => along === "column");
  const rows = lines.filter(({ along }) => along === "row");
  return {
    declared: columns.map(({ name }) => `float4 ${name} = make_float4(0.f, 0.f, 0.f, 0.f);\n`).join(""),
    around: ({ atOnce, place, ofLine, abreast }) => {
      const threads = abreast === 1 ? WARP : ofLine;
      const put = rows.map(
        ({ name, store }) => `{
  float value = ${name}[part];
#pragma unroll
  for (unsigned half = ${threads / 2}u; half > 0u; half /= 2u) value += __shfl_xor_sync(0xffffffffu, value, half);
  if (lane % ${threads}u == 0u) {
${indented(indented(store))}  }
}
`,
      );
      return {
        before: rows.map(({ name }) => `float ${name}[${atOnce}] = {};\n`).join(""),
        after: rows.length > 0 ? forEach(atOnce, put.join(""), { place }) : "",
      };
    },
    last: ({ columns: width, line, warps, stageOf }) => {
      const { ofLine, abreast } = foursOf(line);
      return columns
        .map(
          ({ name, store }) => `__syncthreads();
if (lane < ${abreast * ofLine}u) *(float4*)&${stageOf("warp")}[4u * lane] = ${name};
__syncthreads();
for (unsigned column = threadIdx.x; column < ${width}u; column += ${WARP * warps}u) {
  float value = 0.f;
#pragma unroll
  for (unsigned other = 0; other < ${warps}u; other++)
#pragma unroll
    for (unsigned beside = 0; beside < ${abreast}u; beside++) value += ${stageOf("other")}[beside * ${line}u + column];
${indented(store)}}
`,
        )
        .join("");
    },
  };
}
