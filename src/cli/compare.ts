import { basename, extname } from "node:path";
import { Command } from "commander";
import type { DataNames } from "../datasets/files/open.js";
import { diagnose } from "../diagnostics/diagnose.js";
import type { Metrics } from "../diagnostics/metrics.js";
import { OptionError } from "../errors.js";
import { costFiles } from "../exchange/cost-choice.js";
import { type DiagnosisInput, fromData } from "../exchange/diagnosis-input.js";
import { partitionsIn } from "../exchange/exportable.js";
import { ownPartition } from "../exchange/own-partition.js";
import { fitsBins } from "../exchange/partition-data-file.js";
import { metricWords } from "../exchange/partition-file.js";
import { isFolder, partitionFileIn } from "../exchange/partition-folder.js";
import { formatCsv } from "../files/csv.js";
import { checkOutputs, type Output, writeOutputs } from "../files/disk.js";
import type { PropertiesOf } from "../options/option.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import { BIN_OPTIONS } from "../partition/partition-options.js";
import { DEFAULT_PARTITIONER } from "../partition/partitioners.js";
import { type SplitName, splitWords } from "../partition/split-words.js";
import { figureEncoder } from "./figure-file.js";
import { type CommonOptions, checkBinOptions, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { shownReading, withArrayOptions, withAxisNames } from "./options/array-reading.js";
import { addOptionFlags, optionFlag } from "./options/option-flags.js";
import { decimal, textTable } from "./table.js";
import { warn } from "./warning.js";

interface CompareOptions extends CommonOptions, DataNames, Partial<PropertiesOf<typeof BIN_OPTIONS>> {
  readonly column?: string;
  readonly key?: string;
  readonly bins?: number;
  readonly binsFrom?: string;
  readonly seed: number;
  readonly inputSamples?: number;
  readonly memory?: number;
  readonly out?: string;
  readonly figure?: string;
  readonly force?: boolean;
}

export function compareCommand(): Command {
  const command = new Command("compare")
    .summary("measure several partitions of the same data with the same bins, a row each")
    .description(
      "Measure several partitions of the same data, made by this or other tools, with the same bins: one row a partition, " +
        "one figure. The bins are those of --bins-from, else those of the first partition of this tool, else fitted.",
    )
    .argument("<data>", "file of data; several with commas between them are one dataset")
    .argument("<partitions...>", "partitions: all that `diagnose` reads, or a folder that `partition` wrote")
    .option("--column <name>", "column of the tables that holds the client")
    .option("--key <name>", "array of an NPZ file, or key of a dict, that holds a partition")
    .option("--bins <number>", "fit so many bins instead of taking those of a partition", wholeNumber)
    .option("--bins-from <partition>", "use the bins of this partition, or of a file of `bins fit`");
  addOptionFlags(command, BIN_OPTIONS)
    .option("--seed <number>", "seed of fitted bins and of the random choice of inputs", wholeNumber, 0)
    .option("--input-samples <number>", "maximum inputs per client for the input-space W1", wholeNumber)
    .addOption(optionFlag("memory", MEMORY_OPTIONS.memory))
    .option("--out <file>", "table with all metrics to write, .csv or .json")
    .option("--figure <file>", "draw the partitions side by side, as .svg, .png or .pdf")
    .option("--force", "replace files that exist")
    .action(compareAction);
  return withCommonOptions(
    withAxisNames(withArrayOptions(command)),
    "pde-dirichlet compare burgers.h5 dirichlet.json shards.json theirs.pkl --figure splits.svg",
    "pde-dirichlet compare burgers.h5 split/ --out splits.csv",
  );
}

/** A partition as one row. */
interface Row {
  readonly name: string;
  readonly split?: string;
  readonly clients: number;
  readonly metrics: Metrics;
  readonly notes: readonly string[];
}

async function compareAction(data: string, given: readonly string[], options: CompareOptions): Promise<void> {
  const { out, figure, force, json } = options;
  checkBinOptions(options);
  const draw = figure === undefined ? undefined : figureWriter(figure);
  if (out !== undefined && ![".csv", ".json"].includes(extname(out).toLowerCase()))
    throw new OptionError(`--out ends in .csv or .json, not "${out}"`);
  if (data.endsWith(".json"))
    throw new OptionError(
      `${data} is a partition: name the data first, compare <data> ${[data, ...given].join(" ")}`,
    );
  const paths = await partitionPaths(given);
  const outputs = [out, figure].filter((path) => path !== undefined);
  await checkOutputs(outputs, { force, inputs: [data, ...paths, ...costFiles(options.cost)] });

  const binsFrom = fitsBins(options) ? undefined : (options.binsFrom ?? (await firstOwn(paths)));
  const shown = shownReading(options);
  const rows: Row[] = [];
  let origin = "";
  for (const [i, path] of paths.entries()) {
    const reading = i === 0 ? shown : { startStep: shown.startStep };
    const found = await fromData(data, path, { ...options, ...reading, binsFrom });
    origin = binsWords(found);
    if (i === 0 && !options.quiet)
      for (const note of found.binRemarks ?? []) process.stderr.write(`${note}\n`);
    rows.push(await rowOf(path, found));
  }
  const written: Output[] = [
    ...(out === undefined ? [] : [{ path: out, bytes: new TextEncoder().encode(tableText(out, rows)) }]),
    ...(figure === undefined ? [] : [{ path: figure, bytes: () => draw!(rows, basename(data)) }]),
  ];
  await writeOutputs(written, { force });
  for (const { name, notes } of rows) for (const note of notes) warn(`${name}: ${note}`);
  if (json) {
    console.log(
      JSON.stringify({ data, bins: origin, partitions: rows, out: out ?? null, figure: figure ?? null }),
    );
    return;
  }
  console.log(`${origin}\n`);
  console.log(
    textTable(
      ["partition", "split", "clients", "D_sol", "floor", "input W1", "TV", "CV_n", "n_min", "n_max"],
      rows.map(({ name, split, clients, metrics }) => [
        name,
        split ?? "-",
        String(clients),
        decimal(metrics.d_sol),
        decimal(metrics.d_sol_floor),
        decimal(metrics.input_w1),
        decimal(metrics.tv),
        decimal(metrics.cv_n),
        String(metrics.n_min),
        String(metrics.n_max),
      ]),
      ["left", "left"],
    ),
  );
  if (written.length > 0) console.log(`\nWritten: ${written.map(({ path }) => path).join(", ")}`);
}

/** Files of partitions; those of a folder that `partition` wrote, one by one. */
async function partitionPaths(given: readonly string[]): Promise<string[]> {
  const { readdir } = await import("node:fs/promises");
  const found: string[] = [];
  for (const path of given) {
    const several = (await isFolder(path)) ? await partitionsIn(path, await readdir(path)) : undefined;
    found.push(...(several ?? [await partitionFileIn(path)]));
  }
  const twice = found.find((path, i) => found.indexOf(path) !== i);
  if (twice !== undefined) throw new OptionError(`${twice} is named twice`);
  return found;
}

/** The first partition of this tool, whose bins all are measured with. */
async function firstOwn(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (path.endsWith(".json") && (await ownPartition(path))) return path;
  return undefined;
}

function binsWords({ cost, binsOrigin: { from, seed }, metric }: DiagnosisInput): string {
  return from === undefined
    ? `All measured with ${cost.size} bins, fitted with seed ${seed}${metricWords(metric)}.`
    : `All measured with the ${cost.size} bins of ${from}${metricWords(metric)}.`;
}

/** A split among others: the paper's partitioner is named, too. */
const nameOf = (options: SplitName): string =>
  [
    ...(options.partitioner?.name === DEFAULT_PARTITIONER ? [DEFAULT_PARTITIONER] : []),
    splitWords(options),
  ].join(", ");

async function rowOf(path: string, found: DiagnosisInput): Promise<Row> {
  const own = path.endsWith(".json") ? await ownPartition(path) : undefined;
  return {
    name: basename(path),
    ...(own && { split: `${nameOf(own.file.options)}, seed ${own.file.options.seed}` }),
    clients: found.clientNames.length,
    metrics: diagnose(found).metrics,
    notes: (found.remarks ?? []).filter((remark) => remark.startsWith("No client holds")),
  };
}

function tableText(path: string, rows: readonly Row[]): string {
  if (path.toLowerCase().endsWith(".json")) return `${JSON.stringify(rows, null, 1)}\n`;
  const names = Object.keys(rows[0].metrics) as (keyof Metrics)[];
  return formatCsv([
    ["partition", "split", "clients", ...names],
    ...rows.map(({ name, split, clients, metrics }) => [
      name,
      split ?? "",
      String(clients),
      ...names.map((metric) => String(metrics[metric] ?? "")),
    ]),
  ]);
}

/** What draws the rows as a file of the kind that its ending says; refuses other endings. */
function figureWriter(path: string): (rows: readonly Row[], title: string) => Promise<Uint8Array> {
  const encode = figureEncoder(path, "--figure");
  return async (rows, title) => {
    const { splitDots } = await import("../figures/partitions/split-dots.js");
    const values = (metrics: Metrics) =>
      Object.fromEntries(
        Object.entries(metrics).flatMap(([name, value]) => (value === null ? [] : [[name, [value]]])),
      );
    const drawn = rows.map(({ name, split, metrics }) => ({
      label: split?.replace(/, seed \d+$/, "").replace(/\balpha (?=\d)/, "α = ") ?? name,
      family: "",
      values: values(metrics),
    }));
    const isUnique = new Set(drawn.map(({ label }) => label)).size === drawn.length;
    const labelled = isUnique ? drawn : drawn.map((row, i) => ({ ...row, label: rows[i].name }));
    return encode(splitDots([{ title, rows: labelled }], { name: `Partitions of ${title}` }));
  };
}
