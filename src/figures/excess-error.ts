import { referenceWords, seedsOf, withoutReference } from "../analysis/observations.js";
import { list } from "../analysis/phrases.js";
import type { RecordFigure } from "../analysis/report.js";
import type { Subject } from "../analysis/subject.js";
import { type RoundCurve, roundCurves, type ValueAxis } from "./round-curves.js";
import { curveWords, overRounds } from "./test-error.js";
import { coveringTicks, decimals, symlogTicks } from "./ticks.js";

/** A panel whose values stay within this many percentage points has a linear axis. */
const LINEAR = 2;

/** Excess error over rounds, paired with the reference of the same seed (fig:formal-drift). */
export function excessErrorFigure({ records, cases }: Subject): RecordFigure | undefined {
  const compared = cases.map(({ title, records: own }) => ({
    title,
    curves: overRounds(withoutReference(own), ({ excess_error }) => excess_error),
  }));
  const drawn = compared.filter(({ curves }) => curves.some(({ points }) => points.length > 0));
  if (drawn.length === 0) return undefined;
  const panels = drawn.map((panel) => ({
    ...panel,
    axis: isSmall(panel.curves) ? linearAxis(panel.curves) : symlogAxis(panel.curves),
  }));
  const name = "Excess error over communication rounds";
  return {
    name: "excess-error",
    title: "Paired excess error",
    caption:
      `Signed excess of the relative test error over that of the run with the same seed and ${referenceWords(records)}, in percentage ` +
      `points; positive values are degradation. ${curveWords(drawn, seedsOf(records).length)} ` +
      `Rounds are on a log(1 + r) axis${errorAxisWords(drawn)}.`,
    svg: roundCurves({ name, yLabel: "excess error (pp)", panels, baseline: 0 }),
  };
}

const isSmall = (curves: readonly RoundCurve[]): boolean =>
  extent(curves).every((value) => Math.abs(value) <= LINEAR);

/** What the axes of errors are, where not all are linear. */
function errorAxisWords(panels: readonly { title: string; curves: readonly RoundCurve[] }[]): string {
  const linear = panels.filter(({ curves }) => isSmall(curves)).map(({ title }) => title);
  if (linear.length === panels.length) return "";
  return (
    ", errors on a symmetric log(1 + |e|) axis, which is nearly linear within ±1 pp and logarithmic beyond" +
    (linear.length > 0 ? `, but for ${list(linear)}, where it is linear` : "")
  );
}

function extent(curves: readonly RoundCurve[]): [number, number] {
  const values = curves.flatMap(({ points, seeds }) => [
    ...points.flatMap(({ mean, low, high }) => [mean, low ?? mean, high ?? mean]),
    ...seeds.map(({ value }) => value),
  ]);
  return [Math.min(0, ...values), Math.max(0, ...values)];
}

function linearAxis(curves: readonly RoundCurve[]): ValueAxis {
  const ticks = coveringTicks(...extent(curves));
  return {
    scale: { type: "linear", domain: [ticks[0], ticks.at(-1)!] },
    ticks,
    label: decimals(ticks),
  };
}

/** Linear near zero, logarithmic beyond a percentage point: early excess is ten times the final one. */
function symlogAxis(curves: readonly RoundCurve[]): ValueAxis {
  const [low, high] = extent(curves);
  const domain: [number, number] = [Math.min(-1, low * 1.1), Math.max(1, high * 1.1)];
  return {
    scale: { type: "symlog", constant: 1, domain },
    ticks: symlogTicks(...domain),
    label: (tick) => String(tick).replace("-", "−"),
  };
}
