import { colormapOf } from "../../../../../figures/colormaps.js";

/** The part of the colour map that stands out from both grounds. */
const [LEAST, MOST] = [0.08, 0.86];
const { colors } = colormapOf("plasma");
const STEPS = 8;

/** Colours of costs, from none to the largest between two bins: the dearer, the further from the ground. */
export interface CostColors {
  /** The colour of a share of the largest cost. */
  color(share: number): string;
  readonly gradient: string;
}

function costColors(isDark: boolean): CostColors {
  const color = (share: number) => {
    const from = isDark ? share : 1 - share;
    const at = (LEAST + (MOST - LEAST) * from) * (colors.length - 1);
    const low = Math.floor(at);
    return `color-mix(in srgb, ${colors[Math.min(low + 1, colors.length - 1)]} ${(100 * (at - low)).toFixed(0)}%, ${colors[low]})`;
  };
  const stops = Array.from({ length: STEPS + 1 }, (_, i) => color(i / STEPS));
  return { color, gradient: `linear-gradient(to right, ${stops.join(", ")})` };
}

export const COST_COLORS = { light: costColors(false), dark: costColors(true) } as const;
