import * as Plot from "@observablehq/plot";
import { type Drawing, figure, grid } from "../../figures/compose.js";
import { dotEntry, hollowEntry, legend } from "../../figures/legend.js";
import { alphaColor } from "../../figures/palette.js";
import { FAINT_INK, PRINT_WIDTH } from "../../figures/typography.js";
import { activationName, startName } from "../theory/cases.js";
import type { TransferCase, TransferEvidence } from "../theory/evidence/gradient-transfer-evidence.js";
import { logPanel } from "./log-panel.js";
import { shuffled } from "./points.js";

const GAP = 14;
const WIDTH = (PRINT_WIDTH - 8 - GAP) / 2;
const HEIGHT = 160;
/** Below this m_g / M_g the lower end of the band is too far down to be drawn. */
const NO_LOWER_END = 1e-6;

/** Spread of gradients against spread of profiles, within the band that bin gradients allow. */
export function gradientTransferFigure({ cases }: TransferEvidence): string {
  const starts = [...new Set(cases.map(({ start }) => start))];
  const ordered = starts.flatMap((start) => cases.filter((one) => one.start === start));
  const alphas = [...new Set(cases[0].points.map(({ alpha }) => alpha))];
  return figure(
    grid(
      ordered.map((one, i) => panel(one, String.fromCharCode(97 + i))),
      2,
      { x: GAP, y: 12 },
    ),
    {
      name: "Gradient heterogeneity against bin heterogeneity",
      description:
        "H_g over H_q of partitions of several concentrations, as mixtures and with the clients' own samples, and the " +
        "band between the restricted singular values of the bin gradients.",
      legend: legend(
        [
          dotEntry("mixtures of bins", { color: FAINT_INK, symbol: "circle" }),
          hollowEntry("own samples", { color: FAINT_INK, symbol: "circle" }),
          ...alphas.map((alpha) => dotEntry(`α = ${alpha}`, { color: alphaColor(alpha), symbol: "circle" })),
        ],
        PRINT_WIDTH - 8,
      ),
      width: PRINT_WIDTH,
    },
  );
}

function panel(one: TransferCase, letter: string): Drawing {
  const { points, smallest, largest } = one;
  const hQ = points.map((point) => point.hQ);
  const x = [Math.min(...hQ) / 1.5, Math.max(...hQ) * 1.5] as const;
  const values = points.flatMap(({ hMixture, hRealised }) => [hMixture, hRealised]);
  // A lower end at zero has no place on the axis: the band then begins at its foot.
  const lowest = smallest > NO_LOWER_END * largest ? [smallest ** 2 * x[0]] : [];
  const y = [Math.min(...values, ...lowest) / 1.5, Math.max(...values, largest ** 2 * x[1]) * 1.5] as const;
  const band = x.map((at) => ({ at, lower: Math.max(y[0], smallest ** 2 * at), upper: largest ** 2 * at }));
  const at = (end: "lower" | "upper", i: 0 | 1) => [band[i].at, band[i][end]] as const;
  const color = ({ alpha }: { readonly alpha: number }) => alphaColor(alpha);
  return logPanel({
    letter,
    title: `${activationName(one)}, ${startName(one)}`,
    x,
    y,
    xLabel: "spread of profiles H_q",
    yLabel: "spread of gradients H_g",
    width: WIDTH,
    height: HEIGHT,
    marks: [
      Plot.areaY(band, { x: "at", y1: "lower", y2: "upper", fill: "#eef1f4" }),
      Plot.line(band, { x: "at", y: "lower", stroke: FAINT_INK, strokeWidth: 0.9 }),
      Plot.line(band, { x: "at", y: "upper", stroke: FAINT_INK, strokeWidth: 0.9 }),
      Plot.dot(shuffled(points), { x: "hQ", y: "hRealised", r: 2, stroke: color, strokeWidth: 0.7 }),
      Plot.dot(shuffled(points), { x: "hQ", y: "hMixture", r: 1.3, fill: color }),
    ],
    labels: [
      { text: "M_g^2 H_q", from: at("upper", 0), to: at("upper", 1), at: 0.4 },
      ...(lowest.length > 0
        ? [{ text: "m_g^2 H_q", from: at("lower", 0), to: at("lower", 1), at: 0.62, below: true }]
        : []),
    ],
  });
}
