import * as Plot from "@observablehq/plot";
import type { SeriesStyle } from "../../../../../figures/palette.js";
import { FEWEST_FOR_INTERVAL } from "../../../../../figures/seed-spread.js";
import { logTicks, tickLabels, ticksFitting } from "../../../../../figures/ticks.js";
import { PlotFigure } from "../../../parts/plot-figure.js";
import { change } from "../../../state.js";
import type { LevelSummary } from "../results/level-summaries.js";

/** Height of the row of a level, and of the axis below them. */
export const [ROW, AXIS] = [20, 20];

interface SeedPlotProps {
  readonly summaries: readonly LevelSummary[];
  readonly styles: readonly (SeriesStyle | undefined)[];
  readonly unit: string;
  /** Whether values that are far apart may be drawn on a logarithmic axis. */
  readonly isLogarithmic: boolean;
  readonly label: string;
  readonly active?: string;
}

/** A row for each level: its seeds as small dots, their mean with its interval. A click on a dot opens its run. */
export function SeedPlot({ summaries, styles, unit, isLogarithmic, label, active }: SeedPlotProps) {
  const height = summaries.length * ROW + AXIS;
  const dots = summaries.flatMap(({ bySeed, runs }, row) =>
    [...bySeed].map(([seed, value]) => ({ row, seed, value, run: runs.get(seed) ?? "" })),
  );
  const means = summaries.flatMap(({ summary, level }, row) => {
    if (!summary) return [];
    const { mean, low, high, seeds } = summary;
    const hasInterval = seeds >= FEWEST_FOR_INTERVAL && low !== null && high !== null;
    return [
      { row, mean, low: hasInterval ? low : mean, high: hasInterval ? high : mean, label: level.label },
    ];
  });
  const scale = scaleOf(
    [...dots.map(({ value }) => value), ...means.flatMap((one) => [one.low, one.high])],
    isLogarithmic,
  );
  const [low, high] = scale.domain;
  const colorOf = (row: number) =>
    styles[row]?.color ?? (summaries[row].level.label === active ? "var(--accent)" : "var(--faint)");
  return (
    <PlotFigure
      label={label}
      height={height}
      of={[summaries, styles, active]}
      options={(width) => {
        const inner = width - 16;
        const isLog = scale.type === "log";
        const ticks = isLog ? logTicks(low, high) : ticksFitting(low, high, inner);
        return {
          ...{ marginLeft: 8, marginRight: 8, marginTop: 0, marginBottom: AXIS },
          x: { ...scale, axis: null },
          y: { domain: [0, summaries.length], range: [0, summaries.length * ROW], axis: null },
          marks: [
            Plot.ruleX(ticks, { stroke: "var(--line)", strokeWidth: 0.75 }),
            ...(low < 0 && high > 0
              ? [Plot.ruleX([0], { stroke: "var(--strong-line)", strokeWidth: 1 })]
              : []),
            Plot.dot(dots, {
              x: "value",
              y: ({ row }) => row + 0.5,
              r: 2.2,
              fill: ({ row }) => colorOf(row),
              fillOpacity: 0.45,
              render: clickable(dots.map(({ run }) => run)),
            }),
            Plot.ruleY(means, {
              ...{ x1: "low", x2: "high", y: ({ row }: { row: number }) => row + 0.5 },
              ...{ stroke: ({ row }: { row: number }) => colorOf(row), strokeWidth: 1.6 },
            }),
            ...means.map((one) =>
              Plot.dot([one], {
                ...{ x: "mean", y: () => one.row + 0.5, symbol: styles[one.row]?.symbol ?? "circle", r: 4 },
                ...{ fill: colorOf(one.row), stroke: "var(--ground)", strokeWidth: 1, pointerEvents: "none" },
              }),
            ),
            Plot.text(ticks, {
              ...{
                x: (tick: number) => tick,
                text: isLog ? String : tickLabels(ticks).format,
                frameAnchor: "bottom",
              },
              ...{ lineAnchor: "top", dy: 5, fill: "var(--faint)" },
            }),
            Plot.tip(
              dots,
              Plot.pointer({
                x: "value",
                y: ({ row }) => row + 0.5,
                title: ({ seed, value }) => `seed ${seed}: ${Number(value.toPrecision(5))}${unit}`,
                ...{ fill: "var(--raised)", stroke: "var(--line)", pathFilter: "none", maxRadius: 12 },
              }),
            ),
          ],
        };
      }}
    />
  );
}

/** Draws a mark whose elements open their runs. */
function clickable(runs: readonly string[]): Plot.RenderFunction {
  return (index, scales, values, dimensions, context, next) => {
    const drawn = next!(index, scales, values, dimensions, context)!;
    [...drawn.children].forEach((child, i) => {
      child.classList.add("study-seed-dot");
      child.addEventListener("pointerdown", (event) => {
        event.stopPropagation(); // or the tip would stay
        change({ run: runs[index[i]] });
      });
    });
    return drawn;
  };
}

/** From this ratio on, the small values would lie on top of each other on a linear axis. */
const FAR_APART = 6;

/** The axis of what is drawn, with some air. */
function scaleOf(values: readonly number[], isLogarithmic: boolean) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!Number.isFinite(low)) return { type: "linear", domain: [0, 1] } as const;
  if (isLogarithmic && low > 0 && high / low > FAR_APART)
    return { type: "log", domain: [low / 1.08, high * 1.08] } as const;
  const air = (high - low || Math.abs(high) || 1) * 0.06;
  return { type: "linear", domain: [low - air, high + air] } as const;
}
