import * as Plot from "@observablehq/plot";
import { alphasOf, roundWords, seedsOf, withoutReference } from "../analysis/observations.js";
import type { RecordFigure } from "../analysis/report.js";
import { atAlpha } from "../analysis/seed-contrasts.js";
import type { Subject } from "../analysis/subject.js";
import type { SeedRecord } from "../records/seed-record.js";
import { alphaAxis, alphaDomain } from "./alpha-axis.js";
import {
  axisRoom,
  type Drawing,
  figure,
  framed,
  grid,
  heading,
  panelLetter,
  plotMargins,
  printWidth,
  stack,
  taskColumns,
} from "./compose.js";
import { figureDocument } from "./document.js";
import type { FigureOptions } from "./figure-options.js";
import { dotEntry, legend, legendEntry, lineEntry } from "./legend.js";
import { type SeriesStyle, seriesStyles } from "./palette.js";
import { seedSpread, spreadWords } from "./seed-spread.js";
import { coveringTicks, decimals } from "./ticks.js";
import { FAINT_INK, GRID, INK } from "./typography.js";

const SEED_LINE = "#b3b3b3";
const SEED_DOT = "#8c8c8c";

/** Final excess error of every seed with the mean over them (fig:formal-seeds). */
export function seedExcessFigure(
  { records, cases }: Subject,
  { styleOf }: FigureOptions = {},
): RecordFigure | undefined {
  const drawn = cases
    .map(({ task, title, final }) => ({
      task,
      title,
      runs: withoutReference(final).filter(({ excess_error }) => Number.isFinite(excess_error)),
    }))
    .filter(({ runs }) => runs.length > 0);
  if (drawn.length === 0) return undefined;
  const width = printWidth(drawn.length);
  const columns = taskColumns(drawn.length);
  const panelWidth = (width - 8 - (columns - 1) * 10) / columns;
  const styles = seriesStyles(drawn.map(({ task }) => styleOf?.(task)));
  const compared = drawn.flatMap(({ runs }) => runs);
  const alphas = alphasOf(compared);
  const panels = drawn.map(({ title, runs }, i) => {
    const letter = panelLetter(i, drawn.length);
    return panel(runs, { title, letter, style: styles[i], width: panelWidth, alphas });
  });
  const counts = drawn.flatMap(({ runs }) =>
    alphas.map((alpha) => atAlpha(runs, alpha, "excess_error").size),
  );
  const isOneSeed = counts.every((count) => count <= 1);
  if (isOneSeed && alphas.length === 1) return undefined; // a single dot
  const spread = spreadWords(counts, { intervals: " with 95 % Student-t intervals", seeds: "" });
  const areLines = drawn.some(({ runs }) => alphasOf(runs).length > 1);
  const single = areLines
    ? lineEntry("one seed", { color: SEED_LINE })
    : dotEntry("one seed", { color: SEED_DOT, symbol: "circle" });
  const entries = [
    ...(isOneSeed ? [] : [single]),
    legendEntry(
      isOneSeed ? "one seed" : spread === "" ? "mean" : "mean with 95 % interval",
      drawn.length === 1 ? styles[0] : { color: INK, symbol: "circle" },
    ),
  ];
  return {
    name: "seed-excess",
    title: "Excess error of every seed",
    caption:
      `Excess error after ${roundWords(records)} in percentage points. ` +
      (isOneSeed
        ? "There is one seed, paired with its own reference."
        : `${areLines ? "Thin grey lines" : "Grey dots"} are the single seeds, ` +
          `each paired with its own reference; coloured markers are means${spread}.`),
    svg: figure(grid(panels, columns, { x: 10, y: 14 }, "bottom"), {
      name: "Excess error of every seed against the concentration α",
      description: `${drawn.map(({ title }) => title).join("; ")}: seeds ${seedsOf(compared).join(", ")} and their mean.`,
      legend: legend(entries, width - 8),
      width,
    }),
  };
}

interface PanelOptions {
  readonly title: string;
  readonly letter: string | undefined;
  readonly style: SeriesStyle;
  readonly width: number;
  /** Concentrations of the axis, the same in all panels. */
  readonly alphas: readonly number[];
}

function panel(runs: readonly SeedRecord[], options: PanelOptions): Drawing {
  const { title, letter, style, width, alphas } = options;
  const { color, symbol } = style;
  const means = alphasOf(runs).map((alpha) => {
    const { mean, low, high } = seedSpread([...atAlpha(runs, alpha, "excess_error").values()])!;
    return { alpha, mean, low: low ?? mean, high: high ?? mean };
  });
  const values = [...runs.map((run) => run.excess_error), ...means.flatMap(({ low, high }) => [low, high])];
  const ticks = coveringTicks(Math.min(0, ...values), Math.max(0, ...values));
  const margins = { top: 5, right: 8, bottom: 32, left: axisRoom(ticks.map(decimals(ticks))) };
  const tick = { label: null, tickPadding: 3, fontVariant: "normal" } as const;
  const ordered = [...runs].sort((a, b) => b.alpha - a.alpha);
  const seeds = { x: "alpha", y: "excess_error", z: "seed", stroke: SEED_LINE } as const;
  const plot = Plot.plot({
    document: figureDocument(),
    width,
    height: 150 + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "log", domain: alphaDomain(alphas), axis: null },
    y: { domain: [ticks[0], ticks.at(-1)!], axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleY([0], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.line(ordered, { ...seeds, strokeWidth: 0.75 }),
      Plot.line(means, { x: "alpha", y: "mean", stroke: color, strokeWidth: 1.5 }),
      Plot.ruleX(means, { x: "alpha", y1: "low", y2: "high", stroke: color, strokeWidth: 1.25 }),
      Plot.dot(means, {
        x: "alpha",
        y: "mean",
        symbol,
        r: 3.8,
        fill: color,
        stroke: "#ffffff",
        strokeWidth: 0.6,
      }),
      // Seeds lie over their mean, which would hide those that are close to it.
      Plot.dot(ordered, {
        x: "alpha",
        y: "excess_error",
        r: 1.6,
        fill: SEED_DOT,
      }),
      ...alphaAxis(alphas),
      Plot.axisY(ticks, { ...tick, tickSize: 0, tickPadding: 4, tickFormat: decimals(ticks) }),
    ],
  });
  const over = heading({ letter, title }, margins.left, width);
  return stack([over, framed(plot, margins, { x: "concentration α", y: "excess error (pp)" })], 3);
}
