import { indented } from "../element-text.js";
import { handedOver } from "./memory.js";
import type { LongKTiles } from "./sides.js";

/**
 * Adds what other teams have come to, in their order, to the sums of the first one, which alone goes on: `total`, and
 * where threads add up rows or columns of the factors those as well.
 */
export function teamsText(
  tiles: LongKTiles,
  [hasRowSums, hasColumnSums]: readonly [boolean, boolean],
): string {
  const { warpRows, warpColumns, high, wide, teams } = tiles;
  if (teams === 1) return "";
  const threads = 32 * warpRows * warpColumns;
  const sums = [
    { name: "total", count: 4 * high * wide, from: 0 },
    ...(hasRowSums ? [{ name: "rowSums", count: 2 * high, from: 4 * high * wide }] : []),
    ...(hasColumnSums ? [{ name: "columnSums", count: wide, from: (4 * wide + 2) * high }] : []),
  ];
  const each = (statement: (sum: string, handed: string) => string) =>
    sums
      .map(
        ({ name, count, from }) => `#pragma unroll
for (unsigned e = 0; e < ${count}u; e++) ${statement(`((float*)${name})[e]`, `handed[(e + ${from}u) * ${threads}u]`)};
`,
      )
      .join("");
  const all = handedOver(tiles) * threads;
  return `// Parts of the factors are no longer needed.
__syncthreads();
float* handed = memory + threadIdx.x % ${threads}u;
if (team > 0u) {
  handed += (team - 1u) * ${all}u;
${indented(each((sum, place) => `${place} = ${sum}`))}}
__syncthreads();
if (team > 0u) return;
for (unsigned other = 1; other < ${teams}u; other++, handed += ${all}u) {
${indented(each((sum, place) => `${sum} += ${place}`))}}
`;
}
