import * as Plot from "@observablehq/plot";
import { expectedHeterogeneity } from "../../diagnostics/concentration-law.js";
import { alphaDomain } from "../../figures/alpha-axis.js";
import { beside, type Drawing, figure, framed, heading, plotMargins, stack } from "../../figures/compose.js";
import { figureDocument } from "../../figures/document.js";
import { dotEntry, legend } from "../../figures/legend.js";
import { alphaColor } from "../../figures/palette.js";
import { FAINT_INK, GRID, PRINT_WIDTH, SIZE } from "../../figures/typography.js";
import type { ConcentrationEvidence, Sampled } from "../theory/evidence/concentration-evidence.js";
import { alphaLegend } from "./alpha-legend.js";
import { clientsColor } from "./clients-color.js";
import { logAxis, logPanel } from "./log-panel.js";
import { shuffled, spanOf } from "./points.js";

const GAP = 14;
const WIDTH = (PRINT_WIDTH - 8 - GAP) / 2;
const SMALL = 148;
const LEFT = 48;
/** Right of the curves stands how many clients they are of: a little less than a decade. */
const LABEL_ROOM = 9;

/** The concentration law over draws, its deviations, and the two bounds on what comes after it. */
export function concentrationFigure(evidence: ConcentrationEvidence): string {
  const alphas = [...new Set(evidence.law.map(({ alpha }) => alpha))].sort((a, b) => b - a);
  const clients = [...new Set(evidence.law.map((cell) => cell.clients))];
  const left = stack([lawPanel(evidence, alphas), deviationPanel(evidence.law, alphas)], 8);
  const right = stack([normalisationPanel(evidence), finitePanel(evidence)], 12);
  const columns = [stack([clientsLegend(clients, WIDTH), left], 6), stack([alphaLegend(WIDTH), right], 6)];
  return figure(beside(columns, GAP), {
    name: "The concentration law and what follows it",
    description:
      "Mean raw heterogeneity over Dirichlet draws on the exact law, deviations in standard errors, and the bounds " +
      "on normalisation and on finite partitions.",
    width: PRINT_WIDTH,
  });
}

/** The colours of numbers of clients. */
function clientsLegend(clients: readonly number[], width: number): Drawing {
  const entries = clients.map((k, i) =>
    dotEntry(i === 0 ? `K = ${k}` : String(k), { color: clientsColor(k), symbol: "circle" }),
  );
  return legend(entries, width);
}

function lawPanel({ law, masses }: ConcentrationEvidence, alphas: readonly number[]): Drawing {
  const clients = [...new Set(law.map((cell) => cell.clients))];
  const [first, last] = alphaDomain(alphas);
  const places = Array.from({ length: 121 }, (_, i) => first * (last / first) ** (i / 120));
  const curve = clients.flatMap((k) =>
    places.map((alpha) => ({ k, alpha, h: expectedHeterogeneity(k, alpha, masses) })),
  );
  const means = law.map(({ mean }) => mean);
  const ends = clients.map((k) => ({ k, h: expectedHeterogeneity(k, alphas.at(-1)! / 1.8, masses) }));
  return logPanel({
    letter: "a",
    title: "Raw heterogeneity",
    x: [first, last / LABEL_ROOM],
    y: [Math.min(...means) / 2, Math.max(...means) * 2],
    gridEnd: last,
    xTicks: alphas,
    xLabel: "concentration α",
    yLabel: "mean of H_u",
    left: LEFT,
    width: WIDTH,
    height: 236,
    marks: [
      Plot.line(curve, { x: "alpha", y: "h", z: "k", stroke: ({ k }) => clientsColor(k), strokeWidth: 1.25 }),
      Plot.ruleX(law, {
        x: "alpha",
        y1: ({ mean, standardError }: Sampled) => Math.max(mean - 2 * standardError, mean / 10),
        y2: ({ mean, standardError }: Sampled) => mean + 2 * standardError,
        stroke: ({ clients: k }: Sampled) => clientsColor(k),
        strokeWidth: 1,
      }),
      Plot.dot(law, {
        x: "alpha",
        y: "mean",
        r: 2.6,
        fill: ({ clients: k }: Sampled) => clientsColor(k),
        stroke: "#ffffff",
        strokeWidth: 0.5,
      }),
      Plot.text(ends, {
        x: () => last,
        y: "h",
        text: ({ k }) => String(k),
        fill: ({ k }) => clientsColor(k),
        textAnchor: "start",
        dx: 3,
        fontSize: SIZE.tick,
        fontWeight: 600,
      }),
    ],
  });
}

function deviationPanel(law: readonly Sampled[], alphas: readonly number[]): Drawing {
  const counts = [...new Set(law.map(({ clients }) => clients))];
  const points = law.map(({ clients, alpha, mean, expected, standardError }) => ({
    // side by side within their decade
    alpha: alpha * 10 ** (0.1 * ((counts.length - 1) / 2 - counts.indexOf(clients))),
    z: (mean - expected) / standardError,
    color: clientsColor(clients),
  }));
  const reach = Math.max(4, ...points.map(({ z }) => Math.ceil(Math.abs(z))));
  const ticks = [-4, -2, 0, 2, 4];
  const margins = { top: 5, right: 8, bottom: 32, left: LEFT };
  const [first, last] = alphaDomain(alphas);
  const plot = Plot.plot({
    document: figureDocument(),
    width: WIDTH,
    height: 92 + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "log", domain: [first, last / LABEL_ROOM], axis: null },
    y: { domain: [-reach - 0.4, reach + 0.4], axis: null },
    marks: [
      Plot.rect([0], { x1: first, x2: last / LABEL_ROOM, y1: -2, y2: 2, fill: "#f0f0f0" }),
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleY([0], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.dot(points, { x: "alpha", y: "z", r: 2, fill: "color" }),
      ...logAxis(alphas),
      Plot.axisY(ticks, {
        label: null,
        tickSize: 0,
        tickPadding: 4,
        fontVariant: "normal",
        tickFormat: (tick: number) => String(tick).replace("-", "−"),
      }),
    ],
  });
  return stack(
    [
      heading({ letter: "b", title: "Deviation from the law" }, margins.left),
      framed(plot, margins, { x: "concentration α", y: "standard errors" }),
    ],
    3,
  );
}

function normalisationPanel({ points }: ConcentrationEvidence): Drawing {
  const shown = points.filter(({ difference }) => difference > 1e-6);
  const domain = spanOf(shown.flatMap(({ delta }) => [delta]));
  const range = spanOf(shown.flatMap(({ difference }) => [difference, domain[1]]));
  return logPanel({
    letter: "c",
    title: "Normalising client mass",
    x: domain,
    y: range,
    xLabel: "δ = max |s_k − 1|",
    yLabel: "|√H_q − √H_u|",
    left: LEFT,
    width: WIDTH,
    height: SMALL,
    marks: [
      Plot.rect([0], { x1: 1, x2: domain[1], y1: range[0], y2: range[1], fill: "#ececec" }),
      Plot.dot(shuffled(shown), {
        x: "delta",
        y: "difference",
        r: 1.4,
        fill: ({ alpha }) => alphaColor(alpha),
        fillOpacity: 0.75,
      }),
      diagonal(domain),
      Plot.text(["does not\napply"], {
        x: () => Math.sqrt(domain[1]),
        y: () => range[0],
        text: (words: string) => words,
        lineAnchor: "bottom",
        dy: -6,
        fill: FAINT_INK,
      }),
    ],
    labels: [{ text: "bound δ", from: [domain[0], domain[0]], to: [domain[1], domain[1]], at: 0.45 }],
  });
}

function finitePanel({ finite }: ConcentrationEvidence): Drawing {
  const shown = finite
    .map(({ alpha, realised, target, epsilon }) => ({
      alpha,
      epsilon,
      difference: Math.abs(realised - target),
    }))
    .filter(({ epsilon, difference }) => epsilon > 1e-4 && difference > 1e-6);
  const domain = spanOf(shown.map(({ epsilon }) => epsilon));
  const range = spanOf(shown.flatMap(({ difference }) => [difference, domain[1]]));
  return logPanel({
    letter: "d",
    title: "Whole samples and repair",
    x: domain,
    y: range,
    xLabel: "ε_part",
    yLabel: "|√Ĥ_q − √H_q|",
    left: LEFT,
    width: WIDTH,
    height: SMALL,
    marks: [
      Plot.dot(shuffled(shown), {
        x: "epsilon",
        y: "difference",
        r: 1.6,
        fill: ({ alpha }) => alphaColor(alpha),
        fillOpacity: 0.75,
      }),
      diagonal(domain),
    ],
    labels: [{ text: "bound ε_part", from: [domain[0], domain[0]], to: [domain[1], domain[1]], at: 0.4 }],
  });
}

/** Where the difference is the bound. */
function diagonal(domain: readonly [number, number]): Plot.Markish {
  return Plot.line(
    domain.map((end) => [end, end]),
    { stroke: FAINT_INK, strokeWidth: 1 },
  );
}
