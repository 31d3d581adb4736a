import type { SeedRecord } from "../records/seed-record.js";
import type { Answer } from "./answer.js";
import { type Case, caseNoun } from "./cases.js";
import { correlationInterval } from "./correlation-intervals.js";
import { alphasOf, type Measurement, referenceWords, sideOfZero, withoutReference } from "./observations.js";
import { estimateText, list, seedWords, trend, trendWords } from "./phrases.js";
import type { Published } from "./published.js";
import { type Ascent, ascent, atAlpha } from "./seed-contrasts.js";
import type { Subject } from "./subject.js";
import { fixed } from "./tables/table.js";

const MEASURED = [
  { name: "D_sol", measurement: "d_sol" },
  { name: "H_g^norm", measurement: "h_g_norm" },
  { name: "D_θ", measurement: "d_theta" },
] as const;

/** Does a smaller alpha mean larger distances and more dissimilar gradients? */
export function geometryAnswer({ cases, published }: Subject): Answer {
  const sentences: string[] = [];
  const missing: string[] = [];
  const both: string[] = [];
  const sure: string[] = [];
  let asked = 0;
  for (const one of cases) {
    const { title, final: runs } = one;
    const trends = MEASURED.map(({ name, measurement }) => {
      // The reference has no distance from itself: the trend of D_θ begins after it.
      const compared = measurement === "d_theta" ? withoutReference(runs) : runs;
      const change = changeOf(compared, measurement)?.change;
      return { name, measurement, found: trend(compared, measurement), change };
    });
    if (trends.every(({ found }) => !found)) {
      missing.push(
        alphasOf(runs).length < 2
          ? `${title} has one concentration only, so there is no trend.`
          : `${title} has no seed with all concentrations, so there is no trend.`,
      );
      continue;
    }
    asked++;
    if (trends.slice(0, 2).every(({ found }) => found?.breaks.length === 0)) both.push(title);
    if (trends.slice(0, 2).every(({ change }) => sideOfZero(change) === "above")) sure.push(title);
    for (const { name, measurement, found, change } of trends) {
      if (!found) continue;
      const stated = statedMean(one, alphasOf(runs).at(-1)!, measurement, published);
      const whole = change
        ? `; the whole change, paired over ${seedWords(change.seeds)}, is ${estimateText(change)}`
        : "";
      sentences.push(`${title}: mean ${name} ${trendWords(found)}${whole}.${stated}`);
    }
    const ranks = rankWords(one, published);
    if (ranks) sentences.push(ranks);
  }
  return {
    short:
      asked === 0
        ? `The records do not tell: no ${caseNoun(cases)} has two concentrations.`
        : `Mean D_sol and mean H_g^norm both rise with every step of falling α in ${both.length} of ${asked} ` +
          `${caseNoun(cases)}${asked === 1 ? "" : "s"}${both.length > 0 ? ` (${list(both)})` : ""}; the 95 % intervals of both changes, ` +
          `paired by seed, lie above zero in ${sure.length} of ${asked}.`,
    sentences,
    missing,
  };
}

/** Change of a mean from the largest to the smallest concentration. */
function changeOf(runs: readonly SeedRecord[], measurement: Measurement): Ascent | undefined {
  return ascent(alphasOf(runs).map((alpha) => atAlpha(runs, alpha, measurement)));
}

function statedMean(
  one: Case,
  alpha: number,
  measurement: "d_sol" | "h_g_norm" | "d_theta",
  published: Published | undefined,
): string {
  const mean = one.isPublished ? published?.means(one, alpha)?.[measurement] : undefined;
  return mean === undefined ? "" : ` The ${published!.source} has ${fixed(mean)} at α = ${alpha}.`;
}

function rankWords(one: Case, published: Published | undefined): string | undefined {
  const { title, final: runs } = one;
  const found = MEASURED.slice(1).flatMap(({ name, measurement }) => {
    if (measurement === "d_sol") return [];
    const pairing = { kind: "spearman", x: "d_sol", y: measurement } as const;
    const rank = correlationInterval(withoutReference(runs), pairing);
    if (!rank) return [];
    const value = one.isPublished ? published?.spearman(one, measurement) : undefined;
    const stated = value === undefined ? "" : ` (${published!.source} ${fixed(value, 2)})`;
    return [`${estimateText(rank, 2)} with ${name}${stated}`];
  });
  if (found.length === 0) return undefined;
  return `${title}: over ${withoutReference(runs).length} runs without ${referenceWords(runs)} the rank correlation of D_sol is ${list(found)}; intervals leave out one seed at a time.`;
}
