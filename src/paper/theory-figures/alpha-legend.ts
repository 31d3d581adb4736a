import type { Drawing } from "../../figures/compose.js";
import { dotEntry, legend } from "../../figures/legend.js";
import { alphaColor } from "../../figures/palette.js";

/** The colours of concentrations, which end at 100 and at 0.01. */
export function alphaLegend(width: number): Drawing {
  const entries = ["≥ 100", "= 10", "= 1", "= 0.1", "≤ 0.01"].map((words, i) =>
    dotEntry(`α ${words}`, { color: alphaColor(10 ** (2 - i)), symbol: "circle" }),
  );
  return legend(entries, width);
}
