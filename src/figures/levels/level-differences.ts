import * as Plot from "@observablehq/plot";
import type { Axis, Comparison, Level } from "../../analysis/axes/axes.js";
import {
  alphasOfComparison,
  type ComparedError,
  differenceFromFirst,
  differencesBySeed,
  firstLabel,
  firstOf,
} from "../../analysis/axes/axis-contrasts.js";
import {
  type Measurement,
  overSeeds,
  roundWords,
  type SeedSummary,
  sideOfZero,
} from "../../analysis/observations.js";
import type { RecordFigure } from "../../analysis/report.js";
import { leftWords } from "../../analysis/tables/axis-table.js";
import { fixed } from "../../analysis/tables/table.js";
import { evenly } from "../alpha-axis.js";
import {
  beside,
  caption,
  type Drawing,
  figure,
  framed,
  heading,
  type Margins,
  panelLetter,
  plotMargins,
  stack,
} from "../compose.js";
import { figureDocument } from "../document.js";
import { dotEntry, hollowEntry, legend, smallDotEntry } from "../legend.js";
import { FEWEST_FOR_INTERVAL } from "../seed-spread.js";
import { tickLabels, ticksFitting } from "../ticks.js";
import { FAINT_INK, GRID, INK, PRINT_WIDTH, SIZE, shortened, textWidth } from "../typography.js";

/** Panels side by side, and the room of one level in pixels. */
const MOST_PANELS = 4;
const ROW = 15;
/** A label takes no more pixels than this. */
const WIDEST_LABEL = 240;

/** By where the interval lies: below zero, above, or over it; and without an interval. */
const COLORS = { below: "#0072b2", above: "#d55e00", includes: FAINT_INK, none: INK } as const;
type Verdict = keyof typeof COLORS;

interface Row {
  readonly label: string;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly verdict: Verdict;
  readonly seeds: readonly number[];
}

interface Panel {
  readonly title: string;
  readonly subtitle: string;
  readonly rows: readonly Row[];
}

/**
 * How levels differ from the first one, such as strategies from federated averaging: a row a level, a panel a
 * concentration, one line of panels a comparison. Undefined where nothing is paired.
 */
export function levelDifferencesFigure(axis: Axis, error: ComparedError): RecordFigure | undefined {
  const lines = axis.comparisons
    .map((comparison) => ({ comparison, panels: panelsOf(comparison, error) }))
    .filter(({ panels }) => panels.some(({ rows }) => rows.length > 0));
  if (lines.length === 0) return undefined;
  const first = firstLabel(axis) ?? "the first level";
  const records = axis.comparisons.flatMap(({ levels }) => levels.flatMap(({ of }) => of.records));
  const all = lines.flatMap(({ panels }) => panels);
  const rows = all.flatMap((panel) => panel.rows);
  let index = 0;
  const drawings = lines.map(({ comparison, panels }) => {
    const title = lines.length > 1 ? comparison.title : undefined;
    const drawn = line(panels, { first: firstOf(comparison).label, index, count: all.length });
    index += panels.length;
    return title === undefined ? drawn : stack([caption(title, { size: SIZE.panel, weight: 600 }), drawn], 4);
  });
  const shown = new Set(rows.map(({ verdict }) => verdict));
  const hasFew = rows.some(({ seeds }) => seeds.length > 0);
  const hasIntervals = [...shown].some((verdict) => verdict !== "none");
  const { words, suffix } = error;
  return {
    name: `difference-${axis.name}${suffix}`,
    title: `Difference from ${first}`,
    caption:
      `${words.charAt(0).toUpperCase()}${words.slice(1)} after ${roundWords(records)}, minus that of ${first} with the same seed and ` +
      `α, in percentage points: negative values are improvements. ${spreadWords(hasIntervals, hasFew)} Above each panel is what ` +
      `${first} has. Panels of one row have the same axis.${leftWords(axis)}`,
    svg: figure(stack(drawings, 16), {
      name: `${axis.title}: difference of the ${words} from ${first}`,
      description: `${all.map(({ title }) => title).join("; ")}: ${rows.map(({ label }) => label).join(", ")}.`,
      legend: legend(entries(shown, hasFew), PRINT_WIDTH - 8),
      width: PRINT_WIDTH,
    }),
  };
}

function spreadWords(hasIntervals: boolean, hasFew: boolean): string {
  if (!hasIntervals && !hasFew) return "Values of one seed.";
  const bars = hasIntervals ? ", bars 95 % Student-t intervals" : "";
  const tail = hasIntervals ? ` where these are fewer than ${FEWEST_FOR_INTERVAL}` : "";
  return `Markers are means over seeds${bars}${hasFew ? `; small dots are single seeds${tail}` : ""}.`;
}

const VERDICTS: readonly (readonly [Verdict, string])[] = [
  ["below", "interval below zero"],
  ["above", "interval above zero"],
  ["includes", "interval includes zero"],
];

function entries(shown: ReadonlySet<Verdict>, hasFew: boolean): Drawing[] {
  const marker = (verdict: Verdict) => ({ color: COLORS[verdict], symbol: "circle" }) as const;
  const told = VERDICTS.filter(([verdict]) => shown.has(verdict));
  return [
    ...told.map(([verdict, words]) =>
      (verdict === "includes" ? hollowEntry : dotEntry)(words, marker(verdict)),
    ),
    ...(hasFew
      ? [
          dotEntry(told.length > 0 ? "mean of few seeds" : "mean", marker("none")),
          smallDotEntry("one seed", { color: FAINT_INK, r: 1.5, fillOpacity: 0.7 }),
        ]
      : []),
  ];
}

function panelsOf(comparison: Comparison, { measurement }: ComparedError): Panel[] {
  const first = firstOf(comparison);
  return evenly(alphasOfComparison(comparison), MOST_PANELS).flatMap((alpha) => {
    const error = overSeeds(first.of.final, alpha, measurement, 100);
    if (!error) return [];
    const rows = comparison.levels
      .filter((level) => level !== first)
      .flatMap((level) => rowOf(level, first, alpha, measurement) ?? []);
    return [{ title: `α = ${alpha}`, subtitle: `${first.label}: ${percent(error)} %`, rows }];
  });
}

function percent({ mean, sd }: SeedSummary): string {
  return sd === null ? fixed(mean, 2) : `${fixed(mean, 2)} (${fixed(sd, 2)})`;
}

function rowOf(level: Level, first: Level, alpha: number, name: Measurement): Row | undefined {
  const difference = differenceFromFirst(level, first, alpha, name);
  if (!difference) return undefined;
  const { mean, low, high, seeds: count } = difference;
  const isFew = count < FEWEST_FOR_INTERVAL;
  return {
    label: level.label,
    mean,
    low: isFew ? mean : low!,
    high: isFew ? mean : high!,
    verdict: isFew ? "none" : (sideOfZero(difference) ?? "none"),
    seeds: isFew && count > 1 ? differencesBySeed(level, first, alpha, name) : [],
  };
}

interface Place {
  readonly first: string;
  /** Of the line's first panel among all. */
  readonly index: number;
  readonly count: number;
}

/** Panels side by side, the first of them with the names of the levels. */
function line(panels: readonly Panel[], { first, index, count }: Place): Drawing {
  const labels = [...new Set(panels.flatMap(({ rows }) => rows.map(({ label }) => label)))];
  const room = Math.min(WIDEST_LABEL, Math.max(...labels.map((label) => textWidth(label, SIZE.tick)))) + 8;
  const gap = 10;
  const width = (PRINT_WIDTH - 8 - room - (panels.length - 1) * gap) / panels.length;
  const scale = valueScale(
    panels.flatMap(({ rows }) => rows),
    width - 16,
  );
  const drawings = panels.map((panel, i) => {
    const margins: Margins = { top: 4, right: 8, bottom: 32, left: i === 0 ? room : 8 };
    const wide = width + (i === 0 ? room - 8 : 0);
    const plot = drawPanel(panel, { labels, scale, width: wide, margins, isFirst: i === 0 });
    const over = heading(
      { letter: panelLetter(index + i, count), title: panel.title, subtitle: panel.subtitle },
      margins.left,
      wide,
    );
    return stack(
      [over, framed(plot, margins, { x: shortened(`minus ${first} (pp)`, width, SIZE.label) })],
      3,
    );
  });
  return beside(drawings, gap);
}

interface ValueScale {
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  readonly format: (tick: number) => string;
  readonly scale: Plot.ScaleOptions;
}

/** Values this many times the median one away would press all others together on a linear axis. */
const FAR = 12;

/** An axis over all that is drawn: linear, or linear near zero and logarithmic beyond. */
function valueScale(rows: readonly Row[], length: number): ValueScale {
  const values = rows.flatMap(({ mean, low, high, seeds }) => [mean, low, high, ...seeds]);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = high - low || 1;
  const sizes = rows.map(({ mean, low: from, high: to }) => Math.max(Math.abs(mean), (to - from) / 2));
  const median = sizes.sort((a, b) => a - b)[sizes.length >> 1];
  if (median > 0 && Math.max(-low, high) > FAR * median) return symlogScale(low, high, { median, length });
  const domain = [low - 0.04 * span, high + 0.04 * span] as const;
  const ticks = ticksFitting(...domain, length);
  return { domain, ticks, format: tickLabels(ticks).format, scale: { type: "linear" } };
}

/** Linear within the power of ten below the median size, logarithmic beyond; ticks are powers of ten. */
function symlogScale(
  low: number,
  high: number,
  { median, length }: { readonly median: number; readonly length: number },
): ValueScale {
  const constant = 10 ** Math.floor(Math.log10(median));
  const domain = [low * 1.15 - 0.2 * constant, high * 1.15 + 0.2 * constant] as const;
  const powers = Array.from({ length: 12 }, (_, i) => constant * 10 ** i);
  const digits = Math.max(0, -Math.floor(Math.log10(constant) + 1e-9));
  const format = (tick: number) =>
    tick.toFixed(Math.abs(tick) >= 1 || tick === 0 ? 0 : digits).replace("-", "−");
  const position = (value: number) => Math.sign(value) * Math.log1p(Math.abs(value) / constant);
  const pixels = length / (position(domain[1]) - position(domain[0]));
  // Zero first, then positive powers: a tick whose label would touch one that is there is left out.
  const ticks: number[] = [];
  for (const tick of [0, ...powers, ...powers.map((power) => -power)]) {
    const room = (other: number) =>
      (textWidth(format(tick), SIZE.tick) + textWidth(format(other), SIZE.tick)) / 2 + 4;
    const isFree = ticks.every((other) => pixels * Math.abs(position(tick) - position(other)) >= room(other));
    if (tick >= domain[0] && tick <= domain[1] && isFree) ticks.push(tick);
  }
  return { domain, ticks, format, scale: { type: "symlog", constant } };
}

interface Scene {
  readonly labels: readonly string[];
  readonly scale: ValueScale;
  readonly width: number;
  readonly margins: Margins;
  readonly isFirst: boolean;
}

function drawPanel({ rows }: Panel, { labels, scale, width, margins, isFirst }: Scene): Element {
  const color = ({ verdict }: Row) => COLORS[verdict];
  const isFilled = ({ verdict }: Row) => verdict !== "includes";
  const dot = { x: "mean", y: "label", r: 2.8, stroke: color, strokeWidth: 1.1 } as const;
  const seeds = rows.flatMap(({ label, seeds: values }) => values.map((value) => ({ label, value })));
  const room = margins.left - 8;
  return Plot.plot({
    document: figureDocument(),
    width,
    height: labels.length * ROW + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { ...scale.scale, domain: [...scale.domain], axis: null },
    y: { type: "band", domain: [...labels], axis: null },
    marks: [
      Plot.ruleX(scale.ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleX([0], { stroke: FAINT_INK, strokeWidth: 0.9 }),
      Plot.ruleY(rows, { x1: "low", x2: "high", y: "label", stroke: color, strokeWidth: 1.2 }),
      Plot.dot(seeds, { x: "value", y: "label", r: 1.5, fill: FAINT_INK, fillOpacity: 0.7 }),
      Plot.dot(rows.filter(isFilled), { ...dot, fill: color }),
      Plot.dot(
        rows.filter((row) => !isFilled(row)),
        { ...dot, fill: "#ffffff" },
      ),
      Plot.text(scale.ticks, {
        x: (tick: number) => tick,
        text: scale.format,
        frameAnchor: "bottom",
        lineAnchor: "top",
        dy: 6,
      }),
      Plot.text(isFirst ? labels : [], {
        y: (label: string) => label,
        text: (label: string) => shortened(label, room, SIZE.tick),
        frameAnchor: "left",
        textAnchor: "end",
        dx: -6,
      }),
    ],
  });
}
