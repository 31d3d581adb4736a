import { squaredDistance } from "./divergences.js";

/**
 * Raw allocation heterogeneity H_u (eq:main-alpha-law) of shares `proportions[client][bin]`, each bin's summing
 * to 1, for bins of the given masses.
 */
export function allocationHeterogeneity(
  proportions: readonly ArrayLike<number>[],
  masses: readonly number[],
): number {
  const clients = proportions.length;
  let sum = 0;
  for (const shares of proportions) {
    sum += squaredDistance(
      masses.map((mass, bin) => clients * mass * shares[bin]),
      masses,
    );
  }
  return sum / clients;
}

/** The exact law for the expectation of H_u over Dirichlet draws (thm:app-alpha-law). */
export function expectedHeterogeneity(clients: number, alpha: number, masses: readonly number[]): number {
  return ((clients - 1) / (clients * alpha + 1)) * sumOfSquares(masses);
}

/**
 * The variance of H_u over single draws, which the paper does not state. H_u is sum_b pi_b^2 (K S_b - 1) with
 * S = sum_k R_k^2. The fourth moments of a Dirichlet vector give
 *
 *   Var(S) = 2 alpha (alpha+1) (K-1) / ((K alpha+1)^2 (K alpha+2) (K alpha+3)).
 */
export function heterogeneityVariance(clients: number, alpha: number, masses: readonly number[]): number {
  const n = clients * alpha;
  const ofSquares = (2 * alpha * (alpha + 1) * (clients - 1)) / ((n + 1) * (n + 1) * (n + 2) * (n + 3));
  return clients * clients * ofSquares * masses.reduce((sum, mass) => sum + mass ** 4, 0);
}

/**
 * The same law for the shares that integer counts realise: Dirichlet-multinomial counts of bins with the given
 * sizes, before repair. The variance of a realised share is that of the drawn one plus E[R(1-R)]/N_b, so that
 *
 *   E[H_u] = sum_b pi_b^2 ( (K-1)/(K alpha+1) (1 - 1/N_b) + (K-1)/N_b ).
 *
 * The second term is the minimum over all alpha.
 */
export function expectedRealisedHeterogeneity(
  clients: number,
  alpha: number,
  sizes: readonly number[],
): number {
  const { slope, floor } = realisedLaw(clients, sizes);
  return slope / (clients * alpha + 1) + floor;
}

/**
 * The alpha at which the law above gives this realised heterogeneity, for partitions of unknown origin.
 * `Infinity` at or below the floor; 0 at or above the value for one owner per bin.
 */
export function impliedConcentration(
  heterogeneity: number,
  clients: number,
  sizes: readonly number[],
): number {
  const { slope, floor } = realisedLaw(clients, sizes);
  if (heterogeneity <= floor) return Infinity;
  return Math.max(0, (slope / (heterogeneity - floor) - 1) / clients);
}

function realisedLaw(clients: number, sizes: readonly number[]): { slope: number; floor: number } {
  const total = sizes.reduce((a, b) => a + b, 0);
  let slope = 0;
  let floor = 0;
  for (const size of sizes) {
    if (size === 0) continue;
    const squaredMass = (size / total) * (size / total);
    slope += (clients - 1) * squaredMass * (1 - 1 / size);
    floor += ((clients - 1) * squaredMass) / size;
  }
  return { slope, floor };
}

function sumOfSquares(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}
