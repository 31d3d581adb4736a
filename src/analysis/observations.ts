import type { SeedRecord } from "../records/seed-record.js";
import { type Settings, settingKey } from "../records/settings.js";
import { meanInterval, pearson, spearman, standardDeviation } from "./statistics.js";

/** Columns that statistics are computed from. */
export type Measurement =
  | "d_sol"
  | "input_w1"
  | "cv_n"
  | "eps_part"
  | "eps_quant"
  | "h_g_norm"
  | "d_theta"
  | "test_error"
  | "excess_error"
  | "client_error_mean"
  | "client_error_worst"
  | "client_error_spread"
  | "communication";

/**
 * Removes duplicate runs from the records of one or several studies, because two studies may share a setting. It also
 * sorts the records, so that results do not depend on the order in which runs finished.
 */
export function distinctRecords(records: readonly SeedRecord[]): SeedRecord[] {
  const setting = keysOf();
  const name = (r: SeedRecord) => `${setting(r)} ${r.reference_alpha}`;
  const distinct = new Map(records.map((r) => [`${name(r)} ${r.alpha} ${r.seed} ${r.round}`, r]));
  return [...distinct.values()].sort(
    (a, b) =>
      compare(a.task, b.task) ||
      compare(name(a), name(b)) ||
      compare(b.alpha, a.alpha) ||
      compare(a.seed, b.seed) ||
      compare(a.round, b.round),
  );
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The round at which results are taken: the last one of any run. */
export function finalRound(records: readonly SeedRecord[]): number {
  return records.reduce((latest, record) => Math.max(latest, record.round), 0);
}

/** "1000 rounds", or "50 or 1000 rounds": at which results are taken. */
export function roundWords(records: readonly SeedRecord[]): string {
  const all = roundsOf(finalRecords(records));
  return `${all.join(" or ")} round${all.length === 1 && all[0] === 1 ? "" : "s"}`;
}

/** The final round of a record's setting: the last that any run of it came to. */
export function finalRounds(records: readonly SeedRecord[]): (record: SeedRecord) => number {
  const last = new Map<string, number>();
  const setting = keysOf();
  for (const record of records)
    last.set(setting(record), Math.max(record.round, last.get(setting(record)) ?? 0));
  return (record) => last.get(setting(record)) ?? 0;
}

/** Keys of settings; rows of a run share one object, so that most keys are made once. */
function keysOf(): (record: SeedRecord) => string {
  const keys = new Map<Settings, string>();
  return ({ settings, task }) => {
    const known = keys.get(settings) ?? settingKey(settings);
    keys.set(settings, known);
    return `${task} ${known}`;
  };
}

/** Runs at the final round of their setting; those that have not come so far are left out. */
export function finalRecords(records: readonly SeedRecord[]): SeedRecord[] {
  const last = finalRounds(records);
  return records.filter((record) => record.round === last(record));
}

/** Concentrations in the records, near-IID first. */
export function alphasOf(records: readonly Pick<SeedRecord, "alpha">[]): number[] {
  return [...new Set(records.map((record) => record.alpha))].sort((a, b) => b - a);
}

export function seedsOf(records: readonly Pick<SeedRecord, "seed">[]): number[] {
  return [...new Set(records.map((record) => record.seed))].sort((a, b) => a - b);
}

export function roundsOf(records: readonly SeedRecord[]): number[] {
  return [...new Set(records.map((record) => record.round))].sort((a, b) => a - b);
}

/**
 * Mean over seeds with sample standard deviation and two-sided 95 % Student-t interval. With a single seed, the
 * deviation and the interval are null.
 */
export interface SeedSummary {
  readonly seeds: number;
  readonly mean: number;
  readonly sd: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Summary over seeds of a measurement at one concentration (and, where there are several, one round). */
export function overSeeds(
  records: readonly SeedRecord[],
  alpha: number,
  measurement: Measurement,
  scale = 1,
): SeedSummary | undefined {
  const values = records.flatMap((record) => {
    const value = record[measurement];
    return record.alpha === alpha && Number.isFinite(value) ? [scale * value] : [];
  });
  return summarise(values);
}

export function summarise(values: readonly number[]): SeedSummary | undefined {
  if (values.length === 0) return undefined;
  if (values.length === 1) return { seeds: 1, mean: values[0], sd: null, low: null, high: null };
  return { seeds: values.length, sd: standardDeviation(values), ...meanInterval(values) };
}

/** Position of an interval relative to zero. An interval that touches zero includes it. */
export type SideOfZero = "above" | "includes" | "below";

/** Where the interval lies; undefined where there is none. */
export function sideOfZero(summary: SeedSummary | undefined): SideOfZero | undefined {
  if (!summary || summary.low === null || summary.high === null) return undefined;
  return summary.low > 0 ? "above" : summary.high < 0 ? "below" : "includes";
}

/** A correlation over seed-level observations, and their number. */
export interface Correlation {
  readonly value: number;
  readonly observations: number;
}

/** Observations below which a correlation says nothing: any three points lie nearly on a line. */
const FEWEST = 5;

/** Correlation of two measurements over records; undefined where they are too few, or one of them constant. */
export function correlation(
  kind: "pearson" | "spearman",
  records: readonly SeedRecord[],
  x: Measurement,
  y: Measurement,
): Correlation | undefined {
  const pairs = records.flatMap((record) => {
    const [a, b] = [record[x], record[y]];
    return Number.isFinite(a) && Number.isFinite(b) ? [[a, b]] : [];
  });
  if (pairs.length < FEWEST) return undefined;
  const measure = kind === "pearson" ? pearson : spearman;
  const value = measure(
    pairs.map(([a]) => a),
    pairs.map(([, b]) => b),
  );
  return Number.isNaN(value) ? undefined : { value, observations: pairs.length };
}

/** Records other than those of the reference. */
export function withoutReference(records: readonly SeedRecord[]): SeedRecord[] {
  return records.filter((record) => record.alpha !== record.reference_alpha);
}

/** The mean error of the reference over seeds, in per cent. */
export function errorOfReference(records: readonly SeedRecord[]): SeedSummary | undefined {
  const errors = records.filter((record) => record.alpha === record.reference_alpha);
  return summarise(errors.map(({ test_error }) => 100 * test_error).filter(Number.isFinite));
}

/** "α = 100": the concentration of the reference, or of several; "a reference" where there is none. */
export function referenceWords(records: readonly SeedRecord[]): string {
  const all = referencesOf(records);
  return all.length === 0 ? "a reference" : `α = ${all.join(" or ")}`;
}

/** Whether some of the records are compared with a reference. */
export function haveReference(records: readonly SeedRecord[]): boolean {
  return records.some(({ excess_error }) => Number.isFinite(excess_error));
}

/** "100 e_100": the reference's error in per cent, in the notation of the paper. */
export function referenceHeading(records: readonly SeedRecord[]): string {
  const all = referencesOf(records);
  return `100 e_${all.length === 1 ? all[0] : "ref"}`;
}

function referencesOf(records: readonly SeedRecord[]): number[] {
  const known = records.map((record) => record.reference_alpha).filter(Number.isFinite);
  return [...new Set(known)].sort((a, b) => b - a);
}
