import * as Plot from "@observablehq/plot";
import { finalRecords, roundWords } from "../../analysis/observations.js";
import type { RecordFigure } from "../../analysis/report.js";
import { atAlpha } from "../../analysis/seed-contrasts.js";
import { figure, framed, plotMargins } from "../../figures/compose.js";
import { figureDocument } from "../../figures/document.js";
import { dotEntry, legend, paperEntry } from "../../figures/legend.js";
import { LEVEL_STYLES } from "../../figures/palette.js";
import { markerWords, seedSpread } from "../../figures/seed-spread.js";
import { svg } from "../../figures/svg.js";
import { coveringTicks, decimals } from "../../figures/ticks.js";
import { FAINT_INK, GRID, SIZE, textLine, textWidth } from "../../figures/typography.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { ABLATIONS, inSetting, type Setting, settingOf } from "../settings.js";
import { CONTROLLED_NAMES, taskTitle } from "../titles.js";
import { paperExcess } from "../values.js";

const ALPHA = 0.01;
const WIDTH = 560;
const ROW = 22;

interface Estimate {
  readonly name: string;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Values of single seeds, where these are few: small dots in place of an interval. */
  readonly seeds?: readonly number[];
}

/** Excess errors of every setting at the severest concentration, ours above the paper's. */
export function besidePaperFigure(records: readonly SeedRecord[]): RecordFigure | undefined {
  const final = finalRecords(records);
  const counts: number[] = [];
  const rows = settings().flatMap(({ name, setting }) => {
    const ours = seedSpread([...atAlpha(inSetting(final, setting), ALPHA, "excess_error").values()]);
    if (!ours || ours.count < 2) return [];
    counts.push(ours.count);
    const { mean, low, high, seeds } = ours;
    return [
      {
        name,
        ours: { name, mean, low: low ?? mean, high: high ?? mean, seeds },
        paper: stated(name, setting),
      },
    ];
  });
  if (rows.length < 2 || rows.every(({ paper }) => paper === undefined)) return undefined;
  return {
    name: "excess-beside-paper",
    title: "Excess error beside the paper's",
    caption:
      `Signed excess of the relative test error at α = ${ALPHA} over that at α = 100 after ${roundWords(records)}` +
      `, in percentage points: ${markerWords(counts).replace("Means", "means")}, ours filled, the paper's hollow ` +
      "(without an interval where it states none, absent where it states no number).",
    svg: draw(
      rows.map(({ ours }) => ours),
      rows.flatMap(({ paper }) => paper ?? []),
    ),
  };
}

/** The main settings, then what was varied. */
function settings(): { name: string; setting: Setting }[] {
  const main = CONTROLLED_NAMES.map((task) => ({ name: taskTitle(task), setting: settingOf(task) }));
  const varied = [...ABLATIONS]
    .sort((a, b) => Number(b.name === "viscosity") - Number(a.name === "viscosity"))
    .flatMap(({ levels, tasks = CONTROLLED_NAMES }) =>
      levels.slice(1).flatMap(({ label, change }) =>
        tasks.map((task) => ({
          name: `${taskTitle(task)}, ${label}`,
          setting: settingOf(task, change),
        })),
      ),
    );
  return [...main, ...varied];
}

function stated(name: string, setting: Setting): Estimate | undefined {
  const paper = paperExcess(setting, ALPHA);
  if (paper?.mean === undefined) return undefined;
  return { name, mean: paper.mean, low: paper.low ?? paper.mean, high: paper.high ?? paper.mean };
}

function draw(ours: readonly Estimate[], paper: readonly Estimate[]): string {
  const values = [...ours, ...paper].flatMap(({ low, high, seeds = [] }) => [low, high, ...seeds]);
  const single = ours.flatMap(({ name, seeds = [] }) => seeds.map((value) => ({ name, value })));
  const ticks = coveringTicks(Math.min(0, ...values), Math.max(0, ...values));
  const names = ours.map(({ name }) => name);
  const left = 12 + Math.max(...names.map((name) => textWidth(name, SIZE.label)));
  const margins = { top: 4, right: 10, bottom: 32, left };
  const { color } = LEVEL_STYLES[0];
  const plot = Plot.plot({
    document: figureDocument(),
    width: WIDTH - 8,
    height: ROW * names.length + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { domain: [ticks[0], ticks.at(-1)!], axis: null },
    y: { type: "band", domain: names, axis: null, padding: 0 },
    marks: [
      Plot.ruleX(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleX([0], { stroke: FAINT_INK, strokeWidth: 0.75, strokeDasharray: "3,2" }),
      ...estimates(ours, { color, dy: -3.5, fill: color }),
      ...(single.length > 0
        ? [Plot.dot(single, { y: "name", x: "value", r: 1.5, fill: color, fillOpacity: 0.6, dy: -3.5 })]
        : []),
      ...estimates(paper, { color: FAINT_INK, dy: 4.5, fill: "#ffffff" }),
      Plot.axisX(ticks, { label: null, tickSize: 3, fontVariant: "normal", tickFormat: decimals(ticks) }),
    ],
  });
  const panel = framed(plot, margins, { x: `excess error at α = ${ALPHA} (percentage points)` });
  const labels = names.map((name, i) =>
    textLine(name, { x: left - 8, y: margins.top + ROW * (i + 0.5) + 0.35 * SIZE.label, anchor: "end" }),
  );
  return figure(
    { ...panel, element: svg("g", {}, panel.element, ...labels) },
    {
      name: "Excess error of every setting beside the paper's",
      description: `Means with intervals for ${names.join("; ")}.`,
      legend: legend(
        [dotEntry("here", { color, symbol: "circle" }), paperEntry({ values: true })],
        WIDTH - 8,
      ),
      width: WIDTH,
    },
  );
}

function estimates(rows: readonly Estimate[], style: { color: string; dy: number; fill: string }) {
  const { color, dy, fill } = style;
  return [
    Plot.ruleY(rows, { y: "name", x1: "low", x2: "high", stroke: color, strokeWidth: 1.25, dy }),
    Plot.dot(rows, { y: "name", x: "mean", r: 2.8, fill, stroke: color, strokeWidth: 1, dy }),
  ];
}
