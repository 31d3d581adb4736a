import { exp } from "../numerics/elementary.js";
import type { Stream } from "../random/stream.js";

export const HIGH_PERMEABILITY = 1;
export const LOW_PERMEABILITY = 0.1;

/**
 * What the sum of bumps is on average, over the square and over all draws: permeability is high where a draw exceeds
 * it. A fixed number, so that a sample depends on no other; it is
 * 10 times the integral over s from 0 to 1/2 of (sqrt(pi s) erf(1 / sqrt(s)) - s (1 - exp(-1 / s)))^2.
 */
export const BUMP_THRESHOLD = 1.852145329966998;

const BUMPS = 5;

/** A bump exp(-|(x, y) - centre|^2 / spread). */
export interface Bump {
  readonly x: number;
  readonly y: number;
  readonly spread: number;
}

/** Five bumps with centres uniform in the unit square and spreads uniform in (0, 1/2). */
export function drawBumps(random: Stream): Bump[] {
  return Array.from({ length: BUMPS }, () => ({
    x: random.uniform(),
    y: random.uniform(),
    spread: random.uniform() / 2,
  }));
}

/** The sum of bumps at the centres of grid x grid cells of the unit square; x_i, y_j at entry grid i + j. */
export function sumOfBumps(bumps: readonly Bump[], grid: number): Float64Array {
  const centres = cellCentres(grid);
  const sum = new Float64Array(grid * grid);
  for (const { x, y, spread } of bumps) {
    const alongX = centres.map((at) => exp(-((at - x) * (at - x)) / spread));
    const alongY = centres.map((at) => exp(-((at - y) * (at - y)) / spread));
    for (let i = 0; i < grid; i++) {
      for (let j = 0; j < grid; j++) sum[i * grid + j] += alongX[i] * alongY[j];
    }
  }
  return sum;
}

/** A random permeability of two values. */
export function drawPermeability(random: Stream, grid: number): Float64Array {
  return sumOfBumps(drawBumps(random), grid).map((value) =>
    value > BUMP_THRESHOLD ? HIGH_PERMEABILITY : LOW_PERMEABILITY,
  );
}

/** Centres of `grid` equal cells of [0, 1]. */
export function cellCentres(grid: number): Float64Array {
  return Float64Array.from({ length: grid }, (_, i) => (i + 0.5) / grid);
}
