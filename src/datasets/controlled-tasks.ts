import { ANTIDERIVATIVE_GRID, solveAntiderivative } from "../equations/antiderivative.js";
import { BURGERS_GRID, burgersSolver, checkViscosity } from "../equations/burgers.js";
import {
  drawChebyshev,
  evaluateChebyshev,
  fourierCoefficients,
  sampleChebyshev,
} from "../equations/chebyshev-space.js";
import { DIFFUSION_REACTION_GRID, diffusionReactionSolver } from "../equations/diffusion-reaction.js";
import type { Task } from "./tasks.js";

/** A task whose input is a random Chebyshev function, sampled at sensors. */
function chebyshevTask<K extends string>(
  task: Pick<Task, "title" | "equation" | "train" | "test" | "check"> & {
    readonly sensors: Float64Array;
    readonly x: Float64Array;
    /** None for a solution in space alone; it runs fastest. */
    readonly t?: Float64Array;
    readonly parameters: Readonly<Record<K, number>>;
    /** Maps Chebyshev coefficients of the input function to the response. */
    readonly solver: (
      parameters: Readonly<Record<K, number>>,
    ) => (coefficients: Float64Array) => Float64Array;
  },
): Task {
  const { sensors, x, t, solver, ...rest } = task;
  const geometry = {
    inputShape: [sensors.length],
    responseShape: t ? [x.length, t.length] : [x.length],
    coordinates: { sensors, x, ...(t && { t }) },
    inputAxes: ["sensors"],
    responseAxes: t ? ["x", "t"] : ["x"],
  };
  return {
    ...rest,
    dtype: "float64",
    model: "deeponet",
    normalise: "none", // inputs and solutions are of order one
    minSize: 16,
    geometry: () => geometry,
    sampler: (parameters) => {
      const solve = solver(parameters as Readonly<Record<K, number>>);
      return (random) => {
        const coefficients = drawChebyshev(random);
        return { input: sampleChebyshev(coefficients, sensors), response: solve(coefficients) };
      };
    },
  };
}

/** The paper's controlled tasks (tab:controlled-tasks). */
export const CONTROLLED_TASKS = {
  antiderivative: chebyshevTask({
    title: "Antiderivative",
    equation: "a(x) -> u(x): u_x = a, u(0) = 0",
    train: 1000,
    test: 1000,
    sensors: ANTIDERIVATIVE_GRID,
    x: ANTIDERIVATIVE_GRID,
    parameters: {},
    solver: () => solveAntiderivative,
  }),
  burgers: chebyshevTask({
    title: "Burgers",
    equation: "u_0(x) -> u(x, t): u_t + u u_x = viscosity u_xx, periodic",
    train: 800,
    test: 500,
    sensors: BURGERS_GRID,
    x: BURGERS_GRID,
    t: BURGERS_GRID,
    parameters: { viscosity: 0.1 },
    check: ({ viscosity }) => checkViscosity(viscosity as number),
    solver: ({ viscosity }) => {
      const { modes, solve } = burgersSolver(viscosity);
      return (coefficients) =>
        solve({
          spectrum: fourierCoefficients(coefficients, modes),
          values: sampleChebyshev(coefficients, BURGERS_GRID),
        });
    },
  }),
  "diffusion-reaction": chebyshevTask({
    title: "Diffusion-reaction",
    equation: "f(x) -> u(x, t): u_t = diffusion u_xx + reaction u^2 + f, u = 0 at t = 0, x = 0 and x = 1",
    train: 1000,
    test: 1000,
    sensors: DIFFUSION_REACTION_GRID,
    x: DIFFUSION_REACTION_GRID,
    t: DIFFUSION_REACTION_GRID,
    parameters: { diffusion: 0.01, reaction: 0.01 },
    solver: (parameters) => {
      const solve = diffusionReactionSolver(parameters);
      return (coefficients) => solve((x) => evaluateChebyshev(coefficients, x));
    },
  }),
};
