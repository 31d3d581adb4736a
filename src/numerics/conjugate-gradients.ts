/** A symmetric positive definite operator: writes its value at `v` into `out`. */
export type Operator = (v: Float64Array, out: Float64Array) => void;

export interface ConjugateGradientsOptions {
  /** Largest norm of the residual relative to that of the right-hand side, 1e-10 by default. */
  readonly tolerance?: number;
  /** Iterations after which it counts as failed, 1000 by default. */
  readonly limit?: number;
}

export interface ConjugateGradientsResult {
  readonly solution: Float64Array;
  readonly iterations: number;
}

/** Solves A x = b by conjugate gradients with an approximate inverse of A, starting from zero. */
export function conjugateGradients(
  apply: Operator,
  precondition: Operator,
  b: Float64Array,
  { tolerance = 1e-10, limit = 1000 }: ConjugateGradientsOptions = {},
): ConjugateGradientsResult {
  const solution = new Float64Array(b.length);
  const rest = b.slice();
  const correction = new Float64Array(b.length);
  const direction = new Float64Array(b.length);
  const applied = new Float64Array(b.length);
  const goal = tolerance * tolerance * dot(b, b);
  let slope = 0;
  for (let iterations = 0; iterations <= limit; iterations++) {
    if (dot(rest, rest) <= goal) return { solution, iterations };
    precondition(rest, correction);
    const before = slope;
    slope = dot(rest, correction);
    const share = before === 0 ? 0 : slope / before;
    for (let k = 0; k < b.length; k++) direction[k] = correction[k] + share * direction[k];
    apply(direction, applied);
    const step = slope / dot(direction, applied);
    for (let k = 0; k < b.length; k++) {
      solution[k] += step * direction[k];
      rest[k] -= step * applied[k];
    }
  }
  throw new Error(`conjugate gradients have not converged after ${limit} iterations`);
}

/** The inner product of two vectors. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}
