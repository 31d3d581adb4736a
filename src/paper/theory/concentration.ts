import { counted, grouped, measured, measuredCell } from "../../analysis/numbers.js";
import { fixed, type Table, textCell } from "../../analysis/tables/table.js";
import type {
  ConcentrationEvidence,
  FiniteCheck,
  NormalisationCell,
  Sampled,
} from "./evidence/concentration-evidence.js";
import { exceeds } from "./exceeds.js";
import { BEYOND, type Finding, type Prediction, verdictOf } from "./prediction.js";

/** Standard errors that a Monte Carlo mean may be away from its expectation. */
export const ALLOWED_ERRORS = 4;
/** The part of sqrt H_u that a bound on the difference has to stay below to say anything about H_q. */
const INFORMATIVE = 0.5;

/** What draws and partitions say about the first prediction (app:dirichlet, app:finite). */
export function concentrationPrediction(evidence: ConcentrationEvidence): Prediction {
  const { law, moments, masses, normalisation, finite } = evidence;
  const squares = masses.reduce((sum, mass) => sum + mass * mass, 0);
  return {
    name: "concentration-law",
    title: "The concentration law",
    claim:
      "How unequal clients become is known before a single sample is dealt: the mean of the raw heterogeneity H_u " +
      "depends on the number of clients K, the concentration α and the sizes of the bins alone, and falls as α grows. " +
      "Giving every client a histogram that sums to one, drawing whole samples and repairing clients that are too " +
      "small each change the heterogeneity, by no more than a stated amount.",
    labels: ["eq:app-exact-alpha", "lem:app-dirichlet-moments", "eq:app-normalization", "eq:app-finite-Hq"],
    rules: [
      `A Monte Carlo mean holds within ${ALLOWED_ERRORS} standard errors of its expectation. The standard errors are ` +
        "not estimated: they follow from the fourth moments of the Dirichlet distribution.",
      "An inequality holds if no draw or partition breaks it by more than 10⁻¹² of the numbers in it.",
      `δ counts as small below ${INFORMATIVE} √H_u. That statement came after the measurement, which it puts in words.`,
      "H_u and the normalisation lemma have equal client weights; finite partitions have p_k = n_k / N on both sides.",
    ],
    findings: [
      lawFinding(law, squares),
      ...momentFindings(moments),
      ...normalisationFindings(normalisation),
      finiteFinding(finite),
    ],
    tables: [lawTable(law), normalisationTable(normalisation), finiteTable(finite)],
    caption:
      `a, Mean of H_u over draws (dots) on the exact law (lines) for the measured masses of ${masses.length} bins, ` +
      `∑ π_b^2 = ${fixed(squares, 4)}. b, The same as deviations from the law in standard errors; the band is ±2. ` +
      "c, What normalising client mass changes, against its bound δ = max |s_k − 1|; the lemma does not apply in the " +
      "grey. d, What whole samples and repair change, against the bound ε_part, on every partition made. No dot may " +
      "lie above a diagonal; differences below 10⁻⁶ are off the axes.",
  };
}

const deviation = ({ mean, expected, standardError }: Sampled) => (mean - expected) / standardError;

/** The largest deviation with its place, and the root mean square over all. */
function deviations(samples: readonly Sampled[]) {
  const all = samples.map(deviation);
  const largest = samples.reduce((a, b) => (Math.abs(deviation(b)) > Math.abs(deviation(a)) ? b : a));
  const rms = Math.sqrt(all.reduce((sum, z) => sum + z * z, 0) / all.length);
  const words =
    `largest deviation ${fixed(deviation(largest), 1)} standard errors, at K = ${largest.clients} and ` +
    `α = ${largest.alpha}; root mean square ${fixed(rms, 2)}, where chance gives 1`;
  return { words, holds: Math.abs(deviation(largest)) <= ALLOWED_ERRORS };
}

function lawFinding(law: readonly Sampled[], squares: number): Finding {
  const { words, holds } = deviations(law);
  const draws = law.reduce((sum, cell) => sum + cell.draws, 0);
  return {
    statement: `E[H_u] = (K − 1)/(Kα + 1) ∑ π_b^2, with ∑ π_b^2 = ${fixed(squares, 4)} of the task's bins`,
    verdict: verdictOf(holds),
    decides: `${law.length} means over ${grouped(draws)} draws: ${words}`,
  };
}

function momentFindings(moments: ConcentrationEvidence["moments"]): Finding[] {
  const statements = {
    mean: "E[R_k] = 1/K",
    variance: "Var(R_k) = (K − 1)/(K^2(Kα + 1))",
    covariance: "Cov(R_i, R_j) = −1/(K^2(Kα + 1))",
    "pair difference": "E[(R_i − R_j)²] = 2/(K(Kα + 1))",
  } as const;
  return Object.entries(statements).map(([name, statement]) => {
    const chosen = moments.filter(({ moment }) => moment === name);
    const { words, holds } = deviations(chosen);
    return { statement, verdict: verdictOf(holds), decides: `${chosen.length} means: ${words}` };
  });
}

function normalisationFindings(cells: readonly NormalisationCell[]): Finding[] {
  const total = (key: "draws" | "within" | "broken" | "brokenBeyond" | "brokenRms") =>
    cells.reduce((sum, cell) => sum + cell[key], 0);
  const beyond = total("draws") - total("within");
  const most = (key: "largestShare" | "largestRmsShare" | "meanRatio" | "meanDelta") =>
    Math.max(...cells.map((cell) => cell[key]));
  const least = (key: "meanRatio" | "meanDelta") => Math.min(...cells.map((cell) => cell[key]));
  const informative = cells.filter(({ meanDelta }) => meanDelta < INFORMATIVE).length;
  return [
    {
      statement: "|√H_q − √H_u| ≤ δ where δ = max |s_k − 1| < 1",
      verdict: verdictOf(total("broken") === 0),
      decides:
        `${grouped(total("broken"))} of ${grouped(total("within"))} draws break it; ` +
        `the difference is at most ${fixed(100 * most("largestShare"), 0)} % of δ`,
    },
    {
      statement: "The same where δ ≥ 1",
      verdict: "does not apply",
      decides:
        `${grouped(beyond)} of ${grouped(total("draws"))} draws. Of these ${grouped(total("brokenBeyond"))} break the ` +
        "bound; its proof asks for no more than s_k > 0",
    },
    {
      statement: `${BEYOND}δ is small enough to carry the law over to H_q, below ${INFORMATIVE} √H_u`,
      verdict: verdictOf(informative === cells.length),
      decides:
        `${informative} of ${cells.length} pairs of K and α: mean δ/√H_u from ${fixed(least("meanDelta"), 2)} to ` +
        `${fixed(most("meanDelta"), 2)}. No K and α will do: the mean square of s_k − 1 has the same ` +
        `expectation as H_u. Measured √H_q/√H_u: ${fixed(least("meanRatio"), 2)} to ` +
        `${fixed(most("meanRatio"), 2)}`,
    },
    {
      statement: `${BEYOND}|√H_q − √H_u| ≤ √(∑ (s_k − 1)²/K), at any δ`,
      verdict: verdictOf(total("brokenRms") === 0),
      decides:
        `${grouped(total("brokenRms"))} of ${grouped(total("draws"))} draws break it; the difference is at most ` +
        `${fixed(100 * most("largestRmsShare"), 0)} % of the bound`,
    },
  ];
}

const difference = ({ realised, target }: FiniteCheck) => Math.abs(realised - target);

function finiteFinding(finite: readonly FiniteCheck[]): Finding {
  const broken = finite.filter((check) =>
    exceeds(difference(check), check.epsilon, Math.max(check.realised, check.target)),
  );
  const shares = finite
    .filter(({ epsilon }) => epsilon > 1e-9)
    .map((check) => difference(check) / check.epsilon);
  const largest = Math.max(...finite.map(({ epsilon }) => epsilon));
  return {
    statement: "|√Ĥ_q − √H_q| ≤ ε_part after whole samples and repair, with the weights p_k on both sides",
    verdict: verdictOf(broken.length === 0),
    decides:
      `${broken.length} of ${counted(finite.length, "partition")} break it (unrepaired, repaired from the closest and ` +
      `from the largest client); ε_part is up to ${measured(largest)}, the difference at most ` +
      `${fixed(100 * Math.max(...shares), 0)} % of it`,
  };
}

const clientsOf = (cells: readonly { readonly clients: number }[]) => [
  ...new Set(cells.map(({ clients }) => clients)),
];
const alphasOf = (cells: readonly { readonly alpha: number }[]) => [
  ...new Set(cells.map(({ alpha }) => alpha)),
];

function lawTable(law: readonly Sampled[]): Table {
  const at = (clients: number, alpha: number) =>
    law.find((cell) => cell.clients === clients && cell.alpha === alpha)!;
  return {
    name: "concentration-law",
    title: "Mean of H_u over draws",
    caption: "In brackets its deviation from the law in standard errors.",
    columns: [
      { heading: "α", csv: ["alpha"], align: "left" },
      ...clientsOf(law).map((clients) => ({
        heading: `K = ${clients}`,
        csv: [`k${clients}`, `k${clients}_expected`, `k${clients}_standard_error`],
      })),
    ],
    groups: [
      alphasOf(law).map((alpha) => [
        textCell(String(alpha)),
        ...clientsOf(law).map((clients) => {
          const cell = at(clients, alpha);
          const tenths = Math.round(10 * deviation(cell));
          const text = `${measured(cell.mean)} (${tenths > 0 ? "+" : ""}${fixed(tenths / 10, 1)})`;
          return { text, values: [cell.mean, cell.expected, cell.standardError] };
        }),
      ]),
    ],
  };
}

function normalisationTable(cells: readonly NormalisationCell[]): Table {
  const shown = clientsOf(cells).filter((clients) => [2, 10, 100].includes(clients));
  const at = (clients: number, alpha: number) =>
    cells.find((cell) => cell.clients === clients && cell.alpha === alpha)!;
  const percent = (cell: NormalisationCell) => ({
    text: `${fixed((100 * cell.within) / cell.draws, 0)} %`,
    values: [cell.within / cell.draws],
  });
  return {
    name: "normalisation",
    title: "Normalising client mass",
    caption: "Draws to which the lemma applies, and how far H_q is from H_u.",
    columns: [
      { heading: "α", csv: ["alpha"], align: "left" },
      ...shown.map((k) => ({ heading: `δ < 1, K = ${k}`, csv: [`applies_k${k}`] })),
      ...shown.map((k) => ({ heading: `√H_q/√H_u, K = ${k}`, csv: [`ratio_k${k}`] })),
      ...shown.map((k) => ({ heading: `δ/√H_u, K = ${k}`, csv: [`delta_k${k}`] })),
    ],
    groups: [
      alphasOf(cells).map((alpha) => [
        textCell(String(alpha)),
        ...shown.map((clients) => percent(at(clients, alpha))),
        ...shown.map((clients) => measuredCell(at(clients, alpha).meanRatio)),
        ...shown.map((clients) => measuredCell(at(clients, alpha).meanDelta)),
      ]),
    ],
  };
}

function finiteTable(finite: readonly FiniteCheck[]): Table {
  const clients = clientsOf(finite).includes(10) ? 10 : clientsOf(finite)[0];
  const rules = ["none", "closest", "largest"] as const;
  const mean = (alpha: number, repair: string, key: "realised" | "target" | "epsilon" | "moved") => {
    const chosen = finite.filter(
      (check) => check.clients === clients && check.alpha === alpha && check.repair === repair,
    );
    return chosen.reduce((sum, check) => sum + check[key], 0) / chosen.length;
  };
  const heading = (symbol: string, rule: string) =>
    `${symbol}, ${rule === "none" ? "no repair" : `repair ${rule}`}`;
  return {
    name: "finite-partitions",
    title: `Finite partitions of ${clients} clients`,
    caption:
      "Means over seeds. At large α whole samples set the heterogeneity, not the draw: Ĥ_q stays above the H_q of " +
      "the target. At small α repair does.",
    columns: [
      { heading: "α", csv: ["alpha"], align: "left" },
      { heading: "√H_q of the target", csv: ["target"] },
      ...rules.map((rule) => ({ heading: heading("√Ĥ_q", rule), csv: [`realised_${rule}`] })),
      ...rules.map((rule) => ({ heading: heading("ε_part", rule), csv: [`epsilon_${rule}`] })),
      { heading: "samples moved", csv: ["moved"] },
    ],
    groups: [
      alphasOf(finite).map((alpha) => [
        textCell(String(alpha)),
        measuredCell(mean(alpha, "none", "target")),
        ...rules.map((rule) => measuredCell(mean(alpha, rule, "realised"))),
        ...rules.map((rule) => measuredCell(mean(alpha, rule, "epsilon"))),
        measuredCell(mean(alpha, "closest", "moved")),
      ]),
    ],
  };
}
