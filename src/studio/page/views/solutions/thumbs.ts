import type { SamplePanel } from "../../../../figures/samples/sample-panel.js";

/** Largest width and height of a small picture, in pixels. */
const [WIDEST, HIGHEST] = [78, 60];

/** Height of a small picture, so that it fits its place. */
export const thumbHeight = ({ aspect }: SamplePanel): number =>
  Math.round(Math.min(HIGHEST, WIDEST / aspect));
