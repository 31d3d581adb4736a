import {
  CYLINDER_DEFAULTS,
  checkCylinder,
  cylinderCoordinates,
  cylinderSampler,
} from "../../equations/cylinder.js";
import { realNumber, wholeNumber } from "../../options/option.js";
import { fieldSource, gridOption } from "./field-source.js";

const { grid, reynoldsMin, reynoldsMax, startUp, interval, perturbation, resolution, latticeSpeed } =
  CYLINDER_DEFAULTS;
const positive = (help: string, usual: number, to: number) =>
  realNumber({ help, from: 1e-6, to, default: usual });

/** Flow past a cylinder in a channel; density, viscosity and diameter stay those of CFDBench's first case. */
export const cylinder = fieldSource({
  title: "Cylinder flow (simulated)",
  equation: "(u, v) -> (u, v) later: incompressible flow past a cylinder in a channel, Re between two bounds",
  train: 80,
  test: 20,
  minSize: 4,
  // Their order is part of the names of cached files.
  parameters: {
    grid: gridOption(grid),
    reynoldsMin: positive("smallest Reynolds number", reynoldsMin, 1e4),
    reynoldsMax: positive("largest Reynolds number", reynoldsMax, 1e4),
    startUp: positive("diameters that the stream passes before the input is taken", startUp, 1e4),
    interval: positive("diameters that the stream passes from input to response", interval, 1e4),
    perturbation: realNumber({
      help: "largest speed of the vortices at the start, as a part of the inlet's",
      from: 0,
      to: 1,
      default: perturbation,
    }),
    resolution: wholeNumber({ help: "cells of the lattice per diameter", from: 4, default: resolution }),
    latticeSpeed: positive("speed of the inlet in cells per step", latticeSpeed, 1),
  },
  check: (parameters) => checkCylinder({ ...CYLINDER_DEFAULTS, ...parameters }),
  labels: { input: "velocity", response: "later velocity" },
  unit: "m/s",
  channels: ["u", "v"],
  axes: ["y", "x"],
  axisUnit: "m",
  coordinates: cylinderCoordinates,
  sampler: cylinderSampler,
  picture: { kind: "flow", title: "Cylinder flow" },
  color: "#56b4e9",
});
