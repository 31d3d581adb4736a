import { cosPi } from "./trigonometry.js";

/** Legendre polynomials L_0(s) .. L_degree(s), by their three-term recurrence. */
export function legendrePolynomials(degree: number, s: number): Float64Array {
  const values = new Float64Array(degree + 1);
  values[0] = 1;
  if (degree > 0) values[1] = s;
  for (let n = 1; n < degree; n++)
    values[n + 1] = ((2 * n + 1) * s * values[n] - n * values[n - 1]) / (n + 1);
  return values;
}

/** Nodes (ascending) and weights on [-1, 1] that integrate polynomials up to degree 2 `points` - 1 exactly. */
export function gaussLegendre(points: number): { nodes: Float64Array; weights: Float64Array } {
  const nodes = new Float64Array(points);
  const weights = new Float64Array(points);
  for (let i = 0; i < points; i++) {
    let s = -cosPi((i + 0.75) / (points + 0.5)); // Tricomi's estimate; Newton's method squares its error
    let derivative = 1;
    for (let iteration = 0; iteration < 6; iteration++) {
      const values = legendrePolynomials(points, s);
      derivative = (points * (s * values[points] - values[points - 1])) / (s * s - 1);
      s -= values[points] / derivative;
    }
    nodes[i] = s;
    weights[i] = 2 / ((1 - s * s) * derivative * derivative);
  }
  return { nodes, weights };
}
