import type { SeedRecord } from "../records/seed-record.js";
import { settingKey } from "../records/settings.js";
import { axisSummary } from "./axes/axis-findings.js";
import { type LeftOut, leftOut } from "./missing-runs.js";
import {
  alphasOf,
  finalRounds,
  type SeedSummary,
  seedsOf,
  sideOfZero,
  withoutReference,
} from "./observations.js";
import { list, seedWords, sideWords } from "./phrases.js";
import { atAlpha, bySeed, meanOf } from "./seed-contrasts.js";
import { settingWords, strategyWords } from "./setting-words.js";
import { strategyOf, strategyRank } from "./strategy-names.js";
import type { Subject } from "./subject.js";
import { fixed } from "./tables/table.js";

/** More values than this are counted, not listed. */
const MOST_LISTED = 8;
/** Settings and axes whose results are told; the tables have all. */
const MOST_SETTINGS = 4;
const MOST_AXES = 3;

/**
 * Writes the opening sentences of a report: runs, what was varied, results and missing runs. Without records it returns
 * none.
 *
 * @param absent runs without records. Default: the runs that other seeds of their setting have.
 */
export function reportSummary(subject: Subject, absent: LeftOut = leftOut(subject.records)): string[] {
  if (subject.records.length === 0) return [];
  const varied = subject.axes.flatMap((axis) => axisSummary(axis) ?? []).slice(0, MOST_AXES);
  return [runSentence(subject), ...varied, resultSentence(subject), missingSentence(absent)];
}

/** "4 runs trained Burgers by FedAvg for 20 rounds with K = 10 clients and Adam, at α = 100 and 0.01 with seeds 0 and 1." */
function runSentence({ records, all, splits, cases }: Subject): string {
  const runs = new Set(
    all.map(({ settings, task, alpha, seed }) => settingKey(settings, task, String(alpha), seed)),
  ).size;
  const rounds = numbers(records.map(finalRounds(records)));
  const known = records.flatMap(({ settings: { clients } }) =>
    clients === undefined ? [] : Number(clients),
  );
  const clients = numbers(known);
  const [alphas, seeds] = [alphasOf(records), seedsOf(records)];
  const optimizers = [...new Set(records.map(({ settings }) => settingWords("optimizer", settings)))]
    .filter((words) => words !== "") // runs of other programs need not say it
    .sort();
  const trainedBy = [
    ...(clients.length > 0 ? [`K = ${clients.join(" or ")} clients`] : []),
    ...(optimizers.length > 0 ? [optimizers.join(" or ")] : []),
  ];
  const isOne = rounds.length === 1 && rounds[0] === 1;
  return (
    `${runs} run${runs === 1 ? "" : "s"} trained ${list([...new Set(cases.map(({ dataTitle }) => dataTitle))])} by ${strategiesOf(all)} for ` +
    `${rounds.join(" or ")} round${isOne ? "" : "s"}` +
    `${trainedBy.length > 0 ? ` with ${list(trainedBy)}` : ""}, at ` +
    (alphas.length > MOST_LISTED
      ? `${alphas.length} concentrations from α = ${alphas[0]} to ${alphas.at(-1)}`
      : `α = ${list(alphas.map(String))}`) +
    (splits.length > 0 ? ` and by ${partitionerWords(all)}` : "") +
    (seeds.length > MOST_LISTED
      ? ` with ${seeds.length} seeds.`
      : ` with seed${seeds.length === 1 ? "" : "s"} ${list(seeds.map(String))}.`)
  );
}

/** "FedAvg", "FedAvg, FedProx and SCAFFOLD", or how many strategies there are. */
function strategiesOf(records: readonly SeedRecord[]): string {
  const names = [...new Set(records.map(({ settings }) => strategyOf(settings)))];
  if (names.length > MOST_LISTED) return `${names.length} strategies`;
  const ordered = names.sort((a, b) => strategyRank(a) - strategyRank(b));
  return list(ordered.map((strategy) => strategyWords({ strategy })));
}

/** "2 partitioners beside Dirichlet (iid and shards)". */
function partitionerWords(records: readonly SeedRecord[]): string {
  const names = [...new Set(records.flatMap(({ settings: { partitioner } }) => partitioner ?? []))].map(
    String,
  );
  if (names.length === 0) return "target distances";
  return `the partitioner${names.length === 1 ? "" : "s"} ${list(names)}`;
}

/** What came out of one setting, over the seeds that have a reference; without `excess` where none has one. */
interface Outcome {
  readonly title: string;
  /** Mean errors in per cent: of the reference and at the smallest concentration, or at the two ends of those run. */
  readonly errors: readonly { readonly alpha: number; readonly percent: number }[];
  readonly seeds: number;
  readonly excess?: SeedSummary;
}

/** Errors at the reference and at the smallest concentration, setting by setting. */
function resultSentence({ cases }: Subject): string {
  const outcomes = cases.map(({ final, title }) => outcomeOf(final, title));
  const [first, ...others] = outcomes;
  if (others.length === 0) return oneOutcome(first);
  const shown = outcomes.slice(0, MOST_SETTINGS);
  const counts = new Set(shown.map(({ seeds }) => seeds));
  const parts = shown.map((outcome) => shortOutcome(outcome, counts.size > 1));
  const over = counts.size > 1 ? "" : `, over ${seedWords(first.seeds)}`;
  const more = outcomes.length - shown.length;
  const rest = more > 0 ? `; the tables have ${more} more setting${more === 1 ? "" : "s"}` : "";
  const excess = shown.some((outcome) => outcome.excess)
    ? ", with the excess and its 95 % interval in parentheses,"
    : "";
  return (
    `The mean relative test error at the reference and at the smallest α${excess} is ` +
    `${list(parts)}${over}${rest}.`
  );
}

function outcomeOf(runs: readonly SeedRecord[], title: string): Outcome {
  const compared = withoutReference(runs).filter(({ excess_error }) => Number.isFinite(excess_error));
  const smallest = alphasOf(compared).at(-1);
  if (smallest === undefined) return withoutExcess(runs, title);
  const here = compared.filter(({ alpha }) => alpha === smallest);
  const meanAt = (pick: (run: SeedRecord) => number) => meanOf(bySeed(here, pick))!;
  const excess = meanAt(({ excess_error }) => excess_error);
  const errors = [
    { alpha: here[0].reference_alpha, percent: meanAt((run) => 100 * run.reference_error).mean },
    { alpha: smallest, percent: meanAt((run) => 100 * run.test_error).mean },
  ];
  return { title, errors, seeds: excess.seeds, excess };
}

/** Errors at the largest and the smallest concentration where nothing is compared with a reference. */
function withoutExcess(runs: readonly SeedRecord[], title: string): Outcome {
  const alphas = alphasOf(runs);
  const means = [...new Set([alphas[0], alphas.at(-1)!])].flatMap((alpha) => {
    const mean = meanOf(atAlpha(runs, alpha, "test_error", 100));
    return mean ? [{ alpha, percent: mean.mean, seeds: mean.seeds }] : [];
  });
  return { title, errors: means, seeds: Math.max(0, ...means.map(({ seeds }) => seeds)) };
}

/** "The mean relative test error is 27.49 % at the reference α = 100 and 28.42 % at α = 0.01 for Burgers, an excess of ..." */
function oneOutcome({ title, errors, seeds, excess }: Outcome): string {
  const digits = digitsOf(errors);
  const places = errors.map(
    ({ alpha, percent }, i) =>
      `${fixed(percent, digits)} % at ${excess && i === 0 ? "the reference " : ""}α = ${alpha}`,
  );
  const head = `The ${seeds > 1 ? "mean " : ""}relative test error is ${list(places)} for ${title}`;
  if (!excess)
    return `${head}, over ${seedWords(seeds)}; an excess error needs a reference run and one at another α.`;
  const side = sideOfZero(excess);
  const points = `${head}, an excess of ${fixed(excess.mean, digits)} pp`;
  if (side === undefined) return `${points} (one seed, so without an interval).`;
  return `${points} over ${seedWords(seeds)}, whose 95 % interval ${interval(excess, digits)} ${sideWords(side)}.`;
}

/** "27.49 % and 28.42 % for Burgers (0.93 pp [−5.48, 7.35])". */
function shortOutcome({ title, errors, seeds, excess }: Outcome, isCounted: boolean): string {
  const digits = digitsOf(errors);
  const points = excess
    ? `${fixed(excess.mean, digits)} pp${excess.low === null ? "" : ` ${interval(excess, digits)}`}`
    : "no reference";
  return (
    `${list(errors.map(({ percent }) => `${fixed(percent, digits)} %`))} for ${title} ` +
    `(${points}${isCounted ? `, ${seedWords(seeds)}` : ""})`
  );
}

function digitsOf(errors: Outcome["errors"]): number {
  return errors.some(({ percent }) => percent < 1) ? 3 : 2;
}

function interval({ low, high }: SeedSummary, digits: number): string {
  return `[${fixed(low!, digits)}, ${fixed(high!, digits)}]`;
}

function missingSentence({ runs, planned, phrases }: LeftOut): string {
  if (runs === 0) return "No run is missing.";
  const words = phrases.length > MOST_LISTED ? [...phrases.slice(0, MOST_LISTED), "and others"] : phrases;
  return `${runs} of ${planned} runs ${runs === 1 ? "is" : "are"} missing: ${words.join("; ")}.`;
}

function numbers(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
