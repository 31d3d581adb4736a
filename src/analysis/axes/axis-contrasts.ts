import { alphasOf, type Measurement, type SeedSummary } from "../observations.js";
import { atAlpha, type BySeed, pairedChange } from "../seed-contrasts.js";
import { strategyOf } from "../strategy-names.js";
import type { Axis, Comparison, Level } from "./axes.js";

/** An error by which levels are compared, paired by seed. */
export interface ComparedError {
  readonly measurement: Measurement;
  /** For names of files. */
  readonly suffix: string;
  /** "relative test error". */
  readonly words: string;
}

const TEST_ERROR: ComparedError = { measurement: "test_error", suffix: "", words: "relative test error" };
const CLIENT_ERROR: ComparedError = {
  measurement: "client_error_mean",
  suffix: "-clients",
  words: "mean error of clients on their own bins",
};

/** Strategies whose clients have models of their own, so that the server's model does not say how good theirs are. */
const PERSONAL: readonly string[] = ["ditto", "local-only"];

/** By what the levels of an axis are compared: the test error, and that of clients where some have their own models. */
export function comparedErrors(axis: Axis): ComparedError[] {
  const isPersonal = levelsOf(axis).some(
    ({ of: { settings } }) => PERSONAL.includes(strategyOf(settings)) || "local" in settings,
  );
  return isPersonal && hasColumn(axis, "client_error_mean") ? [TEST_ERROR, CLIENT_ERROR] : [TEST_ERROR];
}

/** Whether some level of an axis has a column, which tables of earlier versions may lack. */
export const hasColumn = (axis: Axis, name: Measurement): boolean =>
  levelsOf(axis).some(({ of }) => of.final.some((row) => Number.isFinite(row[name])));

/** All levels of all comparisons. */
export const levelsOf = ({ comparisons }: Axis): readonly Level[] =>
  comparisons.flatMap(({ levels }) => levels);

/** What the levels of a comparison are compared with: the first one, which is the default where there is one. */
export const firstOf = ({ levels }: Comparison): Level => levels[0];

/** The label of the first level, where all comparisons have the same. */
export function firstLabel({ comparisons }: Axis): string | undefined {
  const labels = new Set(comparisons.map((comparison) => firstOf(comparison).label));
  const [label] = labels;
  return labels.size === 1 ? label : undefined;
}

function paired(level: Level, first: Level, alpha: number, name: Measurement): readonly [BySeed, BySeed] {
  const [before, after] = [first, level].map(({ of }) => atAlpha(of.final, alpha, name, 100));
  return [before, after];
}

/** A level less the first one in percentage points of an error, seed by seed. */
export function differencesBySeed(
  level: Level,
  first: Level,
  alpha: number,
  name: Measurement,
): readonly number[] {
  const [before, after] = paired(level, first, alpha, name);
  return [...after].flatMap(([seed, value]) => (before.has(seed) ? [value - before.get(seed)!] : []));
}

/** The same over seeds, with its paired interval; undefined without a seed in common. */
export function differenceFromFirst(
  level: Level,
  first: Level,
  alpha: number,
  name: Measurement = "test_error",
): SeedSummary | undefined {
  return pairedChange(...paired(level, first, alpha, name));
}

/** Concentrations of a comparison, near-IID first. */
export const alphasOfComparison = ({ levels }: Comparison): number[] =>
  alphasOf(levels.flatMap(({ of }) => of.final));
