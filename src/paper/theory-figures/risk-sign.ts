import * as Plot from "@observablehq/plot";
import { alphaAxis, alphaDomain } from "../../figures/alpha-axis.js";
import {
  axisRoom,
  type Drawing,
  figure,
  framed,
  grid,
  heading,
  plotMargins,
  stack,
} from "../../figures/compose.js";
import { figureDocument } from "../../figures/document.js";
import { legend } from "../../figures/legend.js";
import type { SeriesStyle } from "../../figures/palette.js";
import { coveringTicks, raised, tickLabels } from "../../figures/ticks.js";
import { FAINT_INK, GRID, INK, PRINT_WIDTH, SIZE } from "../../figures/typography.js";
import { activationName } from "../theory/cases.js";
import type { RiskCase, RiskEvidence } from "../theory/evidence/risk-sign-evidence.js";
import { caseEntries, caseStyle } from "./case-styles.js";
import { logPanel } from "./log-panel.js";

const GAP = 14;
const WIDTH = (PRINT_WIDTH - 8 - GAP) / 2;
const HEIGHT = 158;
const symbolOf = (point: SeriesStyle) => point.symbol;

/** Differences of risk with both signs, the quadratic bound, and the two-bin witness. */
export function riskSignFigure({ cases, witnesses }: RiskEvidence): string {
  const [smooth, kinked] = [true, false].map((wanted) => cases.filter((one) => one.smooth === wanted));
  const panels = [
    differencePanel(smooth, "a"),
    differencePanel(kinked, "b"),
    boundPanel(cases, "c"),
    witnessPanel(witnesses, "d"),
  ];
  return figure(grid(panels, 2, { x: GAP, y: 12 }), {
    name: "Sign of the difference in test risk",
    description:
      "Test risk of federated less centralised models against the concentration, what the linear term leaves of it " +
      "against the quadratic bound, and the drift of two-bin quadratics.",
    legend: legend(caseEntries(cases), PRINT_WIDTH - 8),
    width: PRINT_WIDTH,
  });
}

/** Smallest difference in risk that the signed logarithmic axis tells from zero, as a part of the risk. */
const RESOLVED = 1e-8;
/** Sign of a value times the decades of its size above `RESOLVED`. */
const signed = (value: number): number =>
  Math.sign(value) * Math.max(0, Math.log10(Math.abs(value) / RESOLVED));

function differencePanel(cases: readonly RiskCase[], letter: string): Drawing {
  const dots = cases.flatMap((one, i) =>
    one.points.map(({ alpha, difference }) => ({
      ...caseStyle(one),
      alpha: alpha * 10 ** (0.09 * (i === 0 ? 1 : -1)),
      place: signed(difference / one.risk),
    })),
  );
  const alphas = [...new Set(cases[0].points.map(({ alpha }) => alpha))];
  const reach = Math.ceil(Math.max(...dots.map(({ place }) => Math.abs(place))) + 0.2);
  const powers = Array.from({ length: Math.floor(reach / 2) }, (_, i) => 2 * (i + 1));
  const ticks = [...powers.map((power) => -power).reverse(), 0, ...powers];
  const label = (tick: number) =>
    tick === 0 ? "0" : `${tick < 0 ? "−" : ""}10${raised(Math.abs(tick) - 8)}`;
  const margins = {
    top: 5,
    right: 8,
    bottom: 32,
    left: axisRoom(ticks.map(label)),
  };
  const plot = Plot.plot({
    document: figureDocument(),
    width: WIDTH,
    height: HEIGHT + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "log", domain: alphaDomain(alphas), axis: null },
    y: { domain: [-reach, reach], axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleY([0], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.dot(dots, { x: "alpha", y: "place", r: 2.4, fill: "color", symbol: symbolOf, fillOpacity: 0.9 }),
      ...alphaAxis(alphas),
      Plot.text(ticks, {
        y: (tick: number) => tick,
        text: label,
        frameAnchor: "left",
        textAnchor: "end",
        dx: -4,
      }),
      ...[reach, -reach].map((end) =>
        Plot.text([end], {
          y: () => end,
          text: () => (end > 0 ? "federated worse" : "federated better"),
          frameAnchor: "left",
          textAnchor: "start",
          dx: 3,
          dy: 7 * Math.sign(end),
          fontSize: SIZE.tick,
          fill: FAINT_INK,
        }),
      ),
    ],
  });
  return stack(
    [
      heading({ letter, title: activationName(cases[0]) }, margins.left),
      framed(plot, margins, { x: "concentration α", y: "Δ_R / $R$(θ_C)" }),
    ],
    3,
  );
}

function boundPanel(cases: readonly RiskCase[], letter: string): Drawing {
  const dots = cases.flatMap((one) =>
    one.points.map(({ difference, linear, bound }) => ({
      ...caseStyle(one),
      bound,
      rest: Math.abs(difference - linear),
    })),
  );
  const shown = dots.filter(({ rest }) => rest > 0);
  const [bounds, rests] = [shown.map(({ bound }) => bound), shown.map(({ rest }) => rest)];
  const x = [Math.min(...bounds) / 2, Math.max(...bounds) * 2] as const;
  return logPanel({
    letter,
    title: "The quadratic bound",
    x,
    y: [Math.min(...rests) / 3, Math.max(...rests, x[1]) * 2],
    xLabel: "L_R/2 ‖Δ_θ‖²",
    yLabel: "|Δ_R − linear term|",
    width: WIDTH,
    height: HEIGHT,
    marks: [
      Plot.line(
        x.map((at) => [at, at]),
        { stroke: FAINT_INK, strokeWidth: 1 },
      ),
      Plot.dot(shown, { x: "bound", y: "rest", r: 2.2, fill: "color", symbol: symbolOf, fillOpacity: 0.9 }),
    ],
  });
}

function witnessPanel(witnesses: RiskEvidence["witnesses"], letter: string): Drawing {
  const values = witnesses.flatMap(({ drift, formula }) => [drift, formula]);
  const ticks = coveringTicks(Math.min(...values), Math.max(...values));
  const { format, factor } = tickLabels(ticks);
  const margins = {
    top: 5,
    right: 8,
    bottom: 32,
    left: axisRoom(ticks.map(format)),
  };
  const domain = [ticks[0], ticks.at(-1)!];
  const tick = { label: null, tickPadding: 3, fontVariant: "normal", tickFormat: format } as const;
  const plot = Plot.plot({
    document: figureDocument(),
    width: WIDTH,
    height: HEIGHT + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { domain, axis: null },
    y: { domain, axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.line(
        domain.map((at) => [at, at]),
        { stroke: FAINT_INK, strokeWidth: 1 },
      ),
      Plot.dot(
        witnesses.filter(({ curvatureDifference }) => curvatureDifference !== 0),
        { x: "formula", y: "drift", r: 1.9, fill: "#004488", fillOpacity: 0.7 },
      ),
      Plot.dot(
        witnesses.filter(({ curvatureDifference }) => curvatureDifference === 0),
        { x: "formula", y: "drift", r: 4, stroke: INK, strokeWidth: 1, symbol: "times" },
      ),
      Plot.axisX(ticks, { ...tick, tickSize: 3 }),
      Plot.axisY(ticks, { ...tick, tickSize: 0, tickPadding: 4 }),
    ],
  });
  return stack(
    [
      heading({ letter, title: "Two quadratic bins" }, margins.left),
      framed(plot, margins, { x: `η² Var($q$) Δh Δg${factor}`, y: `drift after two steps${factor}` }),
    ],
    3,
  );
}
