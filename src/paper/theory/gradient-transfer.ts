import { counted, measured, measuredCell } from "../../analysis/numbers.js";
import { list } from "../../analysis/phrases.js";
import { mean, standardDeviation } from "../../analysis/statistics.js";
import { fixed, type Table, textCell } from "../../analysis/tables/table.js";
import { activationName, caseName, startName } from "./cases.js";
import { gradientBand, physicalBand } from "./evidence/bin-gradients.js";
import type { TransferCase, TransferEvidence, TransferPoint } from "./evidence/gradient-transfer-evidence.js";
import { exceeds, ROUND_OFF } from "./exceeds.js";
import { BEYOND, type Finding, type Prediction, verdictOf } from "./prediction.js";
import { LEFT_OUT } from "./transport-band.js";

/** Round-off that the identity for whole bins may show, as a part of sqrt H_g. */
const IDENTITY = 1e-12;
/** Below this m_g / M_g the band is wider than four decades, and its lower end says nothing. */
export const NEAR_ZERO = 0.01;
/** Standard errors that a mean may be away from its expectation. */
const ALLOWED_ERRORS = 4;

/** What gradients of bins and clients say about the third prediction (app:gradient). */
export function gradientTransferPrediction(evidence: TransferEvidence): Prediction {
  const { cases, bins, clients } = evidence;
  return {
    name: "gradient-transfer",
    title: "From bins to gradients",
    claim:
      "Clients that hold different bins pull the model in different directions. If a client is a mixture of whole " +
      "bins, its gradient is the same mixture of the bins' gradients, so that the spread of gradients H_g is H_q seen " +
      "through the matrix G of bin gradients: between m_g^2 and M_g^2 times H_q, where m_g and M_g say how much G " +
      "shrinks and stretches differences of profiles.",
    labels: [
      "eq:app-gradient-identity",
      "eq:app-gradient-restricted",
      "eq:app-gradient-sandwich",
      "eq:app-physical-gradient",
      "eq:app-finite-Hg",
    ],
    rules: [
      `The identity holds if it is broken by less than ${measured(IDENTITY, 1)} of √H_g.`,
      "An inequality holds if no partition breaks it by more than 10⁻¹² of the numbers in it.",
      `m_g counts as near zero below ${NEAR_ZERO} M_g. The band is then wider than four decades and its lower end says ` +
        "nothing: it does not apply.",
      "The theorem is about mixtures. Clients that were dealt samples deviate by what is drawn within a bin; for them " +
        "the band is tried all the same.",
      `What is drawn within bins holds within ${ALLOWED_ERRORS} standard errors of the mean over seeds. (At first cases that ` +
        "share their draws counted as several seeds.)",
      LEFT_OUT,
    ],
    findings: [
      identityFinding(cases),
      ...cases.map(mixtureFinding),
      lowerFinding(cases),
      physicalFinding(evidence),
      finiteFinding(cases),
      realisedFinding(cases),
      noiseFinding(cases),
    ],
    tables: [singularTable(cases)],
    caption:
      `H_g against H_q on partitions of ${bins} bins over ${clients} clients, filled with gradients as mixtures of bin ` +
      "gradients, hollow with the gradients of the samples that clients hold; the band is m_g^2 H_q to M_g^2 H_q. " +
      leavingWords(leaving(cases)),
  };
}

function identityFinding(cases: readonly TransferCase[]): Finding {
  const largest = Math.max(...cases.map(({ wholeBinDeviation }) => wholeBinDeviation));
  return {
    statement: "g_k − g = G(q_k − q̄) for clients that hold whole bins",
    verdict: verdictOf(largest <= IDENTITY),
    decides: `largest deviation ${measured(largest, 2)} of √H_g over ${cases.map(caseName).join("; ")}`,
  };
}

function mixtureFinding(one: TransferCase): Finding {
  const { points, smallest, largest } = one;
  const broken = points.filter(({ hQ, hMixture }) => outside(hMixture, gradientBand(one, hQ))).length;
  const ratios = points.map(({ hMixture, hQ }) => Math.sqrt(hMixture / hQ));
  return {
    statement: `m_g^2 H_q ≤ H_g ≤ M_g^2 H_q for mixtures: ${caseName(one)}`,
    verdict: verdictOf(broken === 0),
    decides:
      `${broken} of ${counted(points.length, "partition")} outside; m_g = ${measured(smallest)}, M_g = ` +
      `${measured(largest)}, √(H_g/H_q) from ${measured(Math.min(...ratios))} to ${measured(Math.max(...ratios))}`,
  };
}

function lowerFinding(cases: readonly TransferCase[]): Finding {
  const ratios = cases.map(({ smallest, largest }) => smallest / largest);
  const least = Math.min(...ratios);
  const words = cases.map((one, i) => `${measured(ratios[i], 2)} (${caseName(one)})`).join(", ");
  return {
    statement: `The lower end says something: m_g ≥ ${NEAR_ZERO} M_g`,
    verdict: least >= NEAR_ZERO ? "holds" : "does not apply",
    decides:
      `m_g/M_g = ${words}` +
      (least >= NEAR_ZERO
        ? ""
        : "; near zero, so that some differences of profiles hardly show in gradients and the lower bound says nothing"),
  };
}

function physicalFinding({ cases, bins, cMin, cMax }: TransferEvidence): Finding {
  const all = cases.flatMap((one) => one.points.map((point) => ({ one, point })));
  const broken = all.filter(({ one, point: { hW, hMixture } }) =>
    outside(hMixture, physicalBand(one, { bins, cMin, cMax, hW })),
  ).length;
  return {
    statement: "4 m_g^2/(B c_max^2) H_W ≤ H_g ≤ 4 M_g^2/c_min^2 H_W for mixtures",
    verdict: verdictOf(broken === 0),
    decides: `${broken} of ${all.length} outside; c_min = ${fixed(cMin)}, c_max = ${fixed(cMax)}`,
  };
}

function finiteFinding(cases: readonly TransferCase[]): Finding {
  const all = cases.flatMap(({ largest, points }) =>
    points.map(({ hMixture, hTarget, epsilon }) => ({
      change: Math.abs(Math.sqrt(hMixture) - Math.sqrt(hTarget)),
      bound: largest * epsilon,
      size: Math.sqrt(Math.max(hMixture, hTarget)),
    })),
  );
  const broken = all.filter(({ change, bound, size }) => exceeds(change, bound, size)).length;
  // Where a partition realises what was drawn for it, both are round-off.
  const closest = Math.max(...all.map(({ change, bound, size }) => change / (bound + ROUND_OFF * size)));
  return {
    statement: "|√Ĥ_g − √H_g| ≤ M_g ε_part between drawn and realised profiles, apart from noise within bins",
    verdict: verdictOf(broken === 0),
    decides: `${broken} of ${all.length} break it; the change is at most ${measured(100 * closest, 2)} % of the bound`,
  };
}

/** Clients' gradients that lie outside the band of mixtures. */
interface Leaving {
  readonly alphas: readonly number[];
  readonly above: readonly TransferPoint[];
  readonly below: readonly TransferPoint[];
}

function leaving(cases: readonly TransferCase[]): Leaving {
  const all = cases.flatMap((one) =>
    one.points.map((point) => ({ point, ...gradientBand(one, point.hQ), value: point.hRealised })),
  );
  const above = all.filter(({ value, upper }) => exceeds(value, upper)).map(({ point }) => point);
  const below = all.filter(({ value, lower }) => exceeds(lower, value)).map(({ point }) => point);
  return { alphas: [...new Set([...above, ...below].map(({ alpha }) => alpha))], above, below };
}

/** Why hollow circles leave the band, as far as the noise within bins explains it. */
function leavingWords({ alphas, above, below }: Leaving): string {
  if (above.length + below.length === 0) return "Hollow circles stay within it.";
  const noise = above.map(({ noise, hRealised }) => (100 * noise) / hRealised);
  return [
    `Hollow circles leave it at α = ${list(alphas.map(String))}`,
    ...(above.length > 0
      ? [
          `: ${above.length} lie above, where the draw of samples within bins amounts to at least ` +
            `${Math.floor(Math.min(...noise))} % of H_g`,
        ]
      : []),
    ...(below.length > 0 ? [`${above.length > 0 ? ";" : ":"} ${below.length} lie below`] : []),
    ".",
  ].join("");
}

function realisedFinding(cases: readonly TransferCase[]): Finding {
  const total = cases.reduce((sum, { points }) => sum + points.length, 0);
  const { alphas, above, below } = leaving(cases);
  const out = above.length + below.length;
  return {
    statement: `${BEYOND}the band holds for clients with samples of their own, too`,
    verdict: verdictOf(out === 0),
    decides:
      `${out} of ${total} outside` +
      (out === 0 ? "" : `, at α = ${alphas.join(", ")}`) +
      (above.length > 0
        ? `: above in ${above.length}, where noise within bins adds to H_g what H_q does not know`
        : "") +
      (below.length > 0 ? `${above.length > 0 ? ";" : ":"} below in ${below.length}` : ""),
  };
}

function noiseFinding(cases: readonly TransferCase[]): Finding {
  const ratios = seedMeans(cases.flatMap(({ points }) => points));
  const centre = mean(ratios);
  const error = standardDeviation(ratios) / Math.sqrt(ratios.length);
  return {
    statement:
      `${BEYOND}the deviation of dealt clients is that of drawing without replacement, ` +
      "E[Σ p_k ‖g_k − G q_k‖²] = Σ_k p_k Σ_b (n_kb/n_k^2)(1 − n_kb/N_b) S_b^2",
    verdict: verdictOf(Math.abs(centre - 1) <= ALLOWED_ERRORS * error),
    decides: `measured over expected is ${fixed(centre, 3)} ± ${fixed(error, 3)} (standard error over ${ratios.length} seeds)`,
  };
}

/** Measured over expected noise of each seed, averaged over cases and concentrations, whose draws are paired. */
function seedMeans(points: readonly TransferPoint[]): number[] {
  return [...new Set(points.map(({ seed }) => seed))].map((wanted) =>
    mean(
      points.flatMap(({ seed, noise, expectedNoise }) =>
        seed === wanted && expectedNoise > 0 ? [noise / expectedNoise] : [],
      ),
    ),
  );
}

const outside = (value: number, { lower, upper }: { lower: number; upper: number }): boolean =>
  exceeds(value, upper) || exceeds(lower, value);

function singularTable(cases: readonly TransferCase[]): Table {
  const part = (points: readonly TransferPoint[], alpha: number) =>
    mean(
      points.flatMap((point) => (point.alpha === alpha ? [Math.sqrt(point.noise / point.hRealised)] : [])),
    );
  const alphas = [...new Set(cases.flatMap(({ points }) => points.map(({ alpha }) => alpha)))];
  return {
    name: "gradient-transfer",
    title: "Bin gradients, and what mixtures of them leave out",
    caption: "Last columns: the part of √H_g that is noise within bins, mean over seeds.",
    columns: [
      { heading: "activation", csv: ["activation"], align: "left" },
      { heading: "parameters", csv: ["parameters"], align: "left" },
      { heading: "m_g", csv: ["m_g"] },
      { heading: "M_g", csv: ["M_g"] },
      { heading: "whole bins", csv: ["whole_bin_deviation"] },
      ...alphas.map((alpha) => ({ heading: `α = ${alpha}`, csv: [`noise_${alpha}`] })),
    ],
    groups: [
      cases.map((one) => [
        textCell(activationName(one)),
        textCell(startName(one)),
        measuredCell(one.smallest),
        measuredCell(one.largest),
        measuredCell(one.wholeBinDeviation, 2),
        ...alphas.map((alpha) => measuredCell(part(one.points, alpha))),
      ]),
    ],
  };
}
