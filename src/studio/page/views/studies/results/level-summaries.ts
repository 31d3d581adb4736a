import type { SeedSummary } from "../../../../../analysis/observations.js";
import { type BySeed, bySeed, meanOf, pairedChange } from "../../../../../analysis/seed-contrasts.js";
import type { SeedRecord } from "../../../../../records/seed-record.js";
import type { Level, Panel } from "./comparisons.js";
import { type Measure, valueIn } from "./measures.js";

/** What a level has of a measure at a round. */
export interface LevelSummary {
  readonly level: Level;
  readonly round: number;
  readonly bySeed: BySeed;
  /** The run of each seed. */
  readonly runs: ReadonlyMap<number, string>;
  /** Undefined where no run has come so far, or none has the measure. */
  readonly summary: SeedSummary | undefined;
  /** How it differs from the first level, paired by seed; undefined of that itself and without a seed in common. */
  readonly change: SeedSummary | undefined;
}

/** Summaries of all levels of a panel at a checkpoint: a round, or the last one of each level's setting. */
export function levelSummaries(
  { levels }: Panel,
  measure: Measure,
  checkpoint: number | "last",
): LevelSummary[] {
  const of = levels.map((level) => {
    const round = checkpoint === "last" ? level.last : checkpoint;
    const rows = level.rows.filter((row) => row.round === round);
    return { level, round, rows, values: bySeed(rows, valueIn(measure)) };
  });
  return of.map(({ level, round, rows, values }, i) => ({
    level,
    round,
    bySeed: values,
    runs: runsOf(rows),
    summary: meanOf(values),
    change: i === 0 ? undefined : pairedChange(of[0].values, values),
  }));
}

const runsOf = (rows: readonly SeedRecord[]): ReadonlyMap<number, string> =>
  new Map(rows.map(({ seed, run_id }) => [seed, run_id]));

/** The checkpoint that the address asks for; `all` is for the table alone. */
export function checkpointOf(text: string): number | "last" | "all" {
  if (text === "all") return "all";
  const round = Number(text);
  return text.trim() !== "" && Number.isInteger(round) && round >= 0 ? round : "last";
}
