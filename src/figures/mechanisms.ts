import * as Plot from "@observablehq/plot";
import {
  alphasOf,
  correlation,
  finalRecords,
  finalRound,
  overSeeds,
  referenceWords,
  seedsOf,
  withoutReference,
} from "../analysis/observations.js";
import { PAPER_SPEARMAN, paperTask, type Relation } from "../analysis/paper-values.js";
import { list, seedWords } from "../analysis/phrases.js";
import type { RecordFigure } from "../analysis/report.js";
import { inSetting, mainTasks, settingOf, taskTitle } from "../analysis/settings.js";
import { fixed } from "../analysis/table.js";
import type { SeedRecord } from "../records/seed-record.js";
import { type Drawing, figure, framed, grid, heading, plotMargins, stack } from "./compose.js";
import { figureDocument } from "./document.js";
import { legend, legendEntry } from "./legend.js";
import { alphaColor } from "./palette.js";

import { coveringTicks, decimals } from "./ticks.js";
import { FAINT_INK, GRID, PRINT_WIDTH, SIZE, textWidth } from "./typography.js";

interface Column {
  readonly relation: Relation;
  readonly label: string;
  /** In the caption. */
  readonly words: string;
}

const COLUMNS: readonly Column[] = [
  {
    relation: "h_g_norm",
    label: "gradient dissimilarity H_g^norm",
    words: "initial gradient dissimilarity",
  },
  {
    relation: "d_theta",
    label: "parameter divergence D_θ",
    words: "parameter divergence from the reference",
  },
  { relation: "excess_error", label: "excess error (pp)", words: "excess error" },
];

/**
 * Solution distance against what it does to gradients, parameters and errors (fig:formal-mechanisms), as far as the
 * records have these.
 */
export function mechanismsFigure(records: readonly SeedRecord[]): RecordFigure | undefined {
  const final = finalRecords(records);
  const tasks = mainTasks(final);
  if (tasks.length === 0) return undefined;
  const columns = COLUMNS.filter(({ relation }) => final.some((record) => Number.isFinite(record[relation])));
  const width = (PRINT_WIDTH - 8 - (columns.length - 1) * 12) / columns.length;
  const panels = tasks.flatMap((task, row) =>
    columns.map(({ relation, label }, column) => {
      const runs = inSetting(final, settingOf(task));
      const letter = String.fromCharCode(97 + row * columns.length + column);
      return panel(runs, { relation, label, letter, task, width });
    }),
  );
  const alphas = alphasOf(final);
  return {
    name: "mechanisms",
    title: "Mechanisms",
    caption:
      `Realised solution distance against ${list(columns.map(({ words }) => words))} ` +
      `after ${finalRound(records)} rounds. Large markers are means over up to ` +
      `${seedWords(seedsOf(final).length)} with 95 % Student-t intervals in both directions, small ones single runs. ` +
      `Spearman's ρ_s is over the single runs without ${referenceWords(records)}, the paper's in brackets.`,
    svg: figure(grid(panels, columns.length, { x: 12, y: 14 }), {
      name: "Solution distance against gradients, parameters and errors",
      description: `${tasks.map(taskTitle).join("; ")}: means with intervals and single runs.`,
      legend: legend(
        alphas.map((alpha) => legendEntry(`α = ${alpha}`, { color: alphaColor(alpha), symbol: "circle" })),
        PRINT_WIDTH - 8,
      ),
      width: PRINT_WIDTH,
    }),
  };
}

interface PanelOptions {
  readonly relation: Relation;
  readonly label: string;
  readonly letter: string;
  readonly task: string;
  readonly width: number;
}

/** A mean with its intervals along both axes. */
interface Cross {
  readonly color: string;
  readonly x: number;
  readonly y: number;
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
}

function panel(runs: readonly SeedRecord[], options: PanelOptions): Drawing {
  const { relation, label, letter, task, width } = options;
  const dots = runs.flatMap(({ d_sol, alpha, [relation]: y }) =>
    Number.isFinite(y) ? [{ x: d_sol, y, color: alphaColor(alpha) }] : [],
  );
  const crosses = alphasOf(runs).flatMap((alpha): Cross[] => {
    const [x, y] = [overSeeds(runs, alpha, "d_sol"), overSeeds(runs, alpha, relation)];
    if (!x || !y) return [];
    const [x1, x2, y1, y2] = [x.low ?? x.mean, x.high ?? x.mean, y.low ?? y.mean, y.high ?? y.mean];
    return [{ color: alphaColor(alpha), x: x.mean, y: y.mean, x1, x2, y1, y2 }];
  });
  const known = dots.length > 0 ? dots : runs.map(({ d_sol }) => ({ x: d_sol, y: 1 }));
  const xTicks = ticksOver([...known.map(({ x }) => x), ...crosses.flatMap(({ x1, x2 }) => [x1, x2])]);
  const yTicks = ticksOver([...known.map(({ y }) => y), ...crosses.flatMap(({ y1, y2 }) => [y1, y2])]);
  const labels = yTicks.map(decimals(yTicks)).map((text) => textWidth(text, SIZE.tick));
  const margins = { top: 5, right: 8, bottom: 32, left: 19 + Math.max(...labels) };
  const tick = { label: null, tickPadding: 3, fontVariant: "normal" } as const;
  const plot = Plot.plot({
    document: figureDocument(),
    width,
    height: 128 + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { domain: [xTicks[0], xTicks.at(-1)!], axis: null },
    y: { domain: [yTicks[0], yTicks.at(-1)!], axis: null },
    marks: [
      Plot.ruleY(yTicks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleY(yTicks[0] < 0 ? [0] : [], { stroke: FAINT_INK, strokeWidth: 0.75, strokeDasharray: "3,2" }),
      Plot.dot(dots, { x: "x", y: "y", r: 1.5, fill: "color", fillOpacity: 0.4 }),
      Plot.ruleX(crosses, { x: "x", y1: "y1", y2: "y2", stroke: "color", strokeWidth: 1 }),
      Plot.ruleY(crosses, { y: "y", x1: "x1", x2: "x2", stroke: "color", strokeWidth: 1 }),
      Plot.dot(crosses, { x: "x", y: "y", r: 3, fill: "color", stroke: "#ffffff", strokeWidth: 0.5 }),
      Plot.ruleY([yTicks[0]], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.text(dots.length === 0 ? ["not measured"] : [], {
        frameAnchor: "middle",
        fontSize: SIZE.tick,
        fill: FAINT_INK,
      }),
      Plot.axisX(xTicks, { ...tick, tickSize: 3, tickFormat: decimals(xTicks) }),
      Plot.axisY(yTicks, { ...tick, tickSize: 0, tickPadding: 4, tickFormat: decimals(yTicks) }),
    ],
  });
  const over = heading(
    { letter, title: taskTitle(task), subtitle: rankWords(runs, relation, task) },
    margins.left,
  );
  return stack([over, framed(plot, margins, { x: "solution distance D_sol", y: label })], 3);
}

function rankWords(runs: readonly SeedRecord[], relation: Relation, task: string): string {
  const ours = correlation("spearman", withoutReference(runs), "d_sol", relation);
  const paper = PAPER_SPEARMAN[paperTask(task)]?.[relation];
  const stated = paper === undefined ? "" : ` (paper ${fixed(paper, 2)})`;
  return ours ? `ρ_s = ${fixed(ours.value, 2)}, n = ${ours.observations}${stated}` : `ρ_s = –${stated}`;
}

function ticksOver(values: readonly number[]): number[] {
  return coveringTicks(Math.min(0, ...values), Math.max(0, ...values));
}
