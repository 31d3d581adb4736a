import type { SettingValue } from "../records/settings.js";

/** A run as trackers see it. */
export interface TrackedRun {
  /** Name of the run and of its folder. */
  readonly id: string;
  /** The study, or what stands in its place: trackers call it an experiment. */
  readonly study: string;
  /**
   * Program and device that compute it. A run that is computed again by others may have other bits, so trackers begin it
   * anew.
   */
  readonly attempt: string;
  /** When it began, in milliseconds since 1970. */
  readonly started: number;
  /** Settings by name, flat. */
  readonly params: Readonly<Record<string, SettingValue>>;
  /** What else describes it: hashes of data, device, versions. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Metrics of a run at a round. */
export interface TrackedPoint {
  readonly round: number;
  /** When it was measured, in milliseconds since 1970. */
  readonly time: number;
  /** Finite numbers by name. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** How a run ended. `killed` is one that nobody works on and that can be resumed. */
export interface TrackedEnd {
  readonly status: "finished" | "failed" | "killed";
  readonly time: number;
  /** Why it failed. */
  readonly message?: string;
  /** What is known of the run as a whole, such as its training time, logged with the last round. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly round: number;
  /** Paths of the files that are worth keeping beside the metrics. */
  readonly files: readonly string[];
}

/** What a tracker has of a run already. */
export interface KnownRun {
  /** Last round with measurements; -1 for none. */
  readonly round: number;
  /** Last round that was compared with the reference; -1 for none. */
  readonly compared: number;
  readonly status: TrackedEnd["status"] | undefined;
}

/**
 * Where runs are logged. Every call can be repeated after a failure: a run that is begun again is found, and says how far
 * it was logged.
 */
export interface Tracker {
  /** Begins a run, or finds it. */
  begin(run: TrackedRun): Promise<KnownRun>;
  /** Logs points in the order of rounds, all of them or none that `begin` would count. */
  log(run: TrackedRun, points: readonly TrackedPoint[]): Promise<void>;
  end(run: TrackedRun, end: TrackedEnd): Promise<void>;
  /** Keeps a file about all runs of a study, such as its report. */
  attach?(study: string, file: string): Promise<void>;
  close(): Promise<void>;
}

/** A tracker that a user asked for. */
export interface TrackerChoice {
  /** What was asked for, without credentials: `mlflow:http://localhost:5000`. */
  readonly words: string;
  /** Where to look, as a sentence of its own. */
  readonly look: string;
  /**
   * Connects. A `UserError` is a mistake that no waiting mends, such as a wrong password; `TrackerDown` may pass.
   *
   * @param signal ends what is under way
   */
  open(signal: AbortSignal): Promise<Tracker>;
}

/** What the runs of a folder have in common. */
export interface TrackingContext {
  readonly folder: string;
  /** Names of the studies whose runs are logged. */
  readonly studies: readonly string[];
  /** Experiment that all runs belong to, in place of their studies. */
  readonly experiment?: string;
  /** Told what a tracker does not take though nothing failed; every message once is enough. */
  readonly onNotice?: (message: string) => void;
}

/** An entry of the table of trackers. */
export interface TrackerEntry {
  readonly title: string;
  /** How it is asked for: `tensorboard[:folder]`. */
  readonly usage: string;
  /** @param place what stands behind the colon; undefined without one */
  choose(place: string | undefined, context: TrackingContext): TrackerChoice;
}

/** A tracker that cannot be reached at this moment; the message says why in a few words. */
export class TrackerDown extends Error {
  override name = "TrackerDown";
  constructor(
    message: string,
    /** Seconds after which the tracker asks to be tried again. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** A tracker refuses one run, whose other attempts would fail too. */
export class RunRefused extends Error {
  override name = "RunRefused";
}
