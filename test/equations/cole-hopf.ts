import { gaussLegendre } from "../../src/numerics/gauss-legendre.js";

const PANELS = 64;
const POINTS = 16;
const COUNT = PANELS * POINTS;

/**
 * The solution of u_t + u u_x = viscosity u_xx with period 1, by the formula of Cole and Hopf, for any integrable
 * initial data; `integral(y)` is their integral from 0 to y in [0, 1]. With m the mean and X = x - m t,
 * u = m + [int (X - y) / t e^(-G / 2 viscosity) dy] / [int e^(-G / 2 viscosity) dy],
 * G = integral(y) - m y + (X - y)^2 / 2t.
 * Gauss quadrature on panels of width 1/64 from x = 0 on, so that a jump at the wrap lies between two panels.
 */
export function coleHopf(
  integral: (y: number) => number,
  viscosity: number,
): (x: number, t: number) => number {
  const mean = integral(1);
  const { nodes, weights } = gaussLegendre(POINTS);
  const y = new Float64Array(COUNT);
  const potential = new Float64Array(COUNT);
  for (let i = 0; i < COUNT; i++) {
    y[i] = (Math.floor(i / POINTS) + (1 + nodes[i % POINTS]) / 2) / PANELS;
    potential[i] = integral(y[i]) - mean * y[i];
  }
  const swing = Math.max(...potential) - Math.min(...potential);

  return (x, t) => {
    const centre = x - mean * t;
    // Outside this radius G is more than 80 viscosity above its smallest value, and the weight below e^-40.
    const radius = Math.sqrt(2 * t * (swing + 80 * viscosity));
    const first = Math.floor((centre - radius) * PANELS) * POINTS;
    const end = Math.ceil((centre + radius) * PANELS) * POINTS;
    const exponents = new Float64Array(end - first);
    const distances = new Float64Array(end - first);
    let smallest = Infinity;
    for (let i = first; i < end; i++) {
      const period = Math.floor(i / COUNT);
      const distance = centre - (y[i - period * COUNT] + period);
      const exponent = potential[i - period * COUNT] + (distance * distance) / (2 * t);
      distances[i - first] = distance;
      exponents[i - first] = exponent;
      smallest = Math.min(smallest, exponent);
    }
    let numerator = 0;
    let denominator = 0;
    for (let i = 0; i < exponents.length; i++) {
      const weight = weights[i % POINTS] * Math.exp((smallest - exponents[i]) / (2 * viscosity));
      numerator += (weight * distances[i]) / t;
      denominator += weight;
    }
    return mean + numerator / denominator;
  };
}
