import { groupsOf, varyingSettings } from "../../../../../analysis/cases.js";
import { absentWords, settingName, settingWords } from "../../../../../analysis/setting-words.js";
import { strategyOf, strategyRank } from "../../../../../analysis/strategy-names.js";
import type { SeedRecord } from "../../../../../records/seed-record.js";
import { passes, type RunFilter, textOf } from "../../../../study/run-filter.js";
import { dataTitle } from "./data-titles.js";

/** A setting that varies, with its values. */
export interface Facet {
  readonly name: string;
  /** In the notation of `notation.ts`. */
  readonly title: string;
  /** Whether it is one of those that are asked for first. */
  readonly isLeading: boolean;
  readonly values: readonly FacetValue[];
}

export interface FacetValue {
  /** As filters have it. */
  readonly value: string;
  /** In the notation of `notation.ts`. */
  readonly label: string;
  /** Runs that have it, of those that all other filters let through. */
  readonly runs: number;
}

/** What is asked for first, in this order; other settings follow. */
const LEADING: readonly string[] = ["task", "strategy", "partitioner", "alpha", "seed"];

/** Settings that vary among runs, but for those that follow from others: a task's model, a strategy's options. */
export function facetsOf(records: readonly SeedRecord[], filter: RunFilter): Facet[] {
  const runs = [...new Map(records.map((record) => [record.run_id, record])).values()];
  const varies = (name: string) => new Set(runs.map((run) => textOf(run, name))).size > 1;
  const chosen = LEADING.filter(varies);
  const settings = varyingSettings(groupsOf(runs)).flatMap(({ shown }) => shown);
  for (const name of settings) {
    const isTold = chosen.includes(name) || !varies(name);
    if (!isTold && !chosen.some((other) => determines(runs, other, name))) chosen.push(name);
  }
  return chosen.map((name) => facetOf(name, runs, filter));
}

/** Whether all runs with the same value of one setting have the same of another. */
function determines(runs: readonly SeedRecord[], one: string, other: string): boolean {
  const seen = new Map<string, string>();
  return runs.every((run) => {
    const [from, to] = [textOf(run, one), textOf(run, other)];
    const known = seen.get(from) ?? to;
    seen.set(from, known);
    return known === to;
  });
}

function facetOf(name: string, runs: readonly SeedRecord[], filter: RunFilter): Facet {
  const others = new Map([...filter].filter(([other]) => other !== name));
  const counts = new Map<string, { readonly run: SeedRecord; runs: number }>();
  for (const run of runs) {
    const value = textOf(run, name);
    const entry = counts.get(value) ?? { run, runs: 0 };
    if (passes(others, run)) entry.runs++;
    counts.set(value, entry);
  }
  const values = [...counts].map(([value, { run, runs: count }]) => ({
    value,
    label: labelOf(name, value, run),
    runs: count,
  }));
  return { name, title: titleOf(name), isLeading: LEADING.includes(name), values: sorted(name, values) };
}

function titleOf(name: string): string {
  if (name === "task") return "Data";
  if (name === "alpha") return "α";
  const words = settingName(name);
  return /^\p{Script=Greek}/u.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);
}

function labelOf(name: string, value: string, run: SeedRecord): string {
  if (name === "task") return dataTitle(run);
  if (name === "alpha") return value === "" ? "no α" : value;
  if (name === "seed") return value;
  if (value === "") return absentWords(name);
  const words = settingWords(name, run.settings);
  // The title above says what a plain value is of.
  return words === `${settingName(name)} ${value}` ? value : words;
}

/** Strategies as papers list them, numbers in order, concentrations from the largest; words as they came. */
function sorted(name: string, values: readonly FacetValue[]): FacetValue[] {
  if (name === "strategy") return [...values].sort((a, b) => rankOf(a) - rankOf(b));
  const number = ({ value }: FacetValue) => (value === "" ? -Infinity : Number(value));
  if (values.some((one) => Number.isNaN(number(one)))) return [...values];
  const sign = name === "alpha" ? -1 : 1;
  return [...values].sort((a, b) => sign * (number(a) - number(b)));
}

/** Runs that name no strategy are of the usual one. */
const rankOf = ({ value }: FacetValue): number =>
  strategyRank(strategyOf(value === "" ? {} : { strategy: value }));
