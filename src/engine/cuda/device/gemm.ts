import { DeviceError } from "../../../errors.js";

/** A device address. */
export type Pointer = bigint;

/** A matrix of a product as it is stored, row after row; its columns lie side by side. */
export interface Operand {
  readonly pointer: Pointer;
  /** Whether the product takes it transposed. */
  readonly transposed: boolean;
  /** Elements between the beginnings of two rows as stored. */
  readonly rowStride: number;
  /** Elements between two matrices of the batch; 0 where all take the same. */
  readonly batchStride: number;
}

/** Products of row-major matrices: C[b] = op(A[b]) op(B[b]) + beta C[b] for b = 0 .. batch - 1. */
export interface StridedProduct {
  /** Of C. */
  readonly rows: number;
  readonly columns: number;
  /** Columns of op(A), rows of op(B). */
  readonly inner: number;
  readonly batch: number;
  readonly a: Operand;
  readonly b: Operand;
  readonly c: { readonly pointer: Pointer; readonly rowStride: number; readonly batchStride: number };
  readonly beta: 0 | 1;
}

/** The arguments of `cublasGemmStridedBatchedEx` that depend on the product, in cuBLAS's names. */
export interface GemmArguments {
  readonly transa: 0 | 1;
  readonly transb: 0 | 1;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly A: Pointer;
  readonly lda: number;
  readonly strideA: number;
  readonly B: Pointer;
  readonly ldb: number;
  readonly strideB: number;
  readonly C: Pointer;
  readonly ldc: number;
  readonly strideC: number;
  readonly batchCount: number;
}

/**
 * cuBLAS stores columns one after another: to it, our matrices are transposed. So it is asked for the transpose,
 * C^T = op(B)^T op(A)^T, with the operands in the other order.
 */
export function gemmArguments({ rows, columns, inner, batch, a, b, c }: StridedProduct): GemmArguments {
  return {
    transa: b.transposed ? 1 : 0,
    transb: a.transposed ? 1 : 0,
    m: columns,
    n: rows,
    k: inner,
    A: b.pointer,
    lda: b.transposed ? leading("B", b, columns, inner) : leading("B", b, inner, columns),
    strideA: b.batchStride,
    B: a.pointer,
    ldb: a.transposed ? leading("A", a, inner, rows) : leading("A", a, rows, inner),
    strideB: a.batchStride,
    C: c.pointer,
    ldc: leading("C", c, rows, columns),
    strideC: c.batchStride,
    batchCount: batch,
  };
}

/**
 * Addresses of all matrices of products, as `cublasGemmBatchedEx` takes them: all of A in cuBLAS's sense, then all of
 * B, then all of C.
 */
export function matrixAddresses(products: readonly StridedProduct[]): BigUint64Array {
  const each = products.map(gemmArguments);
  const list = (which: "A" | "B" | "C") =>
    each.flatMap((product) =>
      Array.from(
        { length: product.batchCount },
        (_, i) => product[which] + 4n * BigInt(i * product[`stride${which}`]),
      ),
    );
  return BigUint64Array.from([...list("A"), ...list("B"), ...list("C")]);
}

/** The leading dimension of a matrix as stored. A single row has no next one, whatever its stride says. */
function leading(
  which: string,
  { rowStride }: { readonly rowStride: number },
  rows: number,
  columns: number,
): number {
  if (rows <= 1 || columns === 0) return Math.max(1, columns);
  if (rowStride < Math.max(1, columns))
    throw new DeviceError(
      `rows of ${which} [${rows}, ${columns}] overlap: their stride is ${rowStride}; copy the matrix first`,
    );
  return rowStride;
}
