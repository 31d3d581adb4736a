import { gaussLegendre } from "../../src/numerics/gauss-legendre.js";

const PANELS = 64;
const { nodes, weights } = gaussLegendre(16);

/**
 * The pressure of a line source s(t) at distance r in unbounded rock of speed c, strength `area` (one cell of a grid:
 * its spacing squared): area / 2 pi times the integral of s(t - r/c cosh theta) over theta from 0 to acosh(c t / r).
 */
export function lineSource(
  source: (t: number) => number,
  area: number,
): (c: number, r: number, t: number) => number {
  return (c, r, t) => {
    if (c * t <= r) return 0;
    const width = Math.acosh((c * t) / r) / PANELS;
    let sum = 0;
    for (let panel = 0; panel < PANELS; panel++) {
      nodes.forEach((node, i) => {
        const theta = (panel + (1 + node) / 2) * width;
        sum += (weights[i] * width * source(t - (r / c) * Math.cosh(theta))) / 2;
      });
    }
    return (area / (2 * Math.PI)) * sum;
  };
}

/** The Ricker wavelet with its peak at time `peak`, nothing before 0 and after 2 `peak`. */
export function ricker(frequency: number, peak: number): (t: number) => number {
  return (t) => {
    if (t < 0 || t > 2 * peak) return 0;
    const b = (Math.PI * frequency * (t - peak)) ** 2;
    return (1 - 2 * b) * Math.exp(-b);
  };
}
