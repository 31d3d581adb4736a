import { settingKey } from "../../records/settings.js";
import {
  bySettings,
  type Case,
  commonDifferences,
  differences,
  isComparable,
  type VaryingSettings,
  varyingSettings,
} from "../cases.js";
import { absentWords, settingName } from "../setting-words.js";

/** More levels, panels and axes than these make a report that nobody reads to its end. */
const MOST_LEVELS = { numbers: 8, names: 16 };
const MOST_PANELS = 6;
const MOST_AXES = 8;

/** One value of what is compared, and the case that has it. */
export interface Level {
  readonly label: string;
  readonly of: Case;
}

/** Cases that differ in one thing alone. */
export interface Comparison {
  /** The data and what else tells this comparison from others of its axis. */
  readonly title: string;
  readonly levels: readonly Level[];
}

/** Something that a study varies, with all comparisons along it. */
export interface Axis {
  /** For names of files: "width". */
  readonly name: string;
  /** "Model width". */
  readonly title: string;
  readonly comparisons: readonly Comparison[];
  /** Whether levels are numbers, which have an order, and not names. */
  readonly isNumeric: boolean;
  /** How many comparisons and levels are left out, so that a report stays readable. */
  readonly left: number;
}

/**
 * Everything that the cases of a report vary: settings of the same data, then the data. Cases that are all published
 * give no axis, since the publication compares them in its own way.
 */
export function axesOf(cases: readonly Case[]): Axis[] {
  return allAxes(cases).slice(0, MOST_AXES).map(limited);
}

/** The same, however many they are. */
export function allAxes(cases: readonly Case[]): Axis[] {
  const tasks = [...new Set(cases.map(({ task }) => task))];
  const byTask = tasks.map((task) => cases.filter((one) => one.task === task));
  const found = new Map<string, Axis>();
  for (const own of byTask) {
    const sets = varyingSettings(own).filter(isComparable);
    const axes = sets.map((set) => axisAlong(set, own));
    const hasNone = axes.every(({ comparisons }) => comparisons.length === 0);
    for (const axis of hasNone && own.length > 1 ? [axisOfAll(own, sets)] : axes) {
      const known = found.get(axis.name);
      found.set(
        axis.name,
        known ? { ...known, comparisons: [...known.comparisons, ...axis.comparisons] } : axis,
      );
    }
  }
  const isStrategy = ({ name }: Axis) => Number(name === "strategy");
  return [...found.values(), dataAxis(cases, byTask)]
    .sort((a, b) => isStrategy(b) - isStrategy(a))
    .filter(({ comparisons }) => comparisons.some(isOwn));
}

const isOwn = ({ levels }: Comparison): boolean => levels.some(({ of }) => !of.isPublished);

/** Comparisons along settings that vary together, of cases of one data. */
function axisAlong(set: VaryingSettings, cases: readonly Case[]): Axis {
  const others = varyingSettings(cases).filter((one) => one.names[0] !== set.names[0]);
  const names = others.flatMap((one) => one.names);
  const comparisons = grouped(cases, (one) => keyOf(one, names)).map((group) => ({
    title: [group[0].dataTitle, ...differences(group[0], others)].join(", "),
    levels: ordered(group, set).map((of) => ({ label: labelOf(of, set), of })),
  }));
  const [name] = set.shown;
  return { ...named(set), comparisons, isNumeric: isNumeric(cases, name), left: 0 };
}

/** All cases of one data, where no two of them differ in one thing alone. */
function axisOfAll(cases: readonly Case[], sets: readonly VaryingSettings[]): Axis {
  const comparisons = grouped(cases, (one) => keyOf(one, [])).map((group) => ({
    title: cases[0].dataTitle,
    levels: group.map((of) => ({ label: differences(of, sets).join(", ") || of.title, of })),
  }));
  return {
    name: "settings",
    title: "Settings",
    comparisons: sets.length === 0 ? [] : comparisons,
    isNumeric: false,
    left: 0,
  };
}

/** Data with the same settings otherwise; what is the same in all cases of each data belongs to the data. */
function dataAxis(cases: readonly Case[], byTask: readonly (readonly Case[])[]): Axis {
  const within = byTask.flatMap((own) => varyingSettings(own));
  const names = [...new Set(within.flatMap((set) => set.names))];
  const isPaired = (group: readonly Case[]) => new Set(group.map(({ task }) => task)).size === group.length;
  const comparisons = grouped(byTask.length > 1 ? cases : [], (one) => keyOf(one, names))
    .filter(isPaired)
    .map((group) => ({
      title: commonDifferences(group, within).join(", ") || "Data",
      levels: group.map((of) => ({ label: of.dataTitle, of })),
    }));
  return { name: "data", title: "Dataset", comparisons, isNumeric: false, left: 0 };
}

/** Cases with equal keys, where there are several. */
function grouped(cases: readonly Case[], key: (one: Case) => string): Case[][] {
  const groups = new Map<string, Case[]>();
  for (const one of cases) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Only cases that came to the same round, with the same kind of reference, are compared. */
function keyOf({ settings, referenceAlpha, rounds }: Case, names: readonly string[]): string {
  const own = Object.entries(settings).filter(([name]) => names.includes(name));
  return settingKey(Object.fromEntries(own), referenceAlpha, rounds);
}

function labelOf(of: Case, set: VaryingSettings): string {
  const [label] = differences(of, [set]);
  return label ?? absentWords(set.shown[0]);
}

/** Numbers ascend, strategies are as papers list them; of other words, the default comes first. */
function ordered(cases: readonly Case[], set: VaryingSettings): Case[] {
  const [name] = set.shown;
  if (name === "strategy" || isNumeric(cases, name))
    return [...cases].sort((a, b) => bySettings(a, b, set.shown));
  const place = ({ overrides }: Case) => Number(overrides.includes(name));
  return [...cases].sort((a, b) => place(a) - place(b));
}

const isNumeric = (cases: readonly Case[], name: string): boolean =>
  cases.every(({ settings }) => typeof settings[name] === "number");

function named({ shown: all, told }: VaryingSettings): Pick<Axis, "name" | "title"> {
  const shown = told ? all.slice(0, 1) : all; // options of strategies are told with each
  const title = shown.map(settingName).join(" and ").replaceAll("`", "");
  return {
    name: shown.join("-").replace(/[^a-zA-Z0-9_-]+/g, "-"),
    title: title.charAt(0).toUpperCase() + title.slice(1),
  };
}

function limited(axis: Axis): Axis {
  const most = axis.isNumeric ? MOST_LEVELS.numbers : MOST_LEVELS.names;
  const comparisons = axis.comparisons
    .slice(0, MOST_PANELS)
    .map(({ title, levels }) => ({ title, levels: levels.slice(0, most) }));
  const count = (all: readonly Comparison[]) => all.reduce((sum, { levels }) => sum + levels.length, 0);
  return { ...axis, comparisons, left: count(axis.comparisons) - count(comparisons) };
}
