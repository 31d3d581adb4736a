/**
 * How far the solver of the example is from a converged solution, for its first samples, as JSON on standard output:
 *
 *   node examples/navier-stokes/convergence.mjs
 *
 * The converged solution has twice the points along each axis and a quarter of the step.
 */
import { stream } from "pde-dirichlet";
import { modesOf, randomVorticity, vorticitySolver } from "./vorticity.mjs";

const [SAMPLES, GRID, VISCOSITY, TIME, STEP] = [4, 64, 1e-3, 5, 0.05];

const solution = (sample, grid, step) => {
  const start = randomVorticity(stream(0, "navier-stokes", sample), { grid, modes: modesOf(GRID) });
  const values = vorticitySolver({ grid, viscosity: VISCOSITY, step }).solve(start, TIME);
  const stride = grid / GRID;
  return Float64Array.from(
    { length: GRID * GRID },
    (_, p) => values[Math.floor(p / GRID) * stride * grid + (p % GRID) * stride],
  );
};

const samples = Array.from({ length: SAMPLES }, (_, sample) => sample);
const converged = samples.map((sample) => solution(sample, 2 * GRID, STEP / 4));
const rows = [4 * STEP, 2 * STEP, STEP, STEP / 2].map((step) => ({
  step,
  largest_error: Math.max(
    ...samples.map((sample) => distance(solution(sample, GRID, step), converged[sample])),
  ),
}));
console.log(
  JSON.stringify({ samples: SAMPLES, grid: GRID, viscosity: VISCOSITY, time: TIME, rows }, null, 2),
);

/** Relative L2 distance. */
function distance(a, b) {
  const norm = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return norm(a.map((value, i) => value - b[i])) / norm(b);
}
