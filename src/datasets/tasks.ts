import type { ArrayDescription } from "./dataset.js";
import {
  type DataSource,
  type Sample,
  type SourceGeometry,
  type SourceParameters,
  usualParameters,
} from "./source.js";
import { SOURCE_NAMES, SOURCES, sourceOf } from "./sources.js";

export type { Sample };

/** What a task's equation and its discretisation depend on, by name: `{ viscosity: 0.1 }`. */
export type TaskParameters = SourceParameters;

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

/** A source of data as a task: with the values of its parameters and the shapes of its arrays. */
export interface Task
  extends Pick<
    DataSource,
    "title" | "equation" | "train" | "test" | "dtype" | "minSize" | "dataSeed" | "check" | "sampler"
  > {
  /** The values of the paper, or ours where it is silent. */
  readonly parameters: TaskParameters;
  readonly geometry: (parameters: TaskParameters) => TaskGeometry;
}

/** A name of the list of sources. */
export type TaskName = string;

export const TASK_NAMES: readonly TaskName[] = SOURCE_NAMES;

/** A task by its name; an unknown name is an `OptionError` that lists those there are. */
export const taskOf = (name: TaskName): Task => TASKS[name] ?? taskFrom(sourceOf(name));

export const TASKS: Readonly<Record<TaskName, Task>> = Object.assign(
  Object.create(null),
  Object.fromEntries(SOURCE_NAMES.map((name) => [name, taskFrom(SOURCES[name])])),
);

function taskFrom(source: DataSource): Task {
  const { title, equation, train, test, dtype, minSize, dataSeed, check, sampler } = source;
  return {
    title,
    equation,
    train,
    test,
    dtype,
    minSize,
    ...(dataSeed !== undefined && { dataSeed }),
    ...(check && { check }),
    sampler,
    parameters: usualParameters(source),
    geometry: (parameters) => taskGeometry(source.geometry(parameters)),
  };
}

/** Shapes and names of axes of a source's arrays. */
export function taskGeometry({ inputs, responses, coordinates }: SourceGeometry): TaskGeometry {
  const shape = ({ axes }: ArrayDescription) => axes.map(({ length }) => length);
  const names = ({ axes }: ArrayDescription) => axes.map(({ name }) => name);
  return {
    inputShape: shape(inputs),
    responseShape: shape(responses),
    coordinates,
    inputAxes: names(inputs),
    responseAxes: names(responses),
  };
}
