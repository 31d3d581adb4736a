import { DIAL } from "../../../../settings.js";

/** Steps of the dial from one power of ten to the next. */
const A_DECADE = 20;
const DECADES = Math.round(Math.log10(DIAL.most / DIAL.least));

/** Steps of the dial from its left end to its right one. */
export const DIAL_STEPS = A_DECADE * DECADES;

/** Powers of ten along the dial, in its order: the largest at the left. */
export const DIAL_MARKS: readonly number[] = Array.from({ length: DECADES + 1 }, (_, i) =>
  Number((DIAL.most / 10 ** i).toPrecision(1)),
);

/** How far along the dial an alpha is, from 0 at its left end to 1; what lies beyond the ends is at them. */
export const placeOnDial = (alpha: number): number =>
  Math.min(1, Math.max(0, Math.log(DIAL.most / alpha) / Math.log(DIAL.most / DIAL.least)));

/** The alpha at a place of the dial, with two digits. */
export const alphaAt = (place: number): number =>
  Number((DIAL.most * (DIAL.least / DIAL.most) ** Math.min(1, Math.max(0, place))).toPrecision(2));
