import { BLOCK } from "../plan/layout/reductions.js";
import { indented } from "./element-text.js";
import { WARP } from "./tensor-cores.js";

/**
 * Adds up what the threads of a group have, always in the same order: within warps by shuffles, among them in memory, of
 * which a sum takes BLOCK numbers at most. Threads of a group follow each other (`along`), or are as far apart as a block
 * has groups.
 */
export function together(sums: readonly string[], threads: number, along: boolean): string {
  const groups = BLOCK / threads;
  const apart = along ? 1 : groups;
  const shuffled = sums.map((sum) => `  ${sum} += __shfl_down_sync(0xffffffffu, ${sum}, half);\n`).join("");
  const half = along ? Math.min(WARP, threads) / 2 : WARP / 2;
  const within =
    apart < WARP ? `for (unsigned half = ${half}u; half >= ${apart}u; half /= 2u) {\n${shuffled}}\n` : "";
  if (along && threads <= WARP) return within;
  /** Numbers of each warp that are left: one of each group that it has threads of. */
  const left = Math.min(apart, WARP);
  const parts = (along ? threads : BLOCK) / Math.max(apart, WARP);
  const [warp, lane] = [`threadIdx.x / ${WARP}u`, `threadIdx.x % ${WARP}u`];
  const place = left === WARP ? "threadIdx.x" : left === 1 ? warp : `${warp} * ${left}u + ${lane}`;
  const at = (k: number, shift = 0) => `shared[${(k * BLOCK * left) / WARP + shift}u + ${place}]`;
  const stored = sums.map((sum, k) => `${at(k)} = ${sum};\n`).join("");
  const others = Array.from({ length: parts - 1 }, (_, other) => (other + 1) * apart);
  return [
    within,
    left === WARP ? stored : `if (${lane} < ${left}u) {\n${indented(stored)}}\n`,
    "__syncthreads();\n",
    "if (y == 0u) {\n",
    ...sums.map((sum, k) => `  ${sum} = ${[at(k), ...others.map((shift) => at(k, shift))].join(" + ")};\n`),
    "}\n",
  ].join("");
}
