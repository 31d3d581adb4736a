import { BURGERS_GRID, burgersSolver, VISCOSITY_RANGE } from "../../equations/burgers.js";
import { fourierCoefficients, sampleChebyshev } from "../../equations/chebyshev-space.js";
import { realNumber } from "../../options/option.js";
import { chebyshevSource } from "./chebyshev-source.js";

/** The viscous Burgers equation from a random initial state. */
export const burgers = chebyshevSource({
  title: "Burgers",
  equation: "u_0(x) -> u(x, t): u_t + u u_x = viscosity u_xx, periodic",
  train: 800,
  test: 500,
  model: { name: "deeponet", options: { width: 64, depth: 2 } },
  parameters: {
    viscosity: realNumber({
      help: "viscosity",
      from: VISCOSITY_RANGE[0],
      to: VISCOSITY_RANGE[1],
      default: 0.1,
    }),
  },
  labels: { input: "initial state", response: "solution" },
  symbols: { input: "u_0($x$)", response: "$u$($x$, $t$)" },
  sensors: BURGERS_GRID,
  x: BURGERS_GRID,
  t: BURGERS_GRID,
  solver: ({ viscosity }) => {
    const { modes, solve } = burgersSolver(viscosity);
    return (coefficients) =>
      solve({
        spectrum: fourierCoefficients(coefficients, modes),
        values: sampleChebyshev(coefficients, BURGERS_GRID),
      });
  },
  color: "#d55e00",
});
