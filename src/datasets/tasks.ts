import { ANTIDERIVATIVE_GRID, solveAntiderivative } from "../equations/antiderivative.js";
import { BURGERS_GRID, burgersSolver } from "../equations/burgers.js";
import { evaluateChebyshev, fourierCoefficients, sampleChebyshev } from "../equations/chebyshev-space.js";
import { DIFFUSION_REACTION_GRID, diffusionReactionSolver } from "../equations/diffusion-reaction.js";

/** Numbers that a task's equation depends on, by name: `{ viscosity: 0.1 }`. */
export type TaskParameters = Readonly<Record<string, number>>;

export interface TaskCoordinates {
  /** Where the input function is sampled. */
  readonly sensors: Float64Array;
  /** Axes of the response. */
  readonly x: Float64Array;
  readonly t?: Float64Array;
}

/** A controlled task: the map from a random Chebyshev function to the solution of an equation. */
export interface Task {
  readonly title: string;
  /** The map from input to response, in words and symbols. */
  readonly equation: string;
  /** Sample counts of the paper. */
  readonly train: number;
  readonly test: number;
  readonly inputShape: readonly number[];
  /** Axes in the order of `coordinates`: x, then t, which runs fastest. */
  readonly responseShape: readonly number[];
  readonly coordinates: TaskCoordinates;
  /** The parameters of the paper. */
  readonly parameters: TaskParameters;
  /** Prepares the solver; it maps Chebyshev coefficients of the input function to the response. */
  readonly solver: (parameters: TaskParameters) => (coefficients: Float64Array) => Float64Array;
}

export type TaskName = "antiderivative" | "burgers" | "diffusion-reaction";

export const CONTROLLED_TASKS: Readonly<Record<TaskName, Task>> = {
  antiderivative: {
    title: "Antiderivative",
    equation: "a(x) -> u(x): u_x = a, u(0) = 0",
    train: 1000,
    test: 1000,
    inputShape: [100],
    responseShape: [100],
    coordinates: { sensors: ANTIDERIVATIVE_GRID, x: ANTIDERIVATIVE_GRID },
    parameters: {},
    solver: () => solveAntiderivative,
  },
  burgers: {
    title: "Burgers",
    equation: "u_0(x) -> u(x, t): u_t + u u_x = viscosity u_xx, periodic",
    train: 800,
    test: 500,
    inputShape: [101],
    responseShape: [101, 101],
    coordinates: { sensors: BURGERS_GRID, x: BURGERS_GRID, t: BURGERS_GRID },
    parameters: { viscosity: 0.1 },
    solver: ({ viscosity }) => {
      const { modes, solve } = burgersSolver(viscosity);
      return (coefficients) =>
        solve({
          spectrum: fourierCoefficients(coefficients, modes),
          values: sampleChebyshev(coefficients, BURGERS_GRID),
        });
    },
  },
  "diffusion-reaction": {
    title: "Diffusion-reaction",
    equation: "f(x) -> u(x, t): u_t = diffusion u_xx + reaction u^2 + f, u = 0 at t = 0, x = 0 and x = 1",
    train: 1000,
    test: 1000,
    inputShape: [101],
    responseShape: [101, 101],
    coordinates: { sensors: DIFFUSION_REACTION_GRID, x: DIFFUSION_REACTION_GRID, t: DIFFUSION_REACTION_GRID },
    parameters: { diffusion: 0.01, reaction: 0.01 },
    solver: ({ diffusion, reaction }) => {
      const solve = diffusionReactionSolver({ diffusion, reaction });
      return (coefficients) => solve((x) => evaluateChebyshev(coefficients, x));
    },
  },
};
