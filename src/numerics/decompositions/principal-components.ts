import { symmetricEigen } from "../symmetric-eigen.js";

/** Rows of a table, `count` of them one after another. */
export interface RowBlock {
  readonly values: Float64Array;
  readonly count: number;
}

/** A table that is read in passes, always in the same blocks: it may be larger than the memory. */
export interface PassedRows {
  readonly rows: number;
  readonly columns: number;
  pass(): AsyncIterable<RowBlock>;
}

export interface PrincipalComponents {
  /** Mean row. */
  readonly mean: Float64Array;
  /** Orthonormal directions of largest variance, components x columns; zero beyond the rank of the table. */
  readonly components: Float64Array;
  /** Variance along each component, and that of all columns together (sums of squares over the number of rows). */
  readonly variances: Float64Array;
  readonly totalVariance: number;
}

/** Directions beyond those that are wanted; they speed up convergence (Halko, Martinsson and Tropp, 2011). */
const OVERSAMPLING = 10;
/** Passes at most, and the change of the variance found, as a part of all variance, at which they end. */
const MOST_PASSES = 10;
const SETTLED = 1e-10;
/** A direction this small beside what it was before is what rounding leaves. */
const DEPENDENT = 1e-12;

/**
 * Leading principal components by subspace iteration from a random start, each step one pass over the table. All sums run in
 * the order of the rows, so that the result has the same bits wherever the rows lie.
 *
 * @param gaussian draws the start
 */
export async function principalComponents(
  table: PassedRows,
  count: number,
  gaussian: () => number,
  onPass: (done: number) => void = () => {},
): Promise<PrincipalComponents> {
  const { rows, columns } = table;
  const width = Math.min(count + OVERSAMPLING, rows, columns);
  const mean = await meanRow(table);
  onPass(1);
  let directions: Float64Array = Float64Array.from({ length: width * columns }, gaussian);
  orthonormalise(directions, width, columns);
  let found = -1;
  let total = 0;
  let products: Float64Array = new Float64Array(0);
  for (let step = 0; step < MOST_PASSES; step++) {
    const done = await multiplied(table, mean, directions, width);
    onPass(step + 2);
    ({ products, total } = done);
    const { values } = symmetricEigen(products, width);
    const captured = [...values].sort((a, b) => b - a).slice(0, count);
    const sum = captured.reduce((a, b) => a + b, 0);
    if (Math.abs(sum - found) <= SETTLED * total || step === MOST_PASSES - 1) break;
    found = sum;
    directions = done.image;
    orthonormalise(directions, width, columns);
  }
  return { mean, ...rotated(directions, products, { count, columns, rows }), totalVariance: total / rows };
}

async function meanRow({ rows, columns, pass }: PassedRows): Promise<Float64Array> {
  const sums = new Float64Array(columns);
  let origin: Float64Array | undefined; // sums relative to one row keep their digits
  for await (const { values, count } of pass()) {
    origin ??= values.slice(0, columns);
    for (let row = 0; row < count; row++)
      for (let c = 0, at = row * columns; c < columns; c++, at++) sums[c] += values[at] - origin[c];
  }
  return sums.map((sum, c) => origin![c] + sum / rows);
}

/** One pass: the covariance times the directions, their products with it, and the sum of squares of all rows. */
async function multiplied(
  { columns, pass }: PassedRows,
  mean: Float64Array,
  directions: Float64Array,
  width: number,
): Promise<{ image: Float64Array; products: Float64Array; total: number }> {
  const image = new Float64Array(width * columns);
  const products = new Float64Array(width * width);
  let total = 0;
  for await (const { values, count } of pass()) {
    const centred = new Float64Array(count * columns);
    for (let row = 0; row < count; row++) {
      let square = 0;
      for (let c = 0, at = row * columns; c < columns; c++, at++) {
        const value = values[at] - mean[c];
        centred[at] = value;
        square += value * value;
      }
      total += square;
    }
    const scores = projections(centred, count, directions, width, columns);
    for (let row = 0; row < count; row++)
      for (let i = 0; i < width; i++) {
        const score = scores[row * width + i];
        for (let j = 0; j < width; j++) products[i * width + j] += score * scores[row * width + j];
      }
    for (let i = 0; i < width; i++) addRows(image, i * columns, centred, count, columns, scores, i, width);
  }
  return { image, products, total };
}

/** Rows along directions: rows x width. Four rows at a time, since memory is what limits it. */
function projections(
  centred: Float64Array,
  count: number,
  directions: Float64Array,
  width: number,
  columns: number,
): Float64Array {
  const scores = new Float64Array(count * width);
  for (let i = 0; i < width; i++) {
    const from = i * columns;
    let row = 0;
    for (; row + 4 <= count; row += 4) {
      const a = row * columns;
      const [b, c, d] = [a + columns, a + 2 * columns, a + 3 * columns];
      let [p, q, r, s] = [0, 0, 0, 0];
      for (let j = 0; j < columns; j++) {
        const along = directions[from + j];
        p += centred[a + j] * along;
        q += centred[b + j] * along;
        r += centred[c + j] * along;
        s += centred[d + j] * along;
      }
      scores[row * width + i] = p;
      scores[(row + 1) * width + i] = q;
      scores[(row + 2) * width + i] = r;
      scores[(row + 3) * width + i] = s;
    }
    for (; row < count; row++) {
      let sum = 0;
      for (let j = 0, at = row * columns; j < columns; j++, at++) sum += centred[at] * directions[from + j];
      scores[row * width + i] = sum;
    }
  }
  return scores;
}

/** Adds rows, each times its score, to one direction. */
function addRows(
  image: Float64Array,
  from: number,
  centred: Float64Array,
  count: number,
  columns: number,
  scores: Float64Array,
  i: number,
  width: number,
): void {
  let row = 0;
  for (; row + 4 <= count; row += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((more) => (row + more) * columns);
    const [p, q, r, s] = [0, 1, 2, 3].map((more) => scores[(row + more) * width + i]);
    for (let j = 0; j < columns; j++)
      image[from + j] += p * centred[a + j] + q * centred[b + j] + (r * centred[c + j] + s * centred[d + j]);
  }
  for (; row < count; row++) {
    const score = scores[row * width + i];
    for (let j = 0, at = row * columns; j < columns; j++, at++) image[from + j] += score * centred[at];
  }
}

/** Gram-Schmidt, twice, which is enough (Giraud et al., 2005). What depends on earlier directions becomes zero. */
function orthonormalise(directions: Float64Array, width: number, columns: number): void {
  for (let i = 0; i < width; i++) {
    const own = directions.subarray(i * columns, (i + 1) * columns);
    const before = norm(own);
    for (let twice = 0; twice < 2; twice++)
      for (let j = 0; j < i; j++) {
        const other = directions.subarray(j * columns, (j + 1) * columns);
        let dot = 0;
        for (let c = 0; c < columns; c++) dot += own[c] * other[c];
        for (let c = 0; c < columns; c++) own[c] -= dot * other[c];
      }
    const length = norm(own);
    if (!(length > DEPENDENT * before)) own.fill(0);
    else for (let c = 0; c < columns; c++) own[c] /= length;
  }
}

/** The eigenvectors of the covariance within the directions, by falling variance, the largest entry of each positive. */
function rotated(
  directions: Float64Array,
  products: Float64Array,
  { count, columns, rows }: { readonly count: number; readonly columns: number; readonly rows: number },
): Pick<PrincipalComponents, "components" | "variances"> {
  const width = directions.length / columns;
  const { values, vectors } = symmetricEigen(products, width);
  const order = [...values.keys()].sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
  const components = new Float64Array(count * columns);
  order.forEach((m, k) => {
    const own = components.subarray(k * columns, (k + 1) * columns);
    for (let i = 0; i < width; i++) {
      const weight = vectors[m * width + i];
      for (let c = 0; c < columns; c++) own[c] += weight * directions[i * columns + c];
    }
    const largest = own.reduce((best, value, c) => (Math.abs(value) > Math.abs(own[best]) ? c : best), 0);
    if (own[largest] < 0) for (let c = 0; c < columns; c++) own[c] = -own[c];
  });
  return { components, variances: Float64Array.from(order, (m) => Math.max(0, values[m]) / rows) };
}

const norm = (values: Float64Array): number => {
  let sum = 0;
  for (const value of values) sum += value * value;
  return Math.sqrt(sum);
};
