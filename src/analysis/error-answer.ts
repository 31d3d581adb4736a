import type { SeedRecord } from "../records/seed-record.js";
import type { Answer } from "./answer.js";
import { estimateText } from "./claim.js";
import {
  alphasOf,
  finalRecords,
  finalRound,
  overSeeds,
  roundsOf,
  type SeedSummary,
  type SideOfZero,
  sideOfZero,
  withoutReference,
} from "./observations.js";
import {
  agreementWords,
  estimateWords,
  list,
  pairedWords,
  paperWords,
  seedWords,
  sideWords,
  trend,
  trendWords,
} from "./phrases.js";
import { ascent, atAlpha, meanOf, ofCommonSeeds, pairedChange } from "./seed-contrasts.js";
import { ABLATIONS, inSetting, mainTasks, paperExcess, settingOf, taskTitle } from "./settings.js";
import { fixed } from "./table.js";

const VISCOSITY = ABLATIONS.find(({ name }) => name === "viscosity")!;

const SIDES: readonly SideOfZero[] = ["above", "includes", "below"];
const NO_INTERVAL = "does not exist, with one seed,";

/** RQ3: where does heterogeneity cost accuracy? */
export function errorAnswer(records: readonly SeedRecord[]): Answer {
  const final = finalRecords(records);
  const tasks = mainTasks(withoutReference(final));
  const smallestAlpha: { task: string; alpha: number; excess: SeedSummary }[] = [];
  const sentences = tasks.flatMap((task) => {
    const runs = withoutReference(inSetting(final, settingOf(task)));
    const smallest = alphasOf(runs).at(-1)!;
    const excess = overSeeds(runs, smallest, "excess_error");
    if (excess) smallestAlpha.push({ task, alpha: smallest, excess });
    return [
      ...intervalWords(runs, task),
      ...comparisonWords(runs, task),
      ...trendSentence(runs, task),
      ...parameterWords(runs, task),
      ...transientWords(inSetting(records, settingOf(task)), task, smallest),
    ];
  });
  const regimes = viscosityWords(final);
  return {
    id: "RQ3",
    question:
      "Under which regimes does stronger solution-space heterogeneity increase parameter and error drift relative to near-IID FedAvg?",
    short: [
      shortAnswer(smallestAlpha),
      ...(regimes ? [regimes.short] : []),
      ...driftWords(final, tasks),
    ].join(" "),
    sentences: [...sentences, ...(regimes ? [regimes.sentence] : [])],
    missing:
      regimes || !mainTasks(records).includes("burgers")
        ? []
        : ["How viscosity changes it: there are no Burgers runs at two viscosities."],
  };
}

function shortAnswer(found: readonly { task: string; alpha: number; excess: SeedSummary }[]): string {
  if (found.length === 0)
    return "The records do not tell: no run at another concentration has a reference that it is compared with.";
  const parts = [...SIDES, undefined].flatMap((side) => {
    const those = found.filter(({ excess }) => sideOfZero(excess) === side);
    if (those.length === 0) return [];
    const words = those.map(
      ({ task, alpha, excess }) => `${taskTitle(task)} (${fixed(excess.mean)} pp at α = ${alpha})`,
    );
    return [`${side === undefined ? NO_INTERVAL : sideWords(side)} for ${list(words)}`];
  });
  return `At the smallest concentration the 95 % interval of the excess error ${parts.join("; it ")}.`;
}

function intervalWords(runs: readonly SeedRecord[], task: string): string[] {
  const all = alphasOf(runs).flatMap((alpha) => {
    const summary = overSeeds(runs, alpha, "excess_error");
    return summary ? [{ alpha, summary, side: sideOfZero(summary) }] : [];
  });
  const parts = [...SIDES, undefined].flatMap((side) => {
    const those = all.filter((one) => one.side === side);
    if (those.length === 0) return [];
    const values = those.map(({ alpha, summary }) => `α = ${alpha}: ${estimateWords(summary)}`);
    return [`${side === undefined ? NO_INTERVAL : sideWords(side)} at ${values.join(", ")}`];
  });
  return parts.length > 0
    ? [`${taskTitle(task)}: the 95 % interval of the excess error ${parts.join("; it ")}.`]
    : [];
}

function comparisonWords(runs: readonly SeedRecord[], task: string): string[] {
  return alphasOf(runs).flatMap((alpha) => {
    const paper = paperExcess(settingOf(task), alpha);
    const ours = overSeeds(runs, alpha, "excess_error");
    if (!paper || !ours) return [];
    const agreement = agreementWords(ours, paper);
    const end = agreement ? `: ${agreement}` : "";
    return [
      `${taskTitle(task)}, α = ${alpha}: the paper has ${paperWords(paper)}, here ${estimateWords(ours)}${end}.`,
    ];
  });
}

function trendSentence(runs: readonly SeedRecord[], task: string): string[] {
  const found = trend(runs, "excess_error");
  return found ? [`${taskTitle(task)}: the mean excess error ${trendWords(found)}.`] : [];
}

/** Where the mean excess error of a trajectory was largest. */
function transientWords(records: readonly SeedRecord[], task: string, alpha: number): string[] {
  const means = roundsOf(records).flatMap((round) => {
    const here = overSeeds(
      records.filter((record) => record.round === round),
      alpha,
      "excess_error",
    );
    return here ? [{ round, mean: here.mean }] : [];
  });
  const end = means.find(({ round }) => round === finalRound(records));
  if (!end || means.length < 3) return [];
  const peak = means.reduce((best, one) => (one.mean > best.mean ? one : best));
  if (peak.round === end.round || peak.mean <= 0) return [];
  return [
    `${taskTitle(task)}: at α = ${alpha} the mean excess error is largest at round ${peak.round} ` +
      `(${fixed(peak.mean)} pp) and ${fixed(end.mean)} pp at round ${end.round}.`,
  ];
}

/** Parameters' distance at the mildest concentration, and how it changes from there to the severest. */
function parameterDrift(runs: readonly SeedRecord[]) {
  const alphas = alphasOf(runs);
  const [mildest, severest] = [alphas[0], alphas.at(-1)!];
  if (alphas.length < 2) return undefined;
  const [mild, severe] = ofCommonSeeds([mildest, severest].map((alpha) => atAlpha(runs, alpha, "d_theta")));
  const [before, change] = [meanOf(mild), pairedChange(mild, severe)];
  return before && change ? { mildest, severest, before, change } : undefined;
}

function parameterWords(runs: readonly SeedRecord[], task: string): string[] {
  const found = parameterDrift(runs);
  if (!found) return [];
  const { mildest, severest, before, change } = found;
  return [
    `${taskTitle(task)}: mean D_θ is ${fixed(before.mean)} at α = ${mildest} already and changes by ` +
      `${estimateText(change)} to α = ${severest}, paired over ${seedWords(change.seeds)}.`,
  ];
}

/** For which tasks parameters drift apart beyond doubt. */
function driftWords(final: readonly SeedRecord[], tasks: readonly string[]): string[] {
  const drifts = tasks.flatMap((task) => {
    const found = parameterDrift(withoutReference(inSetting(final, settingOf(task))));
    return found ? [{ task, side: sideOfZero(found.change) }] : [];
  });
  if (drifts.length === 0) return [];
  const above = drifts.filter(({ side }) => side === "above").map(({ task }) => taskTitle(task));
  const whose = above.length > 0 ? ` (${list(above)})` : "";
  return [
    "From the mildest concentration that is not the reference to the severest, D_θ changes with an interval above zero for " +
      `${above.length} of ${drifts.length} tasks${whose}.`,
  ];
}

function viscosityWords(
  final: readonly SeedRecord[],
): { readonly short: string; readonly sentence: string } | undefined {
  const alpha = 0.01;
  const measured = VISCOSITY.levels.flatMap(({ label, change }) => {
    const setting = settingOf("burgers", change);
    const paper = paperExcess(setting, alpha)?.mean;
    const values = atAlpha(inSetting(final, setting), alpha, "excess_error");
    return values.size > 0 ? [{ label, paper, values }] : [];
  });
  const paired = ofCommonSeeds(measured.map(({ values }) => values));
  const found = measured.flatMap(({ label, paper }, i) => {
    const summary = meanOf(paired[i]);
    return summary ? [{ label, paper, summary, values: paired[i] }] : [];
  });
  if (found.length < 2) return undefined;
  const all = new Set(measured.flatMap(({ values }) => [...values.keys()]));
  const seeds = pairedWords({ seeds: paired[0].size, unpaired: all.size - paired[0].size });
  const rises = found.every(({ summary }, i) => i === 0 || summary.mean > found[i - 1].summary.mean);
  const values = found.map(
    ({ label, summary, paper }) =>
      `${estimateWords(summary)} at ${label}${paper === undefined ? "" : ` (paper ${fixed(paper)})`}`,
  );
  const change = ascent(found.map(({ values: seeds }) => seeds))?.change;
  const whole = change ? `, by ${estimateText(change, 3, "pp")} in all` : "";
  const [first, last] = [found[0], found.at(-1)!];
  const so = rises ? "rises" : "does not rise";
  return {
    short:
      `For Burgers at α = ${alpha} the mean excess error ${so} with every step of falling viscosity: from ${fixed(first.summary.mean)} pp at ` +
      `${first.label} to ${estimateWords(last.summary)} at ${last.label}${seeds}.`,
    sentence:
      `Burgers, α = ${alpha}: the mean excess error ${so} with every step of falling viscosity${whole}: ` +
      `${list(values)}${seeds}. The paper reports that it rises.`,
  };
}
