// A process of a study: takes a run, reports rounds and the result, takes the next one.
import { sampleMemory, sharedBackend } from "../../federation/backends.js";
import type { PlannedRun } from "../plan.js";
import { executeRun } from "./execute-runs.js";
import type { FromWorker, ToWorker } from "./process-runner.js";
import { sharedData } from "./runner.js";
import { Stopped } from "./stopped.js";

/** Milliseconds between two reports of progress. */
const REPORT_INTERVAL = 100;

const stop = new AbortController();
const data = sharedData();
let backends: ReturnType<typeof sharedBackend> | undefined;
const say = (message: FromWorker) => process.send?.(message, () => {});

process.on("message", async (message: ToWorker) => {
  if (message === "stop") return stop.abort(new Stopped());
  let said = 0;
  const onRound = (_: PlannedRun, round: number) => {
    if (performance.now() - said < REPORT_INTERVAL) return;
    said = performance.now();
    say({ round });
  };
  try {
    const { study, run, saveEvery, device, dataMemory } = message;
    backends ??= sharedBackend(device);
    const backend = await backends.of(run.options);
    const onNotice = (notice: string) => say({ notice });
    const execution = { onRound, onNotice, signal: stop.signal, saveEvery, backend };
    const own = sampleMemory(backend.backend, dataMemory);
    const result = await executeRun(study, run, () => data.of(run.options, own), execution);
    say({ result });
  } catch (error) {
    const { name, message, stack } = error as Error;
    say({ error: { name, message, stack } });
  }
});

// A cluster signals every process of a job that it ends. The study decides what becomes of the runs, and tells its workers.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR2"] as const) process.on(signal, () => {});

// Without its study a run would go on unseen; it can be resumed.
process.on("disconnect", () => process.exit());
