import type { AxisEnd } from "../../../datasets/files/array-axes.js";
import {
  isFramePart,
  type Place,
  parseSelections,
  type SlicePart,
} from "../../../datasets/files/arrays/expression.js";

/** The samples that a slice keeps, and where the arrays have their axis of samples. */
export interface KeptSamples {
  readonly range: readonly [start: number, end: number];
  readonly sampleAxis: AxisEnd;
  /** Shape of an array by its name, as `inspect` shows it. */
  shapeOf(name: string): readonly number[] | undefined;
}

/**
 * Arrays as a user writes them, cut to some of their samples: `u[:, 0]` becomes `u[0:800, 0]`. Undefined where no slice does
 * it.
 */
export function keptSamples(text: string, { range, sampleAxis, shapeOf }: KeptSamples): string | undefined {
  const cut = (selection: ReturnType<typeof parseSelections>[number]): string | undefined => {
    const shape = shapeOf(selection.name);
    if (!shape) return undefined;
    const parts = onEveryAxis(selection.parts ?? [], shape.length);
    const at = sampleAxis === "last" ? shape.length - 1 : 0;
    const kept = parts && within(parts[at], range, shape[at]);
    if (!kept) return undefined;
    const all = parts.map((part, axis) => (axis === at ? kept : partText(part)));
    return `${selection.name}[${withoutTail(all).join(", ")}]`;
  };
  const found = (text === "" ? [{ text: "", name: "" }] : parseSelections(text)).map(cut);
  return found.includes(undefined) ? undefined : found.join(", ");
}

const WHOLE: SlicePart = { kind: "range", step: 1 };

function onEveryAxis(parts: readonly SlicePart[], rank: number): readonly SlicePart[] | undefined {
  const given = parts.filter(({ kind }) => kind !== "rest").length;
  if (given > rank || rank === 0) return undefined;
  const missing = new Array<SlicePart>(rank - given).fill(WHOLE);
  const rest = parts.findIndex(({ kind }) => kind === "rest");
  return rest < 0 ? [...parts, ...missing] : [...parts.slice(0, rest), ...missing, ...parts.slice(rest + 1)];
}

/** A range of samples within the range that a slice has already. */
function within(part: SlicePart, [start, end]: KeptSamples["range"], length: number): string | undefined {
  if (part.kind !== "range" || part.step !== 1 || isFramePart(part)) return undefined;
  const first = part.start?.offset ?? 0;
  const from = first < 0 ? length + first : first;
  return `${from + start}:${from + end}`;
}

function partText(part: SlicePart): string {
  if (part.kind === "rest") return "...";
  if (part.kind === "index") return placeText(part.at);
  const ends = `${part.start ? placeText(part.start) : ""}:${part.stop ? placeText(part.stop) : ""}`;
  return part.step === 1 ? ends : `${ends}:${part.step}`;
}

function placeText({ isFrame, offset }: Place): string {
  if (!isFrame) return String(offset);
  return offset === 0 ? "t" : `t${offset > 0 ? "+" : ""}${offset}`;
}

/** Without whole axes at the end, which nobody needs to write. */
function withoutTail(parts: readonly string[]): readonly string[] {
  let end = parts.length;
  while (end > 0 && parts[end - 1] === ":") end--;
  return parts.slice(0, end);
}
