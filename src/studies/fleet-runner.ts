import { totalmem } from "node:os";
import { threadsFor } from "../datasets/threads-for.js";
import { DeviceError } from "../errors.js";
import { type OpenBackend, sharedBackend } from "../federation/backends.js";
import { busyRuns, fittingRuns } from "../federation/fleet-memory.js";
import { fleetShape } from "../federation/fleet-trainer.js";
import type { RunOptions } from "../federation/run-options.js";
import { runFolder } from "../records/run-folder.js";
import { type RunResult, recordedOptions } from "../records/run-record.js";
import { reachedRound } from "../records/run-recorder.js";
import { executeFleet } from "./execute-fleet.js";
import { executeRun, type Turn } from "./execute-run.js";
import type { PlannedRun } from "./plan.js";
import { type Runner, type RunnerOptions, Stopped, sharedData } from "./runner.js";

/** Share of a backend's own memory that runs may fill. */
const USABLE = 0.8;
/** Milliseconds between two reports of progress. */
const REPORT_INTERVAL = 100;

type Settled = PromiseSettledResult<RunResult>;
type RoundReport = (run: PlannedRun, round: number) => void;

export interface FleetRunnerOptions extends RunnerOptions {
  /** What computes a run; by default what its options name, on the device. */
  readonly backend?: (options: RunOptions) => Promise<OpenBackend>;
  /** Runs side by side, at most; by default as many as the memory holds, and not more than keep a GPU busy. */
  readonly replicas?: number;
  /** Bytes that they may take; most of the backend's own memory, or half of the machine's, by default. */
  readonly memory?: number;
}

/**
 * Carries out runs in this process: those that differ in nothing but seed, alpha and partition side by side, as one
 * program. While a fleet is trained the next one is prepared and the last one written, so that a GPU need not wait.
 */
export function fleetRunner(study: string, options: FleetRunnerOptions = {}): Runner {
  const { replicas = Infinity, saveEvery } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const data = sharedData(threadsFor);
  const backends = sharedBackend(options.device);
  const backendOf = options.backend ?? backends.of;
  const preparing = place();
  const training = place();

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

  async function alone(
    run: PlannedRun,
    onRound: (round: number) => void,
    turn: Turn = turnAfter(() => {}),
  ): Promise<RunResult> {
    const backend = await backendOf(run.options);
    return executeRun(study, run, () => data(run.options), { backend, onRound, signal, saveEvery, turn });
  }

  /** Runs side by side, or in halves where there is too little memory for all of them. */
  async function carryOut(
    fleet: readonly PlannedRun[],
    backend: OpenBackend,
    onRound: RoundReport,
    turn: Turn,
  ): Promise<Settled[]> {
    if (signal.aborted) return fleet.map(() => ({ status: "rejected", reason: signal.reason }));
    const [first] = fleet;
    if (fleet.length === 1) return Promise.allSettled([alone(first, (round) => onRound(first, round), turn)]);
    const outcomes = await executeFleet(study, fleet, data, { backend, onRound, signal, saveEvery, turn });
    if (!outcomes.every(isOutOfMemory)) return outcomes;
    const halves = evenParts(fleet, Math.ceil(fleet.length / 2));
    return [
      ...(await carryOut(halves[0], backend, onRound, turn)),
      ...(await carryOut(halves[1], backend, onRound, turn)),
    ];
  }

  /** Parts of a fleet that go side by side: as many runs as fit, or as keep a GPU busy if nobody asked for so many. */
  async function partsOf(
    fleet: readonly PlannedRun[],
    { backend }: OpenBackend,
  ): Promise<readonly (readonly PlannedRun[])[]> {
    if (fleet.length === 1) return [fleet];
    const own = backend.memory;
    const memory = options.memory ?? (own === undefined ? totalmem() / 2 : USABLE * own);
    const of = fleet[0].options;
    const needed = await data(of);
    const fitting = fittingRuns(needed, of, backend, memory);
    const wanted = options.replicas === undefined && backend.wide ? busyRuns(needed, of, backend) : Infinity;
    return evenParts(fleet, Math.min(fitting, wanted));
  }

  return {
    jobs: 1,
    besides: 1,
    run: (run, onRound) => alone(run, onRound),
    sideBySide: {
      fleets: (runs) => fleetsOf(study, runs, replicas, backendOf),
      async run(fleet, onRound) {
        const [first] = fleet;
        const backend = await backendOf(first.options);
        const report = reportNowAndThen(onRound);
        const inTurn = async (part: readonly PlannedRun[], leave: () => void) => {
          try {
            return await carryOut(part, backend, report, turnAfter(leave));
          } finally {
            leave();
          }
        };
        const leave = await preparing();
        try {
          const [part, ...others] = await partsOf(fleet, backend);
          const waiting = others.map(async (other) => inTurn(other, await preparing()));
          return (await Promise.all([inTurn(part, leave), ...waiting])).flat();
        } finally {
          leave();
        }
      },
    },
    stop: () => stop.abort(new Stopped()),
    close: () => backends.close(),
  };
}

/** A place for one at a time: who takes it gets it when the others have left, and with it the way to leave. */
function place(): () => Promise<() => void> {
  let last = Promise.resolve();
  return async () => {
    const before = last;
    let leave!: () => void;
    last = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    return leave;
  };
}

/** Runs of one shape that have come to the same round, `most` of them at once. */
async function fleetsOf(
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
    const key = `${fleetShape(options)} ${round}`;
    alike.set(key, [...(alike.get(key) ?? []), run]);
  }
  return [...alike.values()].flatMap((fleet) => evenParts(fleet, most));
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
