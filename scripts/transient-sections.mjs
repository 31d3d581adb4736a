import { correlation, finalRecords, summarise, withoutReference } from "../dist/analysis/observations.js";
import { agreementWords, estimateText, seedWords, statedWords } from "../dist/analysis/phrases.js";
import { intervalText } from "../dist/analysis/tables/table.js";
import { settingOf } from "../dist/paper/settings.js";
import {
  PAPER_SPEARMAN,
  PAPER_SUMMARY,
  paperDistances,
  paperExcess,
  paperReferenceError,
} from "../dist/paper/values.js";
import { measuredCost } from "./cost.mjs";

export const TRANSIENT = "darcy-pdebench";
const TASK = "darcy";
const REFERENCE = 100;
const SEVEREST = 0.01;

/** Columns of the comparison: heading, number of a record, digits. */
const COLUMNS = [
  ["Test error, %", ({ test_error }) => 100 * test_error, 2],
  ["Excess, pp", ({ excess_error }) => excess_error, 3],
  ["D_sol", ({ d_sol }) => d_sol, 3],
  ["H_g^norm", ({ h_g_norm }) => h_g_norm, 3],
  ["D_θ", ({ d_theta }) => d_theta, 3],
];

/**
 * What the page of PDEBench's transient says before its results: what these labels are, and how the runs compare with
 * those on steady labels and with the paper.
 *
 * @param records of the study
 * @param others of the study `public`
 */
export function transientSections(records, others) {
  const final = finalRecords(records);
  const steady = finalRecords(others).filter(({ task }) => task === TASK);
  return [
    "PDEBench does not solve Darcy's equation for its steady state. It starts from a random pressure and stops at t = 1.75, so its",
    "labels contain the rest of a transient that the permeability does not determine. The study `public` trains on steady labels.",
    "This page has the same runs on labels with such a transient (`variant: pdebench-like`). They are simulated too: they follow",
    "PDEBench's solver but [are not its file](../readings.md#public-tasks). The study is",
    `[\`${TRANSIENT}\`](../../studies/${TRANSIENT}.yaml).`,
    ...repairWords(steady, final),
    "",
    measuredCost(TRANSIENT, final, `study \`${TRANSIENT}\``),
    "",
    "## Beside steady labels and the paper",
    "",
    ...sentences(final, steady),
    "",
    ...comparison(final, steady),
    "",
    "*Means over seeds after 1000 rounds, with 95 % Student-t intervals. The excess is paired by seed with the run at α = 100.*",
    "",
  ];
}

const at = (runs, alpha) => runs.filter((run) => run.alpha === alpha);

/** Says so where the steady runs have another rule of repair. */
function repairWords(steady, final) {
  const [before, now] = [steady, final].map((runs) => new Set(runs.map(ruleOf)));
  if ([...before].join() === [...now].join()) return [];
  return [
    `The runs on steady labels are older. There the ${[...before].join(" or ")} client gave samples to clients that were too small; here the`,
    `${[...now].join(" or ")} one does.`,
  ];
}

const ruleOf = ({ repair, settings }) => repair ?? settings.repair;

/** The near-IID error, the excess and the rank correlations, here and in the paper. */
function sentences(final, steady) {
  const setting = settingOf(TASK);
  const [here, without] = [final, steady].map((runs) => ({
    error: summarise(at(runs, REFERENCE).map(({ test_error }) => 100 * test_error)),
    excess: summarise(at(runs, SEVEREST).map(({ excess_error }) => excess_error)),
    ranks: ["d_theta", "excess_error"].map((name) => rank(runs, name)),
  }));
  const stated = paperExcess(setting, SEVEREST);
  const paper = PAPER_SPEARMAN[TASK];
  const [ranked, before] = [final, steady].map((runs) => withoutReference(runs).length);
  const over = ({ seeds }) => `over ${seedWords(seeds)}`;
  return [
    `- The near-IID error (α = ${REFERENCE}) is ${estimateText(here.error, 2)} % ${over(here.error)}. It is ${estimateText(without.error, 2)} % on steady labels ${over(without.error)}, and ${paperReferenceError(setting)} % in the paper.`,
    `- The excess error at α = ${SEVEREST} is ${estimateText(here.excess, 3)} pp. It is ${estimateText(without.excess, 3)} pp on steady labels and ${statedWords(stated)} in the paper: ${agreementWords(here.excess, stated, "paper")}.`,
    `- The rank correlation of D_sol over ${ranked} runs without α = ${REFERENCE} is ${here.ranks[0]} with D_θ and ${here.ranks[1]} with the excess error. It is ${without.ranks[0]} and ${without.ranks[1]} over ${before} runs on steady labels, and ${paper.d_theta.toFixed(2)} and ${paper.excess_error.toFixed(2)} in the paper.`,
  ];
}

function rank(runs, name) {
  return correlation("spearman", withoutReference(runs), "d_sol", name).value.toFixed(2).replace("-", "−");
}

/** A row for every concentration and kind of label, and the paper's where it states values. */
function comparison(final, steady) {
  const alphas = [...new Set(final.map(({ alpha }) => alpha))].sort((a, b) => b - a);
  const row = (alpha, runs, words) => [
    String(alpha),
    words,
    ...COLUMNS.map(([, numberOf, digits]) => cell(summarise(at(runs, alpha).map(numberOf)), digits)),
    String(at(runs, alpha).length),
  ];
  const heads = ["α", "Labels", ...COLUMNS.map(([heading]) => heading), "Seeds"];
  const rows = alphas.flatMap((alpha) => [
    row(alpha, final, "with a transient"),
    row(alpha, steady, "steady"),
    ...paperRow(alpha),
  ]);
  return [heads, heads.map((_, i) => (i < 2 ? "---" : "---:")), ...rows].map(
    (cells) => `| ${cells.join(" | ")} |`,
  );
}

/** A mean with its interval; references have neither excess nor divergence. */
function cell(summary, digits) {
  return summary.low === 0 && summary.high === 0 ? "0" : estimateText(summary, digits);
}

function paperRow(alpha) {
  const setting = settingOf(TASK);
  const distance = paperDistances(TASK).find((entry) => entry.alpha === alpha);
  const stated =
    distance && (distance.low === distance.high ? `${distance.low}` : `${distance.low} to ${distance.high}`);
  if (alpha === REFERENCE)
    return [
      [String(alpha), "PDEBench (paper)", String(paperReferenceError(setting)), "0", stated, "–", "0", "5"],
    ];
  const excess = paperExcess(setting, alpha);
  if (!excess) return [];
  const { h_g_norm, d_theta } = PAPER_SUMMARY[TASK];
  return [
    [
      ...[String(alpha), "PDEBench (paper)", "–", `${excess.mean} ${intervalText(excess.low, excess.high)}`],
      ...[stated, String(h_g_norm), String(d_theta), "5"],
    ],
  ];
}
