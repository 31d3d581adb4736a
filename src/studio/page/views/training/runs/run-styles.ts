import { alphaColor, contrast, SERIES_STYLES } from "../../../../../figures/palette.js";
import type { RunChanges } from "../../../../training/run-list.js";

/** How the curve of a run is told from the others: by colour and by dashes. */
export interface RunStyle {
  readonly color: string;
  /** The colour as letters need it. */
  readonly ink: string;
  /** Lengths of dashes and gaps in pixels; none for a solid line. */
  readonly dashes: readonly number[];
}

const DASHES = [[], [7, 3], [2, 3], [10, 3, 2, 3], [4, 3], [12, 4]] as const;

/** Contrast that a line needs on its ground, and letters (WCAG 2.2). */
const [OF_LINES, OF_LETTERS] = [3, 4.5];

/** Runs that differ in their concentration alone have the figures' colours of concentrations, others those of series. */
export function runStyles(runs: readonly RunChanges[], ground: string): readonly RunStyle[] {
  const areAlphas = runs.length > 1 && runs.every((run) => Object.keys(run).join() === "alpha");
  return runs.map((run, i) => {
    const color = areAlphas ? alphaColor(Number(run.alpha)) : SERIES_STYLES[i % SERIES_STYLES.length].color;
    return {
      color: legible(color, ground, OF_LINES),
      ink: legible(color, ground, OF_LETTERS),
      dashes: DASHES[i % DASHES.length],
    };
  });
}

/** The colour, as much lighter or darker as the ground asks for. */
export function legible(color: string, ground: string, enough: number): string {
  const ink = contrast("#ffffff", ground) > contrast("#000000", ground) ? 255 : 0;
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, ink, share);
    if (contrast(mixed, ground) >= enough) return mixed;
  }
  return mix(color, ink, 1);
}

function mix(color: string, ink: number, share: number): string {
  const value = Number.parseInt(color.slice(1), 16);
  const channels = [value >> 16, (value >> 8) & 255, value & 255];
  return `#${channels
    .map((level) =>
      Math.round(level + share * (ink - level))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
