import { combination, dot, minus, norm } from "../../numerics/vector.js";

/** The covariance of profiles, C = sum_k p_k (q_k - q)(q_k - q)^T, row-major. Its trace is H_q. */
export function profileCovariance(
  profiles: readonly ArrayLike<number>[],
  weights: ArrayLike<number>,
): Float64Array {
  const bins = profiles[0].length;
  const mean = combination(profiles, weights);
  const covariance = new Float64Array(bins * bins);
  profiles.forEach((profile, k) => {
    const deviation = minus(profile, mean);
    for (let b = 0; b < bins; b++)
      for (let c = 0; c < bins; c++) covariance[b * bins + c] += weights[k] * deviation[b] * deviation[c];
  });
  return covariance;
}

/**
 * Products H_b g_c of each bin's Hessian with each bin's gradient. If clients mix whole bins, the drift direction
 * sum_k p_k (H_k - H)(g_k - g) equals sum_bc C_bc H_b g_c. It is linear in the covariance of the profiles, so one
 * table serves every partition.
 */
export interface AlignmentTable {
  readonly bins: number;
  /** The product H_b g_c is at index `b * bins + c`. */
  readonly products: readonly Float64Array[];
  /** Gram matrix of the products, row-major. */
  readonly gram: Float64Array;
}

/** Builds the table from the products H_b g_c, in the order `b * bins + c`. */
export function alignmentTable(products: readonly Float64Array[]): AlignmentTable {
  const n = products.length;
  const gram = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) gram[i * n + j] = gram[j * n + i] = dot(products[i], products[j]);
  return { bins: Math.sqrt(n), products, gram };
}

/** The drift direction sum_bc C_bc H_b g_c for a covariance C of profiles. */
export function mixtureDirection({ products }: AlignmentTable, covariance: Float64Array): Float64Array {
  return combination(products, covariance);
}

/** The norm of `mixtureDirection`, computed from the Gram matrix alone. */
export function mixtureDrift({ gram }: Pick<AlignmentTable, "gram">, covariance: Float64Array): number {
  const n = covariance.length;
  let square = 0;
  for (let i = 0; i < n; i++) {
    let row = 0;
    for (let j = 0; j < n; j++) row += gram[i * n + j] * covariance[j];
    square += covariance[i] * row;
  }
  return Math.sqrt(Math.max(0, square));
}

/**
 * Searches for the two clients with the smallest ratio of drift to H_q. They have equal weights and profiles q + d
 * and q - d, where d sums to zero. A random local search from many starts keeps each step that lowers the ratio. The
 * ratio does not depend on the length of d.
 *
 * @param uniform random numbers in [0, 1)
 */
export function worstContrast(
  table: Pick<AlignmentTable, "gram" | "bins">,
  uniform: () => number,
  { starts = 20, steps = 300 }: { readonly starts?: number; readonly steps?: number } = {},
): { readonly contrast: Float64Array; readonly ratio: number } {
  const { bins } = table;
  const drawn = () => centredUnit(Float64Array.from({ length: bins }, () => uniform() - 0.5));
  const ratioOf = (d: Float64Array) => mixtureDrift(table, outer(d));
  let best = { contrast: drawn(), ratio: Infinity };
  for (let start = 0; start < starts; start++) {
    let contrast = drawn();
    let ratio = ratioOf(contrast);
    let width = 0.5;
    for (let step = 0; step < steps; step++) {
      const moved = centredUnit(contrast.map((value) => value + width * (uniform() - 0.5)));
      const found = ratioOf(moved);
      width *= found < ratio ? 1.3 : 0.97;
      if (found < ratio) [contrast, ratio] = [moved, found];
    }
    if (ratio < best.ratio) best = { contrast, ratio };
  }
  return best;
}

/** d d^T, the covariance of two such clients. */
export function outer(d: ArrayLike<number>): Float64Array {
  return Float64Array.from(
    { length: d.length ** 2 },
    (_, at) => d[Math.floor(at / d.length)] * d[at % d.length],
  );
}

function centredUnit(values: Float64Array): Float64Array {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const centred = values.map((value) => value - mean);
  const length = norm(centred);
  return centred.map((value) => value / length);
}
