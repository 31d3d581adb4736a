import { combination, minus } from "../../numerics/vector.js";

/** The coefficient c_E = E (E - 1) / 2, the sum of 0, 1, ..., E - 1. */
export function driftCoefficient(steps: number): number {
  return (steps * (steps - 1)) / 2;
}

/**
 * The leading term of FedAvg's drift, sum_k p_k (H_k - H)(g_k - g) (eq:app-second-drift). H cancels because the
 * weighted differences g_k - g sum to zero. One Hessian-vector product per client is therefore enough.
 */
export async function driftDirection(
  hessianVector: (client: number, v: Float64Array) => Promise<Float64Array>,
  gradients: readonly Float64Array[],
  weights: ArrayLike<number>,
): Promise<Float64Array> {
  const mean = combination(gradients, weights);
  const products: Float64Array[] = [];
  for (const [k, gradient] of gradients.entries())
    products.push(await hessianVector(k, minus(gradient, mean)));
  return combination(products, weights);
}
