import { OptionError } from "../../errors.js";
import type { AxisEnd } from "./array-axes.js";
import type { ArrayFile } from "./array-file.js";
import { lineScales } from "./arrays/attached-scales.js";
import { openArray, selectionsIn } from "./arrays/chosen.js";
import { axisNameOf, isTime, storedAxisNames } from "./coordinate-arrays.js";

/** Frames of a window as a user writes them: `4:1` for four in and one out. */
export function parseWindow(text: string): { readonly given: number; readonly wanted: number } {
  const found = /^(\d+):(\d+)$/.exec(text.trim());
  const [given, wanted] = [Number(found?.[1]), Number(found?.[2])];
  if (!(given >= 1 && wanted >= 1))
    throw new OptionError(`--window "${text}" is no window: write frames in : frames out, such as 4:1`);
  return { given, wanted };
}

/** Inputs and responses of windows as expressions: `u[:, t:t+4]` and `u[:, t+4]`. */
export async function windowExpressions(
  file: ArrayFile,
  { inputs, responses }: { readonly inputs?: string; readonly responses: string },
  window: string,
  sampleAxis?: AxisEnd,
): Promise<{ readonly inputs: string; readonly responses: string }> {
  const { given, wanted } = parseWindow(window);
  const present = await file.list();
  const cut = async (text: string, from: number, count: number) => {
    const parts = [];
    for (const { name, parts: slice } of selectionsIn(present, text)) {
      if (slice) throw new OptionError(`"${text}" has a slice: leave out --window, or the slice`);
      const axis = await timeAxis(file, name, sampleAxis);
      const frames = count === 1 ? frame(from) : `${frame(from)}:${frame(from + count)}`;
      parts.push(`${name}[${":, ".repeat(axis)}${frames}]`);
    }
    return parts.join(", ");
  };
  return { inputs: await cut(inputs ?? responses, 0, given), responses: await cut(responses, given, wanted) };
}

const frame = (offset: number): string => (offset === 0 ? "t" : `t+${offset}`);

/**
 * The axis of time: the one with that name or with coordinates of that name, else the only one beside the samples, the sides
 * of a square and its components. Undefined where nothing tells.
 */
export async function timeAxisOf(
  file: ArrayFile,
  name: string,
  sampleAxis?: AxisEnd,
): Promise<number | undefined> {
  const array = await openArray(file, name);
  const samples = sampleAxis === "last" ? array.shape.length - 1 : 0;
  const scales = lineScales(array, name, await file.list(), sampleAxis);
  return [
    storedAxisNames(array).findIndex((one, axis) => axis !== samples && isTime(one)),
    scales.findIndex((scale) => scale !== undefined && isTime(axisNameOf(scale))),
    oddAxis(array.shape, samples),
  ].find((axis) => axis >= 0);
}

async function timeAxis(file: ArrayFile, name: string, sampleAxis?: AxisEnd): Promise<number> {
  const { shape } = await openArray(file, name);
  if (shape.length < 2)
    throw new OptionError(`${name} of ${file.path} has no axis of time: its shape is ${shape.join(" x ")}`);
  const found = await timeAxisOf(file, name, sampleAxis);
  if (found !== undefined) return found;
  throw new OptionError(
    `which axis of ${name || "the array"} of ${file.path} is time? Its shape is ${shape.join(" x ")}: leave out --window and write ` +
      `the frame t where it belongs, for example --inputs "${name}[:, t:t+4]" --responses "${name}[:, t+4]"`,
  );
}

/** Components of a field, of which there are few: velocities, density, pressure, energy. */
const MOST_COMPONENTS = 6;

/** The only axis beside the samples, or the only one that differs from two equal ones; -1 for none. */
function oddAxis(shape: readonly number[], samples: number): number {
  const axes = shape.map((_, axis) => axis).filter((axis) => axis !== samples);
  if (axes.length === 1) return axes[0];
  if (axes.length === 4) return beforeComponents(shape, axes) ? axes[0] : -1;
  const odd = axes.filter((axis) => axes.every((other) => other === axis || shape[other] !== shape[axis]));
  return axes.length === 3 && odd.length === 1 ? odd[0] : -1;
}

/** Whether the first of four axes counts the times of a square field with components, before or behind its grid. */
function beforeComponents(shape: readonly number[], axes: readonly number[]): boolean {
  const [times, first, middle, last] = axes.map((axis) => shape[axis]);
  const isFew = (count: number) => count <= MOST_COMPONENTS && count < times;
  return (
    (isFew(first) && middle === last && last > MOST_COMPONENTS) ||
    (isFew(last) && first === middle && first > MOST_COMPONENTS)
  );
}
