/** The epsilon of eq:gradient-metric. */
export const EPSILON = 1e-12;

/** eq:gradient-metric: the weighted spread of clients' gradients about their mean, over their weighted square. */
export function dissimilarity(gradients: readonly ArrayLike<number>[], shares: ArrayLike<number>): number {
  const mean = new Float64Array(gradients[0].length);
  for (const [client, gradient] of gradients.entries())
    for (let i = 0; i < mean.length; i++) mean[i] += shares[client] * gradient[i];
  let spread = 0;
  let size = 0;
  for (const [client, gradient] of gradients.entries()) {
    const share = shares[client];
    for (let i = 0; i < mean.length; i++) {
      const value = gradient[i];
      spread += share * (value - mean[i]) ** 2;
      size += share * value ** 2;
    }
  }
  return spread / (size + EPSILON);
}
