import { basename } from "node:path";
import { Command, Option } from "commander";
import {
  overSeeds,
  type PartitionStatistic,
  REPORTED,
  type ReportedMetric,
} from "../analysis/partition-statistics.js";
import { describeSource } from "../datasets/describe-source.js";
import type { DataNames } from "../datasets/files/open.js";
import { generatedTraining } from "../datasets/generated-file.js";
import { SOURCE_NAMES, SOURCES, sourceOf } from "../datasets/sources.js";
import { TASK_NAMES, type TaskName } from "../datasets/tasks.js";
import { OptionError } from "../errors.js";
import { costFiles, readCostChoice } from "../exchange/cost-choice.js";
import { fitsBins, partitionDataFile } from "../exchange/partition-data-file.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import { flagOf, type PropertiesOf } from "../options/option.js";
import { surveyAdditions } from "../paper/survey.js";
import { PAPER_ALPHAS, PAPER_SEEDS } from "../paper/values.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import {
  ALPHA,
  type BIN_OPTIONS,
  CLIENT_OPTIONS,
  DEFAULT_MIN_SIZE,
  PARTITION_OPTIONS,
} from "../partition/partition-options.js";
import type { PartitionerChoice } from "../partition/partitioner.js";
import { DEFAULT_PARTITIONER, partitionerOf, takesAlpha } from "../partition/partitioners.js";
import { DEFAULT_REPAIR } from "../partition/repair.js";
import { splitWords } from "../partition/split-words.js";
import type { MeasuredPartition } from "../pipeline/measured-partition.js";
import { partitionRuns } from "../pipeline/partition-runs.js";
import { SURVEY, surveyOutputs, surveyPaths } from "../report/survey-outputs.js";
import {
  type CommonOptions,
  collected,
  distinct,
  wholeNumber,
  withCommonOptions,
} from "./options/arguments.js";
import { readFiles, shownReading, withArrayOptions, withAxisNames } from "./options/array-reading.js";
import { dataText } from "./options/file-options.js";
import { addListFlag, addOptionFlags } from "./options/option-flags.js";
import { addPartitionerFlags, givenPartitioner } from "./options/partitioner-options.js";
import { startProgress } from "./progress.js";
import { decimal, textTable } from "./table.js";

/** How the partitions of a survey are made; each task has its own minimum size unless one is given. */
type Declared = PropertiesOf<typeof CLIENT_OPTIONS & typeof PARTITION_OPTIONS>;
type BinMetric = PropertiesOf<typeof BIN_OPTIONS>;
interface Partitioning extends Omit<Declared, "minSize" | "clients" | keyof BinMetric>, Partial<BinMetric> {
  readonly clients?: number;
  readonly minSize?: number;
  readonly partitioner?: PartitionerChoice;
}

/** Sources whose data depend on the seed. */
const CONTROLLED = SOURCE_NAMES.filter((name) => SOURCES[name].dataSeed === undefined);

interface SurveyOptions extends CommonOptions, DataNames, Partial<Omit<Partitioning, "partitioner">> {
  readonly partitioner?: string;
  readonly tasks: readonly TaskName[];
  readonly alpha?: readonly number[];
  readonly seed?: readonly number[];
  readonly memory?: number;
  readonly out: string;
  readonly force?: boolean;
}

export function surveyCommand(): Command {
  const command = new Command("survey")
    .summary("measure partitions of whole tasks or files over seeds and alphas")
    .description(
      "Generate the data of tasks, or read files, partition them for several seeds and alphas, and measure the partitions. " +
        "Write tables with confidence intervals, a figure and the seed-level records. With the paper's settings " +
        "(--repair largest and the defaults), show the paper's values too.",
    )
    .argument("[data...]", "files of data in place of tasks; several are one dataset")
    .addOption(
      new Option("--tasks <names...>", "tasks to survey")
        .choices(TASK_NAMES)
        .default(CONTROLLED, CONTROLLED.join(" ")),
    );
  addListFlag(command, "alpha", { ...ALPHA, defaultWords: PAPER_ALPHAS.join(" ") }).option(
    "--seed <numbers...>",
    `seeds (default: ${PAPER_SEEDS.join(" ")})`,
    collected(wholeNumber),
  );
  addPartitionerFlags(command);
  addOptionFlags(command, {
    ...CLIENT_OPTIONS,
    ...PARTITION_OPTIONS,
    min_size: { ...PARTITION_OPTIONS.min_size, defaultWords: "the task's own" },
    ...MEMORY_OPTIONS,
  })
    .requiredOption("--out <folder>", `folder for ${SURVEY}.md, .csv, .svg and .png`)
    .option("--force", "replace files that exist")
    .action(surveyAction);
  return withCommonOptions(
    withAxisNames(withArrayOptions(command)),
    "pde-dirichlet survey --tasks burgers --seed 0 1 42 --out statistics",
    "pde-dirichlet survey --tasks burgers --partitioner client-dirichlet --out composition",
    "pde-dirichlet survey ns.npz --shards 2 --seed 0 1 2 --out shards",
  );
}

async function surveyAction(given: readonly string[], options: SurveyOptions): Promise<void> {
  const { memory, out, force, json, quiet } = options;
  const partitioner = givenPartitioner({ ...options });
  const hasAlpha = takesAlpha(partitioner?.name ?? DEFAULT_PARTITIONER);
  if (!hasAlpha && options.alpha !== undefined)
    throw new OptionError(`the partitioner ${partitioner!.name} has no concentration: leave out --alpha`);
  const { representation, standardise, cost } = options;
  const metric = { representation, standardise, cost };
  const partitioning: Partitioning = {
    ...(options.clients !== undefined && { clients: options.clients }),
    bins: options.bins ?? PARTITION_OPTIONS.bins.default,
    minSize: options.minSize,
    repair: options.repair ?? DEFAULT_REPAIR,
    ...metric,
    ...(partitioner && { partitioner }),
  };
  const alphas = hasAlpha ? distinct(options.alpha ?? PAPER_ALPHAS) : [undefined];
  const seeds = distinct(options.seed ?? PAPER_SEEDS);
  const paths = surveyPaths(out);
  const isFile = given.length > 0;
  const inputs = [...(isFile ? readFiles(dataText(given), options) : []), ...costFiles(cost)];
  await checkOutputs(paths, { force, inputs });

  const records: PartitionStatistic[] = [];
  let clients = options.clients ?? CLIENT_OPTIONS.clients.default;
  const runs = seeds.flatMap((seed) => alphas.map((alpha) => ({ seed, alpha })));
  if (isFile) {
    const reading = { ...options, ...partitioning, partitioner, ...shownReading(options), memory };
    const { results } = await partitionDataFile(dataText(given), runs, reading);
    const name = basename(given[0]);
    records.push(...results.map(({ measured }) => statisticOf(name, measured)));
    clients = results[0].measured.partition.clients; // natural clients are as many as there are
  } else
    for (const task of options.tasks)
      for (const seed of seeds) {
        const own = runs.filter((run) => run.seed === seed);
        records.push(...(await surveyTask(task, own, { ...partitioning, memory, quiet })));
      }

  const tasks = distinct(records.map(({ task }) => task));
  const { keepsClients } = partitionerOf(partitioner?.name ?? DEFAULT_PARTITIONER);
  const smallest = partitioning.minSize ?? (keepsClients ? 1 : undefined);
  const minSizes = isFile
    ? [smallest ?? DEFAULT_MIN_SIZE]
    : options.tasks.map((task) => smallest ?? sourceOf(task).minSize);
  const surveyed = {
    ...{ ...partitioning, clients, minSizes, out },
    partitioner: partitioner && flagsOf(partitioner),
    metric: metricFlags(metric),
    ...(isFile && { files: given.join(" ") }),
  };
  const additions = surveyAdditions(tasks, surveyed);
  const { published: _, ...plain } = additions;
  await writeOutputs(surveyOutputs(records, surveyed, partitioner || fitsBins(metric) ? plain : additions), {
    force,
  });
  if (json) {
    console.log(JSON.stringify({ records, out }));
    return;
  }
  console.log(partitioner ? splitsText(records) : alphasText(records, tasks));
  if (!quiet) console.log(`Written: ${paths.join(", ")}`);
}

/** The paper's table: a row for every concentration. */
function alphasText(records: readonly PartitionStatistic[], tasks: readonly string[]): string {
  const rows = tasks.flatMap((task) =>
    distinct(records.map(({ alpha }) => alpha)).map((alpha) => [
      task,
      String(alpha),
      ...(Object.keys(REPORTED) as ReportedMetric[]).map((metric) =>
        decimal(overSeeds(records, task, alpha, metric)?.mean ?? null),
      ),
    ]),
  );
  return textTable(["task", "alpha", "D_sol", "CV_n", "eps_part", "eps_quant"], rows);
}

/** A row for every split of another partitioner: means over seeds. */
function splitsText(records: readonly PartitionStatistic[]): string {
  const shown = ["d_sol", "d_sol_floor", "input_w1", "tv", "cv_n"] as const;
  const names = distinct(records.map(({ task, split }) => `${task}\n${split}`));
  const rows = names.map((name) => {
    const own = records.filter(({ task, split }) => `${task}\n${split}` === name);
    const means = shown.map((metric) => own.reduce((sum, { metrics }) => sum + (metrics[metric] ?? NaN), 0));
    return [...name.split("\n"), ...means.map((sum) => decimal(Number.isNaN(sum) ? null : sum / own.length))];
  });
  return textTable(["data", "split", "D_sol", "floor", "input W1", "TV", "CV_n"], rows, ["left", "left"]);
}

/** Representation and cost as flags of the command; undefined for what is usual. */
function metricFlags(metric: Partial<BinMetric>): string | undefined {
  const flags = Object.entries(metric).flatMap(([name, value]) =>
    value === undefined ? [] : [`${flagOf(name)} ${/[\s,[]/.test(value) ? `"${value}"` : value}`],
  );
  return flags.length === 0 ? undefined : flags.join(" ");
}

/** A partitioner as flags of the command: `--partitioner shards --shards 2`. */
function flagsOf({ name, ...values }: PartitionerChoice): string {
  const flags = Object.entries(values).map(([option, value]) =>
    value === true ? flagOf(option) : `${flagOf(option)} ${value}`,
  );
  return [`--partitioner ${name}`, ...flags].join(" ");
}

function statisticOf(task: string, { partition, diagnostics }: MeasuredPartition): PartitionStatistic {
  return {
    task,
    alpha: partition.alpha ?? NaN,
    ...(partition.partitioner.name !== DEFAULT_PARTITIONER && { split: splitWords(partition) }),
    seed: partition.seed,
    metrics: diagnostics.metrics,
  };
}

async function surveyTask(
  task: TaskName,
  runs: readonly { readonly seed: number; readonly alpha?: number }[],
  { quiet, ...rest }: Partitioning & CommonOptions & Pick<SurveyOptions, "memory">,
): Promise<PartitionStatistic[]> {
  const [{ seed }] = runs;
  const { minSize: usual, dataSeed } = sourceOf(task);
  const { keepsClients } = partitionerOf(rest.partitioner?.name ?? DEFAULT_PARTITIONER);
  const minSize = rest.minSize ?? (keepsClients ? undefined : usual);
  const progress = startProgress(`${task}, seed ${seed}`, { quiet });
  const { inputs, responses } = await generatedTraining({ task, seed: dataSeed ?? seed }, (done, total) =>
    progress.update(done, total),
  );
  const { axes } = describeSource({ task, seed }).description.responses;
  const cost = rest.cost === undefined ? undefined : await readCostChoice(rest.cost);
  const responseAxes = async () => axes.map(({ kind }) => kind);
  const results = await partitionRuns({ inputs, responses, responseAxes }, runs, { ...rest, cost, minSize });
  const records = results.map(({ measured }) => statisticOf(task, measured));
  progress.finish(`D_sol ${records.map((record) => record.metrics.d_sol.toFixed(3)).join(", ")}`);
  return records;
}
