import type { Product } from "../../plan/layout/products.js";
import { patchesText, shiftText } from "../patches-text.js";
import type { Side } from "./sides.js";

/**
 * Pairs of numbers of tables of where patches lie: of all lines that a block copies, and of the places across the inner
 * axis. Places along it are reckoned when they are copied, by each thread but one at a time.
 */
export function tableSizes(
  { inner }: Product,
  { matrix, alongInner, depth, length }: Side,
): readonly number[] {
  if (!matrix.patches) return [];
  return alongInner ? [length] : [Math.ceil(inner / depth) * depth, length];
}

/** Tables of where patches lie, from number `start` of shared memory on. */
export function tablesText(product: Product, side: Side, start: number, threads: number): string {
  const { patches } = side.matrix;
  if (!patches) return "";
  const [lines, places] = tableSizes(product, side);
  const { name, alongInner, limit } = side;
  const [line, lineLimit] = alongInner ? [`${name}Start + i`, limit] : ["i", product.inner];
  const fill = (table: string, count: number, value: string) =>
    `for (unsigned i = threadIdx.x; i < ${count}u; i += ${threads}u) ${table}[i] = ${value};\n`;
  return (
    `${patchesText(patches)}int2* taps = (int2*)(memory + ${start}u);\n` +
    fill("taps", lines, `tap(${line}, ${line} < ${lineLimit}u)`) +
    (places
      ? `int2* places = taps + ${lines}u;\n${fill("places", places, placeText(product, side, `${name}Start + i`))}`
      : "") +
    "__syncthreads();\n"
  );
}

/** What patches have at a place, unless it is beyond those of the matrix. */
export function placeText(product: Product, { matrix, alongInner, limit }: Side, number: string): string {
  const last = alongInner ? product.inner : limit;
  return `place(${number} + ${shiftText(product, matrix.patches!)}, ${number} < ${last}u)`;
}
