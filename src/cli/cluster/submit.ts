import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { counted } from "../../analysis/numbers.js";
import { OptionError } from "../../errors.js";
import { commandLine, shellWords } from "../../report/command-line.js";
import type { JobRequest } from "../../schedulers/job-queue.js";
import { timeSeconds } from "../../schedulers/slurm/batch-script.js";
import { builtInStudies } from "../../studies/built-in.js";
import { type Estimate, estimateRuns, togetherSeconds } from "../../studies/estimate/estimate.js";
import { cutRuns, runGroups } from "../../studies/parts/cut-runs.js";
import {
  planSubmission,
  type SubmitOptions,
  type SubmitPlan,
  submitCommands,
  submitStudy,
} from "../../studies/parts/submit.js";
import { allRuns, type PlannedRun } from "../../studies/plan.js";
import { wholeNumber, withCommonOptions } from "../options/arguments.js";
import { givenWords } from "../options/given-words.js";
import { addStudyOptions, areReplicas, checkRunsAtOnce, type StudyOptions } from "../study/study-options.js";
import { plansOf } from "../study/study-plans.js";
import { warn } from "../warning.js";
import { largeBytes, longDuration } from "./amounts.js";

/** The only scheduler that jobs are submitted to. */
const SCHEDULER = "slurm";
/** Cores that a task asks for unless told otherwise: it trains as many runs at once. */
const USUAL_CPUS = 4;
/** Seconds that a part should take about: long beside the start of a job, short beside usual limits. */
const USUAL_PART = 3600;
/** Parts at most, unless told otherwise. */
const MOST_PARTS = 100;

interface OwnOptions extends StudyOptions {
  readonly parts?: number;
  readonly time?: string;
  readonly cpus?: number;
  readonly gpus?: number;
  readonly mem?: string;
  readonly partition?: string;
  readonly account?: string;
  readonly arrayLimit?: number;
  readonly print?: boolean;
  readonly dryRun?: boolean;
}
/** Options that only this command has; the others are those of `study`. */
const OWN: readonly string[] = [
  ...["parts", "time", "cpus", "gpus", "mem", "partition", "account", "arrayLimit"],
  ...["print", "dryRun", "json", "quiet", "debug", "out"],
];

export async function submitCommand(): Promise<Command> {
  const command = new Command("submit")
    .summary("submit a study to Slurm as an array of jobs")
    .description(
      "Cut a study into parts and submit them to Slurm as one array of jobs. Each job trains its part in the --out folder, which all " +
        "machines must share. Before its time is over, a job saves its runs and goes back into the queue. Repeat the " +
        "command to submit what is missing. `status` shows how far the jobs are, `cancel` ends them.\n\n" +
        "sbatch gets the options after --: submit study.yaml --out out/study -- --constraint=a100 --qos=high",
    )
    .argument("<study...>", `YAML files, or bundled studies: ${(await builtInStudies()).join(", ")}`)
    .option("--parts <number>", "parts, each a job (default: about an hour each)", wholeNumber)
    .option("--time <time>", "time limit of a job, such as 2:00:00 (default: that of the partition)")
    .option("--cpus <number>", `cores of a job, each for one run (default: ${USUAL_CPUS})`, wholeNumber)
    .option("--gpus <number>", "GPUs of a job; a study uses one", wholeNumber)
    .option("--mem <size>", "memory of a job, such as 16G (default: that of the partition)")
    .option("--partition <name>", "partition of the cluster (default: the cluster's own)")
    .option("--account <name>", "account to charge")
    .option("--array-limit <number>", "jobs that may run at once", wholeNumber)
    .option("--print", "print the batch script and the commands, submit nothing")
    .option("--dry-run", "estimate time, memory and disk, submit nothing");
  addStudyOptions(command).action(submitAction);
  return withCommonOptions(
    command,
    "pde-dirichlet submit controlled --out out/controlled --time 2:00:00 --dry-run",
    "pde-dirichlet submit controlled --out out/controlled --parts 15 --gpus 1 --partition gpu",
    "pde-dirichlet submit study.yaml --out out/study --array-limit 20 -- --constraint=a100",
  );
}

async function submitAction(words: readonly string[], options: OwnOptions, command: Command): Promise<void> {
  const { studies, extra } = withoutExtra(words, command);
  const { out, json, print, dryRun } = options;
  checkRunsAtOnce(options);
  const { gpus, device, cpus, arrayLimit } = options;
  for (const [flag, value] of Object.entries({ "--cpus": cpus, "--array-limit": arrayLimit }))
    if (value === 0) throw new OptionError(`${flag} is a whole number from 1 on, not 0`);
  if (gpus === 0 && device === "cuda") throw new OptionError("--device cuda needs --gpus 1");
  if (gpus !== undefined && gpus > 1)
    throw new OptionError("a job uses one GPU: take --gpus 1 and more --parts, which run side by side");
  const given = gpus === 1 && device === "auto" ? { ...options, device: "cuda" as const } : options;
  const plans = await plansOf(studies, given);
  const jobsOnGpu = given.device === "cuda";
  const request: JobRequest = {
    ...{ time: options.time, cpus: options.cpus ?? USUAL_CPUS, gpus: gpus ?? (jobsOnGpu ? 1 : undefined) },
    ...{ memory: options.mem, partition: options.partition, account: options.account },
    ...{ atOnce: options.arrayLimit, extra },
  };
  const runs = allRuns(plans);
  const isWide = areReplicas(given);
  const atOnce = jobsOnGpu ? 1 : (options.jobs ?? request.cpus!);
  const estimate = await estimateRuns(out, runs, { device: jobsOnGpu ? "cuda" : "cpu", atOnce });
  const ofStudy = [...(jobsOnGpu && device === "auto" ? ["--device", "cuda"] : []), ...studyWords(command)];
  const submit: SubmitOptions = {
    scheduler: SCHEDULER,
    isWide,
    parts: options.parts,
    usualParts: usualParts(runs, estimate, { isWide, atOnce }),
    command: commandLine(["study", ...studies, "--out", out, ...ofStudy]),
    job: (parts) => ({
      name: plans.map(({ specification }) => specification.name).join("+"),
      folder: process.cwd(),
      command: `${shellWords([process.execPath, programPath(), "study", ...studies, "--out", resolve(out), ...ofStudy])} --part "$PART/${parts}"`,
      request,
    }),
  };
  if (dryRun) {
    const plan = await planSubmission(out, plans, submit);
    const parts = cutRuns(runs, plan.parts, { isWide });
    const reckoned = {
      ...{ runs: estimate.seconds.size, seconds: togetherSeconds(estimate, runs, 1) },
      longest_part: Math.max(...parts.map((part) => togetherSeconds(estimate, part, atOnce))),
      memory: estimate.memory * atOnce,
      ...{ disk: estimate.disk, states: estimate.states * plan.missing.length, sources: estimate.sources },
    };
    return say(json, { ...summaryOf(plan), ...reckoned }, () =>
      estimateWords(plan, reckoned, { atOnce, isOnGpu: jobsOnGpu, time: options.time }),
    );
  }
  if (print) {
    const plan = await planSubmission(out, plans, submit);
    const { commands, assumption } = await submitCommands(plan, submit);
    const lines = commands.map((one) => shellWords(one));
    if (assumption) warn(assumption);
    return say(json, { ...summaryOf(plan), script: plan.script, commands: lines }, () =>
      [plan.script, ...lines.map((one) => `# ${one}`)].join("\n"),
    );
  }
  const done = await submitStudy(out, plans, submit);
  const jobs = done.submission?.arrays.map(({ job }) => job) ?? [];
  say(json, { ...summaryOf(done), jobs, script: done.submission && done.scriptPath }, () =>
    submittedWords(done, jobs, out),
  );
}

/** Words behind `--` are sbatch's own. */
function withoutExtra(
  words: readonly string[],
  command: Command,
): { readonly studies: readonly string[]; readonly extra: readonly string[] } {
  const raw = (command.parent as { rawArgs?: readonly string[] } | null)?.rawArgs ?? [];
  const at = raw.indexOf("--");
  const extra = at < 0 ? [] : raw.slice(at + 1);
  const studies = words.slice(0, words.length - extra.length);
  if (studies.length === 0) throw new OptionError("name a study before --");
  return { studies, extra };
}

/** The options of `study` that were given. */
function studyWords(command: Command): string[] {
  return givenWords(command, (name) => !OWN.includes(name));
}

/** This program, as a job calls it. */
function programPath(): string {
  return realpathSync(fileURLToPath(new URL("../../../bin/pde-dirichlet.js", import.meta.url)));
}

/** Parts of about an hour, and no more than there are groups of runs that belong together. */
function usualParts(
  runs: readonly PlannedRun[],
  estimate: Estimate,
  { isWide, atOnce }: { readonly isWide: boolean; readonly atOnce: number },
): number {
  const groups = runGroups(runs, { isWide }).length;
  const wanted = Math.ceil(togetherSeconds(estimate, runs, atOnce) / USUAL_PART);
  return Math.max(1, Math.min(groups, MOST_PARTS, wanted));
}

function summaryOf({ parts, missing, finished, underWay }: SubmitPlan) {
  return { parts, missing: missing.length, finished, under_way: underWay };
}

function submittedWords(plan: SubmitPlan, jobs: readonly string[], out: string): string {
  const { parts, missing, finished, underWay, scriptPath } = plan;
  const stand = [
    ...(finished > 0 ? [`${finished} finished`] : []),
    ...(underWay > 0 ? [`${underWay} in the queue or running`] : []),
  ].join(", ");
  if (missing.length === 0) return `Nothing to submit: of ${counted(parts, "part")}, ${stand}.`;
  const others = stand === "" ? "" : ` (${stand})`;
  return [
    `Submitted ${missing.length} of ${counted(parts, "part")} as ${jobs.length > 1 ? "jobs" : "job"} ${jobs.join(", ")}${others}`,
    `Script: ${scriptPath}`,
    `Look:   ${commandLine(["status", out, "--watch"])}`,
    `End:    ${commandLine(["cancel", out])}`,
  ].join("\n");
}

function estimateWords(
  { parts, missing }: SubmitPlan,
  reckoned: {
    readonly runs: number;
    readonly seconds: number;
    readonly longest_part: number;
    readonly memory: number;
    readonly disk: number;
    readonly states: number;
    readonly sources: readonly string[];
  },
  {
    atOnce,
    isOnGpu,
    time,
  }: { readonly atOnce: number; readonly isOnGpu: boolean; readonly time: string | undefined },
): string {
  const { runs, seconds, longest_part: longest, memory, disk, states, sources } = reckoned;
  if (runs === 0) return "Nothing to submit: all runs are finished.";
  const rows = [
    ["Runs left", `${runs}, in ${missing.length} of ${counted(parts, "part")}`],
    ["Training", `${longDuration(seconds)} of one ${isOnGpu ? "GPU" : "core"}`],
    ["Longest part", `${longDuration(longest)}${isOnGpu ? "" : ` on ${counted(atOnce, "core")}`}`],
    ["Memory", `${largeBytes(memory)} a job, at most`],
    ["Disk", `${largeBytes(disk)}, and ${largeBytes(states)} of states while all parts run`],
  ];
  return [
    ...rows.map(([head, text]) => `${`${head}:`.padEnd(14)}${text}`),
    ...(time !== undefined && longest > timeSeconds(time)
      ? [
          `The longest part takes longer than --time ${time}: its job goes back into the queue until it is finished.`,
        ]
      : []),
    `Times are those of ${sources.join(" and of ")}; another machine takes other times. Generating data comes on top.`,
  ].join("\n");
}

function say(json: boolean | undefined, value: object, words: () => string): void {
  console.log(json ? JSON.stringify(value) : words());
}
