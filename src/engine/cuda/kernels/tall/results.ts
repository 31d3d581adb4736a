import { type FetchedElementText, forEach, indented, type ReadText } from "../element-text.js";
import { every, TILE } from "../tensor-cores.js";
import type { LinesText } from "./lines.js";
import type { Sizes, TallProduct } from "./tiling.js";

/** Elements that a thread may treat at a time. */
const AT_ONCE = [8, 7, 9, 10, 11, 12, 13] as const;

/**
 * What becomes of a strip's results, and what is read for them before the strip is computed. Results go to `stage` some
 * at a time: 8 rows of the strip, or 32 columns, the lines of which are neighbours in memory.
 */
export function storeText(
  elements: FetchedElementText,
  sums: LinesText,
  { product, byColumns }: TallProduct,
  { tiles, high, panel, line, stageLines, stageWidth }: Sizes,
): { before: string; after: string } {
  const [down, beside] = byColumns ? ["start", "first"] : ["first", "start"];
  /** Where the element is that is number `spot` of the strip, line by line. */
  const place = `const unsigned row = ${down} + spot / ${line}u, column = ${beside} + spot % ${line}u;\n`;
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
    ? `__syncwarp();\n${elements.reads.map((read, k) => fetchText(read, k, { panel, place, inside, columns })).join("")}asm volatile("cp.async.commit_group;" ::: "memory");\n`
    : "";
  const count = stageLines * line;
  const atOnce = atOnceOf(count / 32);
  const width = 32 * atOnce;
  // In turns of whole lines, in which a warp has few places, compilers see that a thread's are the same in all turns.
  const [below, along] =
    width % line === 0 && line % 32 === 0
      ? [`turn * ${width / line}u + (32u * part + lane) / ${line}u`, `(32u * part + lane) % ${line}u`]
      : [`at / ${line}u`, `at % ${line}u`];
  const position = `const unsigned at = turn * ${width}u + 32u * part + lane, spot = chunk * ${count}u + at;
const unsigned below = ${below}, along = ${along};
const unsigned row = ${down} + chunk * ${stageLines}u + below, column = ${beside} + along;
`;
  const condition = every(
    count % width === 0 ? undefined : `at < ${count}u`,
    panel % count === 0 ? undefined : `spot < ${panel}u`,
    inside === "true" ? undefined : inside,
  );
  const each = (body: string) => forEach(atOnce, body, { place: position, condition });
  const value = `const float value = stage[below * ${stageWidth}u + along];\n`;
  const treated =
    elements.declare(atOnce) +
    each(value + (isRead ? elements.computeFetched(panel) : elements.compute)) +
    sums.each({ width: line, row: `first + chunk * ${stageLines}u + turn * ${width / line}u` }) +
    each(elements.store);
  const staged = byColumns
    ? `#pragma unroll
  for (unsigned j = 0; j < ${stageLines / TILE.columns}u; j++)
#pragma unroll
    for (unsigned e = 0; e < ${4 * high}u; e++)
      if (chunk * ${stageLines / TILE.columns}u + j < ${tiles}u)
        stage[(8u * j + 2u * member + e % 2u) * ${stageWidth}u + e / 2u * 8u + group] = total[e / 4u][chunk * ${stageLines / TILE.columns}u + j][e % 4u];
`
    : `#pragma unroll
  for (unsigned j = 0; j < ${tiles}u; j++)
    *(float2*)(stage + group * ${stageWidth}u + 8u * j + 2u * member) =
        make_float2(total[chunk / 2u][j][2u * (chunk % 2u)], total[chunk / 2u][j][2u * (chunk % 2u) + 1u]);
`;
  const after = `${isRead ? 'asm volatile("cp.async.wait_all;" ::: "memory");\n' : ""}#pragma unroll
for (unsigned chunk = 0; chunk < ${Math.ceil(panel / count)}u; chunk++) {
  __syncwarp();
${staged}  __syncwarp();
#pragma unroll 1
  for (unsigned turn = 0; turn < ${Math.ceil(count / width)}u; turn++) {
${indented(indented(treated))}  }
}
`;
  return { before, after };
}

/** Sends what is read for all elements of a strip on its way to shared memory. */
function fetchText(
  { from, condition, together }: ReadText,
  k: number,
  strip: {
    readonly panel: number;
    readonly place: string;
    readonly inside: string;
    readonly columns: number;
  },
): string {
  const { panel, place, inside, columns } = strip;
  const count = columns % together === 0 ? together : 1;
  const bytes = condition ? `${condition} ? 4u : 0u` : `${4 * count}u`;
  return `#pragma unroll 4
for (unsigned spot = ${count}u * lane; spot < ${panel}u; spot += ${32 * count}u) {
${indented(place)}  if (${inside}) copy<${count}>(room + ${k * panel}u + spot, ${from}, ${bytes});
}
`;
}

/** How many of a thread's elements are treated at a time: as many as leave the fewest idle in the last turn. */
function atOnceOf(count: number): number {
  const idle = (size: number) => Math.ceil(count / size) * size - count;
  return AT_ONCE.reduce<number>((best, size) => (idle(size) < idle(best) ? size : best), AT_ONCE[0]);
}
