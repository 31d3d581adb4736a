import { exp } from "./elementary.js";

/**
 * What a step of a given length needs of the linear part: one array a factor, one entry a component.
 * Names as in Cox and Matthews, "Exponential time differencing for stiff systems", JCP 176 (2002), eqs. (26)-(29).
 */
export interface StepFactors {
  /** exp(h L) and exp(h L / 2). */
  readonly whole: Float64Array;
  readonly half: Float64Array;
  /** (exp(h L / 2) - 1) / L. */
  readonly stage: Float64Array;
  /** Weights of N at the beginning of the step, at its two midpoints, at its end. */
  readonly first: Float64Array;
  readonly middle: Float64Array;
  readonly last: Float64Array;
}

/** Evaluates N(u) into `out`, for the first `size` components. */
export type Nonlinearity = (u: Float64Array, out: Float64Array) => void;

/** Where a step works; the arrays may be longer than the state that is stepped. */
export interface StepWorkspace {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly atA: Float64Array;
  readonly atB: Float64Array;
  readonly atC: Float64Array;
}

export function stepWorkspace(size: number): StepWorkspace {
  const array = () => new Float64Array(size);
  return { a: array(), b: array(), c: array(), atA: array(), atB: array(), atC: array() };
}

/** The factors for u' = L u + N(u) with a real diagonal L <= 0 and step h. */
export function stepFactors(linear: Float64Array, h: number): StepFactors {
  const array = () => new Float64Array(linear.length);
  const factors = {
    whole: array(),
    half: array(),
    stage: array(),
    first: array(),
    middle: array(),
    last: array(),
  };
  linear.forEach((rate, i) => {
    const [whole, phi1, phi2, phi3] = phiFunctions(h * rate);
    const [half, halfPhi1] = phiFunctions((h * rate) / 2);
    factors.whole[i] = whole;
    factors.half[i] = half;
    factors.stage[i] = (h / 2) * halfPhi1;
    factors.first[i] = h * (phi1 - 3 * phi2 + 4 * phi3);
    factors.middle[i] = h * (2 * phi2 - 4 * phi3);
    factors.last[i] = h * (4 * phi3 - phi2);
  });
  return factors;
}

/**
 * exp(z) and phi_1, phi_2, phi_3 for z <= 0, where phi_k(z) = sum over j of z^j / (j + k)!. Near zero from the
 * series of phi_3 and the recurrence downwards, elsewhere upwards: neither direction cancels there, so that no
 * contour integral is needed.
 */
export function phiFunctions(z: number): [exponential: number, phi1: number, phi2: number, phi3: number] {
  if (z > -1) {
    let phi3 = 1;
    for (let n = 20; n >= 4; n--) phi3 = 1 + (z / n) * phi3;
    phi3 /= 6;
    const phi2 = 0.5 + z * phi3;
    const phi1 = 1 + z * phi2;
    return [1 + z * phi1, phi1, phi2, phi3];
  }
  const exponential = exp(z);
  const phi1 = (exponential - 1) / z;
  const phi2 = (phi1 - 1) / z;
  return [exponential, phi1, phi2, (phi2 - 0.5) / z];
}

/**
 * One step of the fourth-order exponential Runge-Kutta scheme of Cox and Matthews for the first `size` components:
 * from `u` and `atU` = N(u) to `next`. N at the last stage stays in `work.atC`, for `stepError`.
 */
export function etdrk4Step(
  nonlinearity: Nonlinearity,
  factors: StepFactors,
  size: number,
  u: Float64Array,
  atU: Float64Array,
  next: Float64Array,
  work: StepWorkspace,
): void {
  const { whole, half, stage, first, middle, last } = factors;
  const { a, b, c, atA, atB, atC } = work;
  for (let i = 0; i < size; i++) a[i] = half[i] * u[i] + stage[i] * atU[i];
  nonlinearity(a, atA);
  for (let i = 0; i < size; i++) b[i] = half[i] * u[i] + stage[i] * atA[i];
  nonlinearity(b, atB);
  for (let i = 0; i < size; i++) c[i] = half[i] * a[i] + stage[i] * (2 * atB[i] - atU[i]);
  nonlinearity(c, atC);
  for (let i = 0; i < size; i++) {
    next[i] = whole[i] * u[i] + first[i] * atU[i] + middle[i] * (atA[i] + atB[i]) + last[i] * atC[i];
  }
}

/**
 * Sum of squares of the difference to the embedded third-order solution, which has N(next) in the place of the
 * last stage (Whalen, Brio and Moloney, JCP 280 (2015)). It costs nothing: the next step begins with N(next).
 */
export function stepError(
  factors: StepFactors,
  size: number,
  atNext: Float64Array,
  work: StepWorkspace,
): number {
  const { last } = factors;
  const { atC } = work;
  let sum = 0;
  for (let i = 0; i < size; i++) {
    const difference = last[i] * (atNext[i] - atC[i]);
    sum += difference * difference;
  }
  return sum;
}
