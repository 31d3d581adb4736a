import { AXIS_ENDS, CHANNEL_PLACES } from "./array-axes.js";
import type { FileChoice } from "./file-data.js";
import { LAYOUT_CHOICES } from "./layouts/layout.js";

/** What a user may say of a file: one declaration gives the flag of a command and the field of a study. */
export interface FileChoiceDeclaration {
  /** Words for the help. */
  readonly help: string;
  /**
   * `text`: a word; `arrays`: names of arrays, a list of them in a study; `names`: a list, with commas on the command line;
   * `whole`: a whole number from 1 on; else one of these words.
   */
  readonly kind: "text" | "arrays" | "names" | "whole" | readonly string[];
  /** What the flag's value is called; `name` unless told otherwise. */
  readonly value?: string;
}

export type FileChoices = Readonly<Record<string, FileChoiceDeclaration>>;

/** Which arrays are data, and how they are cut. */
export const ARRAY_CHOICES = {
  inputs: {
    kind: "arrays",
    value: "array",
    help: 'array of the inputs; a slice as in NumPy ("u[:, 0]"), several with commas for channels; beside a NPY file, another one',
  },
  responses: { kind: "arrays", value: "array", help: "array of the responses, likewise" },
  sample_axis: {
    kind: AXIS_ENDS,
    value: "end",
    help: "which axis of the arrays counts samples (default: first)",
  },
  window: {
    kind: "text",
    value: "in:out",
    help: "cut trajectories into windows: frames in and out, such as 4:1; short for slices with the frame t",
  },
  window_step: {
    kind: "whole",
    value: "frames",
    help: "frames between the starts of two windows (default: 1)",
  },
  group: {
    kind: "text",
    help: "keep samples with the same value of an attribute together (default: windows of a trajectory; none)",
  },
  layout: {
    kind: LAYOUT_CHOICES,
    help: "plain: read arrays as stored, whatever convention the file follows (default: auto)",
  },
} as const satisfies FileChoices;

/** What the axes of a sample are. */
export const AXIS_CHOICES = {
  channels: { kind: CHANNEL_PLACES, value: "place", help: "which axis of a sample holds channels, or none" },
  axes: {
    kind: "names",
    value: "names",
    help: "names of the axes of a response as they are stored, such as x,y,t",
  },
  input_axes: { kind: "names", value: "names", help: "the same for an input" },
} as const satisfies FileChoices;

/** What figures and tables call the data. */
export const LABEL_CHOICES = {
  title: {
    kind: "text",
    value: "text",
    help: "what figures and reports call the data (default: as the file says)",
  },
  input_label: {
    kind: "text",
    value: "text",
    help: "what the inputs are (default: as the file says, else input)",
  },
  input_unit: { kind: "text", value: "text", help: "unit of the inputs" },
  response_label: {
    kind: "text",
    value: "text",
    help: "what the responses are (default: as the file says, else response)",
  },
  response_unit: { kind: "text", value: "text", help: "unit of the responses" },
} as const satisfies FileChoices;

/** Everything that can be said of a file to train on, but which samples are for tests. */
export const FILE_CHOICES = {
  ...ARRAY_CHOICES,
  ...AXIS_CHOICES,
  name: { kind: "text", help: "what records and tables call the data of the file" },
  ...LABEL_CHOICES,
} as const satisfies FileChoices;

type FileChoiceName = keyof typeof FILE_CHOICES;

/** The property of `FileChoice` that a declared name stands for: `sampleAxis` of `sample_axis`. */
export const choiceProperty = (name: string): keyof FileChoice =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof FileChoice;

/** What is said of a file under declared names, as the library has it. */
export function fileChoiceOf(given: Readonly<Partial<Record<FileChoiceName, unknown>>>): FileChoice {
  const names = Object.keys(FILE_CHOICES) as FileChoiceName[];
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[choiceProperty(name), given[name]]])),
  );
}
