import type { SeedRecord } from "./seed-record.js";

/** A run that was asked for and has no rows in the seed-level table, with what its rows would say of it. */
export interface MissingRun
  extends Pick<
    SeedRecord,
    "task" | "title" | "settings" | "overrides" | "alpha" | "reference_alpha" | "seed" | "run_id"
  > {
  /** "diverged before round 10", "not finished". */
  readonly why: string;
}
