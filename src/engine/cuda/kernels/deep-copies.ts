import type { Product } from "../plan/products.js";
import { copiedAtOnce, type Side } from "./deep-sides.js";
import { placeText } from "./deep-tables.js";
import { indented } from "./element-text.js";
import { every } from "./tensor-cores.js";

/** Pairs of numbers that are looked up together to find patches: the compiler reads nothing ahead of a copy. */
const TOGETHER = 6;

/**
 * Copies a part of a factor from number `start` of the inner axis on, with zeros for what lies beyond that. What lies
 * beyond its rows or columns stays as it is. Addresses of what is not read may be anywhere.
 */
export function copyText(product: Product, side: Side, threads: number): string {
  const { name, matrix, alongInner, depth, length, limit, stride } = side;
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
  const exists = every(
    turns * threads === lines * across ? undefined : `down < ${lines}u`,
    limit <= length || limit % length === 0 ? undefined : `${alongInner ? line : number} < ${limit}u`,
  );
  const to = `to + down * ${stride}u + at`;
  const last = alongInner ? inner : limit;
  const bytes = last % count === 0 ? `${4 * count}u` : `4u * min(${count}u, ${last}u - ${number})`;
  const copy = (from: string, inside: string | undefined) =>
    `if (${exists}) copy<${count}>(${to}, ${from}, ${inside ? `${inside} ? ${bytes} : 0u` : bytes});\n`;
  if (matrix.patches) return patchCopies(product, side, { turns, place, exists, across, count, copy });
  const inside = inner % depth === 0 ? undefined : `${alongInner ? number : line} < ${inner}u`;
  return `#pragma unroll
for (unsigned turn = 0; turn < ${turns}u; turn++) {
  const unsigned ${place};
  ${copy(`${name} + (size_t)${line} * ${matrix.rowStride}u + ${number}`, inside)}}
`;
}

interface PatchCopies {
  readonly turns: number;
  readonly place: string;
  readonly exists: string;
  readonly across: number;
  readonly count: number;
  readonly copy: (from: string, inside: string) => string;
}

/** The same of patches: of one place of each thread along the inner axis, or of as many as there are copies across it. */
function patchCopies(
  product: Product,
  side: Side,
  { turns, place, exists, across, count, copy }: PatchCopies,
): string {
  const { name, alongInner } = side;
  const together = Math.min(turns, alongInner ? TOGETHER : TOGETHER / 2);
  const whole = every(turns % together === 0 ? undefined : `turn < ${turns}u`, exists);
  const each = (body: string) => `#pragma unroll
for (unsigned e = 0; e < ${together}u; e++) {
  const unsigned turn = first + e, ${place};
${indented(body)}}
`;
  const [before, lookup, copied] = alongInner
    ? [
        `const int2 placed = ${placeText(product, side, `(start + threadIdx.x % ${across}u * ${count}u)`)};
`,
        "tapped[e] = taps[down];\n",
        copy(`${name} + (tapped[e].x + placed.x)`, "(tapped[e].y & placed.y) == 0"),
      ]
    : [
        "",
        "tapped[e] = taps[start + down], placed[e] = places[at];\n",
        copy(`${name} + (tapped[e].x + placed[e].x)`, "(tapped[e].y & placed[e].y) == 0"),
      ];
  return `${before}#pragma unroll
for (unsigned first = 0; first < ${turns}u; first += ${together}u) {
  int2 tapped[${together}]${alongInner ? "" : `, placed[${together}]`};
${indented(each(`if (${whole}) ${lookup}`))}${indented(each(turns % together === 0 ? copied : `if (turn < ${turns}u)\n${indented(copied)}`))}}
`;
}

/** Fills what lies beyond a factor's rows or columns in shared memory: a line of ones where it has one, and zeros. */
export function beyondText(
  { name, hasOnes, alongInner, depth, length, limit, stride, start }: Side,
  { size, stages }: { readonly size: number; readonly stages: number },
  threads: number,
): string {
  const first = limit % length;
  if (first === 0) return "";
  const beyond = length - first;
  const place = alongInner ? `across * ${stride}u + along` : `along * ${stride}u + across`;
  const value = hasOnes ? `across == ${first}u ? 1.f : 0.f` : "0.f";
  return `if (${limit < length ? "true" : `${name}Start == ${limit - first}u`})
  for (unsigned place = threadIdx.x; place < ${stages * depth * beyond}u; place += ${threads}u) {
    const unsigned across = ${first}u + place % ${beyond}u, along = place / ${beyond}u % ${depth}u, part = place / ${beyond * depth}u;
    memory[part * ${size}u + ${start}u + ${place}] = ${value};
  }
__syncthreads();
`;
}
