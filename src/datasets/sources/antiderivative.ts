import { ANTIDERIVATIVE_GRID, solveAntiderivative } from "../../equations/antiderivative.js";
import { chebyshevSource } from "./chebyshev-source.js";

/** The antiderivative of a random function. */
export const antiderivative = chebyshevSource({
  title: "Antiderivative",
  equation: "a(x) -> u(x): u_x = a, u(0) = 0",
  train: 1000,
  test: 1000,
  model: { name: "deeponet", options: { width: 40, depth: 2 } },
  parameters: {},
  labels: { input: "input", response: "response" },
  symbols: { input: "$a$($x$)", response: "$u$($x$)" },
  sensors: ANTIDERIVATIVE_GRID,
  x: ANTIDERIVATIVE_GRID,
  solver: () => solveAntiderivative,
  color: "#0072b2",
});
