import { factorsOf, type Matrix, type Product } from "../../plan/layout/products.js";
import { type ElementText, eachOf, indented } from "../element-text.js";
import { leftText } from "../gemm-tall-skinny/left.js";
import type { KernelBody, Multiprocessors } from "../kernel-body.js";
import { matrixText } from "../matrix-text.js";
import { type Passes, passesOver, TILE, WARP } from "../tensor-cores.js";

/** Rows, columns and inner numbers for which a warp has room in registers. */
const MOST = 32;
/** Matrices for each multiprocessor, with fewer of which there is too little on its way from memory. */
const FEWEST = 8;
/** Small blocks, as many as fill a multiprocessor, end one by one and leave none idle. */
const WARPS = 2;
const RESIDENT = 8;

/** Whether matrices are small and many, such as those of the frequencies of a Fourier neural operator. */
export function hasBatchedSmallKernel(product: Product, gpu: Multiprocessors): boolean {
  const { rows, columns, inner, batch, added } = product;
  const isSmall = (length: number, tile: number) => length % tile === 0 && length <= MOST;
  const isAlike = !added || (added.columns === columns && isSmall(added.inner, TILE.inner));
  return (
    batch >= FEWEST * gpu.processors &&
    isSmall(rows, TILE.rows) &&
    isSmall(columns, TILE.columns) &&
    isSmall(inner, TILE.inner) &&
    isAlike &&
    factorsOf(product).every(({ patches }) => patches === undefined)
  );
}

/**
 * C = A B, or A B + X W, of small matrices, of which each warp computes one: it reads all of its factors straight into
 * registers, where threads have the numbers that tensor cores multiply, and waits for memory but once.
 */
export function batchedSmallKernel(product: Product, elements: ElementText, passes: Passes): KernelBody {
  const { rows, columns, inner, batch, a, b, added } = product;
  const [high, tiles] = [rows / TILE.rows, columns / TILE.columns];
  const factors = [
    timesText(product, { inner, left: a, right: b, from: ["a", "b"] }, passes),
    ...(added
      ? [timesText(product, { inner: added.inner, left: added.a, right: added.b, from: ["c", "d"] }, passes)]
      : []),
  ];
  const done = eachOf(4, elements, {
    place:
      "const unsigned row = 16u * i + group + part / 2u * 8u, column = 8u * j + 2u * member + part % 2u;\n",
    value: "const float value = total[i][j][part];\n",
  });
  const text = `const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, group = lane / 4u, member = lane % 4u;
const unsigned n = blockIdx.x * ${WARPS}u + warp, first = 0, from = 0;
if (n < ${batch}u) {
  float total[${high}][${tiles}][4] = {};
${indented(factors.join(""))}#pragma unroll
  for (unsigned i = 0; i < ${high}u; i++)
#pragma unroll
    for (unsigned j = 0; j < ${tiles}u; j++) {
${indented(indented(indented(done)))}    }
}
`;
  return {
    text,
    blocks: [Math.ceil(batch / WARPS), 1, 1],
    threads: WARP * WARPS,
    resident: RESIDENT,
    sharedBytes: 0,
  };
}

/** Factors of a product, and the names of pointers to them. */
interface Factors {
  readonly inner: number;
  readonly left: Matrix;
  readonly right: Matrix;
  readonly from: readonly [left: string, right: string];
}

/** Reads all of two factors, and adds their product to what is there. */
function timesText(product: Product, { inner, left, right, from }: Factors, passes: Passes): string {
  const steps = inner / TILE.inner;
  const [high, tiles] = [product.rows / TILE.rows, product.columns / TILE.columns];
  const read = leftText(
    { ...product, inner, a: left },
    { high, steps, threads: 0, table: 0, from: from[0], rowsLeft: undefined, innerLeft: () => undefined },
  );
  const [down, along] = right.transposed ? [1, right.rowStride] : [right.rowStride, 1];
  const multiply = passesOver(passes)
    .map(
      ([ofLeft, ofRight]) => `#pragma unroll
  for (unsigned i = 0; i < ${high}u; i++)
#pragma unroll
    for (unsigned j = 0; j < ${tiles}u; j++) multiply_add(total[i][j], ${ofLeft}[i], ${ofRight}Right[j][0], ${ofRight}Right[j][1]);
`,
    )
    .join("");
  return `{
${indented(read.before + read.segment)}  const float* right = ${from[1]} + ${matrixText(product, right)} + 2u * member * ${down}u + group * ${along}u;
  float x[${steps}][${high}][4], y[${steps}][${tiles}][2];
#pragma unroll
  for (unsigned s = 0; s < ${steps}u; s++)
#pragma unroll
    for (unsigned half = 0; half < ${2 * high}u; half++) {
${indented(indented(indented(read.read)))}    }
#pragma unroll
  for (unsigned s = 0; s < ${steps}u; s++)
#pragma unroll
    for (unsigned e = 0; e < ${2 * tiles}u; e++) y[s][e / 2u][e % 2u] = right[(8u * s + e % 2u) * ${down}u + e / 2u * ${8 * along}u];
#pragma unroll
  for (unsigned s = 0; s < ${steps}u; s++) {
    unsigned high[${high}][4], low[${high}][4], highRight[${tiles}][2], lowRight[${tiles}][2];
#pragma unroll
    for (unsigned e = 0; e < ${4 * high}u; e++) divide<${passes}>(x[s][e / 4u][e % 4u], high[e / 4u][e % 4u], low[e / 4u][e % 4u]);
#pragma unroll
    for (unsigned e = 0; e < ${2 * tiles}u; e++) divide<${passes}>(y[s][e / 2u][e % 2u], highRight[e / 2u][e % 2u], lowRight[e / 2u][e % 2u]);
${indented(multiply)}  }
}
`;
}
