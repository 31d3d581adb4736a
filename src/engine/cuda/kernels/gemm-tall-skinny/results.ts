import { type FetchedElementText, forEach, indented, type ReadText } from "../element-text.js";
import { every, TILE, WARP } from "../tensor-cores.js";
import type { LinesText } from "./lines.js";
import type { Sizes, TallSkinnyProduct } from "./tiling.js";
import { foursOf, fourText, treatment } from "./treatment.js";

/**
 * What becomes of a strip's results, and what is read for them before the strip is computed. Results go to `stage` some
 * at a time: 8 rows of the strip, or 32 columns, the lines of which are neighbours in memory.
 */
export function storeText(
  elements: FetchedElementText,
  sums: LinesText,
  { product, byColumns }: TallSkinnyProduct,
  { tiles, high, panel, line, stageLines, stageWidth }: Sizes,
): { before: string; after: string } {
  const [down, beside] = byColumns ? ["start", "first"] : ["first", "start"];
  const [lines, neighbours] = byColumns
    ? [tiles * TILE.columns, high * TILE.rows]
    : [high * TILE.rows, tiles * TILE.columns];
  const [rows, columns] = byColumns ? [product.columns, product.rows] : [product.rows, product.columns];
  const inside = every(
    rows % lines === 0 ? undefined : `row < ${rows}u`,
    columns % neighbours === 0 ? undefined : `column < ${columns}u`,
  );
  const isRead = elements.reads.length > 0;
  const before = isRead
    ? `__syncwarp();\n${elements.reads.map((read, k) => fetchText(read, k, { panel, line, down, beside, inside, columns })).join("")}asm volatile("cp.async.commit_group;" ::: "memory");\n`
    : "";
  const treated = treatment(elements, { line, stageLines, panel, down, beside, inside });
  const { text, type, atOnce, turns, condition } = treated;
  const each = (body: string) =>
    forEach(atOnce, body, { place: treated.place, ...(condition && { condition }) });
  const value = `const ${type} value = *(const ${type}*)&stage[below * ${stageWidth}u + along];\n`;
  const around = sums.around(treated);
  const done = [
    text.declare(atOnce),
    around.before,
    each(value + (isRead ? text.computeFetched(panel) : text.compute)),
    around.after,
    text.store && each(text.store),
  ].join("");
  const staged = byColumns
    ? `float* const to = stage + 2u * member * ${stageWidth}u + group;
#pragma unroll
  for (unsigned j = 0; j < ${stageLines / TILE.columns}u; j++)
#pragma unroll
    for (unsigned e = 0; e < ${4 * high}u; e++)
      if (chunk * ${stageLines / TILE.columns}u + j < ${tiles}u)
        to[(8u * j + e % 2u) * ${stageWidth}u + e / 2u * 8u] = total[e / 4u][chunk * ${stageLines / TILE.columns}u + j][e % 4u];
`
    : `float* const to = stage + group * ${stageWidth}u + 2u * member;
#pragma unroll
  for (unsigned j = 0; j < ${tiles}u; j++)
    *(float2*)(to + 8u * j) =
        make_float2(total[chunk / 2u][j][2u * (chunk % 2u)], total[chunk / 2u][j][2u * (chunk % 2u) + 1u]);
`;
  const after = `${isRead ? 'asm volatile("cp.async.wait_all;" ::: "memory");\n' : ""}#pragma unroll
for (unsigned chunk = 0; chunk < ${Math.ceil(panel / (stageLines * line))}u; chunk++) {
  __syncwarp();
${staged}  __syncwarp();
#pragma unroll 1
  for (unsigned turn = 0; turn < ${turns}u; turn++) {
${indented(indented(done))}  }
}
`;
  return { before, after };
}

/** Where elements of a strip are that something is read for. */
export interface Fetched {
  readonly panel: number;
  readonly line: number;
  readonly down: string;
  readonly beside: string;
  readonly inside: string;
  readonly columns: number;
}

/** Sends what is read for all elements of a strip on its way to shared memory. Threads of fours keep to their columns. */
export function fetchText({ from, condition, together }: ReadText, k: number, fetched: Fetched): string {
  const { panel, line, down, beside, inside, columns } = fetched;
  const count = columns % together === 0 ? together : 1;
  const bytes = condition ? `${condition} ? 4u : 0u` : `${4 * count}u`;
  const copied = (exists: string) =>
    `  if (${exists}) copy<${count}>(room + ${k * panel}u + spot, ${from}, ${bytes});\n`;
  if (count < 4)
    return `#pragma unroll 4
for (unsigned spot = ${count}u * lane; spot < ${panel}u; spot += ${WARP * count}u) {
  const unsigned row = ${down} + spot / ${line}u, column = ${beside} + spot % ${line}u;
${copied(inside)}}
`;
  const { abreast } = foursOf(line);
  const { below, along, exists } = fourText(line, "part");
  const lines = panel / line;
  const within = every(
    exists,
    lines % abreast === 0 ? undefined : `below < ${lines}u`,
    inside === "true" ? undefined : inside,
  );
  return `#pragma unroll 8
for (unsigned part = 0; part < ${Math.ceil(lines / abreast)}u; part++) {
  const unsigned below = ${below}, along = ${along}, spot = below * ${line}u + along;
  const unsigned row = ${down} + below, column = ${beside} + along;
${copied(within)}}
`;
}
