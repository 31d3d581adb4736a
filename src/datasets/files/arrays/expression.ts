import { OptionError } from "../../../errors.js";

/** A place along an axis: a number, or the running frame `t` with an offset. */
export interface Place {
  readonly isFrame: boolean;
  readonly offset: number;
}

/** One entry between the brackets. */
export type SlicePart =
  | { readonly kind: "index"; readonly at: Place }
  | { readonly kind: "range"; readonly start?: Place; readonly stop?: Place; readonly step: number }
  | { readonly kind: "rest" };

/** An array, or part of it: `u`, `tensor[:, 0]`, `velocity[:, t:t+4]`. */
export interface Selection {
  readonly text: string;
  readonly name: string;
  readonly parts?: readonly SlicePart[];
}

/**
 * Arrays as a user writes them: a name, a name with a slice in NumPy's notation, or several of these, separated by
 * commas, that become channels. The letter `t` stands for the running frame of windows.
 */
export function parseSelections(text: string | readonly string[]): readonly Selection[] {
  const items = typeof text === "string" ? splitOutside(text) : text.flatMap(splitOutside);
  if (items.length === 0 || items.some((item) => item === ""))
    throw new OptionError(`"${text}" names no array: write a name, or several with commas between them`);
  return items.map(parseSelection);
}

/** Splits at the commas that lie outside of brackets. */
export function splitOutside(text: string): string[] {
  const items = [""];
  let depth = 0;
  for (const letter of text) {
    if (letter === "[") depth++;
    if (letter === "]") depth--;
    if (letter === "," && depth === 0) items.push("");
    else items[items.length - 1] += letter;
  }
  return items.map((item) => item.trim());
}

function parseSelection(text: string): Selection {
  const open = text.indexOf("[");
  if (open < 0) return { text, name: text };
  const close = text.lastIndexOf("]");
  if (close !== text.length - 1) throw new OptionError(`"${text}" has no ] at its end`);
  const name = text.slice(0, open).trim();
  const inside = text.slice(open + 1, close);
  const parts = inside.split(",").map((part) => parsePart(part.trim(), text));
  if (parts.filter(({ kind }) => kind === "rest").length > 1)
    throw new OptionError(`"${text}" has more than one ...`);
  return { text, name, parts };
}

function parsePart(part: string, text: string): SlicePart {
  if (part === "...") return { kind: "rest" };
  const places = part.split(":").map((place) => place.trim());
  if (places.length === 1) {
    if (places[0] === "") throw new OptionError(`"${text}" has nothing between two commas: write : for all`);
    return { kind: "index", at: parsePlace(places[0], text) };
  }
  if (places.length > 3)
    throw new OptionError(`"${text}": ${part} is no slice; write start:stop or start:stop:step`);
  const [start, stop] = places
    .slice(0, 2)
    .map((place) => (place === "" ? undefined : parsePlace(place, text)));
  const step = places[2] === undefined || places[2] === "" ? 1 : Number(places[2]);
  if (!(Number.isSafeInteger(step) && step >= 1 && /^\+?\d*$/.test(places[2] ?? "")))
    throw new OptionError(`"${text}": the step of ${part} is a whole number from 1 on`);
  return { kind: "range", ...(start && { start }), ...(stop && { stop }), step };
}

function parsePlace(place: string, text: string): Place {
  const frame = /^t(?:\s*([+-])\s*(\d+))?$/.exec(place);
  if (frame) {
    const size = Number(frame[2] ?? 0);
    return { isFrame: true, offset: frame[1] === "-" ? -size : size };
  }
  const offset = Number(place);
  if (!/^[+-]?\d+$/.test(place) || !Number.isSafeInteger(offset))
    throw new OptionError(`"${text}": ${place} is neither a whole number nor t, the frame of a window`);
  return { isFrame: false, offset };
}

/** Whether arrays are windows of a trajectory. */
export const hasFrames = (selections: readonly Selection[]): boolean =>
  selections.some(({ parts }) => parts?.some(isFramePart));

export function isFramePart(part: SlicePart): boolean {
  if (part.kind === "rest") return false;
  if (part.kind === "index") return part.at.isFrame;
  return part.start?.isFrame === true || part.stop?.isFrame === true;
}
