import { type DeviceName, sharedBackend } from "../federation/backends.js";
import type { TaskData } from "../federation/federated-problem.js";
import type { RunOptions } from "../federation/run-options.js";
import { type TaskDataOptions, taskData } from "../federation/task-data.js";
import type { RunResult } from "../records/run-record.js";
import { executeRun } from "./execute-run.js";
import type { PlannedRun } from "./plan.js";

/** What carries out runs: this process, or others. */
export interface Runner {
  /** How many runs, or fleets of runs, it can take at once. */
  readonly jobs: number;
  /** Fleets that it takes besides, to prepare or finish them while it computes others; none by default. */
  readonly besides?: number;
  run(run: PlannedRun, onRound: (round: number) => void): Promise<RunResult>;
  /** Ends the runs at hand, with their states saved; they are rejected with `Stopped`. */
  stop(): void;
  close(): Promise<void>;
  /** Of a runner that carries out several runs as one program. */
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

/** Carries out runs in this process, one after another. */
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
