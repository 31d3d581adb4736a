import type { RunTrace } from "../records/run-trace.js";
import type { SeriesStyle } from "./palette.js";

/** Options of the figures of a report. */
export interface FigureOptions {
  /** Losses and partitions of runs; figures of them cover only these runs. */
  readonly traces?: readonly RunTrace[];
  /** Colour and marker that data always have, by recorded name. Default: in the order in which they are shown. */
  readonly styleOf?: (task: string) => SeriesStyle | undefined;
}
