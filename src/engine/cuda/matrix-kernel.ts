import type { Product } from "./products.js";

/** How many products of TF32 numbers make one: three keep the accuracy of float32, one has 10 bits of mantissa. */
export type Passes = 1 | 3;

/** The statements that store an element, for names of variables. */
export type ElementText = (value: string, batch: string, row: string, column: string) => string;

/** The body of a kernel whose pointers `a` and `b` are to the first elements of the factors, and how it is launched. */
export interface KernelBody {
  readonly text: string;
  readonly blocks: readonly [number, number, number];
  readonly threads: number;
  /** Blocks that a multiprocessor should have room for: a limit to the registers of a thread. */
  readonly resident: number;
  /** Shared memory whose size is told at the launch. */
  readonly sharedBytes: number;
}

const THREADS = 128;
/** Results of at least so many rows or columns, and at most so many of the others, over so many numbers. */
const MANY = 1024;
const FEW = 128;

/** Whether a kernel of ours is better than the library's. */
export function suits({ rows, columns, inner }: Product): boolean {
  return Math.max(rows, columns) >= MANY && Math.min(rows, columns) <= FEW && inner <= FEW;
}

/** The kernel of a product, one thread an element. */
export function matrixKernel(
  { rows, columns, inner, batch, a, b }: Product,
  element: ElementText,
  _passes: Passes = 3,
): KernelBody {
  const [rowA, innerA] = a.transposed ? [1, a.rowStride] : [a.rowStride, 1];
  const [innerB, columnB] = b.transposed ? [1, b.rowStride] : [b.rowStride, 1];
  const text = `const unsigned place = blockIdx.x * ${THREADS}u + threadIdx.x;
const unsigned row = place / ${columns}u, column = place % ${columns}u, batch = blockIdx.z;
if (row >= ${rows}u) return;
const float* left = a + (size_t)batch * ${a.batchStride} + row * ${rowA};
const float* right = b + (size_t)batch * ${b.batchStride} + column * ${columnB};
float value = 0.f;
for (unsigned k = 0; k < ${inner}u; k++) value += left[k * ${innerA}] * right[k * ${innerB}];
${element("value", "batch", "row", "column")}`;
  const blocks = [Math.ceil((rows * columns) / THREADS), 1, batch] as const;
  return { text, blocks, threads: THREADS, resident: 1, sharedBytes: 0 };
}
