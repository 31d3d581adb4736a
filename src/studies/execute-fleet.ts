import { setImmediate as nextTurn } from "node:timers/promises";
import { FileError } from "../errors.js";
import type { OpenBackend } from "../federation/backends.js";
import type { TaskData } from "../federation/federated-problem.js";
import type { FleetData } from "../federation/fleet-data.js";
import type { FleetMember } from "../federation/fleet-rounds.js";
import { prepareFleet, trainFleet } from "../federation/fleet-trainer.js";
import type { RunOptions } from "../federation/run-options.js";
import { initialState, type TrainerState } from "../federation/trainer.js";
import type { RunResult } from "../records/run-record.js";
import { DEFAULT_SAVE_EVERY, type OpenRun, openRun, type Turn } from "./execute-run.js";
import type { PlannedRun } from "./plan.js";
import { RunRecorder } from "./run-recorder.js";
import { Stopped } from "./runner.js";

/** Share of the time that saving states may take, so that many runs on a fast machine do not wait for the disk. */
const SAVING = 0.1;

export interface FleetExecution {
  readonly backend: OpenBackend;
  readonly onRound?: (run: PlannedRun, round: number) => void;
  /** Ends the runs after the round at hand, with their states saved, for the signal's reason. */
  readonly signal?: AbortSignal;
  /** Seconds between two savings of the states. */
  readonly saveEvery?: number;
  /** Called for the training, between what comes before and after; at once by default. */
  readonly turn?: Turn;
  /** Told what its user should know though nothing failed (`ExecuteHooks`). */
  readonly onNotice?: (message: string) => void;
}

/** One of the runs: what it works with, and what became of it. */
interface Lane {
  readonly run: PlannedRun;
  opened?: OpenRun;
  outcome?: PromiseSettledResult<RunResult>;
}

/**
 * Carries out runs side by side, each in its folder as `executeRun` does, or goes on with them; all have come to the
 * same round. A run that fails is left behind, the others go on, unless nothing can be written any more.
 */
export async function executeFleet(
  study: string,
  runs: readonly PlannedRun[],
  data: (options: RunOptions) => Promise<TaskData>,
  execution: FleetExecution,
): Promise<PromiseSettledResult<RunResult>[]> {
  const lanes: Lane[] = runs.map((run) => ({ run }));
  const hardware = { ...execution.backend.hardware, replicas: runs.length };
  try {
    for (const lane of lanes) {
      execution.signal?.throwIfAborted();
      await attempt(lane, async () => {
        const opened = await openRun(study, lane.run, () => data(lane.run.options), hardware);
        if ("result" in opened) lane.outcome = { status: "fulfilled", value: opened.result };
        else {
          lane.opened = opened;
          if (opened.notice) execution.onNotice?.(opened.notice);
        }
      });
    }
    const able = lanes.filter((lane): lane is AbleLane => !lane.outcome && !!lane.opened);
    const { turn = (train) => train() } = execution;
    if (able.length > 0) {
      const members = able.map(memberOf);
      const data = await prepareFleet(members, execution.backend.backend);
      await turn(() => trainLanes(able, members, data, execution));
    }
    for (const lane of able)
      await attempt(lane, async () => {
        lane.outcome = { status: "fulfilled", value: await lane.opened.finish() };
      });
  } catch (reason) {
    for (const lane of lanes) lane.outcome ??= { status: "rejected", reason };
  } finally {
    for (const lane of lanes)
      await lane.opened?.close().catch((reason) => {
        lane.outcome = { status: "rejected", reason };
      });
  }
  return lanes.map(({ outcome }) => outcome!);
}

type AbleLane = Lane & { readonly opened: OpenRun };

function memberOf({ run: { options }, opened: { problem, recorder } }: AbleLane): FleetMember {
  return { problem, options, start: recorder.resume?.trainer ?? initialState(problem, options) };
}

async function trainLanes(
  lanes: readonly AbleLane[],
  members: readonly FleetMember[],
  data: FleetData,
  { backend: { backend }, onRound, signal, saveEvery = DEFAULT_SAVE_EVERY }: FleetExecution,
): Promise<void> {
  for (const { opened } of lanes) opened.recorder.begin();
  const notes = inBackground();
  let due = performance.now() + 1000 * saveEvery;
  const save = async (states: readonly TrainerState[]) => {
    await notes.done(); // what a state counts on is on the disk before it
    const began = performance.now();
    const sound = lanes.flatMap((lane, i) =>
      lane.outcome ? [] : [[lane.opened.recorder, states[i]] as const],
    );
    await RunRecorder.saveStates(sound);
    const now = performance.now();
    due = now + Math.max(1000 * saveEvery, (now - began) / SAVING);
  };
  try {
    await trainFleet(
      members,
      backend,
      {
        // The backend goes on meanwhile.
        onCheckpoint: (i, checkpoint) =>
          notes.add(() => attempt(lanes[i], () => lanes[i].opened.recorder.checkpoint(checkpoint))),
        onRound: (round) => {
          for (const { run, outcome } of lanes) if (!outcome) onRound?.(run, round);
        },
        saveStates: async (states) => {
          if (notes.failed() || lanes.every(({ outcome }) => outcome)) throw new Stopped(); // nobody is left
          await nextTurn(); // in which a request to stop can arrive
          if (!signal?.aborted && performance.now() < due) return;
          await save(states());
          signal?.throwIfAborted();
        },
      },
      data,
    );
  } finally {
    await notes.done();
  }
}

/** Does one thing after another while others go on. What fails is the last that is done, and `done` says why. */
function inBackground() {
  let last = Promise.resolve();
  let failed = false;
  return {
    add(action: () => Promise<void>): void {
      last = last.then(action);
      last.catch(() => {
        failed = true;
      });
    },
    failed: () => failed,
    done: () => last,
  };
}

/** Does something for a run that has not ended yet. If it fails the run has; where nothing can be written, all have. */
async function attempt(lane: Lane, action: () => Promise<void>): Promise<void> {
  if (lane.outcome) return;
  try {
    await action();
  } catch (reason) {
    lane.outcome = { status: "rejected", reason };
    if (reason instanceof FileError) throw reason;
  }
}
