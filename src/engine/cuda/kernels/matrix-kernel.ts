import type { Lines } from "../plan/fusion/line-sums.js";
import type { AddedProduct, Matrix, Product } from "../plan/layout/products.js";
import { eachOf, indented, type ResultText } from "./element-text.js";
import { smallKernel, suitsSmall } from "./gemm-batched-small/kernel.js";
import { deepKernel } from "./gemm-long-k/kernel.js";
import { deepTiling } from "./gemm-long-k/tiling.js";
import { tallKernel } from "./gemm-tall-skinny/kernel.js";
import { canAddUp, rowsOfBlock } from "./gemm-tall-skinny/lines.js";
import { rowSumsKernel, suitsRowSums } from "./gemm-tall-skinny/row-sums.js";
import { type TallProduct, tallTiling } from "./gemm-tall-skinny/tiling.js";
import { HOPPER, type KernelBody, type Multiprocessors, type Target } from "./kernel-body.js";
import { matrixText } from "./matrix-text.js";
import { patchesText, shiftText } from "./patches-text.js";
import type { Passes } from "./tensor-cores.js";

/** Along the second axis of a launch. */
const MOST_BLOCKS = 2 ** 16 - 1;

/** Whether a kernel of ours is better than the library's. */
export function suits(product: Product, gpu: Multiprocessors = HOPPER): boolean {
  return writerOf(product, gpu) !== undefined;
}

/** Whether the kernel of a product can add up its factors: a tall one's warps have but parts of them. */
export function sumsFactors(product: Product, gpu: Multiprocessors = HOPPER): boolean {
  return (tallOf(product, gpu) ?? smallOf(product, gpu)) === undefined;
}

/** Whether there is a kernel of a product with another one added that is better than two. */
export function joins(product: Product, gpu: Multiprocessors = HOPPER): boolean {
  return (tallOf(product, gpu) ?? smallOf(product, gpu)) !== undefined;
}

/**
 * Whether the kernel of a product can add up such lines of what becomes of it: a tall one with all columns in a strip, and
 * with a block for each multiprocessor, if a block must have all rows of a sum.
 */
export function addsLines(product: Product, lines: Lines, gpu: Multiprocessors = HOPPER): boolean {
  if (product.added || !tallOf(product, gpu) || !canAddUp(product, lines)) return false;
  const own = rowsOfBlock([lines]);
  const tiling = tallTiling({ ...asItIs(product), rowsOfBlock: own }, gpu);
  return tiling?.across === 1 && (!own || (product.rows / own) * product.batch >= gpu.processors);
}

/** The kernel of a product that `suits`; of any other one by the simplest of kernels. */
export function matrixKernel(
  product: Product,
  results: ResultText,
  { passes = 3, multiprocessors = HOPPER }: Target = {},
): KernelBody {
  const hasSums = results.sums.some((sum) => sum !== undefined);
  const writer = (hasSums ? deepOf : writerOf)(product, multiprocessors);
  return writer?.(results, passes) ?? plainKernel(product, results);
}

type Writer = (results: ResultText, passes: Passes) => KernelBody;

function writerOf(product: Product, gpu: Multiprocessors): Writer | undefined {
  return tallOf(product, gpu) ?? smallOf(product, gpu) ?? deepOf(product, gpu);
}

function smallOf(product: Product, gpu: Multiprocessors): Writer | undefined {
  return suitsSmall(product, gpu)
    ? ({ elements }, passes) => smallKernel(product, elements, passes)
    : undefined;
}

function tallOf(product: Product, gpu: Multiprocessors): Writer | undefined {
  if (product.batch > MOST_BLOCKS) return undefined;
  const plain = asItIs(product);
  const turned = { product: exchanged(product), byColumns: true, reads: 0 };
  const fits = (tall: TallProduct) => tallTiling(tall, gpu) !== undefined;
  const chosen = !product.added && product.rows >= product.columns && fits(plain) ? plain : turned;
  if (!fits(chosen)) return undefined;
  return (results, passes) => {
    if (suitsRowSums(product, results)) return rowSumsKernel(product, results, passes, gpu);
    const { elements, lines } = results;
    const bare = { ...(lines.length > 0 ? plain : chosen), rowsOfBlock: rowsOfBlock(lines) };
    const tall = { ...bare, reads: elements.reads.length };
    const tiling = tallTiling(tall, gpu);
    // What takes too much room is read when it is needed.
    if (!tiling) return tallKernel(bare, tallTiling(bare, gpu)!, { ...elements, reads: [] }, lines, passes);
    return tallKernel(tall, tiling, elements, lines, passes);
  };
}

const asItIs = (product: Product): TallProduct => ({ product, byColumns: false, reads: 0 });

function deepOf(product: Product, gpu: Multiprocessors): Writer | undefined {
  if (product.batch > MOST_BLOCKS || product.added) return undefined;
  const tiling = deepTiling(product, gpu);
  return tiling && ((results, passes) => deepKernel(product, tiling, results, passes));
}

/** The product with rows and columns exchanged: C^T = B^T A^T. */
function exchanged(product: Product): Product {
  const { rows, columns, a, b } = product;
  const turned = ({ transposed, ...matrix }: Product["a"]) => ({ ...matrix, transposed: !transposed });
  return { ...product, rows: columns, columns: rows, a: turned(b), b: turned(a) };
}

const THREADS = 128;

/** One thread an element; matrices lie along the first axis of a launch, which alone has room for many. */
function plainKernel(product: Product, { elements, sums }: ResultText): KernelBody {
  const { rows, columns, inner, batch, a, b, added } = product;
  const patches = a.patches ?? b.patches;
  const [left, right] = [numberText(product, a, "a", "row", "k"), numberText(product, b, "b", "k", "column")];
  const sum = (factor: string, isFirst: string, store = "") =>
    store &&
    `if (${isFirst}) {
  float value = 0.f;
  for (unsigned k = 0; k < ${inner}u; k++) value += ${factor};
${indented(store)}}
`;
  const blocks = Math.ceil((rows * columns) / THREADS);
  const text = `const unsigned n = blockIdx.x / ${blocks}u, element = blockIdx.x % ${blocks}u * ${THREADS}u + threadIdx.x;
const unsigned row = element / ${columns}u, column = element % ${columns}u;
if (row >= ${rows}u) return;
${patches ? patchesText(patches) : ""}a += ${matrixText(product, a)};
b += ${matrixText(product, b)};
float value = 0.f;
for (unsigned k = 0; k < ${inner}u; k++) value += ${left} * ${right};
${added ? addedText(product, added) : ""}${eachOf(1, elements, { place: "" })}${sum(left, "column == 0u", sums[0])}${sum(right, "row == 0u", sums[1])}`;
  return { text, blocks: [blocks * batch, 1, 1], threads: THREADS, resident: 1, sharedBytes: 0 };
}

function addedText(product: Product, { inner, columns, a, b }: AddedProduct): string {
  const ofColumn = `(column / ${columns}u * ${inner}u + k)`;
  return `c += ${matrixText(product, a)};
d += ${matrixText(product, b)};
for (unsigned k = 0; k < ${inner}u; k++)
  value += ${numberText(product, a, "c", "row", ofColumn)} * ${numberText(product, b, "d", "k", `(column % ${columns}u)`)};
`;
}

/** A number of a matrix that begins at `from`. */
function numberText(product: Product, matrix: Matrix, from: string, row: string, column: string): string {
  const { patches, transposed, rowStride } = matrix;
  const [line, number] = transposed ? [column, row] : [row, column];
  if (!patches) return `${from}[${line} * ${rowStride} + ${number}]`;
  const [tap, place] = [`tap(${line}, true)`, `place(${number} + ${shiftText(product, patches)}, true)`];
  return `((${tap}.y & ${place}.y) == 0 ? ${from}[${tap}.x + ${place}.x] : 0.f)`;
}
