import type { StridedProduct } from "../../src/engine/cuda/device/gemm.js";
import type { Stream } from "../../src/random/stream.js";
import { stream } from "../../src/random/stream.js";

/** A product in numbers alone, with the arrays that it works on. */
export interface PlainProduct {
  readonly product: StridedProduct;
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly c: Float32Array;
}

export interface ProductShape {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly batch: number;
  readonly transposedA: boolean;
  readonly transposedB: boolean;
  readonly beta: 0 | 1;
  /** Elements between the end of a row and the beginning of the next one. */
  readonly gap: number;
  /** Whether all products take the same B. */
  readonly sharedB: boolean;
}

/** Numbers from -1 to 1 for a product of this shape; its addresses are 0. */
export function plainProduct(shape: ProductShape, seed = 0): PlainProduct {
  const { rows, columns, inner, batch, transposedA, transposedB, beta, gap, sharedB } = shape;
  const random = stream(seed, "product", rows, columns, inner, batch);
  const stored = (rows: number, columns: number) => ({
    rowStride: columns + gap,
    batchStride: rows * (columns + gap) + 3 * gap,
  });
  const a = transposedA ? stored(inner, rows) : stored(rows, inner);
  const b = transposedB ? stored(columns, inner) : stored(inner, columns);
  const c = stored(rows, columns);
  return {
    product: {
      rows,
      columns,
      inner,
      batch,
      a: { pointer: 0n, transposed: transposedA, ...a },
      b: { pointer: 0n, transposed: transposedB, ...b, ...(sharedB && { batchStride: 0 }) },
      c: { pointer: 0n, ...c },
      beta,
    },
    a: filled(random, batch * a.batchStride),
    b: filled(random, batch * b.batchStride),
    c: filled(random, batch * c.batchStride),
  };
}

function filled(random: Stream, length: number): Float32Array {
  return Float32Array.from({ length }, () => 2 * random.uniform() - 1);
}

/** What a product makes of C, by loops over row-major matrices in double precision. */
export function multiplied({ product, a, b, c }: PlainProduct): Float64Array {
  const result = Float64Array.from(c);
  const at = (
    { transposed, rowStride, batchStride }: StridedProduct["a"],
    batch: number,
    i: number,
    j: number,
  ) => batch * batchStride + (transposed ? j * rowStride + i : i * rowStride + j);
  for (let batch = 0; batch < product.batch; batch++) {
    for (let i = 0; i < product.rows; i++) {
      for (let j = 0; j < product.columns; j++) {
        let sum = 0;
        for (let k = 0; k < product.inner; k++)
          sum += a[at(product.a, batch, i, k)] * b[at(product.b, batch, k, j)];
        const place = batch * product.c.batchStride + i * product.c.rowStride + j;
        result[place] = sum + product.beta * c[place];
      }
    }
  }
  return result;
}
