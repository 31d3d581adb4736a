import type { SeedRecord } from "../records/seed-record.js";
import { finite } from "./checkpoint-metrics.js";
import type { FollowedRun, RunView } from "./followed-run.js";
import { type KnownRun, RunRefused, type TrackedEnd, type Tracker, type TrackerChoice } from "./tracker.js";

/** Points that a tracker takes at once. */
const MOST_POINTS = 100;

/** What is known of a run that a tracker has begun. */
interface Fed {
  readonly attempt: string;
  round: number;
  compared: number;
  status: KnownRun["status"];
  /** Of the files when all that they said was sent. */
  signature: string;
  time: number;
}

/** Checkpoints that a tracker lacks. */
export interface Unsent {
  readonly checkpoints: number;
  readonly runs: number;
}

/**
 * Sends the runs of a folder to one tracker. The files of the runs are the queue: nothing is kept in memory, and what could
 * not be sent waits there.
 */
export class Feed {
  #tracker: Tracker | undefined;
  /** Runs that the tracker of this connection has begun. */
  readonly #fed = new Map<string, Fed>();
  /** Last rounds that are known to be sent, in this connection or before. */
  readonly #sent = new Map<string, number>();
  readonly #refused = new Set<string>();
  /** Checkpoints sent so far. */
  checkpoints = 0;

  constructor(
    readonly choice: TrackerChoice,
    private readonly runs: () => Promise<FollowedRun[]>,
    private readonly signal: AbortSignal,
    private readonly onWarning: (message: string) => void,
  ) {}

  /** Connects. */
  async open(): Promise<Tracker> {
    this.signal.throwIfAborted();
    this.#tracker ??= await this.choice.open(this.signal);
    return this.#tracker;
  }

  /** Sends what is new in the files of all runs. */
  async pass(): Promise<void> {
    await this.#each(async (tracker, run) => {
      const known = this.#fed.get(run.id);
      if (known?.status === "finished") return; // its files change no more
      const signature = await run.signature();
      if (known?.signature === signature) return;
      const view = await run.view();
      if (!view) return;
      const fed = await this.#send(tracker, view);
      fed.signature = signature;
    });
  }

  /** Adds the comparison with the reference to runs that have ended. */
  async compare(rows: readonly SeedRecord[]): Promise<void> {
    const ofRun = new Map<string, SeedRecord[]>();
    for (const row of rows) {
      const known = ofRun.get(row.run_id) ?? [];
      // A run that is compared with two references is logged with the first.
      if (!known.some(({ round }) => round === row.round)) ofRun.set(row.run_id, [...known, row]);
    }
    await this.#each(async (tracker, { id, view: read }) => {
      const fed = this.#fed.get(id);
      const own = (ofRun.get(id) ?? []).filter(({ round }) => round > (fed?.compared ?? -1));
      const view = fed && own.length > 0 ? await read() : undefined;
      if (!fed || !view) return;
      const points = own.flatMap(({ round, excess_error, reference_error, d_theta }) => {
        const time = view.points.find((point) => point.round === round)?.time ?? fed.time;
        const metrics = finite({ excess_error, reference_error, d_theta });
        return Object.keys(metrics).length > 0 ? { round, time, metrics } : [];
      });
      for (let start = 0; start < points.length; start += MOST_POINTS)
        await tracker.log(view.run, points.slice(start, start + MOST_POINTS));
      fed.compared = own.at(-1)!.round;
    });
  }

  /** Says of runs that have not ended, and that nobody works on, that they were killed. */
  async settle(): Promise<void> {
    await this.#each(async (tracker, run) => {
      const fed = this.#fed.get(run.id);
      if (!fed || fed.status !== undefined || (await run.isAtWork())) return;
      const view = await run.view();
      if (!view) return;
      const { round, time } = view.points.at(-1) ?? { round: 0, time: view.run.started };
      await this.#end(tracker, view, { status: "killed", time, metrics: {}, round, files: [] }, fed);
    });
  }

  async attach(study: string, file: string): Promise<void> {
    await (await this.open()).attach?.(study, file);
  }

  /** Forgets the connection; whatever the tracker has is asked for again in the next one. */
  async disconnect(): Promise<void> {
    const tracker = this.#tracker;
    this.#tracker = undefined;
    this.#fed.clear();
    await tracker?.close().catch(() => undefined);
  }

  /** What the tracker is not known to have. */
  async unsent(): Promise<Unsent> {
    const counts = await Promise.all(
      (await this.runs()).map(async (run) => {
        const points = (await run.view())?.points ?? [];
        return points.filter(({ round }) => round > (this.#sent.get(run.id) ?? -1)).length;
      }),
    );
    const missing = counts.filter((count) => count > 0);
    return { checkpoints: missing.reduce((sum, count) => sum + count, 0), runs: missing.length };
  }

  /** Does something for every run. One that the tracker refuses is left out from then on, and said once. */
  async #each(use: (tracker: Tracker, run: FollowedRun) => Promise<void>): Promise<void> {
    const tracker = await this.open();
    for (const run of await this.runs()) {
      if (this.#refused.has(run.id)) continue;
      this.signal.throwIfAborted();
      try {
        await use(tracker, run);
      } catch (error) {
        if (!(error instanceof RunRefused)) throw error;
        this.#refused.add(run.id);
        this.onWarning(`${this.choice.words} refuses run ${run.id}: ${error.message}`);
      }
    }
  }

  async #send(tracker: Tracker, view: RunView): Promise<Fed> {
    const { run, points, end } = view;
    const known = this.#fed.get(run.id);
    const fed = known?.attempt === run.attempt ? known : await this.#begin(tracker, view);
    const fresh = points.filter(({ round }) => round > fed.round);
    for (let start = 0; start < fresh.length; start += MOST_POINTS) {
      const some = fresh.slice(start, start + MOST_POINTS).map((point) => {
        fed.time = Math.max(point.time, fed.time);
        return { ...point, time: fed.time };
      });
      await tracker.log(run, some);
      fed.round = some.at(-1)!.round;
      fed.status = undefined; // it goes on
      this.#sent.set(run.id, fed.round);
      this.checkpoints += some.length;
    }
    if (end && fed.status !== end.status) await this.#end(tracker, view, end, fed);
    return fed;
  }

  async #begin(tracker: Tracker, { run }: RunView): Promise<Fed> {
    const known = await tracker.begin(run);
    const fed: Fed = { attempt: run.attempt, ...known, signature: "", time: run.started };
    this.#fed.set(run.id, fed);
    this.#sent.set(run.id, fed.round);
    return fed;
  }

  async #end(tracker: Tracker, { run }: RunView, end: TrackedEnd, fed: Fed): Promise<void> {
    await tracker.end(run, end);
    fed.status = end.status;
  }
}
