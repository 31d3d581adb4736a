import {
  CYLINDER_DEFAULTS,
  type CylinderParameters,
  checkCylinder,
  cylinderCoordinates,
  cylinderSampler,
  cylinderShape,
} from "../equations/cylinder.js";
import {
  checkDamBreak,
  DAM_BREAK_DEFAULTS,
  type DamBreakParameters,
  damBreakCoordinates,
  damBreakSampler,
  damBreakShapes,
} from "../equations/dam-break.js";
import {
  checkDarcy,
  DARCY_DEFAULTS,
  type DarcyParameters,
  darcyCoordinates,
  darcySampler,
  darcyShapes,
} from "../equations/darcy.js";
import {
  FLAT_VELOCITY_DEFAULTS,
  FLAT_VELOCITY_RESPONSE_SHAPE,
  flatVelocityCoordinates,
  flatVelocityInputShape,
  flatVelocitySampler,
} from "../equations/flat-velocity.js";
import type { Task, TaskGeometry, TaskParameters } from "./tasks.js";

/** What the public tasks have in common: fields of float32, and one dataset for all seeds, as public files are. */
const PUBLIC = { dtype: "float32", dataSeed: 0, minSize: 16 } as const;

/** What may be chosen of the cylinder; density, viscosity and diameter stay those of CFDBench's first case. */
const { density: _, viscosity: __, diameter: ___, ...CYLINDER } = CYLINDER_DEFAULTS;
type ChosenCylinder = Omit<CylinderParameters, "density" | "viscosity" | "diameter">;

/**
 * The paper's public tasks (tab:public-tasks), simulated by the equations of PDEBench, CFDBench and OpenFWI, which can be
 * imported instead. docs/readings.md says how these data differ from those.
 */
export const PUBLIC_TASKS = {
  darcy: fieldTask<DarcyParameters>({
    title: "Darcy flow (simulated)",
    equation: "a(x, y) -> u(x, y): -div(a grad u) = beta, u = 0 on the boundary of the unit square",
    train: 800,
    test: 200,
    parameters: DARCY_DEFAULTS,
    check: checkDarcy,
    shapes: darcyShapes,
    coordinates: darcyCoordinates,
    axes: ["x", "y"],
    sampler: darcySampler,
  }),
  "dam-break": fieldTask<DamBreakParameters>({
    title: "Dam break (simulated)",
    equation: "(h, hu, hv) at t = 0 -> (h, hu, hv) at t = time: shallow water, gravity 1, open boundaries",
    train: 800,
    test: 100,
    parameters: DAM_BREAK_DEFAULTS,
    check: checkDamBreak,
    shapes: damBreakShapes,
    coordinates: damBreakCoordinates,
    axes: ["channel", "x", "y"],
    sampler: damBreakSampler,
  }),
  cylinder: fieldTask<ChosenCylinder>({
    title: "Cylinder flow (simulated)",
    equation:
      "(u, v) -> (u, v) later: incompressible flow past a cylinder in a channel, Re between two bounds",
    train: 80,
    test: 20,
    minSize: 4,
    parameters: CYLINDER,
    check: (parameters) => checkCylinder({ ...CYLINDER_DEFAULTS, ...parameters }),
    shapes: (parameters) => ({ input: cylinderShape(parameters), response: cylinderShape(parameters) }),
    coordinates: cylinderCoordinates,
    axes: ["channel", "y", "x"],
    sampler: cylinderSampler,
  }),
  "flat-velocity": {
    ...PUBLIC,
    title: "Flat velocity (simulated)",
    equation:
      "p(source, t, receiver) -> c(depth, x): p_tt / c^2 = p_xx + p_zz + shot, absorbing on all sides",
    train: 800,
    test: 200,
    model: "inversion-net",
    parameters: FLAT_VELOCITY_DEFAULTS,
    check: (parameters) => void flatVelocityInputShape(numbers(parameters)),
    geometry: (parameters) => ({
      inputShape: flatVelocityInputShape(numbers(parameters)),
      responseShape: FLAT_VELOCITY_RESPONSE_SHAPE,
      coordinates: flatVelocityCoordinates(numbers(parameters)),
      inputAxes: ["source", "time", "receiver"],
      responseAxes: ["depth", "x"],
    }),
    sampler: (parameters) => flatVelocitySampler(numbers(parameters)),
  },
} as const satisfies Readonly<Record<string, Task>>;

/** A task between fields on one grid, which FNO2D learns. */
function fieldTask<P>(
  task: Pick<Task, "title" | "equation" | "train" | "test"> & {
    readonly minSize?: number;
    readonly parameters: P;
    readonly check: (parameters: P) => unknown;
    readonly shapes: (parameters: P) => {
      readonly input: readonly number[];
      readonly response: readonly number[];
    };
    readonly coordinates: (parameters: P) => TaskGeometry["coordinates"];
    readonly axes: readonly string[];
    readonly sampler: (parameters: P) => ReturnType<Task["sampler"]>;
  },
): Task {
  const { parameters, check, shapes, coordinates, axes, sampler, ...rest } = task;
  const given = (values: TaskParameters) => values as P;
  return {
    ...PUBLIC,
    ...rest,
    model: "fno2d",
    parameters: parameters as TaskParameters,
    check: (values) => void check(given(values)),
    geometry: (values) => {
      const { input, response } = shapes(given(values));
      return {
        inputShape: input,
        responseShape: response,
        coordinates: coordinates(given(values)),
        inputAxes: axes,
        responseAxes: axes,
      };
    },
    sampler: (values) => sampler(given(values)),
  };
}

/** Parameters of a task that has none in words. */
const numbers = (parameters: TaskParameters) => parameters as Readonly<Record<string, number>>;
