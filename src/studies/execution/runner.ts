import { type DeviceName, sharedBackend } from "../../federation/backends.js";
import type { PreparedData } from "../../federation/federation.js";
import { type PrepareDataOptions, prepareData } from "../../federation/prepared-data.js";
import type { RunOptions } from "../../federation/run-options.js";
import type { RunResult } from "../../records/run-record.js";
import type { PlannedRun } from "../plan.js";
import { executeRuns } from "./execute-runs.js";
import { Stopped } from "./stopped.js";

/** Trains batches of runs, in this process or in others. */
export interface Runner {
  /** Maximum number of concurrent batches. */
  readonly jobs: number;
  /** Additional batches that it prepares or writes while it trains others; undefined if it does not look ahead. */
  readonly prefetch?: number;
  /** Groups the runs that it can train as replicas of one program; every run is a batch of its own by default. */
  batches?(runs: readonly PlannedRun[]): Promise<readonly (readonly PlannedRun[])[]>;
  /** Trains a batch and returns the outcome of each run. It calls `onFinish` for runs that finish before the last one. */
  run(
    batch: readonly PlannedRun[],
    onRound: (run: PlannedRun, round: number) => void,
    onFinish?: (run: PlannedRun) => void,
  ): Promise<readonly PromiseSettledResult<RunResult>[]>;
  /** Stops the active runs and saves their states; their outcome is a rejection with `Stopped`. */
  stop(): void;
  close(): Promise<void>;
}

export interface RunnerOptions {
  /** Seconds between two savings of a run's state. */
  readonly saveEvery?: number;
  /** Where runs are computed; a GPU by default, if there is one. */
  readonly device?: DeviceName;
  /** Told what its user should know though nothing failed (`Execution`). */
  readonly onNotice?: (message: string) => void;
}

/** Trains runs in this process, one after another. */
export function inlineRunner(study: string, { saveEvery, device, onNotice }: RunnerOptions = {}): Runner {
  const stop = new AbortController();
  const data = sharedData();
  const backends = sharedBackend(device);
  return {
    jobs: 1,
    run: async (batch, onRound) => {
      const backend = await backends.of(batch[0].options);
      const execution = { onRound, signal: stop.signal, saveEvery, backend, onNotice };
      return executeRuns(study, batch, data, execution);
    },
    stop: () => stop.abort(new Stopped()),
    close: () => backends.close(),
  };
}

/** Data and bins of a run; those of the last one are kept, since the next run mostly has the same seed. */
export function sharedData(
  threads?: PrepareDataOptions["threads"],
): (options: RunOptions) => Promise<PreparedData> {
  let known = { key: "", data: undefined as Promise<PreparedData> | undefined };
  return (options) => {
    const { task, parameters, data, dataSeed, normalise, model, train, test, seed, bins } = options;
    const key = JSON.stringify([task, parameters, data, dataSeed, normalise, model, train, test, seed, bins]);
    if (!known.data || known.key !== key) known = { key, data: prepareData(options, { threads }) };
    return known.data!;
  };
}
