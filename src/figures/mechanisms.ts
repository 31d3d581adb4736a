import * as Plot from "@observablehq/plot";
import type { Case } from "../analysis/cases.js";
import {
  alphasOf,
  correlation,
  referenceWords,
  roundWords,
  seedsOf,
  withoutReference,
} from "../analysis/observations.js";
import { list, seedWords } from "../analysis/phrases.js";
import type { Published, Relation } from "../analysis/published.js";
import type { RecordFigure } from "../analysis/report.js";
import { atAlpha } from "../analysis/seed-contrasts.js";
import type { Subject } from "../analysis/subject.js";
import { fixed } from "../analysis/tables/table.js";
import type { SeedRecord } from "../records/seed-record.js";
import {
  axisRoom,
  type Drawing,
  figure,
  framed,
  grid,
  heading,
  panelLetter,
  plotMargins,
  stack,
} from "./compose.js";
import { ARROWHEAD_WORDS, arrowheads, boundsOf, within } from "./cut-intervals.js";
import { figureDocument } from "./document.js";
import { legend, legendEntry } from "./legend.js";
import { alphaColor } from "./palette.js";
import { seedSpread, spreadWords } from "./seed-spread.js";
import { coveringTicks, decimals } from "./ticks.js";
import { FAINT_INK, GRID, PRINT_WIDTH, SIZE } from "./typography.js";

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
export function mechanismsFigure({ records, cases: all, published }: Subject): RecordFigure | undefined {
  // Runs of other programs may have no partition file, and so no distance.
  const cases = all.filter(({ final }) => final.some(({ d_sol }) => Number.isFinite(d_sol)));
  if (cases.length === 0) return undefined;
  const final = cases.flatMap((one) => one.final);
  const columns = COLUMNS.filter(({ relation }) => final.some((record) => Number.isFinite(record[relation])));
  const width = (PRINT_WIDTH - 8 - (columns.length - 1) * 12) / columns.length;
  const rows = cases.map((one) => ({
    title: one.title,
    runs: one.final,
    ranks: columns.map(({ relation }) => rankWords(one, relation, published)),
  }));
  const panels = rows.flatMap(({ title, runs, ranks }, row) => {
    // A line that one panel of a row has is left empty in the others, so that plots stand side by side.
    const empty = ranks.some((words) => words !== undefined) ? " " : undefined;
    return columns.map(({ relation, label }, column) => {
      const letter = panelLetter(row * columns.length + column, rows.length * columns.length);
      return panel(runs, { relation, label, letter, title, subtitle: ranks[column] ?? empty, width });
    });
  });
  const ranked = rows.flatMap(({ ranks }) => ranks.flatMap((words) => words ?? []));
  const isCited = published !== undefined && ranked.some((words) => words.includes(` (${published.source} `));
  const alphas = alphasOf(final);
  const counts = rows.flatMap(({ runs }) => alphas.map((alpha) => atAlpha(runs, alpha, "d_sol").size));
  const spread = spreadWords(counts, {
    intervals: " with 95 % Student-t intervals in both directions",
    seeds: "",
  });
  return {
    name: "mechanisms",
    title: "Mechanisms",
    caption:
      `Realised solution distance against ${list(columns.map(({ words }) => words))} ` +
      `after ${roundWords(records)}. ${
        counts.every((count) => count <= 1)
          ? "Markers are single runs, of one seed. "
          : `Large markers are means over up to ${seedWords(seedsOf(final).length)}${spread}, small ones single runs. `
      }` +
      [
        ...(ranked.length > 0
          ? [
              `Spearman's ρ_s is over the single runs without ${referenceWords(records)}${isCited ? `, the ${published.source}'s in brackets` : ""}.`,
            ]
          : []),
        ...(panels.some(({ isCut }) => isCut) ? [ARROWHEAD_WORDS] : []),
      ].join(" "),
    svg: figure(grid(panels, columns.length, { x: 12, y: 14 }, "bottom"), {
      name: "Solution distance against gradients, parameters and errors",
      description: `${cases.map(({ title }) => title).join("; ")}: means with intervals and single runs.`,
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
  readonly letter: string | undefined;
  readonly title: string;
  readonly subtitle: string | undefined;
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

function panel(runs: readonly SeedRecord[], options: PanelOptions): Drawing & { readonly isCut: boolean } {
  const { relation, label, letter, title, subtitle, width } = options;
  const [xBounds, yBounds] = [boundsOf("d_sol"), boundsOf(relation)];
  const dots = runs.flatMap(({ d_sol, alpha, [relation]: y }) =>
    Number.isFinite(d_sol) && Number.isFinite(y) ? [{ x: d_sol, y, color: alphaColor(alpha) }] : [],
  );
  let hasIntervals = false;
  const crosses = alphasOf(runs).flatMap((alpha): Cross[] => {
    const [x, y] = [spreadAt(runs, alpha, "d_sol"), spreadAt(runs, alpha, relation)];
    if (!x || !y) return [];
    hasIntervals ||= y.low !== null;
    const [x1, x2, y1, y2] = [x.low ?? x.mean, x.high ?? x.mean, y.low ?? y.mean, y.high ?? y.mean];
    return [{ color: alphaColor(alpha), x: x.mean, y: y.mean, x1, x2, y1, y2 }];
  });
  const measured = runs.filter(({ d_sol }) => Number.isFinite(d_sol));
  const known = dots.length > 0 ? dots : measured.map(({ d_sol }) => ({ x: d_sol, y: 1 }));
  const inX = (value: number) => within(value, xBounds);
  const inY = (value: number) => within(value, yBounds);
  const xTicks = ticksOver([
    ...known.map(({ x }) => x),
    ...crosses.flatMap(({ x1, x2 }) => [inX(x1), inX(x2)]),
  ]);
  const yTicks = ticksOver([
    ...known.map(({ y }) => y),
    ...crosses.flatMap(({ y1, y2 }) => [inY(y1), inY(y2)]),
  ]);
  const cut = {
    left: crosses.filter(({ x1 }) => x1 < xBounds[0]),
    down: crosses.filter(({ y1 }) => y1 < yBounds[0]),
    up: crosses.filter(({ y2 }) => y2 > yBounds[1]),
  };
  const margins = { top: 5, right: 8, bottom: 32, left: axisRoom(yTicks.map(decimals(yTicks))) };
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
      Plot.dot(dots, { x: "x", y: "y", r: 1.5, fill: "color", fillOpacity: hasIntervals ? 0.4 : 0.7 }),
      Plot.ruleX(crosses, {
        x: "x",
        y1: ({ y1 }: Cross) => inY(y1),
        y2: ({ y2 }: Cross) => inY(y2),
        stroke: "color",
        strokeWidth: 1,
      }),
      Plot.ruleY(crosses, {
        y: "y",
        x1: ({ x1 }: Cross) => inX(x1),
        x2: ({ x2 }: Cross) => inX(x2),
        stroke: "color",
        strokeWidth: 1,
      }),
      arrowheads(cut.left, "left", { x: () => xBounds[0], y: "y", stroke: "color" }),
      arrowheads(cut.down, "down", { x: "x", y: () => yBounds[0], stroke: "color" }),
      arrowheads(cut.up, "up", { x: "x", y: () => yBounds[1], stroke: "color" }),
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
  const over = heading({ letter, title, subtitle }, margins.left, width);
  const drawing = stack([over, framed(plot, margins, { x: "solution distance D_sol", y: label })], 3);
  return { ...drawing, isCut: Object.values(cut).some((places) => places.length > 0) };
}

function spreadAt(runs: readonly SeedRecord[], alpha: number, name: "d_sol" | Relation) {
  return seedSpread([...atAlpha(runs, alpha, name).values()]);
}

/** Spearman's correlation beside the published one; nothing where there are too few runs for one. */
function rankWords(one: Case, relation: Relation, published: Published | undefined): string | undefined {
  const ours = correlation("spearman", withoutReference(one.final), "d_sol", relation);
  const value = one.isPublished ? published?.spearman(one, relation) : undefined;
  const stated = value === undefined ? "" : ` (${published!.source} ${fixed(value, 2)})`;
  return ours ? `ρ_s = ${fixed(ours.value, 2)}, n = ${ours.observations}${stated}` : undefined;
}

function ticksOver(values: readonly number[]): number[] {
  return coveringTicks(Math.min(0, ...values), Math.max(0, ...values));
}
