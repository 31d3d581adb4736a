import {
  FLAT_VELOCITY_DEFAULTS,
  FLAT_VELOCITY_RESPONSE_SHAPE,
  flatVelocityCoordinates,
  flatVelocityInputShape,
  flatVelocitySampler,
} from "../equations/flat-velocity.js";
import type { Task, TaskParameters } from "./tasks.js";

/** What the public tasks have in common: fields of float32, and one dataset for all seeds, as public files are. */
const PUBLIC = { dtype: "float32", dataSeed: 0, minSize: 16 } as const;

/**
 * The paper's public tasks (tab:public-tasks), simulated: the same physics as in PDEBench, CFDBench and OpenFWI, which
 * can be imported instead.
 */
export const PUBLIC_TASKS = {
  "flat-velocity": {
    ...PUBLIC,
    title: "Flat velocity layers (simulated)",
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

/** Parameters of a task that has none in words. */
const numbers = (parameters: TaskParameters) => parameters as Readonly<Record<string, number>>;
