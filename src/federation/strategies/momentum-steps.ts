import type { OptimizerOptions } from "../optimizer-options.js";

/**
 * How often the gradients of a round count in a client's update: (x - y) / (rate * steps) is a mean of gradients. Plain
 * steps count once. With momentum rho a gradient counts again in every later step, so that step t of a velocity that
 * started at zero has the weight (1 - rho^t) / (1 - rho). Wang et al. (2020) call the sum of these weights ||a||_1.
 *
 * @param before steps that the velocity remembers from earlier rounds
 */
export function effectiveSteps(steps: number, before: number, { momentum = 0 }: OptimizerOptions): number {
  const rho = Number(momentum);
  let total = 0;
  for (let step = 1; step <= steps; step++) total += (1 - rho ** (before + step)) / (1 - rho);
  return total;
}
