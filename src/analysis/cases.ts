import type { SeedRecord } from "../records/seed-record.js";
import { UNKNOWN_OPTIONS } from "../records/seed-table.js";
import { type Settings, settingKey } from "../records/settings.js";
import { verbatim } from "./notation.js";
import { finalRecords, finalRound } from "./observations.js";
import type { Published } from "./published.js";
import { settingWords, strategyWords } from "./setting-words.js";
import { strategyOf, strategyOptions, strategyRank } from "./strategy-names.js";

/** What tells groups of runs apart. */
export interface Compared {
  /** Recorded name of the data. */
  readonly task: string;
  readonly settings: Settings;
  readonly overrides: readonly string[];
  /** Concentration of the reference; NaN where there is none. */
  readonly referenceAlpha: number;
  /** The round of the last checkpoint, where there are records. */
  readonly rounds?: number;
}

/** Runs that differ in concentration and seed alone: they share references, and means over their seeds make sense. */
export interface Group extends Compared {
  /** Every checkpoint. */
  readonly records: readonly SeedRecord[];
  /** The last checkpoint of every run that came so far. */
  readonly final: readonly SeedRecord[];
  readonly rounds: number;
}

/** A group as a report shows it. */
export interface Case extends Group {
  /** Title of its data, in the notation of `notation.ts`. */
  readonly dataTitle: string;
  /** The same with what tells it from other cases of the data; unique within a report. */
  readonly title: string;
  /** Whether published values may stand beside it. */
  readonly isPublished: boolean;
}

/** Groups records, in the order in which the groups first occur. */
export function groupsOf(records: readonly SeedRecord[]): Group[] {
  const groups = new Map<string, SeedRecord[]>();
  const keys = new Map<Settings, string>(); // rows of a run share one object
  for (const record of records) {
    const { settings, task, reference_alpha } = record;
    const known = keys.get(settings) ?? settingKey(settings);
    keys.set(settings, known);
    const key = `${known} ${reference_alpha} ${task}`;
    const group = groups.get(key);
    if (group) group.push(record);
    else groups.set(key, [record]);
  }
  return [...groups.values()].map((rows) => {
    const [{ task, settings, overrides, reference_alpha }] = rows;
    const shared = { task, settings, overrides, referenceAlpha: reference_alpha };
    return { ...shared, records: rows, final: finalRecords(rows), rounds: finalRound(rows) };
  });
}

/** What is known of data wherever they were published: their order, their titles, and groups that are told apart. */
export type KnownData = Pick<Published, "tasks" | "titleOf" | "divided">;

/** The cases of a report: groups with published main settings under the title of their data, others with what differs. */
export function casesOf(groups: readonly Group[], published?: KnownData): Case[] {
  const tasks = orderedTasks(groups, published);
  return tasks.flatMap((task) => {
    const own = groups.filter((group) => group.task === task);
    const { main = undefined, varied = [] } = published?.divided(own) ?? {};
    const shown = main ? own.filter((group) => !varied.includes(group)) : own;
    const sets = varyingSettings(shown);
    const title = dataTitle(own, published);
    return inOrder(shown, sets, main).map((group) => ({
      ...group,
      dataTitle: title,
      title: [
        title,
        ...differences(group, main ? sets.filter((set) => differs(group, main, set)) : sets),
      ].join(", "),
      isPublished: group === main,
    }));
  });
}

/** The main setting first, then by what varies. */
function inOrder(
  groups: readonly Group[],
  sets: readonly VaryingSettings[],
  main: Group | undefined,
): Group[] {
  const names = sets.flatMap(({ shown }) => shown);
  return [...groups].sort((a, b) =>
    a === main || b === main ? (a === main ? -1 : 1) : bySettings(a, b, names),
  );
}

/** Order of groups by some settings: strategies as papers list them, numbers ascending after runs that lack them. */
export function bySettings(a: Compared, b: Compared, names: readonly string[]): number {
  for (const name of names) {
    const [x, y] = [a, b].map(({ settings }) =>
      name === "strategy" ? strategyRank(strategyOf(settings)) : (settings[name] ?? -Infinity),
    );
    if (typeof x === "number" && typeof y === "number" && x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Recorded names of data: those with published settings in the publication's order, then the others. */
function orderedTasks(groups: readonly Group[], published: KnownData | undefined): string[] {
  const found = new Set(groups.map(({ task }) => task));
  const isCovered = (task: string) =>
    published?.divided(groups.filter((group) => group.task === task)).main !== undefined;
  const known = (published?.tasks ?? []).filter((task) => isCovered(task) && found.delete(task));
  return [...known, ...[...found].sort()];
}

/** What a sentence counts: "task" where every data has one case. */
export function caseNoun(cases: readonly Case[]): string {
  return new Set(cases.map(({ task }) => task)).size === cases.length ? "task" : "case";
}

function dataTitle(groups: readonly Group[], published: KnownData | undefined): string {
  const [{ task, records }] = groups;
  return taskTitle({ task, title: records.find(({ title }) => title !== undefined)?.title }, published);
}

/** The title of data: what the run recorded, a title that a publication knows, or its name. User text stays text. */
export function taskTitle(
  { task, title }: Pick<SeedRecord, "task" | "title">,
  published: Pick<Published, "titleOf"> | undefined,
): string {
  return title === undefined ? (published?.titleOf(task) ?? userText(task)) : userText(title);
}

function userText(text: string): string {
  return /^[\p{L}\p{N} ,.:()/+-]+$/u.test(text) && !/\p{Script=Greek}/u.test(text) ? text : verbatim(text);
}

/** Settings that vary together, so that they are one difference; those that words name come first. */
export interface VaryingSettings {
  readonly names: readonly string[];
  /** What words name: settings that someone overrode, or all. */
  readonly shown: readonly string[];
  /** Which of these the words of a group name; all unless given. */
  told?(group: Compared): readonly string[];
}

/** Stand among the names of settings for the concentration of the reference and for the rounds that groups came to. */
const REFERENCE = "reference α";
const ROUNDS = "final round";

/**
 * The settings that differ between groups. Settings that always change together, such as an optimiser and its rate, are
 * one; so are the strategy and its options, which other strategies do not have.
 */
export function varyingSettings(groups: readonly Compared[]): VaryingSettings[] {
  const all = groups.map(allSettings);
  const options = strategyOptions(groups.map(({ settings }) => settings));
  const patternOf = (names: readonly string[]) => {
    const values = all.map((settings) => JSON.stringify(names.map((name) => settings[name])));
    return values.map((value) => values.indexOf(value));
  };
  const names = [...new Set(all.flatMap((settings) => Object.keys(settings)))];
  const sets = new Map<string, string[]>();
  for (const name of names) {
    const own = name === "strategy" || options.includes(name) ? ["strategy", ...options] : [name];
    const pattern = patternOf(own);
    if (pattern.every((place) => place === 0)) continue;
    // How far groups came is told beside whatever else differs.
    const key = name === ROUNDS ? name : pattern.join(" ");
    sets.set(key, [...(sets.get(key) ?? []), name]);
  }
  return [...sets.values()].flatMap((together) => {
    if (together.includes(UNKNOWN_OPTIONS)) return { names: together, shown: [UNKNOWN_OPTIONS] };
    if (together.includes("data")) return { names: together, shown: ["data"] };
    const overridden = together.filter((name) => groups.some(({ overrides }) => overrides.includes(name)));
    if (together.includes("strategy")) return strategySet(together, overridden, groups);
    if (overridden.length > 0) return { names: together, shown: overridden };
    // Defaults that only some groups have came along with what these groups differ in, such as a partitioner.
    const isPartial = together.every((name) => all.some((settings) => settings[name] === undefined));
    return isPartial && sets.size > 1 ? [] : { names: together, shown: together };
  });
}

/** The strategy with its options. A group's words name those that it overrides, or that groups of its strategy vary. */
function strategySet(
  together: readonly string[],
  overridden: readonly string[],
  groups: readonly Compared[],
): VaryingSettings {
  const options = strategyOptions(groups.map(({ settings }) => settings));
  const names = ["strategy", ...together.filter((name) => name !== "strategy")];
  const shown = ["strategy", ...overridden.filter((name) => name !== "strategy")];
  const isVaried = (name: string, { settings }: Compared) =>
    groups.some(
      (other) =>
        strategyOf(other.settings) === strategyOf(settings) && other.settings[name] !== settings[name],
    );
  const told = (group: Compared) =>
    shown.filter(
      (name) => !options.includes(name) || group.overrides.includes(name) || isVaried(name, group),
    );
  return { names, shown, told };
}

/** A group's settings with what else is compared. */
function allSettings(group: Compared): Settings {
  const { settings, overrides, referenceAlpha, rounds } = group;
  return {
    ...settings,
    [REFERENCE]: String(referenceAlpha),
    ...(rounds !== undefined && !("rounds" in settings) && { [ROUNDS]: rounds }),
    ...(overrides.includes(UNKNOWN_OPTIONS) && { [UNKNOWN_OPTIONS]: true }),
  };
}

/** What a group has of some varying settings, in words: "model width 16", "20 clients". */
export function differences(group: Compared, sets: readonly VaryingSettings[]): string[] {
  const settings = allSettings(group);
  return sets.flatMap(({ shown, told: ofGroup }) => {
    const words = (ofGroup?.(group) ?? shown).map((name) => {
      if (name === "strategy") return strategyWords(settings);
      if (name === REFERENCE) return referenceDifference(group.referenceAlpha);
      return name === ROUNDS ? roundWords(group.rounds!) : settingWords(name, settings);
    });
    const told = words.filter((one) => one !== "").join(", ");
    return told === "" ? [] : [told];
  });
}

/** What all of some groups have of the settings that vary elsewhere. */
export function commonDifferences(group: readonly Compared[], sets: readonly VaryingSettings[]): string[] {
  const [first, ...others] = group.map((one) => [...new Set(differences(one, sets))]);
  return first.filter((words) => others.every((other) => other.includes(words)));
}

function differs(one: Compared, other: Compared, { names }: VaryingSettings): boolean {
  const [a, b] = [one, other].map(allSettings);
  return names.some((name) => a[name] !== b[name]);
}

function referenceDifference(alpha: number): string {
  return Number.isNaN(alpha) ? "no reference run" : `reference α = ${alpha}`;
}

/** Whether settings are ones that reports compare; the concentration of a reference and rounds are not. */
export function isComparable({ names }: VaryingSettings): boolean {
  return ![REFERENCE, ROUNDS, UNKNOWN_OPTIONS].some((name) => names.includes(name));
}

const roundWords = (rounds: number): string => `${rounds} round${rounds === 1 ? "" : "s"}`;

/** The overrides of a group in words, and the number of its rounds: "bins 5", "30 rounds". */
export function overrideWords({ settings, overrides, rounds, referenceAlpha }: Group, usual = 100): string[] {
  return [
    ...(referenceAlpha === usual ? [] : [referenceDifference(referenceAlpha)]),
    ...overrides
      .filter((name) => name !== "rounds")
      .map((name) => (name === UNKNOWN_OPTIONS ? "unknown options" : settingWords(name, settings)))
      .filter((words) => words !== ""),
    roundWords(rounds),
  ];
}
