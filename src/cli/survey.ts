import { Command, Option } from "commander";
import {
  overSeeds,
  type PartitionStatistic,
  REPORTED,
  type ReportedMetric,
} from "../analysis/partition-statistics.js";
import { generatedTraining } from "../datasets/generated-file.js";
import { SOURCE_NAMES, SOURCES, sourceOf } from "../datasets/sources.js";
import { TASK_NAMES, type TaskName } from "../datasets/tasks.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import type { PropertiesOf } from "../options/option.js";
import { surveyAdditions } from "../paper/survey.js";
import { PAPER_ALPHAS, PAPER_SEEDS } from "../paper/values.js";
import { DIRICHLET_OPTIONS } from "../partition/dirichlet.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import { CLIENT_OPTIONS, PARTITION_OPTIONS } from "../partition/partition-options.js";
import { DEFAULT_REPAIR } from "../partition/repair.js";
import { partitionRuns } from "../pipeline/partition-runs.js";
import { SURVEY, surveyOutputs, surveyPaths } from "../report/survey-outputs.js";
import {
  type CommonOptions,
  collected,
  distinct,
  wholeNumber,
  withCommonOptions,
} from "./options/arguments.js";
import { addListFlag, addOptionFlags } from "./options/option-flags.js";
import { startProgress } from "./progress.js";
import { decimal, textTable } from "./table.js";

/** How the partitions of a survey are made; each task has its own minimum size unless one is given. */
type Declared = PropertiesOf<typeof CLIENT_OPTIONS & typeof PARTITION_OPTIONS>;
interface Partitioning extends Omit<Declared, "minSize"> {
  readonly minSize?: number;
}

/** Sources whose data depend on the seed. */
const CONTROLLED = SOURCE_NAMES.filter((name) => SOURCES[name].dataSeed === undefined);

interface SurveyOptions extends CommonOptions, Partial<Partitioning> {
  readonly tasks: readonly TaskName[];
  readonly alpha?: readonly number[];
  readonly seed?: readonly number[];
  readonly memory?: number;
  readonly out: string;
  readonly force?: boolean;
}

export function surveyCommand(): Command {
  const command = new Command("survey")
    .summary("measure partitions of whole tasks over seeds and alphas")
    .description(
      "Generate the data of tasks, partition them for several seeds and alphas, and measure the partitions. " +
        "Write tables with confidence intervals, a figure and the seed-level records. With the paper's settings " +
        "(--repair largest and the defaults), show the paper's values too.",
    )
    .addOption(
      new Option("--tasks <names...>", "tasks to survey")
        .choices(TASK_NAMES)
        .default(CONTROLLED, CONTROLLED.join(" ")),
    );
  addListFlag(command, "alpha", { ...DIRICHLET_OPTIONS.alpha, defaultWords: PAPER_ALPHAS.join(" ") }).option(
    "--seed <numbers...>",
    `seeds (default: ${PAPER_SEEDS.join(" ")})`,
    collected(wholeNumber),
  );
  addOptionFlags(command, {
    ...CLIENT_OPTIONS,
    ...PARTITION_OPTIONS,
    min_size: { ...PARTITION_OPTIONS.min_size, defaultWords: "the task's own" },
    ...MEMORY_OPTIONS,
  })
    .requiredOption("--out <folder>", `folder for ${SURVEY}.md, .csv, .svg and .png`)
    .option("--force", "replace files that exist")
    .action(surveyAction);
  return withCommonOptions(command, "pde-dirichlet survey --tasks burgers --seed 0 1 42 --out statistics");
}

async function surveyAction(options: SurveyOptions): Promise<void> {
  const { tasks, memory, out, force, json, quiet } = options;
  const partitioning: Partitioning = {
    clients: options.clients ?? CLIENT_OPTIONS.clients.default,
    bins: options.bins ?? PARTITION_OPTIONS.bins.default,
    minSize: options.minSize,
    repair: options.repair ?? DEFAULT_REPAIR,
  };
  const alphas = distinct(options.alpha ?? PAPER_ALPHAS);
  const seeds = distinct(options.seed ?? PAPER_SEEDS);
  const paths = surveyPaths(out);
  await checkOutputs(paths, { force });

  const records: PartitionStatistic[] = [];
  for (const task of tasks)
    for (const seed of seeds)
      records.push(...(await surveyTask(task, seed, alphas, { ...partitioning, memory, quiet })));

  const minSizes = tasks.map((task) => partitioning.minSize ?? sourceOf(task).minSize);
  const surveyed = { ...partitioning, minSizes, out };
  await writeOutputs(surveyOutputs(records, surveyed, surveyAdditions(tasks, surveyed)), { force });
  if (json) {
    console.log(JSON.stringify({ records, out }));
    return;
  }
  const rows = tasks.flatMap((task) =>
    alphas.map((alpha) => [
      task,
      String(alpha),
      ...(Object.keys(REPORTED) as ReportedMetric[]).map((metric) =>
        decimal(overSeeds(records, task, alpha, metric)?.mean ?? null),
      ),
    ]),
  );
  console.log(textTable(["task", "alpha", "D_sol", "CV_n", "eps_part", "eps_quant"], rows));
  if (!quiet) console.log(`Written: ${paths.join(", ")}`);
}

async function surveyTask(
  task: TaskName,
  seed: number,
  alphas: readonly number[],
  {
    minSize = sourceOf(task).minSize,
    quiet,
    ...rest
  }: Partitioning & CommonOptions & Pick<SurveyOptions, "memory">,
): Promise<PartitionStatistic[]> {
  const progress = startProgress(`${task}, seed ${seed}`, { quiet });
  const { inputs, responses } = await generatedTraining(
    { task, seed: sourceOf(task).dataSeed ?? seed },
    (done, total) => progress.update(done, total),
  );
  const runs = alphas.map((alpha) => ({ seed, alpha }));
  const results = await partitionRuns({ inputs, responses }, runs, { ...rest, minSize });
  const records = results.map(({ measured: { partition, diagnostics } }) => ({
    task,
    alpha: partition.alpha,
    seed,
    metrics: diagnostics.metrics,
  }));
  progress.finish(`D_sol ${records.map((record) => record.metrics.d_sol.toFixed(3)).join(", ")}`);
  return records;
}
