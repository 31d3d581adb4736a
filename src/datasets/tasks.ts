import { OptionError } from "../errors.js";
import type { Stream } from "../random/stream.js";
import { CONTROLLED_TASKS } from "./controlled-tasks.js";
import { PUBLIC_TASKS } from "./public-tasks.js";

/** What a task's equation and its discretisation depend on, by name: `{ viscosity: 0.1 }`. */
export type TaskParameters = Readonly<Record<string, number | string>>;

/** One labelled sample: what is given and what is to be predicted, each in C order. */
export interface Sample {
  readonly input: Float32Array | Float64Array;
  readonly response: Float32Array | Float64Array;
}

/** Arrays of a task's samples. */
export interface TaskGeometry {
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
  /** Coordinates by name: `sensors`, `x`, `t`. */
  readonly coordinates: Readonly<Record<string, Float64Array>>;
  /** What each axis of an input and of a response is: the name of a coordinate, or a word such as `channel`. */
  readonly inputAxes: readonly string[];
  readonly responseAxes: readonly string[];
}

/** The model that the paper trains on a task. */
export type ModelName = "deeponet" | "fno2d" | "inversion-net";

/** A task of the paper that can be simulated: the map from a random input to the solution of an equation. */
export interface Task {
  readonly title: string;
  /** The map from input to response, in words and symbols. */
  readonly equation: string;
  /** Sample counts of the paper. */
  readonly train: number;
  readonly test: number;
  /** Type that samples are stored in. */
  readonly dtype: "float32" | "float64";
  readonly model: ModelName;
  /** How its data are scaled for that model, where it is not as the model has it. */
  readonly normalise?: "none";
  /** The paper's minimum number of samples per client. */
  readonly minSize: number;
  /** Seed of the dataset that all seeds share, like a public file; undefined if each seed has its own data. */
  readonly dataSeed?: number;
  /** The values of the paper, or ours where it is silent. */
  readonly parameters: TaskParameters;
  /** Refuses parameters that make no sense, with an `OptionError`. */
  readonly check?: (parameters: TaskParameters) => void;
  readonly geometry: (parameters: TaskParameters) => TaskGeometry;
  /** Prepares the solver; each sample has its own random stream. */
  readonly sampler: (parameters: TaskParameters) => (random: Stream) => Sample;
}

export const TASKS: Readonly<Record<string, Task>> = { ...CONTROLLED_TASKS, ...PUBLIC_TASKS };

export type TaskName = string;

export const TASK_NAMES: readonly TaskName[] = Object.keys(TASKS);

/** A task by its name. */
export function taskOf(name: TaskName): Task {
  if (!Object.hasOwn(TASKS, name))
    throw new OptionError(`there is no task "${name}"; the tasks are ${TASK_NAMES.join(", ")}`);
  return TASKS[name];
}
