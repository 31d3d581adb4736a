import { matrixText } from "../matrix-text.js";
import { every, type Passes, TILE } from "../tensor-cores.js";
import type { Sizes, TallSkinnyProduct } from "./tiling.js";

interface Right {
  readonly threads: number;
  readonly innerLeft: (k: string) => string | undefined;
  readonly passes: Passes;
  /** Where the `at`-th column of a block is in shared memory. */
  readonly spot?: string;
}

/** Takes B to shared memory, with its numbers divided into high and low parts. */
export function rightText(
  { product, byColumns }: TallSkinnyProduct,
  { tiles, pairs, width }: Pick<Sizes, "tiles" | "pairs" | "width">,
  { threads, innerLeft, passes, spot = "at" }: Right,
): string {
  const { columns, b } = product;
  const ofBlock = tiles * TILE.columns;
  const columnsLeft = columns % ofBlock === 0 ? undefined : `column < ${columns}u`;
  const number = (k: string) => {
    const place = b.transposed ? `column * ${b.rowStride}u + ${k}` : `(${k}) * ${b.rowStride}u + column`;
    return `(${every(innerLeft(k), columnsLeft)} ? right[${place}] : 0.f)`;
  };
  const cell = b.transposed
    ? `pair = place % ${pairs}u, at = place / ${pairs}u`
    : `pair = place / ${ofBlock}u, at = place % ${ofBlock}u`;
  return `const unsigned n = blockIdx.y;
const float* right = ${byColumns ? "a" : "b"} + ${matrixText(product, b)};
for (unsigned place = threadIdx.x; place < ${pairs * ofBlock}u; place += ${threads}u) {
  const unsigned ${cell}, column = start + at;
  factor[pair * ${width}u + ${spot}] = divided<${passes}>(${number("2u * pair")}, ${number("2u * pair + 1u")});
}
`;
}
