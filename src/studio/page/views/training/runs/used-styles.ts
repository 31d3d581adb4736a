import type { RunChanges } from "../../../../training/run-list.js";
import { theme } from "../../../parts/theme-button.js";
import { type RunStyle, runStyles } from "./run-styles.js";

/** Styles of runs on the ground of the present theme. */
export function usedStyles(runs: readonly RunChanges[]): readonly RunStyle[] {
  theme.value; // the ground is another one after a change
  return runStyles(
    runs,
    hexadecimal(getComputedStyle(document.documentElement).getPropertyValue("--ground")),
  );
}

/** `#fff`, as a build shortens it, with all its digits. */
const hexadecimal = (color: string): string =>
  color.trim().replace(/^#(.)(.)(.)$/, (_, ...[r, g, b]: string[]) => `#${r}${r}${g}${g}${b}${b}`);
