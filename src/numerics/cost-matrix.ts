import { DataError } from "../errors.js";

/** Costs of moving a unit of mass from one bin to another. */
export interface CostMatrix {
  /** The number of bins. */
  readonly size: number;
  /** Row-major: `values[from * size + to]`. */
  readonly values: Float64Array;
  /** Zero diagonal, symmetric, and no detour is cheaper than the direct way. */
  readonly metric: boolean;
  /** The smallest and the largest cost off the diagonal, c_min and c_max; 0 for a single bin. */
  readonly smallest: number;
  readonly largest: number;
}

/** Round-off that a metric may show, as a fraction of its largest cost. */
const METRIC_TOLERANCE = 1e-12;

/** A cost matrix from `size * size` finite, non-negative values in row-major order. */
export function costMatrix(given: ArrayLike<number>, size: number): CostMatrix {
  if (!Number.isInteger(size) || size < 1)
    throw new DataError(`a cost matrix has 1 bin or more, not ${size}`);
  if (given.length !== size * size)
    throw new DataError(`a cost matrix of ${size} bins has ${size * size} values, not ${given.length}`);
  const values = Float64Array.from(given);
  const bad = values.findIndex((value) => !(value >= 0 && value < Infinity));
  if (bad >= 0) {
    const at = `from bin ${Math.floor(bad / size)} to bin ${bad % size}`;
    throw new DataError(`the cost ${at} is ${values[bad]}; costs are finite and not negative`);
  }
  return withExtremes(values, size, isMetric(values, size));
}

/**
 * Euclidean distances between centroids, `size` rows of equal length (eq:centroid-cost). A metric by
 * construction; the distance between two equal centroids is zero.
 */
export function centroidCosts(centroids: ArrayLike<number>, size: number): CostMatrix {
  if (!Number.isInteger(size) || size < 1) throw new DataError(`costs need 1 centroid or more, not ${size}`);
  const dimension = centroids.length / size;
  if (!Number.isInteger(dimension) || dimension < 1)
    throw new DataError(`${centroids.length} values do not make ${size} centroids of equal length`);
  const values = new Float64Array(size * size);
  for (let b = 0; b < size; b++) {
    for (let c = b + 1; c < size; c++) {
      let square = 0;
      for (let d = 0; d < dimension; d++) {
        const difference = centroids[b * dimension + d] - centroids[c * dimension + d];
        square += difference * difference;
      }
      if (!(square < Infinity)) throw new DataError(`centroids ${b} and ${c} have no finite distance`);
      values[b * size + c] = values[c * size + b] = Math.sqrt(square);
    }
  }
  return withExtremes(values, size, true);
}

function withExtremes(values: Float64Array, size: number, metric: boolean): CostMatrix {
  if (size === 1) return { size, values, metric, smallest: 0, largest: 0 };
  const elsewhere = values.filter((_, index) => index % (size + 1) !== 0);
  const smallest = elsewhere.reduce((a, b) => Math.min(a, b));
  const largest = elsewhere.reduce((a, b) => Math.max(a, b));
  return { size, values, metric, smallest, largest };
}

function isMetric(values: Float64Array, size: number): boolean {
  const slack = METRIC_TOLERANCE * values.reduce((a, b) => Math.max(a, b));
  for (let i = 0; i < size; i++) {
    if (values[i * size + i] !== 0) return false;
    for (let j = 0; j < size; j++) {
      const direct = values[i * size + j];
      if (Math.abs(direct - values[j * size + i]) > slack) return false;
      for (let k = 0; k < size; k++)
        if (values[k * size + i] + direct < values[k * size + j] - slack) return false;
    }
  }
  return true;
}
