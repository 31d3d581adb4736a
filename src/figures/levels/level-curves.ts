import type { Axis, Comparison } from "../../analysis/axes/axes.js";
import { alphasOfComparison, levelsOf } from "../../analysis/axes/axis-contrasts.js";
import { seedsOf } from "../../analysis/observations.js";
import { seedWords } from "../../analysis/phrases.js";
import type { RecordFigure } from "../../analysis/report.js";
import { leftWords } from "../../analysis/tables/axis-table.js";
import { evenly } from "../alpha-axis.js";
import { LEVEL_STYLES } from "../palette.js";
import { type CurveName, type RoundCurve, type RoundPanel, roundCurves } from "../round-curves.js";
import { logAxis, overRounds } from "../test-error.js";

/** More panels than these do not fit a page. */
const MOST_PANELS = 6;
/** Levels from this one on have dashed curves: colours of so many are not told apart at a glance. */
const FIRST_DASHED = 6;

/**
 * Test error over rounds, a curve a level, a panel a concentration: of one comparison all concentrations, of several the
 * largest and the smallest. Undefined where nothing was measured between start and end.
 */
export function levelCurvesFigure(axis: Axis): RecordFigure | undefined {
  const labels = [...new Set(levelsOf(axis).map(({ label }) => label))];
  const { comparisons } = axis;
  const most = comparisons.length === 1 ? MOST_PANELS : 2;
  const panels = comparisons
    .flatMap((comparison) => panelsOf(comparison, labels, most, comparisons.length > 1))
    .slice(0, MOST_PANELS);
  const rounds = new Set(panels.flatMap(({ curves }) => curves.flatMap(roundsOfCurve)));
  if (panels.length === 0 || rounds.size < 3) return undefined;
  const seeds = seedsOf(levelsOf(axis).flatMap(({ of }) => of.final)).length;
  const over = seeds === 1 ? "Curves are of one seed" : `Curves are means over up to ${seedWords(seeds)}`;
  return {
    name: `curves-${axis.name}`,
    title: `Test error by ${axis.title.toLowerCase()}`,
    caption:
      `Relative L_2 test error over communication rounds, for every ${axis.title.toLowerCase()}. ${over} at the recorded ` +
      `checkpoints (ticks). Rounds are on a log(1 + r) axis, errors on a logarithmic axis of each panel. A curve that is not seen lies under one that the legend has before it.${leftWords(axis)}`,
    svg: roundCurves({
      name: `${axis.title}: test error over communication rounds`,
      yLabel: "relative test error (%)",
      panels,
      height: 190,
    }),
  };
}

const roundsOfCurve = ({ points }: RoundCurve): number[] => points.map(({ round }) => round);

function panelsOf(
  comparison: Comparison,
  labels: readonly string[],
  most: number,
  isTitled: boolean,
): RoundPanel[] {
  return evenly(alphasOfComparison(comparison), most).map((alpha) => {
    const curves = comparison.levels.flatMap(({ label, of }): RoundCurve[] => {
      const own = of.records.filter((record) => record.alpha === alpha);
      // Bands of many curves would hide each other.
      return overRounds(own, ({ test_error }) => 100 * test_error).map((curve) => ({
        ...curve,
        name: nameOf(label, labels.indexOf(label)),
        points: curve.points.map((point) => ({ ...point, low: null, high: null })),
        seeds: [],
      }));
    });
    const title = isTitled ? `${comparison.title}, α = ${alpha}` : `α = ${alpha}`;
    return { title, curves, axis: logAxis(curves) };
  });
}

function nameOf(label: string, index: number): CurveName {
  return { label, style: LEVEL_STYLES[index % LEVEL_STYLES.length], dashed: index >= FIRST_DASHED };
}
