import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { ticksFitting } from "../../../../../figures/ticks.js";
import { useSizeOf } from "../../../parts/size-of.js";
import { theme } from "../../../parts/theme-button.js";
import type { RunStyle } from "../runs/run-styles.js";
import { roundsShown, valuesShown, valueTicks } from "./chart-scales.js";

interface LiveChartProps {
  /** What screen readers call it, with its latest values. */
  readonly label: string;
  readonly rounds: readonly number[];
  /** Rounds that training ends with. */
  readonly planned: number;
  /** Of each run; null where nothing was measured. */
  readonly values: readonly (readonly (number | null)[])[];
  /** Changes when the arrays have grown. */
  readonly at: number;
  readonly names: readonly string[];
  readonly styles: readonly RunStyle[];
  readonly isLogarithmic: boolean;
  readonly format: (value: number) => string;
}

/** Charts of a view show the same round under the pointer. */
const CURSOR = uPlot.sync("training");

/** Curves that grow with the rounds, each with its name at its end. */
export function LiveChart(props: LiveChartProps) {
  const { label, rounds, planned, values, at, names, styles, isLogarithmic } = props;
  const place = useRef<HTMLDivElement>(null);
  const size = useSizeOf(place);
  const chart = useRef<uPlot | undefined>(undefined);
  const newest = useRef(props);
  newest.current = props;
  const hasSize = size !== undefined && size.width > 60;
  useLayoutEffect(() => {
    if (!hasSize) return;
    const made = new uPlot(optionsOf(newest, size), [[], ...names.map(() => [])], place.current!);
    chart.current = made;
    made.setData([rounds, ...values] as uPlot.AlignedData);
    return () => {
      made.destroy();
      chart.current = undefined;
    };
  }, [hasSize, names.join("\n"), JSON.stringify(styles), isLogarithmic, theme.value, rounds]);
  useLayoutEffect(() => {
    if (size && chart.current) chart.current.setSize(size);
  }, [size]);
  useEffect(() => {
    chart.current?.setData([rounds, ...values] as uPlot.AlignedData);
  }, [at, planned]);
  return <div ref={place} class="live-chart" role="img" aria-label={label} />;
}

function optionsOf(
  newest: { readonly current: LiveChartProps },
  size: { readonly width: number; readonly height: number },
): uPlot.Options {
  const { names, styles, isLogarithmic } = newest.current;
  const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const [faint, line, ground] = [color("--faint"), color("--line"), color("--ground")];
  const font = `11px ${color("--font")}`;
  const axis = { stroke: faint, font, ticks: { show: false }, grid: { stroke: line, width: 1 }, gap: 4 };
  return {
    ...size,
    padding: [8, labelRoom(names, font), 0, 0],
    legend: { show: false },
    cursor: {
      sync: { key: CURSOR.key },
      drag: { x: false, y: false },
      y: false,
      points: { size: 6, stroke: (_, i) => styles[i - 1].color, fill: ground },
    },
    scales: {
      x: { time: false, range: (_, __, last) => [0, roundsShown(last ?? 0, newest.current.planned)] },
      y: {
        distr: isLogarithmic ? 3 : 1,
        range: (_, low, high) => valuesShown(low, high, isLogarithmic),
      },
    },
    axes: [
      {
        ...axis,
        size: 20,
        splits: (u) => ticksFitting(u.scales.x.min!, u.scales.x.max!, u.bbox.width / devicePixelRatio),
        values: (_, splits) => splits.map(String),
        grid: { show: false },
      },
      {
        ...axis,
        size: 44,
        splits: (u) => valueTicks(u.scales.y.min!, u.scales.y.max!, isLogarithmic),
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map((value) => newest.current.format(value)),
      },
    ],
    series: [
      {},
      ...styles.map(({ color: stroke, dashes }) => ({
        stroke,
        dash: [...dashes],
        width: 1.75,
        spanGaps: true,
        points: { show: false },
      })),
    ],
    hooks: { draw: [(u) => drawNames(u, newest.current.names, styles, font)] },
  };
}

/** Room for names at the ends of curves. */
function labelRoom(names: readonly string[], font: string): number {
  const context = document.createElement("canvas").getContext("2d")!;
  context.font = font;
  return 8 + Math.max(0, ...names.map((_, i) => context.measureText(endLabel(names, i)).width));
}

/** The longest name that stands beside a curve. */
const LONGEST = 14;

/** What stands beside a curve: its name, the first words of a long one, or its place in the table. */
function endLabel(names: readonly string[], run: number): string {
  const [first] = names[run].split(",");
  const isOnly = names.every((name, i) => i === run || name.split(",")[0] !== first);
  if (names[run].length <= LONGEST) return names[run];
  return isOnly && first.length <= LONGEST ? first : `run ${run + 1}`;
}

/** Pixels from one name to the next. */
const APART = 13;

/** Writes the name of each run beside the last point of its curve; names that meet move apart. */
function drawNames(u: uPlot, names: readonly string[], styles: readonly RunStyle[], font: string): void {
  const scale = devicePixelRatio;
  const ends = names.flatMap((_, run) => {
    const values = u.data[run + 1];
    let last = values.length - 1;
    while (last >= 0 && values[last] === null) last--;
    if (last < 0) return [];
    const [x, y] = [u.valToPos(u.data[0][last], "x", true), u.valToPos(values[last]!, "y", true)];
    return [{ text: endLabel(names, run), x, y, color: styles[run].ink }];
  });
  ends.sort((a, b) => a.y - b.y);
  const most = u.bbox.top + u.bbox.height - 5 * scale;
  for (let i = 1; i < ends.length; i++) ends[i].y = Math.max(ends[i].y, ends[i - 1].y + APART * scale);
  for (let i = ends.length - 1, floor = most; i >= 0; i--) {
    ends[i].y = Math.min(ends[i].y, floor);
    floor = ends[i].y - APART * scale;
  }
  const { ctx } = u;
  ctx.save();
  ctx.font = font.replace(/^\d+/, (pixels) => String(Number(pixels) * scale));
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const { text, x, y, color } of ends) {
    ctx.fillStyle = color;
    ctx.fillText(text, x + 6 * scale, y);
  }
  ctx.restore();
}
