import { type DeviceName, sampleMemory, sharedBackend } from "../../federation/backends.js";
import type { PreparedData } from "../../federation/federation.js";
import { type PrepareDataOptions, prepareData } from "../../federation/prepared-data.js";
import type { RunOptions } from "../../federation/run-options.js";
import { isStored, type Samples } from "../../federation/samples/stored-samples.js";
import { MEMORY_OPTIONS } from "../../partition/memory-options.js";
import { wantedBy } from "../../pipeline/sample-knowledge.js";
import type { RunResult } from "../../records/run-record.js";
import type { PlannedRun } from "../plan.js";
import { executeRuns } from "./execute-runs.js";
import { Stopped } from "./stopped.js";

/** Trains batches of runs, in this process or in others. */
export interface Runner {
  /** Maximum number of concurrent batches. */
  readonly jobs: number;
  /** GB of memory that the data of a run may take; undefined if all of them are in memory. */
  readonly dataMemory?: number;
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
  /** GB of memory that the data of all concurrent runs may take; without it, all data are in memory. */
  readonly dataMemory?: number;
}

/** The part of the memory for data that one of so many concurrent runs may take, in GB: an equal one, but not too little. */
export function memoryShare(memory: number | undefined, runs: number): number | undefined {
  return memory === undefined ? undefined : Math.max(MEMORY_OPTIONS.memory.from, memory / runs);
}

/** Trains runs in this process, one after another. */
export function inlineRunner(
  study: string,
  { saveEvery, device, onNotice, dataMemory }: RunnerOptions = {},
): Runner {
  const stop = new AbortController();
  const data = sharedData();
  const backends = sharedBackend(device);
  return {
    jobs: 1,
    dataMemory,
    run: async (batch, onRound) => {
      const backend = await backends.of(batch[0].options);
      const execution = { onRound, signal: stop.signal, saveEvery, backend, onNotice };
      const own = sampleMemory(backend.backend, dataMemory);
      return executeRuns(study, batch, (options) => data.of(options, own), execution);
    },
    stop: () => stop.abort(new Stopped()),
    async close() {
      await data.close();
      await backends.close();
    },
  };
}

/** Data and bins of a run; those of the last one are kept, since the next run mostly has the same seed. */
export function sharedData(threads?: PrepareDataOptions["threads"]): SharedData {
  let known = { key: "", data: undefined as Promise<PreparedData<Samples>> | undefined };
  const onDisk: PreparedData<Samples>[] = [];
  async function prepare(options: RunOptions, memory: number | undefined): Promise<PreparedData<Samples>> {
    const data = await prepareData(options, { threads, memory });
    if (isStored(data.train)) onDisk.push(data);
    return data;
  }
  return {
    of(options, memory) {
      const { task, parameters, data, dataSeed, normalise, model, train, test, seed, bins } = options;
      const { representation, standardise, cost, costSha256 } = options;
      const wanted = wantedBy(options.partitioner);
      const made = [
        task,
        parameters,
        data,
        dataSeed,
        normalise,
        model,
        train,
        test,
        seed,
        bins,
        memory,
        wanted,
        ...[representation, standardise, cost, costSha256],
      ];
      const key = JSON.stringify(made);
      if (!known.data || known.key !== key) known = { key, data: prepare(options, memory) };
      return known.data!;
    },
    async close() {
      for (const data of onDisk.splice(0)) await data.close();
    },
  };
}

/** Data of runs; close them when no run needs them any more. */
export interface SharedData {
  /** @param memory GB that the samples may take (`PrepareDataOptions`) */
  of(options: RunOptions, memory?: number): Promise<PreparedData<Samples>>;
  close(): Promise<void>;
}
