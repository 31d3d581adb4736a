import type { Matrix, Product } from "../plan/layout/products.js";

/** Where the n-th matrix of a batch begins, in CUDA C. */
export function matrixText({ group }: Product, { batchStride, groupStride = 0 }: Matrix): string {
  if (group === undefined) return `(size_t)n * ${batchStride}u`;
  return `(size_t)(n / ${group}u) * ${groupStride}u + (size_t)(n % ${group}u) * ${batchStride}u`;
}
