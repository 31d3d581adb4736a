import { Command, Option } from "commander";
import { PAPER_ALPHAS, PAPER_SEEDS } from "../analysis/paper-values.js";
import {
  overSeeds,
  type PartitionStatistic,
  REPORTED,
  type ReportedMetric,
} from "../analysis/partition-statistics.js";
import { CONTROLLED_NAMES } from "../analysis/settings.js";
import { generatedTraining } from "../datasets/generated-file.js";
import { TASK_NAMES, type TaskName, taskOf } from "../datasets/tasks.js";
import { inputSpace } from "../diagnostics/input-distance.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import { DEFAULT_BINS, fitBins } from "../partition/bins.js";
import { normaliseResponses } from "../partition/normalise.js";
import { partitionBins } from "../partition/partition.js";
import { REPAIR_RULES, type RepairRule } from "../partition/repair.js";
import { measurePartition } from "../protocol/partition-dataset.js";
import {
  type CommonOptions,
  collected,
  distinct,
  number,
  wholeNumber,
  withCommonOptions,
} from "./arguments.js";
import { startProgress } from "./progress.js";
import { SURVEY, surveyOutputs, surveyPaths } from "./survey-outputs.js";
import { decimal, textTable } from "./table.js";

interface SurveyOptions extends CommonOptions {
  readonly tasks: readonly TaskName[];
  readonly alpha?: readonly number[];
  readonly seed?: readonly number[];
  readonly clients: number;
  readonly bins: number;
  readonly minSize?: number;
  readonly repair: RepairRule;
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
        .default(CONTROLLED_NAMES, CONTROLLED_NAMES.join(" ")),
    )
    .option(
      "--alpha <numbers...>",
      `Dirichlet concentrations (default: ${PAPER_ALPHAS.join(" ")})`,
      collected(number),
    )
    .option("--seed <numbers...>", `seeds (default: ${PAPER_SEEDS.join(" ")})`, collected(wholeNumber))
    .option("--clients <number>", "number of clients K", wholeNumber, 10)
    .option("--bins <number>", "number of solution bins B", wholeNumber, DEFAULT_BINS)
    .option("--min-size <number>", "minimum samples per client (default: 16; 4 for cylinder)", wholeNumber)
    .addOption(
      new Option(
        "--repair <rule>",
        "which client gives samples to a client below --min-size: the one that keeps both closest to their draw, or the largest",
      )
        .choices(REPAIR_RULES)
        .default("closest"),
    )
    .requiredOption("--out <folder>", `folder for ${SURVEY}.md, .csv, .svg and .png`)
    .option("--force", "replace files that exist")
    .action(surveyAction);
  return withCommonOptions(command, "pde-dirichlet survey --tasks burgers --seed 0 1 42 --out statistics");
}

async function surveyAction(options: SurveyOptions): Promise<void> {
  const { tasks, clients, bins, minSize, repair, out, force, json, quiet } = options;
  const alphas = distinct(options.alpha ?? PAPER_ALPHAS);
  const seeds = distinct(options.seed ?? PAPER_SEEDS);
  const paths = surveyPaths(out);
  await checkOutputs(paths, { force });

  const records: PartitionStatistic[] = [];
  for (const task of tasks)
    for (const seed of seeds) records.push(...(await surveyDataset(task, seed, alphas, options)));

  await writeOutputs(surveyOutputs(records, { clients, bins, minSize, repair, out }), { force });
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

async function surveyDataset(
  task: TaskName,
  seed: number,
  alphas: readonly number[],
  { clients, bins: count, minSize = taskOf(task).minSize, repair, quiet }: SurveyOptions,
): Promise<PartitionStatistic[]> {
  const progress = startProgress(`${task}, seed ${seed}`, { quiet });
  const { inputs, responses } = await generatedTraining(
    { task, seed: taskOf(task).dataSeed ?? seed },
    (done, total) => progress.update(done, total),
  );
  const normalised = await normaliseResponses(responses);
  const bins = await fitBins(normalised, { bins: count, seed });
  await normalised.matrix.close();
  const space = await inputSpace(inputs);
  const records: PartitionStatistic[] = [];
  for (const alpha of alphas) {
    const partition = partitionBins(bins.binOfSample, {
      clients,
      bins: bins.bins,
      alpha,
      seed,
      minSize,
      repair,
    });
    const { diagnostics } = await measurePartition(partition, bins, space);
    records.push({ task, alpha, seed, metrics: diagnostics.metrics });
  }
  progress.finish(`D_sol ${records.map((record) => record.metrics.d_sol.toFixed(3)).join(", ")}`);
  return records;
}
