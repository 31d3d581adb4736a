import type { Lines } from "../plan/fusion/line-sums.js";
import type { AddedProduct, Matrix, Product } from "../plan/layout/products.js";
import { eachOf, indented, type ResultText } from "./element-text.js";
import { batchedSmallKernel, hasBatchedSmallKernel } from "./gemm-batched-small/kernel.js";
import { longKKernel } from "./gemm-long-k/kernel.js";
import { longKTiling } from "./gemm-long-k/tiling.js";
import { tallSkinnyKernel } from "./gemm-tall-skinny/kernel.js";
import { canAddUp, rowsOfBlock } from "./gemm-tall-skinny/lines.js";
import { hasRowSumsKernel, rowSumsKernel } from "./gemm-tall-skinny/row-sums.js";
import { type TallSkinnyProduct, tallSkinnyTiling } from "./gemm-tall-skinny/tiling.js";
import { HOPPER, type KernelBody, type Multiprocessors, type Target } from "./kernel-body.js";
import { matrixText } from "./matrix-text.js";
import { patchesText, shiftText } from "./patches-text.js";
import type { Passes } from "./tensor-cores.js";

/** Along the second axis of a launch. */
const MOST_BLOCKS = 2 ** 16 - 1;

/** Whether we have a kernel for a product that is faster than the library's. */
export function hasKernel(product: Product, gpu: Multiprocessors = HOPPER): boolean {
  return writerOf(product, gpu) !== undefined;
}

/** Whether the kernel of a product can also sum its factors. In tall-skinny kernels a warp has only part of a factor. */
export function canSumFactors(product: Product, gpu: Multiprocessors = HOPPER): boolean {
  return (tallSkinnyWriter(product, gpu) ?? batchedSmallWriter(product, gpu)) === undefined;
}

/** Whether one kernel computes the sum of two products faster than two kernels do. */
export function canFuseSecondProduct(product: Product, gpu: Multiprocessors = HOPPER): boolean {
  return (tallSkinnyWriter(product, gpu) ?? batchedSmallWriter(product, gpu)) !== undefined;
}

/**
 * Whether the kernel of a product can add up such lines of what becomes of it: a tall one with all columns in a strip, and
 * with a block for each multiprocessor, if a block must have all rows of a sum.
 */
export function canReduceLines(product: Product, lines: Lines, gpu: Multiprocessors = HOPPER): boolean {
  if (product.added || !tallSkinnyWriter(product, gpu) || !canAddUp(product, lines)) return false;
  const own = rowsOfBlock([lines]);
  const tiling = tallSkinnyTiling({ ...asItIs(product), rowsOfBlock: own }, gpu);
  return tiling?.across === 1 && (!own || (product.rows / own) * product.batch >= gpu.processors);
}

/** The kernel of a product: ours where `hasKernel` says so, else the simplest one. */
export function matrixKernel(
  product: Product,
  results: ResultText,
  { passes = 3, multiprocessors = HOPPER }: Target = {},
): KernelBody {
  const hasSums = results.sums.some((sum) => sum !== undefined);
  const writer = (hasSums ? longKWriter : writerOf)(product, multiprocessors);
  return writer?.(results, passes) ?? plainKernel(product, results);
}

type Writer = (results: ResultText, passes: Passes) => KernelBody;

function writerOf(product: Product, gpu: Multiprocessors): Writer | undefined {
  return tallSkinnyWriter(product, gpu) ?? batchedSmallWriter(product, gpu) ?? longKWriter(product, gpu);
}

function batchedSmallWriter(product: Product, gpu: Multiprocessors): Writer | undefined {
  return hasBatchedSmallKernel(product, gpu)
    ? ({ elements }, passes) => batchedSmallKernel(product, elements, passes)
    : undefined;
}

function tallSkinnyWriter(product: Product, gpu: Multiprocessors): Writer | undefined {
  if (product.batch > MOST_BLOCKS) return undefined;
  const plain = asItIs(product);
  const turned = { product: exchanged(product), byColumns: true, reads: 0 };
  const fits = (tall: TallSkinnyProduct) => tallSkinnyTiling(tall, gpu) !== undefined;
  const chosen = !product.added && product.rows >= product.columns && fits(plain) ? plain : turned;
  if (!fits(chosen)) return undefined;
  return (results, passes) => {
    if (hasRowSumsKernel(product, results)) return rowSumsKernel(product, results, passes, gpu);
    const { elements, lines } = results;
    const bare = { ...(lines.length > 0 ? plain : chosen), rowsOfBlock: rowsOfBlock(lines) };
    const tall = { ...bare, reads: elements.reads.length };
    const tiling = tallSkinnyTiling(tall, gpu);
    // What takes too much room is read when it is needed.
    if (!tiling)
      return tallSkinnyKernel(bare, tallSkinnyTiling(bare, gpu)!, { ...elements, reads: [] }, lines, passes);
    return tallSkinnyKernel(tall, tiling, elements, lines, passes);
  };
}

const asItIs = (product: Product): TallSkinnyProduct => ({ product, byColumns: false, reads: 0 });

function longKWriter(product: Product, gpu: Multiprocessors): Writer | undefined {
  if (product.batch > MOST_BLOCKS || product.added) return undefined;
  const tiling = longKTiling(product, gpu);
  return tiling && ((results, passes) => longKKernel(product, tiling, results, passes));
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
