import type { Product } from "../../plan/layout/products.js";
import { every } from "../tensor-cores.js";
import { patchCopyText } from "./patches.js";
import { copiedAtOnce, placeInTurn, placeOf, type Side } from "./sides.js";

/**
 * Copies a part of a factor from number `start` of the inner axis on, with zeros for what lies beyond that. What lies
 * beyond its rows or columns stays as it is. Addresses of what is not read may be anywhere.
 */
export function copyText(product: Product, side: Side, threads: number): string {
  const { name, matrix, alongInner, depth, length, limit } = side;
  if (matrix.patches) return patchCopyText(product, side, threads);
  const { inner } = product;
  const count = copiedAtOnce(matrix);
  const copied = Math.min(length, limit);
  const [lines, numbers] = alongInner ? [copied, depth] : [depth, Math.ceil(copied / count) * count];
  const [line, number] = alongInner
    ? [`(${name}Start + down)`, "(start + at)"]
    : ["(start + down)", `(${name}Start + at)`];
  const across = numbers / count;
  const turns = Math.ceil((lines * across) / threads);
  // Where as many threads as there are side by side divide all of them, each has one place in all turns.
  const place =
    threads % across === 0
      ? `down = threadIdx.x / ${across}u + turn * ${threads / across}u, at = threadIdx.x % ${across}u * ${count}u`
      : `piece = turn * ${threads}u + threadIdx.x, down = piece / ${across}u, at = piece % ${across}u * ${count}u`;
  const spot =
    threads % across === 0
      ? placeInTurn(side, `(threadIdx.x / ${across}u)`, "at", threads / across)
      : placeOf(side, "down", "at");
  const exists = every(
    turns * threads === lines * across ? undefined : `down < ${lines}u`,
    limit <= length || limit % length === 0 ? undefined : `${alongInner ? line : number} < ${limit}u`,
  );
  const last = alongInner ? inner : limit;
  const whole = last % count === 0 ? `${4 * count}u` : `4u * min(${count}u, ${last}u - ${number})`;
  const bytes = inner % depth === 0 ? whole : `${alongInner ? number : line} < ${inner}u ? ${whole} : 0u`;
  return `#pragma unroll
for (unsigned turn = 0; turn < ${turns}u; turn++) {
  const unsigned ${place};
  if (${exists}) copy<${count}>(to + ${spot}, ${name} + (size_t)${line} * ${matrix.rowStride}u + ${number}, ${bytes});
}
`;
}

/** Fills what lies beyond a factor's rows or columns in shared memory: a line of ones where it has one, and zeros. */
export function beyondText(
  side: Side,
  { size, stages }: { readonly size: number; readonly stages: number },
  threads: number,
): string {
  const { name, hasOnes, alongInner, depth, length, limit, start } = side;
  const first = limit % length;
  if (first === 0) return "";
  const beyond = length - first;
  const place = alongInner ? placeOf(side, "across", "along") : placeOf(side, "along", "across");
  const value = hasOnes ? `across == ${first}u ? 1.f : 0.f` : "0.f";
  return `if (${limit < length ? "true" : `${name}Start == ${limit - first}u`})
  for (unsigned place = threadIdx.x; place < ${stages * depth * beyond}u; place += ${threads}u) {
    const unsigned across = ${first}u + place % ${beyond}u, along = place / ${beyond}u % ${depth}u, part = place / ${beyond * depth}u;
    memory[part * ${size}u + ${start}u + ${place}] = ${value};
  }
__syncthreads();
`;
}
