import { roundStep } from "../../../../../figures/ticks.js";
import type { RunArrows } from "../../../../training/trainer.js";

/** What of the plane of updates is drawn: the mean points upwards, both axes have the same units. */
export interface ArrowPlane {
  readonly bottom: number;
  readonly top: number;
  /** As far to the right as to the left. */
  readonly reach: number;
}

/**
 * A plane that holds the arrows of all runs: they have one scale. Its ends are round numbers, so that it stays while arrows
 * change a little.
 */
export function planeOf(runs: readonly (RunArrows | undefined)[]): ArrowPlane {
  let [bottom, top, reach] = [0, 0, 0];
  for (const run of runs) {
    if (!run) continue;
    top = Math.max(top, run.mean);
    for (let i = 0; i < run.arrows.length; i += 2) {
      bottom = Math.min(bottom, run.arrows[i]);
      top = Math.max(top, run.arrows[i]);
      reach = Math.max(reach, Math.abs(run.arrows[i + 1]));
    }
  }
  const longest = Math.max(top, -bottom, reach);
  if (longest === 0) return { bottom: 0, top: 1, reach: 1 };
  const step = roundStep(longest, 10);
  const beyond = (value: number) => step * Math.ceil(value / step - 1e-9);
  return { bottom: -beyond(-bottom), top: beyond(top), reach: beyond(reach) || step };
}

/** A label at the end of an arrow. */
export interface ArrowLabel {
  readonly index: number;
  readonly x: number;
  readonly y: number;
}

/** Pixels between an arrow's end and the middle of its label, and between two labels. */
const [AWAY, APART] = [8, 11];

/** Labels beyond the ends of arrows; of those that would meet, the longer arrow keeps its own. */
export function arrowLabels(
  ends: readonly { readonly x: number; readonly y: number }[],
  origin: { readonly x: number; readonly y: number },
): ArrowLabel[] {
  const placed: ArrowLabel[] = [];
  const byLength = ends
    .map(({ x, y }, index) => ({ index, x, y, length: Math.hypot(x - origin.x, y - origin.y) }))
    .filter(({ length }) => length > 2 * AWAY)
    .sort((a, b) => b.length - a.length);
  for (const { index, x, y, length } of byLength) {
    const factor = (length + AWAY) / length;
    const label = { index, x: origin.x + factor * (x - origin.x), y: origin.y + factor * (y - origin.y) };
    if (placed.every((other) => Math.hypot(other.x - label.x, other.y - label.y) >= APART))
      placed.push(label);
  }
  return placed;
}
