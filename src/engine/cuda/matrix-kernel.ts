import { deepKernel, deepTiling } from "./deep-kernel.js";
import { eachOf, type FetchedElementText } from "./element-text.js";
import { HOPPER, type KernelBody, type Multiprocessors, type Target } from "./kernel-body.js";
import type { Product } from "./products.js";
import { tallKernel, tallTiling } from "./tall-kernel.js";
import type { Passes } from "./tensor-cores.js";

/** Along the second axis of a launch. */
const MOST_BLOCKS = 2 ** 16 - 1;

/** Whether a kernel of ours is better than the library's. */
export function suits(product: Product, gpu: Multiprocessors = HOPPER): boolean {
  return chosen(product, gpu) !== undefined;
}

/** The kernel of a product that `suits`; of any other one by the simplest of kernels. */
export function matrixKernel(
  product: Product,
  elements: FetchedElementText,
  { passes = 3, multiprocessors = HOPPER }: Target = {},
): KernelBody {
  return chosen(product, multiprocessors)?.(elements, passes) ?? plainKernel(product, elements);
}

function chosen(
  product: Product,
  gpu: Multiprocessors,
): ((elements: FetchedElementText, passes: Passes) => KernelBody) | undefined {
  if (product.batch > MOST_BLOCKS) return undefined;
  if (product.rows >= product.columns && tallTiling(product, gpu))
    return (elements, passes) =>
      tallKernel(product, tallTiling(product, gpu, elements.reads)!, elements, false, passes);
  const turned = exchanged(product);
  if (tallTiling(turned, gpu))
    return (elements, passes) =>
      tallKernel(turned, tallTiling(turned, gpu, elements.reads)!, elements, true, passes);
  const deep = deepTiling(product, gpu);
  return deep && ((elements, passes) => deepKernel(product, deep, elements, passes));
}

/** The product with rows and columns exchanged: C^T = B^T A^T. */
function exchanged(product: Product): Product {
  const { rows, columns, a, b } = product;
  const turned = ({ transposed, ...matrix }: Product["a"]) => ({ ...matrix, transposed: !transposed });
  return { ...product, rows: columns, columns: rows, a: turned(b), b: turned(a) };
}

const THREADS = 128;

/** One thread an element. */
function plainKernel(
  { rows, columns, inner, batch, a, b }: Product,
  elements: FetchedElementText,
): KernelBody {
  const [rowA, innerA] = a.transposed ? [1, a.rowStride] : [a.rowStride, 1];
  const [innerB, columnB] = b.transposed ? [1, b.rowStride] : [b.rowStride, 1];
  const text = `const unsigned place = blockIdx.x * ${THREADS}u + threadIdx.x;
const unsigned row = place / ${columns}u, column = place % ${columns}u, n = blockIdx.z;
if (row >= ${rows}u) return;
const float* left = a + (size_t)n * ${a.batchStride} + row * ${rowA};
const float* right = b + (size_t)n * ${b.batchStride} + column * ${columnB};
float value = 0.f;
for (unsigned k = 0; k < ${inner}u; k++) value += left[k * ${innerA}] * right[k * ${innerB}];
${eachOf(1, elements, { place: "" })}`;
  const blocks = [Math.ceil((rows * columns) / THREADS), 1, batch] as const;
  return { text, blocks, threads: THREADS, resident: 1, sharedBytes: 0 };
}
