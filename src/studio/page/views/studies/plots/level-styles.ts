import { alphaColor, contrast, LEVEL_STYLES, type SeriesStyle } from "../../../../../figures/palette.js";
import { theme } from "../../../parts/theme-button.js";
import type { Along, Level, Panel } from "../results/comparisons.js";

/** More levels than these have no colours that could be told apart: then one is shown at a time. */
export const MOST_COLORED = LEVEL_STYLES.length;

/** How each level is drawn, the same in all panels; undefined where levels are too many. */
export type StyleOf = (level: Level) => SeriesStyle | undefined;

/** Concentrations have their own colours, other levels those of the figures. */
export function levelStyles({ name }: Along, panels: readonly Panel[]): StyleOf {
  const labels = [...new Set(panels.flatMap(({ levels }) => levels.map(({ label }) => label)))];
  if (labels.length > MOST_COLORED) return () => undefined;
  return ({ label, alpha }) => {
    const { color, symbol } = LEVEL_STYLES[labels.indexOf(label) % MOST_COLORED];
    return { color: legible(name === "alpha" ? alphaColor(alpha) : color), symbol };
  };
}

/** Grounds of plots in both themes (tokens.css). */
const GROUNDS = { light: "#ffffff", dark: "#14171c" } as const;
/** Contrast that a marker needs against its ground (WCAG 2.2, 1.4.11). */
const ENOUGH = 3;

/** The colour, mixed with white or black until it can be seen on the present ground. */
export function legible(color: string): string {
  const ground = GROUNDS[theme.value];
  const other = theme.value === "dark" ? 255 : 0;
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mixedWith(color, other, share);
    if (contrast(mixed, ground) >= ENOUGH) return mixed;
  }
  return color;
}

function mixedWith(color: string, level: number, share: number): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return `#${channels
    .map((channel) =>
      Math.round(channel + share * (level - channel))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
