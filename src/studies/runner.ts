import { type DeviceName, sharedBackend } from "../federation/backends.js";
import type { TaskData } from "../federation/federated-problem.js";
import type { RunOptions } from "../federation/run-options.js";
import { type TaskDataOptions, taskData } from "../federation/task-data.js";
import type { RunResult } from "../records/run-record.js";
import { executeRun } from "./execute-run.js";
import type { PlannedRun } from "./plan.js";

/** Trains runs, in this process or in others. */
export interface Runner {
  /** Maximum number of concurrent runs, or fleets of runs. */
  readonly jobs: number;
  /** Additional fleets that it prepares or writes while it trains others; default 0. */
  readonly besides?: number;
  run(run: PlannedRun, onRound: (round: number) => void): Promise<RunResult>;
  /** Stops the active runs and saves their states; their promises are rejected with `Stopped`. */
  stop(): void;
  close(): Promise<void>;
  /** Only for a runner that batches several runs into one program. */
  readonly sideBySide?: SideBySide;
}

export interface SideBySide {
  /** Puts together the runs that can go side by side. */
  fleets(runs: readonly PlannedRun[]): Promise<readonly (readonly PlannedRun[])[]>;
  /** Carries out the runs of a fleet; what becomes of each. Those that finish before the last are told of at once. */
  run(
    fleet: readonly PlannedRun[],
    onRound: (run: PlannedRun, round: number) => void,
    onFinish?: (run: PlannedRun) => void,
  ): Promise<readonly PromiseSettledResult<RunResult>[]>;
}

/** A run that was told to stop; its state is saved. */
export class Stopped extends Error {
  override name = "Stopped";
  constructor() {
    super("stopped");
  }
}

export interface RunnerOptions {
  /** Seconds between two savings of a run's state. */
  readonly saveEvery?: number;
  /** Where runs are computed; a GPU by default, if there is one. */
  readonly device?: DeviceName;
  /** Told what its user should know though nothing failed (`ExecuteHooks`). */
  readonly onNotice?: (message: string) => void;
}

/** Trains runs in this process, one after another. */
export function inlineRunner(study: string, { saveEvery, device, onNotice }: RunnerOptions = {}): Runner {
  const stop = new AbortController();
  const data = sharedData();
  const backends = sharedBackend(device);
  return {
    jobs: 1,
    run: async (run, onRound) => {
      const backend = await backends.of(run.options);
      const hooks = { onRound, signal: stop.signal, saveEvery, backend, onNotice };
      return executeRun(study, run, () => data(run.options), hooks);
    },
    stop: () => stop.abort(new Stopped()),
    close: () => backends.close(),
  };
}

/** Data and bins of a run; those of the last one are kept, since the next run mostly has the same seed. */
export function sharedData(threads?: TaskDataOptions["threads"]): (options: RunOptions) => Promise<TaskData> {
  let known = { key: "", data: undefined as Promise<TaskData> | undefined };
  return (options) => {
    const { task, parameters, data, dataSeed, normalise, model, train, test, seed, bins } = options;
    const key = JSON.stringify([task, parameters, data, dataSeed, normalise, model, train, test, seed, bins]);
    if (!known.data || known.key !== key) known = { key, data: taskData(options, { threads }) };
    return known.data!;
  };
}
