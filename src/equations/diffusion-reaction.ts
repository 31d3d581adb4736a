import { etdrk4Step, stepFactors, stepWorkspace } from "../numerics/etdrk4.js";
import { dirichletBasis } from "../numerics/legendre-galerkin.js";
import { unitGrid } from "./chebyshev-space.js";

/** Points in x and in t of the Diffusion-reaction task; the source is given on those in x. */
export const DIFFUSION_REACTION_GRID = unitGrid(101);

export interface DiffusionReactionOptions {
  /** k, 0.01 in the paper. */
  readonly diffusion?: number;
  /** rho, 0.01 in the paper. */
  readonly reaction?: number;
  /** Number of basis polynomials, even. With 72 a converged solution is met to 1e-8 from the first output on. */
  readonly size?: number;
  /** Time steps from one output to the next, 1 by default. */
  readonly steps?: number;
}

/** From a source f(x) to u(x_i, t_j), at entry 101 i + j. */
export type DiffusionReactionSolver = (source: (x: number) => number) => Float64Array;

/**
 * u_t = k u_xx + rho u^2 + f(x) on [0, 1]^2 with u = 0 at t = 0, x = 0 and x = 1.
 *
 * Legendre-Galerkin in x: its nodes crowd at the walls, where layers of width sqrt(k t) stand because f does not
 * vanish there. In time ETDRK4, which is exact for the linear part and the source: only the weak reaction is
 * approximated, and one step from output to output suffices.
 */
export function diffusionReactionSolver(options: DiffusionReactionOptions = {}): DiffusionReactionSolver {
  const { diffusion = 0.01, reaction = 0.01, size = 72, steps = 1 } = options;
  const grid = DIFFUSION_REACTION_GRID;
  const last = grid.length - 1;
  const basis = dirichletBasis(size);
  const { nodes, weights } = basis;
  const atNodes = basis.at(nodes);
  const atGrid = basis.at(grid);
  const rates = basis.stiffness.map((value) => -diffusion * value);
  const factors = stepFactors(rates, 1 / (last * steps));
  const work = stepWorkspace(size);
  const projectedSource = new Float64Array(size);

  /** Projection of rho u^2 + f. With u = E + O, even and odd about 1/2, u^2 is E^2 + O^2 and 2 E O: half the nodes do. */
  function nonlinearity(u: Float64Array, out: Float64Array): void {
    out.set(projectedSource);
    for (let i = 0, row = 0; i < nodes.length / 2; i++, row += size) {
      let even = 0;
      let odd = 0;
      for (let m = 0; m < size; m += 2) {
        even += u[m] * atNodes[row + m];
        odd += u[m + 1] * atNodes[row + m + 1];
      }
      const weight = 2 * weights[i] * reaction;
      const evenSquare = weight * (even * even + odd * odd);
      const oddSquare = weight * (2 * even * odd);
      for (let m = 0; m < size; m += 2) {
        out[m] += evenSquare * atNodes[row + m];
        out[m + 1] += oddSquare * atNodes[row + m + 1];
      }
    }
  }

  return (source) => {
    projectedSource.fill(0);
    nodes.forEach((x, i) => {
      const weighted = weights[i] * source(x);
      for (let m = 0; m < size; m++) projectedSource[m] += weighted * atNodes[i * size + m];
    });
    const response = new Float64Array(grid.length * grid.length);
    let u = new Float64Array(size);
    let next = new Float64Array(size);
    const atU = new Float64Array(size);
    for (let t = 1; t <= last; t++) {
      for (let step = 0; step < steps; step++) {
        nonlinearity(u, atU);
        etdrk4Step(nonlinearity, factors, size, u, atU, next, work);
        [u, next] = [next, u];
      }
      for (let i = 1; i < last; i++) {
        let value = 0;
        for (let m = 0; m < size; m++) value += u[m] * atGrid[i * size + m];
        response[i * grid.length + t] = value;
      }
    }
    return response;
  };
}
