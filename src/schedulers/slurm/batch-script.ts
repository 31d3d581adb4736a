import { OptionError } from "../../errors.js";
import type { ArrayJob } from "../job-queue.js";

/** Seconds before the end of a task's time at which it saves its runs, and where the time is short. */
const LEAD = 120;
const SHORTEST_LEAD = 20;
const SHARE_OF_TIME = 0.25;

/** The script of an array, which sbatch reads. Its first argument is what to add to a task's number. */
export function batchScript({ name, folder, logs, command, request }: ArrayJob): string {
  const { cpus, gpus, time, memory, partition, account, extra = [] } = request;
  const asked = {
    "job-name": name,
    chdir: folder,
    output: `${logs}/%A_%a.log`,
    "open-mode": "append",
    nodes: 1,
    ntasks: 1,
    "cpus-per-task": cpus,
    gpus,
    time,
    mem: memory,
    partition,
    account,
    signal: `B:USR2@${leadOf(time)}`,
  };
  const options = Object.entries(asked).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}=${directiveWord(`${value}`)}`],
  );
  return [
    "#!/bin/bash",
    ...[...options, "--requeue"].map((option) => `#SBATCH ${option}`),
    ...(extra.length > 0 ? [`#SBATCH ${extra.map(directiveWord).join(" ")}`] : []),
    "",
    "# Slurm sends SIGUSR2 before the time is over: the runs save their states, and the task goes back into the queue.",
    "# The signal may come before the program listens to it, so it is ignored until then.",
    "trap '' USR2",
    `PART=$((SLURM_ARRAY_TASK_ID + \${1:-0}))`,
    `exec ${command}`,
    "",
  ].join("\n");
}

/** sbatch takes quotes in its directives as a shell does. */
function directiveWord(text: string): string {
  return /^[\w./:=@%+,[\]-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function leadOf(time: string | undefined): number {
  if (time === undefined || /^(unlimited|infinite)$/i.test(time)) return LEAD;
  return Math.round(Math.min(LEAD, Math.max(SHORTEST_LEAD, SHARE_OF_TIME * timeSeconds(time))));
}

/** Seconds of a time as sbatch takes it: minutes, `minutes:seconds`, `hours:minutes:seconds`, or `days-hours:minutes:seconds`. */
export function timeSeconds(text: string): number {
  const [, days, rest] = /^(?:(\d+)-)?(\d+(?::\d+){0,2})$/.exec(text.trim()) ?? [];
  if (rest === undefined)
    throw new OptionError(`--time ${text} is not a time: take minutes (90), 2:00:00 or 1-12 (days-hours)`);
  const [a, b = 0, c = 0] = rest.split(":").map(Number);
  if (days !== undefined) return 86_400 * Number(days) + 3600 * a + 60 * b + c;
  const parts = rest.split(":").length;
  const seconds = parts === 1 ? 60 * a : parts === 2 ? 60 * a + b : 3600 * a + 60 * b + c;
  if (seconds === 0) throw new OptionError(`--time ${text} is no time at all`);
  return seconds;
}
