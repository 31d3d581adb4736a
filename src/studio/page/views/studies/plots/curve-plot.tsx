import * as Plot from "@observablehq/plot";
import type { SeriesStyle } from "../../../../../figures/palette.js";
import { coveringTicks, decimals, logTicks, powerLabels, ticksWithin } from "../../../../../figures/ticks.js";
import { PlotFigure } from "../../../parts/plot-figure.js";
import type { LevelCurve } from "../results/level-curves.js";

/** A curve with its level. */
export interface DrawnCurve {
  readonly label: string;
  readonly curve: LevelCurve;
  /** Undefined where curves are too many for colours. */
  readonly style: SeriesStyle | undefined;
}

interface CurvePlotProps {
  readonly curves: readonly DrawnCurve[];
  readonly isLogarithmic: boolean;
  readonly unit: string;
  readonly height: number;
  readonly label: string;
  /** The level that stands out. */
  readonly active?: string;
}

/** Bands of more curves than these hide each other: then the one that stands out has its own. */
const MOST_BANDS = 6;
/** Room of a label on the axis of values. */
const TICK_ROOM = 13;
/** Labels of the axis of rounds. */
const ROUNDS = [0, 1, 10, 100, 1000, 10_000, 100_000];
const MARGIN = { marginTop: 6, marginRight: 10, marginBottom: 18, marginLeft: 40 } as const;

/** Means over rounds, on an axis of log(1 + r), with their bands or single seeds. */
export function CurvePlot({ curves, isLogarithmic, unit, height, label, active }: CurvePlotProps) {
  return (
    <PlotFigure
      label={label}
      height={height}
      of={[curves, isLogarithmic, unit, active]}
      options={() => ({
        ...MARGIN,
        x: { type: "symlog", constant: 1, domain: [0, lastOf(curves)], axis: null },
        y: { ...axisOf(curves, isLogarithmic, height).scale, axis: null },
        marks: marksOf(curves, { isLogarithmic, unit, height, active }),
      })}
    />
  );
}

const lastOf = (curves: readonly DrawnCurve[]): number =>
  Math.max(1, ...curves.flatMap(({ curve: { points } }) => points.at(-1)?.round ?? 0));

function marksOf(
  curves: readonly DrawnCurve[],
  { isLogarithmic, unit, height, active }: Omit<CurvePlotProps, "curves" | "label">,
): Plot.Markish[] {
  const { ticks, words, bottom } = axisOf(curves, isLogarithmic, height);
  const last = lastOf(curves);
  const faint = { fill: "var(--faint)", stroke: "none" } as const;
  const rounds = roundTicks(last);
  const colorOf = ({ label, style }: DrawnCurve) =>
    label === active && !style ? "var(--accent)" : (style?.color ?? "var(--strong-line)");
  const isFew = curves.length <= MOST_BANDS;
  const isBack = ({ label }: DrawnCurve) => active !== undefined && label !== active;
  const ordered = [...curves].sort((a, b) => Number(a.label === active) - Number(b.label === active));
  const all = ordered.flatMap((one) => one.curve.points.map((point) => ({ ...point, label: one.label })));
  return [
    Plot.ruleY(ticks, { stroke: "var(--line)", strokeWidth: 0.75 }),
    ...ordered
      .filter((one) => one.style !== undefined && (active === undefined ? isFew : one.label === active))
      .map((one) =>
        Plot.areaY(
          one.curve.points.filter(({ low }) => low !== null),
          {
            x: "round",
            y1: (point) => Math.max(bottom, point.low!),
            y2: "high",
            fill: colorOf(one),
            fillOpacity: 0.15,
          },
        ),
      ),
    ...ordered.flatMap((one) => [
      Plot.line(one.style || one.label === active ? one.curve.seeds : [], {
        ...{ x: "round", y: "value", z: "seed", stroke: colorOf(one) },
        ...{ strokeWidth: 0.8, strokeOpacity: isBack(one) ? 0.15 : 0.5 },
      }),
      Plot.lineY(one.curve.points, {
        ...{ x: "round", y: "mean", stroke: colorOf(one) },
        ...{ strokeWidth: one.label === active ? 2.25 : 1.4, strokeOpacity: isBack(one) ? 0.25 : 1 },
      }),
      ...(one.style
        ? [
            Plot.dot(one.curve.points, {
              ...{ x: "round", y: "mean", fill: colorOf(one), symbol: one.style.symbol },
              ...{ r: 2.4, fillOpacity: isBack(one) ? 0.25 : 1, className: "checkpoint" },
            }),
          ]
        : []),
    ]),
    Plot.ruleY([bottom], { stroke: "var(--strong-line)", strokeWidth: 0.75 }),
    Plot.text(ticks, {
      y: (tick: number) => tick,
      text: words,
      frameAnchor: "left",
      textAnchor: "end",
      dx: -5,
      ...faint,
    }),
    Plot.text(rounds, {
      ...{ x: (round: number) => round, text: String, frameAnchor: "bottom", lineAnchor: "top", dy: 5 },
      ...faint,
    }),
    Plot.tip(
      all,
      Plot.pointer({
        x: "round",
        y: "mean",
        title: ({ label, round, mean, seeds }) =>
          `${label.replace(/[_^{}`]/g, "")}\nround ${round}: ${Number(mean.toPrecision(4))}${unit}, n = ${seeds}`,
        fill: "var(--raised)",
        stroke: "var(--line)",
        pathFilter: "none",
        maxRadius: 30,
      }),
    ),
  ];
}

/** Powers of ten up to the last round, and that one where there is room beside them. */
function roundTicks(last: number): number[] {
  const ticks = ROUNDS.filter((round) => round <= last);
  const place = (round: number) => Math.log1p(round) / Math.log1p(last);
  return place(last) - place(ticks.at(-1)!) > 0.14 ? [...ticks, last] : ticks;
}

/** Ticks of a logarithmic axis, powers of ten alone where others would be too close. */
function fittingLogTicks(low: number, high: number, height: number): number[] {
  const round = logTicks(low, high);
  const exact = (tick: number) => Number(tick.toPrecision(9)); // 7 * 0.1 has a digit too many
  const ticks = round.length > 1 ? round : ticksWithin(low, high, 4).map(exact);
  const isPower = (tick: number) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9;
  const powers = ticks.filter(isPower);
  const room = height - MARGIN.marginTop - MARGIN.marginBottom;
  return ticks.length * TICK_ROOM > room && powers.length > 1 ? powers : ticks;
}

/** The scale of the values with its ticks: logarithmic where that is asked for and all values allow it. */
function axisOf(curves: readonly DrawnCurve[], isLogarithmic: boolean, height: number) {
  const points = curves.flatMap(({ curve }) => curve.points);
  const single = curves.flatMap(({ curve }) => curve.seeds.map(({ value }) => value));
  const means = [...points.map(({ mean }) => mean), ...single];
  const tops = [...means, ...points.flatMap(({ high }) => high ?? [])];
  const isLog = isLogarithmic && means.every((value) => value > 0);
  if (isLog) {
    // An interval may reach below zero, where a logarithm ends: it is cut at the axis.
    const bottoms = [
      ...means,
      ...points.flatMap(({ mean, low }) => (low !== null && low > mean / 3 ? low : [])),
    ];
    const low = Math.min(...bottoms) / 1.1;
    const high = Math.max(low * 1.5, ...tops) * 1.05;
    const ticks = fittingLogTicks(low, high, height);
    return {
      scale: { type: "log", domain: [low, high] } as const,
      ticks,
      words: powerLabels(ticks),
      bottom: low,
    };
  }
  const bottoms = [...means, ...points.flatMap(({ low }) => low ?? [])];
  const [low, high] = [Math.min(...bottoms), Math.max(...tops)];
  const ticks = coveringTicks(Number.isFinite(low) ? low : 0, Number.isFinite(high) ? high : 1);
  return {
    scale: { domain: [ticks[0], ticks.at(-1)!] },
    ticks,
    words: decimals(ticks),
    bottom: ticks[0],
  };
}
