import { evaluateChebyshev } from "../../equations/chebyshev-space.js";
import { DIFFUSION_REACTION_GRID, diffusionReactionSolver } from "../../equations/diffusion-reaction.js";
import { realNumber } from "../../options/option.js";
import { chebyshevSource } from "./chebyshev-source.js";

/** Diffusion with a quadratic reaction, driven by a random source. */
export const diffusionReaction = chebyshevSource({
  title: "Diffusion-reaction",
  equation: "f(x) -> u(x, t): u_t = diffusion u_xx + reaction u^2 + f, u = 0 at t = 0, x = 0 and x = 1",
  train: 1000,
  test: 1000,
  model: { name: "deeponet", options: { width: 100, depth: 3 } },
  parameters: {
    diffusion: realNumber({ help: "diffusion coefficient", from: 1e-6, to: 1e3, default: 0.01 }),
    reaction: realNumber({ help: "reaction coefficient", from: -1e3, to: 1e3, default: 0.01 }),
  },
  labels: { input: "source", response: "solution" },
  symbols: { input: "$f$($x$)", response: "$u$($x$, $t$)" },
  sensors: DIFFUSION_REACTION_GRID,
  x: DIFFUSION_REACTION_GRID,
  t: DIFFUSION_REACTION_GRID,
  solver: (parameters) => {
    const solve = diffusionReactionSolver(parameters);
    return (coefficients) => solve((x) => evaluateChebyshev(coefficients, x));
  },
  color: "#009e73",
});
