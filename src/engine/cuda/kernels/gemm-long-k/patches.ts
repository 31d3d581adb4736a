import type { Product } from "../../plan/layout/products.js";
import { indented } from "../element-text.js";
import { every } from "../tensor-cores.js";
import { copiedAtOnce, placeInTurn, type Side } from "./sides.js";
import { placeText } from "./tables.js";

/** Lines that are looked up together: the compiler reads nothing ahead of a copy. */
const TOGETHER = 6;
/** Threads side by side that copy places across the inner axis. */
const ABREAST = 16;

/** Copies a part of a factor of patches; see `copyText`. */
export function patchCopyText(product: Product, side: Side, threads: number): string {
  return side.alongInner ? placesAlong(product, side, threads) : placesAcross(side, threads);
}

/** Each thread has one place of all lines. */
function placesAlong(product: Product, side: Side, threads: number): string {
  const { name, matrix, depth, length, limit } = side;
  const count = copiedAtOnce(matrix);
  const across = depth / count;
  const abreast = threads / across;
  const lines = Math.min(length, limit);
  const turns = Math.ceil(lines / abreast);
  const together = Math.min(turns, TOGETHER);
  const exists = every(
    turns * abreast === lines ? undefined : `down < ${lines}u`,
    limit <= length || limit % length === 0 ? undefined : `${name}Start + down < ${limit}u`,
  );
  const each = (statement: string) => `#pragma unroll
for (unsigned e = 0; e < ${together}u; e++) {
  const unsigned turn = first + e, down = threadIdx.x / ${across}u + turn * ${abreast}u;
  if (${every(turns % together === 0 ? undefined : `turn < ${turns}u`, exists)}) ${statement}
}
`;
  const spot = placeInTurn(side, `(threadIdx.x / ${across}u)`, "at", abreast);
  return `const unsigned at = threadIdx.x % ${across}u * ${count}u;
const int2 placed = ${placeText(product, side, "(start + at)")};
#pragma unroll
for (unsigned first = 0; first < ${turns}u; first += ${together}u) {
  int2 tapped[${together}];
${indented(each("tapped[e] = taps[down];"))}${indented(each(copyOf(side, spot, "tapped[e]", "placed")))}}
`;
}

/** Each thread has some places of some lines, the same ones of each part. */
function placesAcross(side: Side, threads: number): string {
  const { name, matrix, depth, length, limit } = side;
  const count = copiedAtOnce(matrix);
  const abreast = threads / ABREAST;
  const turns = Math.ceil(depth / abreast);
  const across = Math.ceil(Math.min(length, limit) / count);
  const places = Math.ceil(across / ABREAST);
  const hasLine = turns * abreast === depth ? undefined : `down < ${depth}u`;
  const hasPlace = every(
    places * ABREAST === across ? undefined : `at < ${across * count}u`,
    limit <= length || limit % length === 0 ? undefined : `${name}Start + at < ${limit}u`,
  );
  const down = `down = threadIdx.x / ${ABREAST}u + turn * ${abreast}u`;
  const at = `at = (threadIdx.x % ${ABREAST}u + j * ${ABREAST}u) * ${count}u`;
  const spot = placeInTurn(side, `(threadIdx.x / ${ABREAST}u)`, "at", abreast);
  return `int2 tapped[${turns}], placed[${places}];
#pragma unroll
for (unsigned turn = 0; turn < ${turns}u; turn++) {
  const unsigned ${down};
  if (${every(hasLine)}) tapped[turn] = taps[start + down];
}
#pragma unroll
for (unsigned j = 0; j < ${places}u; j++) {
  const unsigned ${at};
  if (${hasPlace}) placed[j] = places[at];
}
#pragma unroll
for (unsigned turn = 0; turn < ${turns}u; turn++)
#pragma unroll
  for (unsigned j = 0; j < ${places}u; j++) {
    const unsigned ${down}, ${at};
    if (${every(hasLine, hasPlace)}) ${copyOf(side, spot, "tapped[turn]", "placed[j]")}
  }
`;
}

/** A copy of what a line has at a place, or of zeros where that is outside of the field. */
function copyOf(side: Side, spot: string, tapped: string, placed: string): string {
  const { name, matrix } = side;
  const count = copiedAtOnce(matrix);
  return `copy<${count}>(to + ${spot}, ${name} + (${tapped}.x + ${placed}.x), (${tapped}.y & ${placed}.y) == 0 ? ${4 * count}u : 0u);`;
}
