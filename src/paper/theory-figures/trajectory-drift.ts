import { type Drawing, figure, grid } from "../../figures/compose.js";
import { legend, legendEntry, lineEntry } from "../../figures/legend.js";
import { INK, PRINT_WIDTH } from "../../figures/typography.js";
import { activationName, startName } from "../theory/cases.js";
import type { DriftCase, DriftEvidence, DriftPoint } from "../theory/evidence/trajectory-drift-evidence.js";
import { LARGEST_SHOWN } from "../theory/trajectory-drift.js";
import { remainderPanel, STEP_STYLES } from "./remainder-panel.js";

const GAP = 14;
const WIDTH = (PRINT_WIDTH - 8 - GAP) / 2;
const HEIGHT = 172;
const RANGE = [1e-24, LARGEST_SHOWN] as const;
/** Colour of the drift after one step, which is round-off. */
const ROUND_OFF = "#9a9a9a";
/** Number of steps whose drift is drawn beside the remainders. */
const SHOWN = 5;

/** Drift and its remainders over the learning rate: smooth activation at the left, kinks at the right. */
export function trajectoryDriftFigure({ cases }: DriftEvidence): string {
  const starts = [...new Set(cases.map(({ start }) => start))];
  const columns = starts.flatMap((start) => [true, false].flatMap((smooth) => find(cases, start, smooth)));
  const steps = stepsOf(cases[0]);
  return figure(
    grid(
      columns.map((one, i) => panel(one, String.fromCharCode(97 + i))),
      2,
      { x: GAP, y: 12 },
    ),
    {
      name: "Drift of the averaged model from the centralised one",
      description:
        "Distance between federated and centralised parameters over the learning rate, and what is left of it without " +
        "its leading term.",
      legend: legend(
        [
          lineEntry("drift, E = 1", { color: ROUND_OFF, width: 1.25 }),
          lineEntry(`drift, E = ${SHOWN}`, { color: INK, width: 1.25 }),
          lineEntry("its leading term", { color: INK, width: 1.25, dashed: true }),
          ...steps.map((count, i) => legendEntry(`remainder, E = ${count}`, STEP_STYLES[i])),
        ],
        PRINT_WIDTH - 8,
      ),
      width: PRINT_WIDTH,
    },
  );
}

const find = (cases: readonly DriftCase[], start: string, smooth: boolean): DriftCase[] =>
  cases.filter((one) => one.start === start && one.smooth === smooth);

const stepsOf = ({ points }: DriftCase): number[] => [
  ...new Set(points.flatMap(({ steps }) => (steps > 1 ? [steps] : []))),
];

function panel(one: DriftCase, letter: string): Drawing {
  const line = (steps: number, size: (point: DriftPoint) => number) =>
    one.points
      .filter((point) => point.steps === steps)
      .map((point) => ({ rate: point.rate, size: size(point) }));
  const remainders = stepsOf(one).map((steps) => line(steps, ({ remainder }) => remainder));
  const rates = one.points.map(({ rate }) => rate);
  const last = remainders[0].at(-1)!;
  return remainderPanel({
    letter,
    title: `${activationName(one)}, ${startName(one)}`,
    yLabel: "distance of parameters",
    width: WIDTH,
    height: HEIGHT,
    y: RANGE,
    rates: [Math.min(...rates) / 1.5, Math.max(...rates) * 1.5],
    lines: [
      { points: line(1, ({ drift }) => drift), stroke: ROUND_OFF },
      { points: line(SHOWN, ({ drift }) => drift), stroke: INK },
      { points: line(SHOWN, ({ leading }) => leading), stroke: INK, dashed: true },
    ],
    series: remainders.map((points, i) => ({ points, style: STEP_STYLES[i] })),
    guide: { through: { rate: 1e3 * last.rate, size: 1e9 * last.size * 1e-3 }, slope: 3, label: "η^3" },
  });
}
