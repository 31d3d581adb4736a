import type { Measurement, SeedSummary } from "./observations.js";
import { summarise } from "./observations.js";

/** Values by seed: what is compared seed by seed. */
export type BySeed = ReadonlyMap<number, number>;

/** The values of one measurement, or of what `pick` takes, by seed; what is not finite is left out. */
export function bySeed<Row extends { readonly seed: number }>(
  rows: readonly Row[],
  pick: (row: Row) => number,
): BySeed {
  return new Map(
    rows.map((row) => [row.seed, pick(row)] as const).filter(([, value]) => Number.isFinite(value)),
  );
}

/** A measurement at one concentration, by seed. */
export function atAlpha<Name extends Measurement>(
  rows: readonly ({ readonly alpha: number; readonly seed: number } & Readonly<Record<Name, number>>)[],
  alpha: number,
  name: Name,
  scale = 1,
): BySeed {
  return bySeed(
    rows.filter((row) => row.alpha === alpha),
    (row) => scale * row[name],
  );
}

/** Mean over seeds with its interval. */
export function meanOf(values: BySeed): SeedSummary | undefined {
  return summarise([...values.values()]);
}

/** Mean change from one to the other over the seeds that both have, with the paired 95 % Student-t interval. */
export function pairedChange(before: BySeed, after: BySeed): SeedSummary | undefined {
  return summarise(
    [...after].flatMap(([seed, value]) => (before.has(seed) ? [value - before.get(seed)!] : [])),
  );
}

/** The same values of the seeds that all of them have, so that means are of the same seeds. */
export function ofCommonSeeds(all: readonly BySeed[]): BySeed[] {
  return all.map((values) => new Map([...values].filter(([seed]) => all.every((other) => other.has(seed)))));
}

/** How a mean changes along a row of settings: as a whole, and step by step. */
export interface Ascent {
  readonly change: SeedSummary;
  readonly steps: readonly SeedSummary[];
}

/** Undefined where a setting has no seed in common with its neighbour. */
export function ascent(settings: readonly BySeed[]): Ascent | undefined {
  if (settings.length < 2) return undefined;
  const change = pairedChange(settings[0], settings.at(-1)!);
  const steps = settings.slice(1).flatMap((values, i) => pairedChange(settings[i], values) ?? []);
  return change && steps.length === settings.length - 1 ? { change, steps } : undefined;
}
