import type { Drawing } from "../../figures/compose.js";
import { legendEntry } from "../../figures/legend.js";
import type { SeriesStyle } from "../../figures/palette.js";
import { type Case, caseName } from "../theory/cases.js";

/** Activations by colour, dark at the start and lighter when trained, with a marker of their own. */
const STYLES = {
  smooth: {
    initial: { color: "#004488", symbol: "circle" },
    trained: { color: "#5a9bd4", symbol: "diamond" },
  },
  kinked: {
    initial: { color: "#997700", symbol: "square" },
    trained: { color: "#ddaa33", symbol: "triangle" },
  },
} as const satisfies Record<string, Record<Case["start"], SeriesStyle>>;

export function caseStyle({ smooth, start }: Case): SeriesStyle {
  return STYLES[smooth ? "smooth" : "kinked"][start];
}

/** A legend's entries of cases. */
export function caseEntries(cases: readonly Case[]): Drawing[] {
  return cases.map((one) => legendEntry(caseName(one), caseStyle(one)));
}
