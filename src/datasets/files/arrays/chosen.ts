import { DataError, OptionError } from "../../../errors.js";
import type { NamedShape } from "../../../files/name-list.js";
import { type ArrayAxes, type AxisEnd, orderWithSamplesFirst } from "../array-axes.js";
import type { ArrayFile, NamedArray } from "../array-file.js";
import { isSameName, plainName } from "../array-names.js";
import { lineScales } from "./attached-scales.js";
import { asChannels, type LabelledArray } from "./channels.js";
import { parseSelections, type Selection } from "./expression.js";
import { type SlicedArray, sliced } from "./slice.js";
import { axisOf, viewOf } from "./view.js";
import { repeatedForWindows, type Windows, windowed, windowsOf } from "./windows.js";

/** Arrays of a file as a user writes them, see `parseSelections`. */
export type ArrayText = string | readonly string[];

/** How the chosen arrays are read. */
export interface ChosenAxes extends Pick<ArrayAxes, "sampleAxis"> {
  /** Frames between the starts of two windows of a trajectory; 1 unless told otherwise. */
  readonly windowStep?: number;
}

/** Inputs and responses with samples along their first axis. */
export interface ChosenArrays {
  readonly inputs?: NamedArray;
  readonly responses: NamedArray;
  /** Present where the samples are windows of trajectories. */
  readonly windows?: Windows;
}

/** Where inputs and responses are: the file and what a user writes. */
export interface ChosenPlace {
  readonly file: ArrayFile;
  readonly text: ArrayText;
}

/**
 * Opens the arrays that a user chooses: by name, with slices, several as channels, or as windows of trajectories, where
 * both share the running frame `t`. Samples come first.
 */
export async function openChosen(
  places: { readonly inputs?: ChosenPlace; readonly responses: ChosenPlace },
  axes: ChosenAxes = {},
): Promise<ChosenArrays> {
  const responses = await partsOf(places.responses, "responses", axes);
  const inputs = places.inputs && (await partsOf(places.inputs, "inputs", axes));
  const windows = commonWindows([...(inputs ?? []), ...responses], places.responses.file.path, axes);
  const together = (parts: readonly ChosenPart[], { file }: ChosenPlace) =>
    asChannels(
      parts.map((part) => inWindows(part, windows)),
      file.path,
    );
  return {
    ...(inputs && { inputs: together(inputs, places.inputs!) }),
    responses: together(responses, places.responses),
    ...(windows && { windows }),
  };
}

/** One of the arrays that a user names, samples first, before it is cut into windows. */
type ChosenPart = SlicedArray & { readonly label: string };

async function partsOf(
  { file, text }: ChosenPlace,
  which: "inputs" | "responses",
  axes: ChosenAxes,
): Promise<ChosenPart[]> {
  const present = await file.list();
  const parts: ChosenPart[] = [];
  const selections = selectionsIn(present, text);
  const isClear = new Set(selections.map(({ name }) => plainName(name))).size === selections.length;
  for (const selection of selections) {
    const part = await openSelection(file, selection, axes.sampleAxis);
    const what = `the ${which} of ${file.path}`;
    parts.push({
      ...samplesFirst(part, what, axes),
      label: isClear ? plainName(selection.name) : selection.text.replace(/^\//, ""),
    });
  }
  return parts;
}

/** What a user writes, for a file with these arrays: a name may hold brackets and commas of its own. */
export function selectionsIn(present: readonly NamedShape[], text: ArrayText): readonly Selection[] {
  const own = typeof text === "string" ? present.find(({ name }) => isSameName(name, text)) : undefined;
  return own ? [{ text: own.name, name: own.name }] : parseSelections(text);
}

/** An array of a file, or the part of it that a selection names. */
export async function openSelection(
  file: ArrayFile,
  selection: Selection,
  sampleAxis?: AxisEnd,
): Promise<SlicedArray> {
  const present = await file.list();
  const known = present.find(({ name }) => isSameName(name, selection.name));
  const stored = await file.array(known?.name ?? selection.name); // its reader refuses what is not there
  if (!selection.parts) return { array: stored };
  const scales = lineScales(stored, known?.name ?? selection.name, present, sampleAxis);
  return sliced({ ...stored, scales }, selection);
}

/** An array, possibly with a slice, without the frames of windows. */
export async function openArray(file: ArrayFile, text: string): Promise<NamedArray> {
  const [selection, ...others] = selectionsIn(await file.list(), text);
  if (others.length > 0) throw new OptionError(`"${text}" names several arrays where one is expected`);
  return (await openSelection(file, selection)).array;
}

function samplesFirst({ array, frames }: SlicedArray, what: string, { sampleAxis }: ChosenAxes): SlicedArray {
  if (array.shape.length === 0)
    throw new DataError(`${what} are a single number: they need an axis of samples`);
  const order = orderWithSamplesFirst(array, what, sampleAxis);
  const moved = viewOf(
    array,
    order.map((axis) => axisOf(array, axis)),
  );
  if (!frames) return { array: moved };
  const axis = order.indexOf(frames.axis);
  if (axis === 0) throw new OptionError(`${what}: the frame t cannot run along the axis of samples`);
  return { array: moved, frames: { ...frames, axis } };
}

/** The windows that fit all arrays; undefined where no array has the frame `t`. */
function commonWindows(
  parts: readonly ChosenPart[],
  path: string,
  { windowStep = 1 }: ChosenAxes,
): Windows | undefined {
  const moving = parts.flatMap(({ array, frames, label }) => (frames ? [{ array, frames, label }] : []));
  if (moving.length === 0) {
    if (windowStep !== 1)
      throw new OptionError(
        "--window-step needs windows: write the running frame t into --inputs and --responses",
      );
    return undefined;
  }
  const [first] = moving;
  for (const { array, frames, label } of moving) {
    const lengths = [first.array.shape[first.frames.axis], array.shape[frames.axis]];
    if (lengths[0] !== lengths[1])
      throw new DataError(
        `${path}: ${first.label} runs over ${lengths[0]} frames, but ${label} over ${lengths[1]}`,
      );
  }
  const odd = parts.find(({ array }) => array.shape[0] !== first.array.shape[0]);
  if (odd)
    throw new DataError(
      `${path}: ${first.label} has ${first.array.shape[0]} trajectories, but ${odd.label} ${odd.array.shape[0]}`,
    );
  return windowsOf(
    { trajectories: first.array.shape[0], length: first.array.shape[first.frames.axis], path },
    moving.map(({ frames }) => frames),
    windowStep,
  );
}

function inWindows({ array, frames, label }: ChosenPart, windows: Windows | undefined): LabelledArray {
  if (!windows) return { array, label };
  return { array: frames ? windowed(array, frames, windows) : repeatedForWindows(array, windows), label };
}
