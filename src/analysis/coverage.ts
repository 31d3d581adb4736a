import { type Case, overrideWords } from "./cases.js";
import { type LeftOut, withoutReferenceSentences } from "./missing-runs.js";
import { alphasOf, seedsOf } from "./observations.js";
import { list } from "./phrases.js";
import type { Subject } from "./subject.js";

/** Which runs there are, in words. */
export interface Coverage {
  readonly run: readonly string[];
  /** Runs excluded from the means, with the reason, and runs without a reference. */
  readonly gaps: readonly string[];
}

/** A group of runs with its name. */
export type Named = Pick<Case, "title" | "records" | "final" | "rounds">;

/**
 * What was run. `varied` are groups that tables of their own show, and `share` says how many of a publication's runs they
 * are.
 */
export function coverage(
  { cases }: Subject,
  absent: LeftOut,
  {
    varied = () => [],
    share = runWords,
  }: {
    readonly varied?: (one: Case) => readonly Named[];
    readonly share?: (group: Named) => string;
  } = {},
): Coverage {
  const groups = cases.flatMap((one) => [one, ...varied(one)]);
  const found = groups.map((one) => ({ name: one.title, words: settingWords(one, share) }));
  // Group settings with equal coverage.
  const alike = [...new Set(found.map(({ words }) => words))].map((words) => {
    const names = found.filter((one) => one.words === words).map(({ name }) => name);
    return names.length === 1 ? `${names[0]}: ${words}.` : `${names.join("; ")}: each ${words}.`;
  });
  return { run: [...sharedOverrides(cases), ...alike], gaps: gapSentences(groups, absent) };
}

/** Which runs means leave out, every one of them, and which have nothing to be compared with. */
function gapSentences(groups: readonly Named[], { runs, planned, phrases }: LeftOut): string[] {
  return [
    ...(runs > 0
      ? [
          `${runs} of ${planned} runs are left out of means and correlations.`,
          ...phrases.map((one) => `${one}.`),
        ]
      : []),
    ...withoutReferenceSentences(groups),
  ];
}

function settingWords(group: Named, share: (group: Named) => string): string {
  const { records, final, rounds } = group;
  const runs = new Set(records.map((record) => `${record.alpha}/${record.seed}`)).size;
  const seeds = seedsOf(records);
  const grid = `α = ${alphasOf(records).join(", ")}; seed${seeds.length > 1 ? "s" : ""} ${seeds.join(", ")}`;
  const rest = runs > final.length ? `, ${runs - final.length} more on the way` : "";
  return `${share(group)} at round ${rounds}${rest} (${grid})`;
}

/** "25 runs". */
export function runWords({ final }: Named): string {
  return `${final.length} run${final.length === 1 ? "" : "s"}`;
}

/** What is not the default in any case of some data; data with the same are told of together. */
function sharedOverrides(cases: readonly Case[]): string[] {
  const tasks = [...new Set(cases.map(({ task }) => task))];
  const texts = tasks.flatMap((task) => {
    const own = cases.filter((one) => one.task === task);
    if (own.some(({ isPublished }) => isPublished)) return [];
    const [first, ...others] = own.map((one) => overrideWords(one));
    const shared = first.filter((words) => others.every((other) => other.includes(words)));
    return shared.length > 0 ? [{ title: own[0].dataTitle, text: shared.join(", ") }] : [];
  });
  return [...new Set(texts.map(({ text }) => text))].map((text) => {
    const titles = texts.filter((one) => one.text === text).map(({ title }) => title);
    return `${list(titles)} ${titles.length === 1 ? "was" : "were"} run with ${text}.`;
  });
}
