import type { SeedRecord } from "../records/seed-record.js";
import type { Answer } from "./answer.js";
import { type Case, caseNoun } from "./cases.js";
import {
  alphasOf,
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
  estimateText,
  estimateWords,
  list,
  seedWords,
  sideWords,
  statedWords,
  trend,
  trendWords,
} from "./phrases.js";
import type { Published } from "./published.js";
import { atAlpha, meanOf, ofCommonSeeds, pairedChange } from "./seed-contrasts.js";
import type { Subject } from "./subject.js";
import { fixed } from "./tables/table.js";

const SIDES: readonly SideOfZero[] = ["above", "includes", "below"];
const NO_INTERVAL = "does not exist, with one seed,";

/**
 * Where does heterogeneity cost accuracy?
 *
 * @param regimes what else is known of where, which the short answer tells after the excess errors
 */
export function errorAnswer({ cases, published }: Subject, regimes: readonly string[] = []): Answer {
  const smallestAlpha: SmallestAlpha[] = [];
  const compared = cases.filter(({ final }) => withoutReference(final).length > 0);
  const sentences = compared.flatMap((one) => {
    const runs = withoutReference(one.final);
    const smallest = alphasOf(runs).at(-1)!;
    const excess = overSeeds(runs, smallest, "excess_error");
    if (excess) smallestAlpha.push({ title: one.title, alpha: smallest, excess });
    return [
      ...intervalWords(runs, one.title),
      ...comparisonWords(runs, one, published),
      ...trendSentence(runs, one.title),
      ...parameterWords(runs, one.title),
      ...transientWords(one.records, one.title, smallest),
    ];
  });
  return {
    short: [shortAnswer(smallestAlpha), ...regimes, ...driftWords(compared)].join(" "),
    sentences,
    missing: [],
  };
}

interface SmallestAlpha {
  readonly title: string;
  readonly alpha: number;
  readonly excess: SeedSummary;
}

function shortAnswer(found: readonly SmallestAlpha[]): string {
  if (found.length === 0)
    return "The records do not tell: no run at another concentration has a reference that it is compared with.";
  const parts = [...SIDES, undefined].flatMap((side) => {
    const those = found.filter(({ excess }) => sideOfZero(excess) === side);
    if (those.length === 0) return [];
    const words = those.map(
      ({ title, alpha, excess }) => `${title} (${fixed(excess.mean)} pp at α = ${alpha})`,
    );
    return [`${side === undefined ? NO_INTERVAL : sideWords(side)} for ${list(words)}`];
  });
  return `At the smallest concentration the 95 % interval of the excess error ${parts.join("; it ")}.`;
}

function intervalWords(runs: readonly SeedRecord[], title: string): string[] {
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
  return parts.length > 0 ? [`${title}: the 95 % interval of the excess error ${parts.join("; it ")}.`] : [];
}

function comparisonWords(runs: readonly SeedRecord[], one: Case, published: Published | undefined): string[] {
  return alphasOf(runs).flatMap((alpha) => {
    const stated = one.isPublished ? published?.excess(one, alpha) : undefined;
    const ours = overSeeds(runs, alpha, "excess_error");
    if (!published || !stated || !ours) return [];
    const agreement = agreementWords(ours, stated, published.source);
    const end = agreement ? `: ${agreement}` : "";
    return [
      `${one.title}, α = ${alpha}: the ${published.source} has ${statedWords(stated)}, here ${estimateWords(ours)}${end}.`,
    ];
  });
}

function trendSentence(runs: readonly SeedRecord[], title: string): string[] {
  const found = trend(runs, "excess_error");
  return found ? [`${title}: the mean excess error ${trendWords(found)}.`] : [];
}

/** Where the mean excess error of a trajectory was largest. */
function transientWords(records: readonly SeedRecord[], title: string, alpha: number): string[] {
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
    `${title}: at α = ${alpha} the mean excess error is largest at round ${peak.round} ` +
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

function parameterWords(runs: readonly SeedRecord[], title: string): string[] {
  const found = parameterDrift(runs);
  if (!found) return [];
  const { mildest, severest, before, change } = found;
  return [
    `${title}: mean D_θ is ${fixed(before.mean)} at α = ${mildest} already and changes by ` +
      `${estimateText(change)} to α = ${severest}, paired over ${seedWords(change.seeds)}.`,
  ];
}

/** For which cases parameters drift apart beyond doubt. */
function driftWords(cases: readonly Case[]): string[] {
  const drifts = cases.flatMap(({ title, final }) => {
    const found = parameterDrift(withoutReference(final));
    return found ? [{ title, side: sideOfZero(found.change) }] : [];
  });
  if (drifts.length === 0) return [];
  const above = drifts.filter(({ side }) => side === "above").map(({ title }) => title);
  const whose = above.length > 0 ? ` (${list(above)})` : "";
  return [
    "From the mildest concentration that is not the reference to the severest, D_θ changes with an interval above zero for " +
      `${above.length} of ${drifts.length} ${caseNoun(cases)}s${whose}.`,
  ];
}
