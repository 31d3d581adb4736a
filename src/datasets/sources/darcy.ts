import { type DarcyVariant, darcyCoordinates, darcySampler } from "../../equations/darcy.js";
import { choice, realNumber } from "../../options/option.js";
import { fieldSource, gridOption } from "./field-source.js";

const VARIANTS: readonly DarcyVariant[] = ["steady", "pdebench-like"];

/** Darcy flow through a random medium, as in PDEBench. */
export const darcy = fieldSource({
  title: "Darcy flow (simulated)",
  equation: "a(x, y) -> u(x, y): -div(a grad u) = beta, u = 0 on the boundary of the unit square",
  train: 800,
  test: 200,
  parameters: {
    grid: gridOption(128),
    beta: realNumber({ help: "source strength", from: 1e-6, to: 1e6, default: 1 }),
    variant: choice<DarcyVariant>(VARIANTS, {
      help: "steady, or pdebench-like with PDEBench's remaining transient",
      default: "steady",
    }),
  },
  labels: { input: "permeability", response: "pressure" },
  axes: ["x", "y"],
  coordinates: darcyCoordinates,
  sampler: darcySampler,
  picture: {
    kind: "fields",
    title: "Darcy flow",
    input: { title: "Permeability", quantity: "permeability $a$" },
    response: { title: "Pressure", quantity: "pressure $p$" },
  },
  color: "#cc79a7",
});
