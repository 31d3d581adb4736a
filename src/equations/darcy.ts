import { OptionError } from "../errors.js";
import { conjugateGradients } from "../numerics/conjugate-gradients.js";
import {
  emptyField,
  type FivePoint,
  fivePoint,
  multiply,
  withoutRing,
  withRing,
} from "../numerics/five-point.js";
import { vCycle } from "../numerics/multigrid.js";
import type { Stream } from "../random/stream.js";
import { cellCentres, drawPermeability } from "./darcy-coefficient.js";
import { decay, drawInitialPressure } from "./darcy-transient.js";

/**
 * "steady": the solution of -div(a grad u) = beta with u = 0 on the boundary, harmonic means at faces.
 * "pdebench-like": arithmetic means, u = 0 in cells outside, that is half a cell beyond the boundary, and what is
 * left at t = 1.75 of a random initial state, which the input does not tell.
 */
export type DarcyVariant = "steady" | "pdebench-like";

export type DarcyParameters = {
  /** Cells a side, 8 or more; fastest where it is a small number times a power of two. */
  readonly grid: number;
  /** The constant source. */
  readonly beta: number;
  readonly variant: DarcyVariant;
};

export const DARCY_DEFAULTS: DarcyParameters = { grid: 128, beta: 1, variant: "steady" };

/** A permeability and the pressure, both at x_i, y_j at entry grid i + j. */
export interface DarcySample {
  readonly input: Float32Array;
  readonly response: Float32Array;
}

/**
 * Flow through a porous square: -div(a grad u) = beta on [0, 1]^2 for a random a of two values. The permeability is
 * drawn first, so that a stream gives the same input in both variants.
 */
export function darcySampler(parameters: Partial<DarcyParameters> = {}): (random: Stream) => DarcySample {
  const { grid, beta, variant } = checkDarcy({ ...DARCY_DEFAULTS, ...parameters });
  const source = new Float64Array(grid * grid).fill(beta);
  return (random) => {
    const permeability = drawPermeability(random, grid);
    const solve = darcySolver(permeability, grid, variant);
    const pressure = solve(source);
    if (variant === "pdebench-like") {
      const start = drawInitialPressure(random, grid).map((value, k) => value - pressure[k]);
      decay(start, solve).forEach((left, k) => {
        pressure[k] += left;
      });
    }
    return { input: Float32Array.from(permeability), response: Float32Array.from(pressure) };
  };
}

/** Throws where the parameters make no sense, and returns them. */
export function checkDarcy(parameters: DarcyParameters): DarcyParameters {
  const { grid, beta, variant } = parameters;
  if (!Number.isSafeInteger(grid) || grid < 8 || grid > 4096) {
    throw new OptionError(`grid ${grid} is not a whole number from 8 to 4096`);
  }
  if (!(beta > 0 && beta < Infinity)) throw new OptionError(`beta ${beta} is not a positive number`);
  if (variant !== "steady" && variant !== "pdebench-like") {
    throw new OptionError(
      `there is no variant "${variant}" of darcy; the variants are steady, pdebench-like`,
    );
  }
  return parameters;
}

/** Shapes of a sample's input and response: rows are x, columns y. */
export function darcyShapes({ grid }: Pick<DarcyParameters, "grid">) {
  return { input: [grid, grid], response: [grid, grid] } as const;
}

/** Where the entries of input and response lie: centres of cells. */
export function darcyCoordinates({ grid }: Pick<DarcyParameters, "grid">) {
  return { x: cellCentres(grid), y: cellCentres(grid) } as const;
}

/**
 * Solves -div(a grad u) = f for cell averages f and one permeability a, to a relative residual of 1e-10: conjugate
 * gradients with a multigrid cycle, which is prepared here once for any number of sources.
 */
export function darcySolver(
  permeability: ArrayLike<number>,
  grid: number,
  variant: DarcyVariant,
): (source: ArrayLike<number>) => Float64Array {
  const matrix = darcyMatrix(permeability, grid, variant);
  const precondition = vCycle(matrix);
  const apply = (u: Float64Array, out: Float64Array) => multiply(matrix, u, out);
  return (source) => {
    const integrals = withRing(source, grid).map((value) => value / (grid * grid));
    return withoutRing(conjugateGradients(apply, precondition, integrals).solution, grid);
  };
}

/** The finite-volume matrix: the flux through a face is its conductance times the difference of pressures. */
export function darcyMatrix(permeability: ArrayLike<number>, grid: number, variant: DarcyVariant): FivePoint {
  const steady = variant === "steady";
  const stride = grid + 2;
  const a = withRing(permeability, grid);
  const between = (p: number, q: number) => {
    if (p === 0 || q === 0) return steady ? 2 * (p + q) : p + q; // to the ring, half a cell or a whole one away
    return steady ? (2 * p * q) / (p + q) : (p + q) / 2;
  };
  const down = emptyField(grid);
  const right = emptyField(grid);
  for (let i = 0; i <= grid; i++) {
    for (let j = 1; j <= grid; j++) {
      const k = i * stride + j;
      down[k] = between(a[k], a[k + stride]);
      const l = j * stride + i;
      right[l] = between(a[l], a[l + 1]);
    }
  }
  return fivePoint(grid, down, right);
}
