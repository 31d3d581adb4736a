import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { counted } from "../analysis/numbers.js";
import { UserError } from "../errors.js";
import { sharedBackend } from "../federation/backends.js";
import { PAPER_ADDITIONS } from "../paper/additions.js";
import { PAPER } from "../paper/published.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import { commandLine } from "../report/command-line.js";
import { studySummary } from "../report/study-summary.js";
import { writeReport } from "../report/write-report.js";
import { ownArrayTask, requeueOwnJob } from "../schedulers/schedulers.js";
import { builtInStudies } from "../studies/built-in.js";
import { processRunner } from "../studies/execution/process-runner.js";
import { replicaRunner } from "../studies/execution/replicas-runner.js";
import type { Runner } from "../studies/execution/runner.js";
import { missingRuns } from "../studies/missing-runs.js";
import { partText, readPart } from "../studies/parts/part.js";
import type { StudyPlan } from "../studies/plan.js";
import { RECORDS_PARQUET, readTable } from "../studies/record-files.js";
import { runStudy, type StudyHooks, type StudyOutcome, type StudyShare } from "../studies/study.js";
import { studyFacts } from "../studies/study-facts.js";
import { withoutCredentials } from "../tracking/credentials.js";
import { withCommonOptions } from "./options/arguments.js";
import { chosenDevice } from "./options/device-option.js";
import { startProgress } from "./progress.js";
import { addStudyOptions, areReplicas, checkRunsAtOnce, type StudyOptions } from "./study/study-options.js";
import { plansOf } from "./study/study-plans.js";
import { textTable } from "./table.js";
import { PATIENCE_AFTER_STOP, startTracking, type Tracking } from "./tracking/start-tracking.js";
import { warn } from "./warning.js";

interface OwnOptions extends StudyOptions {
  readonly part?: string;
}

export async function studyCommand(): Promise<Command> {
  const command = new Command("study")
    .summary("train a grid of runs and write a report")
    .description(
      "Train every run of a grid over tasks, seeds and alphas, compare each with the near-IID run of its seed, and write " +
        "a report. You can stop it at any time: run the same command to resume. Several studies can share a " +
        "folder, in one command or one after another; they share the runs that they have in common. Several processes " +
        "can work in one folder, also on several machines that share it: --part gives each its share.\n\n" +
        `This page describes every field of the YAML:\n${fileURLToPath(new URL("../../docs/studies.md", import.meta.url))}`,
    )
    .argument("<study...>", `YAML files, or bundled studies: ${(await builtInStudies()).join(", ")}`)
    .option(
      "--part <i/n>",
      "carry out the i-th of n parts; auto takes them from the job array of a cluster (Slurm, PBS, LSF, Kubernetes)",
    )
    .action(studyAction);
  addStudyOptions(command);
  return withCommonOptions(
    command,
    "pde-dirichlet study quickstart --out out/quickstart",
    "pde-dirichlet study controlled --out out/controlled --jobs 4 --set seeds=[0,1] --set federation.rounds=50",
    "pde-dirichlet study controlled viscosity optimizer clients --out out/paper",
    "pde-dirichlet study controlled --out out/controlled --part 3/8",
  );
}

async function studyAction(studies: readonly string[], options: OwnOptions): Promise<void> {
  const { out, json } = options;
  checkRunsAtOnce(options);
  const device = await chosenDevice(options.device);
  const share = options.part === undefined ? undefined : shareOf(options.part, options);
  const plans = await plansOf(studies, options);
  const names = plans.map(({ specification }) => specification.name);
  const tracking = await startTracking(out, studiesOf(plans), options);
  const { runs, finished, failed, elsewhere, hasTable } = await carryOut(
    plans,
    { ...options, device },
    tracking,
    share,
  );
  if (failed.length > 0) {
    await tracking.finish();
    throw new UserError(`${failed.length} of ${runs} runs failed, the first: ${failed[0].error.message}`);
  }
  if (!hasTable) {
    await tracking.finish();
    const part = partText(share!.part);
    if (json) console.log(JSON.stringify({ study: names.join(", "), part, runs, finished, elsewhere }));
    else console.log(partWords(part, { runs, finished, elsewhere }, out));
    return;
  }
  const { page } = await writeReport(out, { ...(await studyFacts(out)), additions: PAPER_ADDITIONS });
  await tracking.finish({ rows: (await readTable(out)) ?? [], report: { study: names[0], page } });
  const records = join(out, RECORDS_PARQUET);
  if (json) console.log(JSON.stringify({ study: names.join(", "), runs, records, report: page }));
  else
    console.log(
      `${await summaryText(out)}\n\nReport:  ${page}\nRecords: ${records}\nStudio:  ${studioCommandOf(out)}`,
    );
}

/** The share of the work that `--part` names. Runs that a GPU trains as replicas of one program stay together. */
function shareOf(text: string, options: StudyOptions): StudyShare {
  return { part: readPart(text, ownArrayTask()), isWide: areReplicas(options) };
}

/** What a part says at its end where others have not finished yet. */
function partWords(
  part: string,
  { runs, finished, elsewhere }: Pick<StudyOutcome, "runs" | "finished" | "elsewhere">,
  out: string,
): string {
  const next = `\`${commandLine(["status", out])}\` shows the whole study, and the last part to finish writes the report.`;
  if (runs === 0) return `Part ${part} has no runs: the study has fewer runs than parts. ${next}`;
  const others =
    elsewhere.length === 0 ? "" : ` Another process works on ${counted(elsewhere.length, "run")} of it.`;
  return `Part ${part}: ${finished} of ${counted(runs, "run")} finished.${others} ${next}`;
}

/** The study of every run: the first that has it. */
function studiesOf(plans: readonly StudyPlan[]): ReadonlyMap<string, string> {
  const all = plans.flatMap(({ specification, runs }) =>
    runs.map(({ id }) => [id, specification.name] as const),
  );
  return new Map(all.reverse());
}

/** Means over seeds at the last round as text, with the paper's where runs have its settings. */
async function summaryText(folder: string): Promise<string> {
  const records = (await readTable(folder)) ?? [];
  const { head, columns, rows, sides, gaps } = studySummary(records, await missingRuns(folder), PAPER);
  return [head, textTable(columns, rows, sides), gaps].filter(Boolean).join("\n");
}

/** The command that opens a folder in the studio, by npx where npm runs this program. */
const studioCommandOf = (folder: string): string =>
  `${process.env.npm_execpath === undefined ? "" : "npx "}${commandLine(["studio", folder])}`;

/** Runs the studies with progress. A first Ctrl-C stops them in good order, a second one at once. */
async function carryOut(
  plans: readonly StudyPlan[],
  { out, quiet, ...options }: StudyOptions,
  tracking: Tracking,
  share: StudyShare | undefined,
): Promise<StudyOutcome> {
  const names = plans.map(({ specification }) => specification.name).join(", ");
  const part = share ? `, part ${partText(share.part)}` : "";
  const progress = startProgress(`${plans.length > 1 ? "Studies" : "Study"} ${names}${part}`, { quiet });
  const stop = new AbortController();
  let received: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals) => {
    if (received === "SIGUSR2") return; // SIGTERM follows it, and the states are being saved
    if (received) process.exit(1); // the workers notice and end too
    received = signal;
    if (!quiet) process.stderr.write("\nStopping: active runs save their state ...\n");
    stop.abort();
  };
  // A cluster sends SIGUSR2 before the time of a job is over, as `submit` asks it to.
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];
  for (const signal of signals) process.on(signal, interrupt);
  const backends = sharedBackend(options.device);
  let before: number | undefined;
  let isFurther = false;
  try {
    const runner = await chosenRunner(plans, backends, options);
    const hooks: StudyHooks = {
      signal: stop.signal,
      command: withoutCredentials(commandLine(withoutPart(process.argv.slice(2)))),
      onWarning: warn,
      onWaiting: (message) => quiet || process.stderr.write(`${message}\n`),
      onProgress: ({ finished, runs, done, left }) => {
        before ??= done;
        isFurther ||= done > before;
        progress.update(done, 1, { left: left ?? "unknown", detail: `${finished} of ${runs} runs finished` });
      },
    };
    const outcome = await runStudy(out, plans, runner, hooks, share);
    const { finished, runs } = outcome;
    if (!outcome.stopped) progress.finish(`${finished} of ${runs} runs finished`);
    else if (!quiet)
      process.stderr.write(`Stopped after ${finished} of ${runs} runs. Run the same command to resume.\n`);
    return outcome;
  } catch (error) {
    await tracking.finish();
    throw error;
  } finally {
    if (received) await tracking.finish({ patience: PATIENCE_AFTER_STOP });
    await backends.close();
    if (received === "SIGUSR2") await requeue(isFurther);
    for (const signal of signals) process.off(signal, interrupt);
    if (received) process.kill(process.pid, received); // so that a shell sees what ended it
  }
}

/**
 * Puts the job of a cluster whose time is nearly over back into the queue. All states are saved. A job that did not come
 * further would do so for ever.
 */
async function requeue(isFurther: boolean): Promise<void> {
  const putBack = requeueOwnJob();
  if (!putBack) return;
  if (!isFurther)
    return warn("the time of this job was too short for a single round: ask for a longer --time");
  process.stderr.write("The time of this job is nearly over: it goes back into the queue.\n");
  await putBack().catch((error) => warn(`the job cannot be put back into the queue: ${error.message}`));
}

/** A command line as it is for the whole study. */
function withoutPart(words: readonly string[]): readonly string[] {
  return words.filter((word, i) => !/^--part(=|$)/.test(word) && words[i - 1] !== "--part");
}

/** Processes, one a core, or all runs in one where there is much to do at once: on a GPU, or as asked for. */
async function chosenRunner(
  plans: readonly StudyPlan[],
  backends: ReturnType<typeof sharedBackend>,
  {
    jobs,
    replicas,
    saveEvery,
    device,
    memory = MEMORY_OPTIONS.memory.default,
  }: Pick<StudyOptions, "jobs" | "replicas" | "saveEvery" | "device" | "memory">,
): Promise<(folder: string) => Runner> {
  // All are opened, so that what cannot be computed here is refused before anything is begun.
  const opened = await Promise.all(plans.map(({ runs: [{ options }] }) => backends.of(options)));
  const isWide = opened.some(({ backend }) => backend.prefersLargeKernels);
  const dataMemory = isWide ? undefined : memory; // a GPU holds its data
  if (replicas !== undefined || (jobs === undefined && isWide))
    return (folder) =>
      replicaRunner(folder, { replicas, saveEvery, backend: backends.of, onNotice: warn, dataMemory });
  await backends.close(); // processes open their own
  return (folder) => processRunner(folder, { jobs, saveEvery, device, onNotice: warn, dataMemory });
}
