/** Sums and products of vectors, in float64. */

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The Euclidean norm. */
export function norm(a: ArrayLike<number>): number {
  return Math.sqrt(dot(a, a));
}

/** a + factor b */
export function plus(a: ArrayLike<number>, b: ArrayLike<number>, factor = 1): Float64Array {
  const result = new Float64Array(a.length);
  for (let i = 0; i < result.length; i++) result[i] = a[i] + factor * b[i];
  return result;
}

/** a - b */
export const minus = (a: ArrayLike<number>, b: ArrayLike<number>): Float64Array => plus(a, b, -1);

/** sum_k weights[k] vectors[k] */
export function combination(vectors: readonly ArrayLike<number>[], weights: ArrayLike<number>): Float64Array {
  const result = new Float64Array(vectors[0].length);
  vectors.forEach((vector, k) => {
    for (let i = 0; i < result.length; i++) result[i] += weights[k] * vector[i];
  });
  return result;
}
