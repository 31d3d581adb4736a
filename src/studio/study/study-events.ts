import type { MeasuredRun, Measurement } from "../../records/seed-record.js";

/** A folder that holds runs, or their table. */
export interface FoundStudy {
  /** Path below the folder that is open; `.` for that itself. */
  readonly path: string;
  /** Names of the studies in it; empty for runs of `train` and for a table alone. */
  readonly names: readonly string[];
  /** Where it holds one study, and that has a title. */
  readonly title?: string;
  /** How many runs its studies ask for; undefined for a table alone. */
  readonly runs?: number;
  readonly hasTable: boolean;
  readonly hasReport: boolean;
  /** Whether a process is at work in it. */
  readonly isWorkedOn: boolean;
  /** When something in it changed last, in milliseconds since 1970. */
  readonly changed: number;
}

/** A process is at work on a run that is `running`, and none on one that is `stopped`: it was begun and goes on later. */
export const RUN_STATES = ["finished", "running", "stopped", "waiting", "failed"] as const;
export type RunState = (typeof RUN_STATES)[number];

/** A run as its study asks for it. */
export interface FollowedRun {
  readonly id: string;
  readonly study: string;
  readonly task: string;
  /** Null for a split without a concentration. */
  readonly alpha: number | null;
  /** The split in words. */
  readonly split: string;
  /** What differs from federated averaging, in words; empty where nothing does. */
  readonly training: string;
  readonly seed: number;
  readonly rounds: number;
  /** Id of the run that it is compared with; null where there is none. */
  readonly reference: string | null;
  readonly referenceAlpha: number | null;
}

/** Where a run stands. */
export interface RunStanding {
  readonly id: string;
  readonly state: RunState;
  /** The last round that was measured. */
  readonly round: number;
  /** Why it failed; undefined if it did not. */
  readonly failure?: string;
}

/** Numbers of a run as JSON has them, which knows no NaN. */
export type Sent<T> = { readonly [K in keyof T]: T[K] extends number ? number | null : T[K] };

/** What was measured of a run that the table does not have. */
export interface SentMeasurements {
  readonly id: string;
  /** What is the same at all checkpoints; left out where it was sent before. */
  readonly common?: Sent<MeasuredRun["common"]>;
  /** How many of the checkpoints that were sent before still hold. */
  readonly from: number;
  /** Those that come after these. */
  readonly checkpoints: readonly Sent<Measurement>[];
}

/** What the page is told while it looks at a study: first how everything stands, then what changed. */
export type StudyEvent =
  /** All runs that are asked for; of those that nothing else is said of, nothing was begun. */
  | {
      readonly kind: "runs";
      readonly titles: readonly string[];
      readonly runs: readonly FollowedRun[];
    }
  | { readonly kind: "standings"; readonly runs: readonly RunStanding[] }
  | { readonly kind: "measured"; readonly runs: readonly SentMeasurements[] }
  /** Who is at work, and in how many seconds everything will be finished, where that can be told. */
  | { readonly kind: "work"; readonly worker: string | null; readonly left: number | null }
  /** The table is another one now; null where there is none. */
  | { readonly kind: "table"; readonly version: string | null }
  /** The report that lies in the folder: when it was written, in milliseconds since 1970; null where there is none. */
  | { readonly kind: "report"; readonly written: number | null }
  /** What cannot be read, a line each. */
  | { readonly kind: "problems"; readonly lines: readonly string[] }
  /** The folder is no more; it is looked for. */
  | { readonly kind: "gone" };

/** A run's journal as far as it can be read, and what its record says. */
export interface SentJournal {
  readonly id: string;
  readonly state: RunState;
  readonly failure?: string;
  readonly title?: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly overrides: readonly string[];
  /** Names and values, such as when it began and on what. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly lines: readonly JournalPoint[];
  /** Numbers of the lines that are no measurements. */
  readonly broken: readonly number[];
}

/** One checkpoint of a journal. */
export interface JournalPoint {
  readonly round: number;
  readonly test_error: number;
  readonly train_loss: number;
  readonly d_loc: number;
  /** Errors of the single clients; null is what could not be told. */
  readonly clients?: readonly (number | null)[];
}
