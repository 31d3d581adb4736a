import { inkOn, proportionColor } from "../../../../../figures/palette.js";

const STEPS = 256;

/** Colours of proportions from 0 to 1, and the ink that reads on each. */
export interface ProportionColors {
  color(proportion: number): string;
  ink(proportion: number): string;
  /** The same as a gradient of CSS. */
  readonly gradient: string;
}

/** The figures' palette from white to deep blue; on a dark ground the same from deep blue to white. */
function proportionColors(isDark: boolean): ProportionColors {
  // The palette's steps follow the square root, so this turns it round.
  const of = (proportion: number) => proportionColor(isDark ? (1 - Math.sqrt(proportion)) ** 2 : proportion);
  const colors = Array.from({ length: STEPS }, (_, i) => of(i / (STEPS - 1)));
  const inks = colors.map(inkOn);
  const stepOf = (proportion: number) => Math.round(proportion * (STEPS - 1));
  return {
    color: (proportion) => colors[stepOf(proportion)],
    ink: (proportion) => inks[stepOf(proportion)],
    gradient: `linear-gradient(to right, ${Array.from({ length: 17 }, (_, i) => of(i / 16)).join(", ")})`,
  };
}

/** The colours of each theme. */
export const PROPORTION_COLORS = { light: proportionColors(false), dark: proportionColors(true) } as const;
