import { SERIES_STYLES, type SeriesStyle } from "../figures/palette.js";
import { PAPER_TASKS, paperTask } from "./titles.js";

/** The colour and marker that a task of the paper has in every figure. */
export function styleOf(task: string): SeriesStyle | undefined {
  return SERIES_STYLES[PAPER_TASKS.indexOf(paperTask(task))];
}
