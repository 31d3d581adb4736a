import { runDemand } from "../../federation/run-demand.js";
import type { RunOptions } from "../../federation/run-options.js";
import { isFinished, readRunRecord, runFolder } from "../../records/run-folder.js";
import type { PlannedRun } from "../plan.js";
import { kindOf } from "../progress.js";
import { type MeasuredRounds, measuredRounds, roundMilliseconds } from "./measured-rounds.js";

/** What runs will take that are not finished. */
export interface Estimate {
  /** Seconds of training of each run that is left, by its id. */
  readonly seconds: ReadonlyMap<string, number>;
  /** Bytes that the process of a run takes, at most. */
  readonly memory: number;
  /** Bytes of the folder when all runs are finished, and of the states that runs keep until then. */
  readonly disk: number;
  readonly states: number;
  /** What the times come from, in words. */
  readonly sources: readonly string[];
}

export interface EstimateOptions {
  readonly device: "cpu" | "cuda";
  /** Runs that train at once, and so have states on the disk. */
  readonly atOnce: number;
}

const BYTES = 4;
/** Bytes of a run's record and pictures of its partition, about, and of a client at a checkpoint in the journal. */
const RECORD = 40e3;
const CLIENT_LINE = 400;

/**
 * What the runs of a study will take, before they start: the times of finished runs of the same kind in the folder, or else
 * those that were measured by a benchmark for the model, in proportion to what a round computes. Data that have to be
 * generated take time on top.
 */
export async function estimateRuns(
  folder: string,
  runs: readonly PlannedRun[],
  { device, atOnce }: EstimateOptions,
): Promise<Estimate> {
  const measured = await measuredRounds(device);
  const own = await finishedPaces(folder, runs, device);
  const sizes = new Map<string, RunSize>();
  const sizeOf = (run: PlannedRun) => {
    const { train, test, participation, checkpoints } = run.options;
    const key = JSON.stringify([kindOf(run), train, test, participation, checkpoints.length]);
    const known = sizes.get(key) ?? runSize(run.options, measured);
    sizes.set(key, known);
    return known;
  };
  const left = runs.filter(({ id }) => !own.finished.has(id));
  const secondsOf = (run: PlannedRun) =>
    (own.paces.get(kindOf(run)) ?? sizeOf(run).secondsPerRound) * run.options.rounds;
  const all = runs.map(sizeOf);
  const ownRuns = left.filter((run) => own.paces.has(kindOf(run))).length;
  return {
    seconds: new Map(left.map((run) => [run.id, secondsOf(run)])),
    memory: Math.max(0, ...all.map(({ memory }) => memory)),
    disk: sum(all.map(({ disk }) => disk)),
    states: 2 * atOnce * Math.max(0, ...all.map(({ state }) => state)), // the next one is written beside the last
    sources: [
      ...(ownRuns > 0 ? [`runs that finished here (${ownRuns} of ${left.length})`] : []),
      ...(ownRuns < left.length ? [`rounds measured on ${measured.hardware}`] : []),
    ],
  };
}

/** What a run takes, whatever its seed and split. */
interface RunSize {
  readonly secondsPerRound: number;
  readonly memory: number;
  readonly disk: number;
  readonly state: number;
}

function runSize(options: RunOptions, measured: MeasuredRounds): RunSize {
  const { model, work, memory, state, parameters, clients } = runDemand(options);
  return {
    secondsPerRound: roundMilliseconds(measured, model, work) / 1000,
    memory,
    // Parameters lie there as such and in the ONNX model.
    disk: RECORD + 2 * BYTES * parameters + CLIENT_LINE * clients * options.checkpoints.length,
    state,
  };
}

/** Seconds of a round of each kind of run, by runs of this folder that were finished on such a device. */
async function finishedPaces(
  folder: string,
  runs: readonly PlannedRun[],
  device: "cpu" | "cuda",
): Promise<{ readonly finished: ReadonlySet<string>; readonly paces: ReadonlyMap<string, number> }> {
  const finished = new Set<string>();
  const all = new Map<string, number[]>();
  for (const run of runs) {
    const record = await readRunRecord(runFolder(folder, run.id)).catch(() => undefined);
    if (!isFinished(record)) continue;
    finished.add(run.id);
    if ((record.hardware.backend === "cuda") !== (device === "cuda")) continue;
    const kind = kindOf(run);
    all.set(kind, [...(all.get(kind) ?? []), record.result.seconds / run.options.rounds]);
  }
  const mean = (values: readonly number[]) => sum(values) / values.length;
  return { finished, paces: new Map([...all].map(([kind, paces]) => [kind, mean(paces)])) };
}

/** Seconds that some of the runs take, so many at once. */
export function togetherSeconds(
  { seconds }: Pick<Estimate, "seconds">,
  runs: readonly PlannedRun[],
  atOnce: number,
): number {
  const times = runs.map(({ id }) => seconds.get(id) ?? 0);
  return Math.max(0, ...times, sum(times) / atOnce);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
