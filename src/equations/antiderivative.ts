import { integrateChebyshev, sampleChebyshev, unitGrid } from "./chebyshev-space.js";

/** Sensors and outputs of the Antiderivative task: 100 equidistant points of [0, 1]. */
export const ANTIDERIVATIVE_GRID = unitGrid(100);

/** The solution of u_x = a, u(0) = 0 at the grid points, exact to rounding: the series is integrated term by term. */
export function solveAntiderivative(coefficients: Float64Array): Float64Array {
  return sampleChebyshev(integrateChebyshev(coefficients), ANTIDERIVATIVE_GRID);
}
