import { OptionError } from "../../../errors.js";
import type { NamedArray } from "../array-file.js";
import { isFramePart, type Place, type Selection, type SlicePart } from "./expression.js";
import { axisOf, type ViewAxis, viewOf } from "./view.js";

/** Frames of a window, counted from its start; one frame alone has no axis. */
export interface Frames {
  readonly offsets: readonly number[];
  readonly isSingle: boolean;
}

/** Part of an array, and its axis of frames where it is to be cut into windows. */
export interface SlicedArray {
  readonly array: NamedArray;
  readonly frames?: Frames & { readonly axis: number };
}

/** The part of an array that a selection names. The axis of the running frame `t` is left whole. */
export function sliced(array: NamedArray, { text, parts }: Selection): SlicedArray {
  if (!parts) return { array };
  const axes: ViewAxis[] = [];
  const fixed: Record<number, number> = {};
  let frames: SlicedArray["frames"];
  for (const [axis, part] of onAxes(parts, array.shape, text).entries()) {
    const length = array.shape[axis];
    if (isFramePart(part)) {
      if (frames) throw new OptionError(`"${text}": t can run along one axis only`);
      frames = { ...framesOf(part, length, text), axis: axes.length };
      axes.push(axisOf(array, axis));
    } else if (part.kind === "index") {
      fixed[axis] = placeWithin(part.at, length, { text, axis, shape: array.shape });
    } else if (part.kind === "range") {
      axes.push({ axis, ...rangeWithin(part, length, { text, axis, shape: array.shape }) });
    }
  }
  return { array: viewOf(array, axes, fixed), ...(frames && { frames }) };
}

/** An entry for each axis: `...` and a short list stand for whole axes. */
function onAxes(parts: readonly SlicePart[], shape: readonly number[], text: string): readonly SlicePart[] {
  const given = parts.filter(({ kind }) => kind !== "rest").length;
  if (given > shape.length)
    throw new OptionError(
      `"${text}" has ${given} entries, but the array has ${shape.length} axes: ${shape.join(" x ")}`,
    );
  const whole = { kind: "range", step: 1 } as const;
  const missing = new Array<SlicePart>(shape.length - given).fill(whole);
  const rest = parts.findIndex(({ kind }) => kind === "rest");
  return rest < 0 ? [...parts, ...missing] : [...parts.slice(0, rest), ...missing, ...parts.slice(rest + 1)];
}

interface Where {
  readonly text: string;
  readonly axis: number;
  readonly shape: readonly number[];
}

function placeWithin({ offset }: Place, length: number, where: Where): number {
  const at = offset < 0 ? length + offset : offset;
  if (at >= 0 && at < length) return at;
  throw new OptionError(
    `"${where.text}": ${offset} is beyond axis ${where.axis}, which has ${length} places (the array is ${where.shape.join(" x ")})`,
  );
}

/** A range within an axis. Unlike NumPy, a stop beyond the end is refused: it is rather a mistake. */
function rangeWithin(
  { start, stop, step }: Extract<SlicePart, { kind: "range" }>,
  length: number,
  where: Where,
): { readonly start: number; readonly length: number; readonly step: number } {
  const end = (place: Place | undefined, whole: number) =>
    place === undefined ? whole : place.offset < 0 ? length + place.offset : place.offset;
  const [from, to] = [end(start, 0), end(stop, length)];
  if (from >= 0 && from < to && to <= length)
    return { start: from, length: Math.ceil((to - from) / step), step };
  throw new OptionError(
    `"${where.text}": ${start?.offset ?? ""}:${stop?.offset ?? ""} is no range of axis ${where.axis}, which has ${length} places ` +
      `(the array is ${where.shape.join(" x ")})`,
  );
}

function framesOf(part: SlicePart, length: number, text: string): Frames {
  if (part.kind === "index") return { offsets: [part.at.offset], isSingle: true };
  if (part.kind !== "range" || !part.start?.isFrame || !part.stop?.isFrame)
    throw new OptionError(`"${text}": a window goes from one frame to another, for example t:t+4`);
  if (part.stop.offset - part.start.offset > length)
    throw new OptionError(`"${text}": the window is longer than the ${length} frames that there are`);
  const offsets: number[] = [];
  for (let at = part.start.offset; at < part.stop.offset; at += part.step) offsets.push(at);
  if (offsets.length === 0) throw new OptionError(`"${text}": the window is empty`);
  return { offsets, isSingle: false };
}
