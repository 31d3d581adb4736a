import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DataError, DeviceError, FileError, FormatError, OptionError, UserError } from "../../errors.js";
import type { RunResult } from "../../records/run-record.js";
import { grantedCores } from "../../schedulers/granted.js";
import type { PlannedRun } from "../plan.js";
import { HeldElsewhere } from "./held-elsewhere.js";
import { memoryShare, type Runner, type RunnerOptions } from "./runner.js";
import { Stopped } from "./stopped.js";

/** What a study tells its worker processes, and what they tell it. The memory is that of one run. */
export type ToWorker =
  | ({ readonly study: string; readonly run: PlannedRun } & Omit<RunnerOptions, "onNotice">)
  | "stop";
export type FromWorker =
  | { readonly round: number }
  | { readonly notice: string }
  | { readonly result: RunResult }
  | { readonly error: { readonly name: string; readonly message: string; readonly stack?: string } };

const WORKER = fileURLToPath(new URL("./run-worker.js", import.meta.url));

/** Seconds that a worker has to save its state when it is told to stop. */
const GRACE = 20;

/**
 * Trains runs in `jobs` worker processes (default: one per core). Each process trains one run at a time and is replaced
 * if it dies.
 */
export function processRunner(
  study: string,
  options: RunnerOptions & { readonly jobs?: number } = {},
): Runner {
  const { jobs = grantedCores(), saveEvery, device, onNotice } = options;
  const dataMemory = memoryShare(options.dataMemory, jobs);
  const idle: ChildProcess[] = [];
  const living = new Set<ChildProcess>();
  let stopping = false;

  function start(): ChildProcess {
    // In a group of its own: Ctrl-C reaches the study alone, which then tells its workers.
    const worker = fork(WORKER, { detached: true, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    living.add(worker);
    worker.once("exit", () => living.delete(worker));
    return worker;
  }

  const tell = (worker: ChildProcess, message: ToWorker) => worker.send(message, () => {}); // it may be gone

  async function trainRun(run: PlannedRun, onRound: (round: number) => void): Promise<RunResult> {
    if (stopping) throw new Stopped();
    const worker = idle.pop() ?? start();
    tell(worker, { study, run, saveEvery, device, dataMemory });
    const result = await answer(worker, run, { onRound, onNotice });
    idle.push(worker);
    return result;
  }

  return {
    jobs,
    dataMemory,
    run: (batch, onRound) =>
      Promise.allSettled(batch.map((run) => trainRun(run, (round) => onRound(run, round)))),
    stop() {
      stopping = true;
      for (const worker of living) tell(worker, "stop");
    },
    async close() {
      for (const worker of idle) worker.disconnect();
      const gone = [...living].map((worker) => once(worker, "exit"));
      const patience = new AbortController();
      await Promise.race([
        Promise.all(gone),
        pause(1000 * GRACE, undefined, { signal: patience.signal, ref: false }).catch(() => {}),
      ]);
      patience.abort();
      for (const worker of living) worker.kill("SIGKILL");
    },
  };
}

/** The result of a run, or why there is none. */
function answer(
  worker: ChildProcess,
  run: PlannedRun,
  { onRound, onNotice }: { onRound: (round: number) => void; onNotice?: (message: string) => void },
): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const settle = () => worker.off("message", heard).off("exit", ended).off("error", reject);
    const heard = (message: FromWorker) => {
      if ("round" in message) return onRound(message.round);
      if ("notice" in message) return onNotice?.(message.notice);
      settle();
      if ("result" in message) return resolve(message.result);
      worker.disconnect();
      reject(revived(message.error));
    };
    const ended = (code: number | null, signal: string | null) => {
      settle();
      const how = signal === null ? `ended with code ${code}` : `was killed by ${signal}`;
      const hint = signal === "SIGKILL" ? "; if memory ran out, use fewer --jobs" : "";
      reject(new UserError(`the process of run ${run.id} ${how}${hint}`));
    };
    worker.on("message", heard).on("exit", ended).on("error", reject);
  });
}

const ERRORS = {
  Stopped,
  HeldElsewhere,
  UserError,
  OptionError,
  DataError,
  DeviceError,
  FormatError,
  FileError,
};

function revived({ name, message, stack }: { name: string; message: string; stack?: string }): Error {
  const known = ERRORS[name as keyof typeof ERRORS];
  return known ? new known(message) : Object.assign(new Error(message), { stack });
}
