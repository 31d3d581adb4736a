import { join } from "node:path";
import { FileError } from "../errors.js";
import { trainingWords } from "../federation/strategies/strategy-words.js";
import { lockState } from "../files/lock/folder-lock.js";
import { splitWords } from "../partition/split-words.js";
import { lastJournalLine } from "../records/journal.js";
import { recordedTask } from "../records/recorded-task.js";
import { failureWords, readFailure } from "../records/run-failure.js";
import { isFinished, RUN_FILES, readRunRecord, runFolder } from "../records/run-folder.js";
import { type PartStatus, partStates } from "./parts/part-states.js";
import { livingWorkers, type Worker } from "./parts/workers.js";
import { readStudies } from "./read-studies.js";

/**
 * Where a run stands. A `begun` one was stopped and goes on when its study does; of a `lost` one the process was killed
 * or its machine failed.
 */
export type RunState = "finished" | "running" | "begun" | "waiting" | "failed" | "lost";
export const RUN_STATES: readonly RunState[] = ["finished", "running", "begun", "waiting", "failed", "lost"];

export interface RunStatus {
  readonly id: string;
  readonly study: string;
  /** As records name it: `imported-darcy` where its data were imported. */
  readonly task: string;
  /** Null for a split without a concentration; `split` then says what it is. */
  readonly alpha: number | null;
  /** The split in words: `alpha 0.1`, `shards 2`. */
  readonly split: string;
  /** What differs from federated averaging of all clients, in words: `fedprox (mu 0.1)`, `participation 0.2`. */
  readonly training: string;
  readonly seed: number;
  readonly state: RunState;
  /** Why a run failed: "diverged before round 10". */
  readonly failure: string | null;
  /** Last round that was measured, of how many. */
  readonly round: number;
  readonly rounds: number;
  /** Relative test error at that round. */
  readonly test_error: number | null;
}

export interface StudyStatus {
  readonly studies: readonly string[];
  readonly runs: readonly RunStatus[];
  /** Records that cannot be read, a line each. */
  readonly problems: readonly string[];
  /** The processes that are at work here. */
  readonly workers: readonly Pick<Worker, "holder" | "part">[];
  /** The parts that the studies were cut into last; empty where they were not cut. */
  readonly parts: readonly PartStatus[];
}

/** Where the studies of a folder stand. Changes nothing, so that it can be asked while they go on. */
export async function studyStatus(folder: string): Promise<StudyStatus> {
  const studies = await readStudies(folder);
  if (studies.length === 0) throw new FileError(`${folder} holds no study: it has no studies/*.json`);
  const runs = new Map<string, RunStatus>();
  const problems: string[] = [];
  for (const { specification, runs: planned } of studies) {
    for (const { id, options } of planned) {
      if (runs.has(id)) continue;
      const { alpha, seed, rounds } = options;
      const record = await readRunRecord(runFolder(folder, id)).catch((error) => {
        problems.push(error.message);
        return undefined;
      });
      const task = recordedTask(options);
      const common = {
        ...{ id, study: specification.name, task, alpha, split: splitWords(options) },
        ...{ training: trainingWords(options).join(", "), seed, rounds },
      };
      if (isFinished(record)) {
        const { round, test_error } = record.result;
        runs.set(id, { ...common, state: "finished", failure: null, round, test_error });
      } else {
        const last = await lastJournalLine(join(runFolder(folder, id), RUN_FILES.journal));
        const failure = await readFailure(runFolder(folder, id));
        const lock = await lockState(runFolder(folder, id));
        const begun = failure ? "failed" : record ? "begun" : "waiting";
        const state = lock ? (lock.alive ? "running" : "lost") : begun;
        runs.set(id, {
          ...common,
          state,
          failure: failure ? failureWords(failure) : null,
          round: last?.round ?? 0,
          test_error: last?.test_error ?? null,
        });
      }
    }
  }
  const parts = await partStates(
    folder,
    (id) => runs.get(id)?.state,
    (problem) => problems.push(problem),
  );
  return {
    studies: studies.map(({ specification }) => specification.name),
    runs: [...runs.values()],
    problems,
    workers: (await livingWorkers(folder)).map(({ holder, part }) => ({ holder, part })),
    parts,
  };
}
