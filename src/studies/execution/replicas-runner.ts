import { totalmem } from "node:os";
import { threadsFor } from "../../datasets/threads-for.js";
import { DeviceError, FileError } from "../../errors.js";
import { type OpenBackend, sampleMemory, sharedBackend } from "../../federation/backends.js";
import { replicaShape } from "../../federation/replicas/replicas.js";
import { busyReplicas, fittingReplicas } from "../../federation/replicas/replicas-memory.js";
import type { RunOptions } from "../../federation/run-options.js";
import { runFolder } from "../../records/run-folder.js";
import type { RunResult } from "../../records/run-record.js";
import type { PlannedRun } from "../plan.js";
import { recordedOptions } from "../recorded-options.js";
import { executeRuns, type Turn } from "./execute-runs.js";
import { reachedRound } from "./run-recorder.js";
import { memoryShare, type Runner, type RunnerOptions, sharedData } from "./runner.js";
import { semaphore } from "./semaphore.js";
import { Stopped } from "./stopped.js";

/** Share of a backend's own memory that runs may fill. */
const USABLE = 0.8;
/** Parts whose data are in memory, at most: one that is prepared, one that is trained and one that is written. */
const IN_HAND = 3;
/** Milliseconds between two reports of progress. */
const REPORT_INTERVAL = 100;

type Settled = PromiseSettledResult<RunResult>;
type RoundReport = (run: PlannedRun, round: number) => void;

export interface ReplicaRunnerOptions extends RunnerOptions {
  /** Opens the backend of a run; by default the one that its options name, on the device. */
  readonly backend?: (options: RunOptions) => Promise<OpenBackend>;
  /** Maximum number of runs in a batch; by default as many as fit in memory and keep a GPU busy. */
  readonly replicas?: number;
  /** Memory limit in bytes; by default most of the backend's own memory, or half of the machine's. */
  readonly memory?: number;
}

/**
 * Trains runs in this process, and batches those that differ only in seed, alpha and partition as replicas of one
 * program. It prepares the next batch and writes the last one meanwhile, so a GPU never waits.
 */
export function replicaRunner(study: string, options: ReplicaRunnerOptions = {}): Runner {
  const { replicas = Infinity, saveEvery, onNotice } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const data = sharedData(threadsFor);
  const dataMemory = memoryShare(options.dataMemory, IN_HAND);
  const backends = sharedBackend(options.device);
  const backendOf = options.backend ?? backends.of;
  const inHand = semaphore(IN_HAND);
  const preparing = semaphore(1);
  const training = semaphore(1);

  /** Trains when others have, and lets others be prepared meanwhile. */
  const turnAfter =
    (leave: () => void): Turn =>
    async (train) => {
      const done = await training();
      leave();
      try {
        signal.throwIfAborted();
        return await train();
      } finally {
        done();
      }
    };

  /** Trains replicas as one program, or in halves where there is too little memory for all of them. */
  async function carryOut(
    batch: readonly PlannedRun[],
    backend: OpenBackend,
    onRound: RoundReport,
    turn: Turn,
  ): Promise<Settled[]> {
    if (signal.aborted) return batch.map(() => ({ status: "rejected", reason: signal.reason }));
    const execution = { backend, onRound, onNotice, signal, saveEvery, turn };
    const own = sampleMemory(backend.backend, dataMemory);
    const outcomes = await executeRuns(study, batch, (of) => data.of(of, own), execution);
    // Where one cannot be written, others would be trained for nothing.
    if (outcomes.some(isFileError)) stop.abort(new Stopped());
    if (batch.length === 1 || !outcomes.every(isOutOfMemory)) return outcomes;
    const halves = evenParts(batch, Math.ceil(batch.length / 2));
    return [
      ...(await carryOut(halves[0], backend, onRound, turn)),
      ...(await carryOut(halves[1], backend, onRound, turn)),
    ];
  }

  /** Splits a batch into parts of as many replicas as fit, or as keep a GPU busy if nobody asked for so many. */
  async function partsOf(
    batch: readonly PlannedRun[],
    { backend }: OpenBackend,
  ): Promise<readonly (readonly PlannedRun[])[]> {
    if (batch.length === 1 || signal.aborted) return [batch];
    const own = backend.memory;
    const memory = options.memory ?? (own === undefined ? totalmem() / 2 : USABLE * own);
    for (const { options: of } of batch) {
      const needed = await data.of(of, sampleMemory(backend, dataMemory)).catch(() => undefined); // the run says why
      if (!needed) continue;
      const fitting = fittingReplicas(needed, of, backend, memory);
      const wanted =
        options.replicas === undefined && backend.prefersLargeKernels
          ? busyReplicas(needed, of, backend)
          : Infinity;
      return evenParts(batch, Math.min(fitting, wanted));
    }
    return [batch];
  }

  /** Carries out a part, which `work` is given the turn of: when others have been prepared, and written. */
  async function inTurn<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    const leave = await inHand();
    const prepared = await preparing();
    try {
      return await work(turnAfter(prepared));
    } finally {
      prepared();
      leave();
    }
  }

  return {
    jobs: 1,
    dataMemory,
    prefetch: 1,
    batches: (runs) => batchesOf(study, runs, replicas, backendOf),
    async run(batch, onRound, onFinish) {
      const backend = await backendOf(batch[0].options);
      const report = reportNowAndThen(onRound);
      const ofPart = async (part: readonly PlannedRun[], turn: Turn) => {
        const outcomes = await carryOut(part, backend, report, turn);
        for (const [i, { status }] of outcomes.entries()) if (status === "fulfilled") onFinish?.(part[i]);
        return outcomes;
      };
      let others: Promise<Settled[]>[] = [];
      const first = await inTurn(async (turn) => {
        const [part, ...rest] = await partsOf(batch, backend);
        others = rest.map((other) => inTurn((own) => ofPart(other, own)));
        return ofPart(part, turn);
      });
      return [...first, ...(await Promise.all(others)).flat()];
    },
    stop: () => stop.abort(new Stopped()),
    async close() {
      await data.close();
      await backends.close();
    },
  };
}

/** Runs of one shape that have come to the same round, `most` of them at once. */
async function batchesOf(
  study: string,
  runs: readonly PlannedRun[],
  most: number,
  backendOf: (options: RunOptions) => Promise<OpenBackend>,
): Promise<PlannedRun[][]> {
  const alike = new Map<string, PlannedRun[]>();
  for (const run of runs) {
    const { id, options } = run;
    const { hardware } = await backendOf(options);
    const computed = { id, hardware, options: recordedOptions(options) };
    const round = await reachedRound(runFolder(study, id), computed);
    const key = `${replicaShape(options)} ${round}`;
    alike.set(key, [...(alike.get(key) ?? []), run]);
  }
  return [...alike.values()].flatMap((batch) => evenParts(batch, most));
}

function isFileError(outcome: Settled): boolean {
  return outcome.status === "rejected" && outcome.reason instanceof FileError;
}

/** What the driver and cuBLAS say of a GPU that has no memory left. */
function isOutOfMemory(outcome: Settled): boolean {
  if (outcome.status === "fulfilled" || !(outcome.reason instanceof DeviceError)) return false;
  return /OUT_OF_MEMORY|ALLOC_FAILED/.test(outcome.reason.message);
}

/** As few parts of about equal length as have at most `most` elements each. */
function evenParts<T>(all: readonly T[], most: number): T[][] {
  const count = Math.max(1, Math.ceil(all.length / most));
  const bound = (part: number) => Math.round((part * all.length) / count);
  return Array.from({ length: count }, (_, part) => all.slice(bound(part), bound(part + 1)));
}

/** Passes on a run's rounds, but not more of them than somebody can read. */
function reportNowAndThen(onRound: RoundReport): RoundReport {
  const said = new Map<string, number>();
  return (run, round) => {
    const now = performance.now();
    if (now - (said.get(run.id) ?? -Infinity) < REPORT_INTERVAL) return;
    said.set(run.id, now);
    onRound(run, round);
  };
}
