/**
 * Two bins with quadratic objectives h/2 (theta - a)^2 of a scalar parameter, and clients that mix them
 * (app:quadratic).
 */
export interface QuadraticWitness {
  /** Curvatures h_1 and h_2 of the bins. */
  readonly curvatures: readonly [number, number];
  /** Minimisers a_1 and a_2 of the bins. */
  readonly minima: readonly [number, number];
  /** Client weights p_k, which sum to one. */
  readonly weights: ArrayLike<number>;
  /** Mass q_k of the first bin at each client. */
  readonly shares: readonly number[];
  /** Initial parameter of all clients. */
  readonly theta: number;
  readonly rate: number;
}

/** The drift theta_FA - theta_C, computed by simulating the gradient steps. Default: two steps. */
export function witnessDrift(witness: QuadraticWitness, steps = 2): number {
  const { weights, shares } = witness;
  const mean = weightedMean(shares, weights);
  return weightedMean(
    shares.map((share) => displacement(witness, share, steps) - displacement(witness, mean, steps)),
    weights,
  );
}

/**
 * The risk difference R(theta_FA) - R(theta_C) after two steps. The risk R is the clients' own mean,
 * F = sum_k p_k F_k.
 */
export function witnessRiskDifference(witness: QuadraticWitness): number {
  const { weights, shares, theta } = witness;
  const mean = weightedMean(shares, weights);
  const centralised = theta + displacement(witness, mean, 2);
  const federated =
    theta +
    weightedMean(
      shares.map((share) => displacement(witness, share, 2)),
      weights,
    );
  return witnessRisk(witness, mean, federated) - witnessRisk(witness, mean, centralised);
}

/** The minimiser of F. Centralised training that starts there stays there. */
export function witnessMinimum(witness: Omit<QuadraticWitness, "theta">): number {
  const {
    curvatures: [h1, h2],
    minima: [a1, a2],
    weights,
    shares,
  } = witness;
  const mean = weightedMean(shares, weights);
  return (mean * h1 * a1 + (1 - mean) * h2 * a2) / (mean * h1 + (1 - mean) * h2);
}

/** The drift after two steps in closed form, eta^2 Var_p(q_k) Delta h Delta g (eq:app-quadratic). */
export function witnessFormula({
  curvatures: [h1, h2],
  minima: [a1, a2],
  weights,
  shares,
  theta,
  rate,
}: QuadraticWitness): number {
  const mean = weightedMean(shares, weights);
  const variance = weightedMean(
    shares.map((share) => (share - mean) ** 2),
    weights,
  );
  return rate * rate * variance * (h1 - h2) * (h1 * (theta - a1) - h2 * (theta - a2));
}

/** q F_1 + (1 - q) F_2 */
function witnessRisk(
  { curvatures: [h1, h2], minima: [a1, a2] }: QuadraticWitness,
  share: number,
  at: number,
): number {
  return (share * h1 * (at - a1) ** 2 + (1 - share) * h2 * (at - a2) ** 2) / 2;
}

/** What gradient steps on q F_1 + (1 - q) F_2 move theta by. */
function displacement(
  { curvatures: [h1, h2], minima: [a1, a2], theta, rate }: QuadraticWitness,
  share: number,
  steps: number,
): number {
  let moved = 0;
  for (let step = 0; step < steps; step++) {
    const at = theta + moved;
    moved -= rate * (share * h1 * (at - a1) + (1 - share) * h2 * (at - a2));
  }
  return moved;
}

function weightedMean(values: readonly number[], weights: ArrayLike<number>): number {
  return values.reduce((sum, value, k) => sum + weights[k] * value, 0);
}
