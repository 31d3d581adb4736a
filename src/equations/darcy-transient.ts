import { exp } from "../numerics/elementary.js";
import { matrixFunction } from "../numerics/matrix-function.js";
import { cosPi, sinPi } from "../numerics/trigonometry.js";
import type { Stream } from "../random/stream.js";
import { cellCentres } from "./darcy-coefficient.js";

/** The time at which the "pdebench-like" variant takes the pressure for steady. */
export const OBSERVATION_TIME = 1.75;

const WAVES = 4;
const HIGHEST = 4; // wave number in either direction

/**
 * A random initial pressure on grid x grid cells: an offset, uniform in (0.1, 10), times 1 + size f, with a relative
 * size uniform in (0.01, 0.5) and f a sum of waves with random phases, scaled to a largest absolute value of 1. In
 * every other draw f is cut to a random rectangle around the middle.
 */
export function drawInitialPressure(random: Stream, grid: number): Float64Array {
  const between = (low: number, high: number) => low + (high - low) * random.uniform();
  const offset = between(0.1, 10);
  const size = between(0.01, 0.5);
  const f = drawWaves(random, grid);
  if (random.uniform() < 0.5) {
    const [left, right] = [between(0, 0.5), between(0.5, 1)];
    const [lower, upper] = [between(0, 0.5), between(0.5, 1)];
    const centres = cellCentres(grid);
    for (let i = 0; i < grid; i++) {
      for (let j = 0; j < grid; j++) {
        const inside = centres[i] > left && centres[i] < right && centres[j] > lower && centres[j] < upper;
        if (!inside) f[i * grid + j] = 0;
      }
    }
  }
  const largest = f.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = largest === 0 ? 0 : size / largest;
  return f.map((value) => offset * (1 + scale * value));
}

/** A sum of amplitude cos(2 pi (m x + n y) + phase) with whole m and n, neither above `HIGHEST`. */
function drawWaves(random: Stream, grid: number): Float64Array {
  const centres = cellCentres(grid);
  const sum = new Float64Array(grid * grid);
  for (let wave = 0; wave < WAVES; wave++) {
    const m = 1 + random.below(HIGHEST);
    const n = (1 + random.below(HIGHEST)) * (random.below(2) === 0 ? 1 : -1);
    const amplitude = random.uniform();
    const phase = 2 * random.uniform(); // in units of pi
    const cosX = centres.map((x) => amplitude * cosPi(2 * m * x + phase));
    const sinX = centres.map((x) => amplitude * sinPi(2 * m * x + phase));
    const cosY = centres.map((y) => cosPi(2 * n * y));
    const sinY = centres.map((y) => sinPi(2 * n * y));
    for (let i = 0; i < grid; i++) {
      for (let j = 0; j < grid; j++) sum[i * grid + j] += cosX[i] * cosY[j] - sinX[i] * sinY[j];
    }
  }
  return sum;
}

/**
 * What is left at `time` of `start` under w_t = div(a grad w), given a solver of -div(a grad u) = f: exp(-time A) w.
 * The smooth function exp(-time / mu) of the inverse's eigenvalues mu takes a dozen solutions, where an explicit
 * scheme on 128 x 128 cells takes 100 000 steps.
 */
export function decay(
  start: Float64Array,
  solve: (source: Float64Array) => Float64Array,
  time = OBSERVATION_TIME,
): Float64Array {
  return matrixFunction(
    (v, out) => out.set(solve(v)),
    start,
    (mu) => (mu > 0 ? exp(-time / mu) : 0),
  );
}
