import { setTimeout as pause } from "node:timers/promises";
import { Command } from "commander";
import { OptionError } from "../errors.js";
import { DEFAULT_STRATEGY } from "../federation/strategies/strategies.js";
import { jobWords } from "../schedulers/schedulers.js";
import { partsWords } from "../studies/parts/part-states.js";
import {
  RUN_STATES,
  type RunState,
  type RunStatus,
  type StudyStatus,
  studyStatus,
} from "../studies/status.js";
import { type CommonOptions, number, withCommonOptions } from "./options/arguments.js";
import { percent } from "./percent.js";
import { textTable } from "./table.js";
import { warn } from "./warning.js";

/** Seconds between two looks of `--watch`. */
const WATCH_EVERY = 5;

interface StatusOptions extends CommonOptions {
  readonly watch?: true | number;
}

export function statusCommand(): Command {
  const command = new Command("status")
    .summary("show the progress of the studies in a folder")
    .description(
      "Show the progress of the studies in a folder. They may be running meanwhile, in one process or in many, on this " +
        "machine or on others that share the folder.",
    )
    .argument("<folder>", "the --out folder of `study` or `submit`")
    .option(
      "--watch [seconds]",
      `show it again and again until all runs are finished or failed (default: every ${WATCH_EVERY} seconds)`,
      number,
    )
    .action(statusAction);
  return withCommonOptions(
    command,
    "pde-dirichlet status out/quickstart",
    "pde-dirichlet status out/quickstart --watch",
  );
}

async function statusAction(folder: string, { json, watch }: StatusOptions): Promise<void> {
  const every = watch === true ? WATCH_EVERY : watch;
  if (every !== undefined && every <= 0)
    throw new OptionError(`--watch takes a positive number of seconds, not ${every}`);
  for (;;) {
    const status = await studyStatus(folder);
    const clear = every !== undefined && process.stdout.isTTY ? "\x1b[2J\x1b[H" : "";
    console.log(json ? JSON.stringify(status) : `${clear}${statusText(status)}`);
    if (!json) for (const problem of status.problems) warn(problem);
    if (every === undefined || status.runs.every(({ state }) => ENDED.includes(state))) return;
    await pause(1000 * every);
  }
}

const ENDED: readonly RunState[] = ["finished", "failed"];

function statusText({ studies, runs, workers, parts }: StudyStatus): string {
  const lines = [countTable(runs)];
  for (const { id, state, round, rounds, test_error } of runs) {
    if (!["running", "begun", "lost"].includes(state)) continue;
    const error = test_error === null ? "" : `, test error ${percent(test_error, 2)}`;
    const words = state === "lost" ? ", its process is gone" : "";
    lines.push(`${id}: last checkpoint at round ${round} of ${rounds}${error}${words}`);
  }
  for (const { id, failure } of runs) if (failure !== null) lines.push(`${id}: ${failure}`);
  if (parts.length > 0) lines.push(partsWords(parts));
  const finished = runs.filter(({ state }) => state === "finished").length;
  lines.push(`${studies.join(", ")}: ${finished} of ${runs.length} runs finished; ${workersText(workers)}`);
  return lines.join("\n");
}

function workersText(workers: StudyStatus["workers"]): string {
  const [one] = workers;
  if (!one) return "no process is running";
  if (workers.length > 1) return `${workers.length} processes are running`;
  const { pid, host, job } = one.holder;
  return `process ${pid} on ${host}${job ? ` (${jobWords(job)})` : ""} is running`;
}

/** How many runs of every data have come how far, apart by how they train where that differs. */
function countTable(runs: readonly RunStatus[]): string {
  const isLost = runs.some(({ state }) => state === "lost");
  const states = RUN_STATES.filter((state) => state !== "lost" || isLost);
  const isVaried = new Set(runs.map(({ training }) => training)).size > 1;
  const rowOf = ({ task, training }: RunStatus) =>
    isVaried ? [task, training === "" ? DEFAULT_STRATEGY : training] : [task];
  const heads = new Map(runs.map((run) => [rowOf(run).join("\n"), rowOf(run)]));
  const rows = [...heads].map(([key, head]) => {
    const own = runs.filter((run) => rowOf(run).join("\n") === key);
    return [...head, ...states.map((state) => String(own.filter((run) => run.state === state).length))];
  });
  const columns = isVaried ? ["task", "training"] : ["task"];
  return textTable([...columns, ...states], rows, isVaried ? ["left", "left"] : ["left"]);
}
