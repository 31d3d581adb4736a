import { basename } from "node:path";
import { Command } from "commander";
import { verbatim } from "../analysis/notation.js";
import type { ArrayAxes } from "../datasets/files/array-axes.js";
import { dataPaths } from "../datasets/files/data-paths.js";
import { diagnose } from "../diagnostics/diagnose.js";
import { METRIC_MEANINGS, type Metrics } from "../diagnostics/metrics.js";
import { OptionError } from "../errors.js";
import { costFiles } from "../exchange/cost-choice.js";
import {
  type DiagnosisInput,
  fromData,
  fromPartitionAlone,
  fromStatistics,
} from "../exchange/diagnosis-input.js";
import { ownPartition } from "../exchange/own-partition.js";
import {
  arraysBeside,
  diagnosisJson,
  diagnosticArrays,
  metricWords,
  qualityFields,
} from "../exchange/partition-file.js";
import { partitionFileIn } from "../exchange/partition-folder.js";
import { checkOutputs, type Output, writeOutputs } from "../files/disk.js";
import { writeNpz } from "../files/npz.js";
import { DISK } from "../files/store/disk.js";
import type { PropertiesOf } from "../options/option.js";
import { DEFAULT_BINS } from "../partition/bins.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import { BIN_OPTIONS } from "../partition/partition-options.js";
import { type CommonOptions, checkBinOptions, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { shownReading, withArrayOptions, withAxisNames } from "./options/array-reading.js";
import { addOptionFlags, optionFlag } from "./options/option-flags.js";
import { figureOutput } from "./partition-view.js";
import { textTable } from "./table.js";
import { warn } from "./warning.js";

export interface DiagnoseOptions extends CommonOptions, ArrayAxes, Partial<PropertiesOf<typeof BIN_OPTIONS>> {
  readonly partition?: string;
  readonly column?: string;
  readonly key?: string;
  readonly counts?: readonly string[];
  readonly centroids?: string;
  readonly responses?: string;
  readonly inputs?: string;
  readonly inputSamples?: number;
  readonly memory?: number;
  readonly bins?: number | string;
  readonly binsFrom?: string;
  readonly seed: number;
  readonly otherData?: boolean;
  readonly out?: string;
  readonly figure?: string;
  readonly force?: boolean;
}

export function diagnoseCommand(): Command {
  const command = new Command("diagnose")
    .summary("measure an existing partition, also one made by another tool")
    .description(
      "Measure an existing partition, made by this or another tool, with its data. Without data, measure it from " +
        "counts of samples per client and bin (--counts), of one file or of one per site, and the positions of the bins " +
        "(--bins with a file of `bins fit`, --centroids or --cost).",
    )
    .argument(
      "[data]",
      "file of data; several with commas between them, or a pattern in quotes, are one dataset",
    )
    .argument("[partition]", "the same as --partition")
    .option(
      "--partition <file>",
      "partition JSON, {client: [indices]} JSON, CSV, NPY, NPZ, a file or folder of FedLab, NIID-Bench, FL-bench or FedML, or a Hugging Face folder with a column `index`",
    )
    .option("--column <name>", "column of the table that holds the client")
    .option("--key <name>", "array of an NPZ file, or key of a dict, that holds the partition")
    .option(
      "--counts <files...>",
      "without data: samples per client (row) and bin (CSV, NPY, NPZ, JSON); several files, such as those of `bins count`, are one federation",
    )
    .option("--centroids <file>", "without data: centroids of the bins, one per row")
    .option("--input-samples <number>", "maximum inputs per client for the input-space W1", wholeNumber)
    .addOption(optionFlag("memory", MEMORY_OPTIONS.memory))
    .option(
      "--bins <number or file>",
      `number of bins to fit if the partition has none (default: ${DEFAULT_BINS}); with --counts, their file of bins`,
      numberOrFile,
    )
    .option("--bins-from <partition>", "use the bins of an earlier partition, or of a file of `bins fit`");
  addOptionFlags(command, {
    ...BIN_OPTIONS,
    cost: { ...BIN_OPTIONS.cost, help: `${BIN_OPTIONS.cost.help}; without data always a file` },
  })
    .option(
      "--other-data",
      "accept responses that differ from those that the partition was made from, for the same samples",
    )
    .option("--seed <number>", "seed of the bins and of the random choice of inputs", wholeNumber, 0)
    .option("--out <file>", "JSON file to write, with transport plans and distances in an NPZ file beside it")
    .option("--figure <file>", "draw the client-by-bin heat map as .svg, .png or .pdf")
    .option("--force", "replace files that exist")
    .action(diagnoseAction);
  return withCommonOptions(
    withAxisNames(withArrayOptions(command)),
    "pde-dirichlet diagnose p.json",
    "pde-dirichlet diagnose burgers.h5 --partition p.json",
    "pde-dirichlet diagnose fields.npy --partition net_dataidx_map.pkl --bins 20",
    "pde-dirichlet diagnose --counts counts.csv --cost cost.csv",
    "pde-dirichlet diagnose --counts counts-a.csv counts-b.csv --bins bins.npz",
  );
}

/** A whole number, or else the path of a file. */
const numberOrFile = (text: string): number | string =>
  /\.npz$|\.json$|[/\\]/i.test(text) ? text : wholeNumber(text);

/** Bins by their number or by their file, whichever option names it. */
function givenBins(options: DiagnoseOptions): {
  readonly bins: number | undefined;
  readonly binsFrom: string | undefined;
} {
  const { bins, binsFrom, counts } = options;
  checkBinOptions(options);
  if (counts !== undefined && typeof bins === "number")
    throw new OptionError("with --counts, --bins names the file of the bins: they exist already");
  return typeof bins === "string" ? { bins: undefined, binsFrom: bins } : { bins, binsFrom };
}

/** Whether a file that may be data is a partition of this tool. */
async function isOwnPartition(path: string): Promise<boolean> {
  return path.endsWith(".json") && (await ownPartition(path)) !== undefined;
}

async function diagnoseAction(
  first: string | undefined,
  second: string | undefined,
  given: DiagnoseOptions,
): Promise<void> {
  if (second !== undefined && given.partition !== undefined)
    throw new OptionError(
      "diagnose measures one partition at a time; --bins-from makes their numbers comparable",
    );
  const named = given.partition ?? second;
  // A partition alone, made here, knows its bins.
  const isAlone = named === undefined && first !== undefined && (await isOwnPartition(first));
  const [data, where] = isAlone ? [undefined, first] : [first, named];
  const partition = where && (await partitionFileIn(where));
  const counts = given.counts && dataPaths(DISK, given.counts.join(","));
  const options = { ...given, partition, counts, ...givenBins(given) };
  const { out, figure, force } = options;
  const arrays = out && arraysBeside(out);
  if (figure) figureOutput(figure, []);
  await checkOutputs(
    [out, arrays, figure].filter((path) => path !== undefined),
    { force, inputs: filesRead(data, options) },
  );

  const found = await diagnosisInput(data, options);
  const measured = diagnose(found);
  const diagnostics = {
    ...measured,
    notes: [...new Set([...(found.remarks ?? []), ...(found.notes ?? []), ...measured.notes])],
  };
  const bins = binsFields(found);
  const { counts: table, clientNames } = found;
  const small = smallCountFields(found);

  const outputs: Output[] = [];
  if (out && arrays) {
    const json = diagnosisJson({
      ...found,
      ...{ bins, diagnostics, arrays: basename(arrays) },
      ...(small && { small_counts: small }),
    });
    outputs.push({ path: out, bytes: new TextEncoder().encode(json) });
    outputs.push({ path: arrays, bytes: () => writeNpz(diagnosticArrays(diagnostics, table.length)) });
  }
  if (figure)
    outputs.push(
      figureOutput(figure, [
        { label: verbatim(basename(found.name)), counts: table, metrics: diagnostics.metrics },
      ]),
    );
  await writeOutputs(outputs, { force });
  for (const remark of found.remarks ?? []) warn(remark);

  if (options.json) {
    console.log(
      JSON.stringify({
        reading: found.reading ?? null,
        clients: clientNames,
        bins,
        ...(small && { small_counts: small }),
        metrics: diagnostics.metrics,
        notes: diagnostics.notes,
        out: out ?? null,
      }),
    );
    return;
  }
  const samples = table.flat().reduce((a, b) => a + b, 0);
  console.log(`${found.name}: ${samples} samples at ${table.length} clients in ${found.cost.size} bins`);
  console.log(`${binsInWords(found)}\n`);
  console.log(metricsList(diagnostics.metrics));
  if (diagnostics.notes.length > 0) console.log(`\n${diagnostics.notes.join("\n")}`);
  if (outputs.length > 0) console.log(`\nWritten: ${outputs.map(({ path }) => path).join(", ")}`);
}

function diagnosisInput(
  data: string | undefined,
  options: Omit<DiagnoseOptions, "bins"> & { readonly bins?: number },
): Promise<DiagnosisInput> {
  const { partition, counts } = options;
  if ((partition === undefined) === (counts === undefined)) {
    throw new OptionError("give either --partition, or --counts with --bins, --centroids or --cost");
  }
  const shown = { ...options, ...shownReading(options) };
  if (counts !== undefined) {
    if (data !== undefined) throw new OptionError("--counts needs no data: leave out one of the two");
    return fromStatistics(counts, options);
  }
  return data === undefined ? fromPartitionAlone(partition!, shown) : fromData(data, partition!, shown);
}

/** What counts below a minimum may hide, under the names of files. */
function smallCountFields({ smallCounts }: DiagnosisInput) {
  return (
    smallCounts && {
      zeros: smallCounts.zeros,
      counts: smallCounts.counts,
      d_sol_error: smallCounts.dSolError ?? null,
    }
  );
}

/** Where the bins come from, and how well they describe the responses. */
function binsFields({ cost, binsOrigin: { from, seed }, binQuality, metric: found }: DiagnosisInput) {
  const { representation, standardise, cost: name } = found ?? {};
  const metric = {
    ...(representation !== undefined && { representation }),
    ...(standardise !== undefined && { standardise }),
    ...(name !== undefined && { cost: name }),
  };
  return {
    count: cost.size,
    from: from ?? null,
    seed: seed ?? null,
    ...metric,
    ...(binQuality && qualityFields(binQuality)),
  };
}

function binsInWords({ cost, binsOrigin: { from, seed }, binQuality, metric }: DiagnosisInput): string {
  const explained = binQuality
    ? `; they explain ${(100 * binQuality.explainedVariance).toFixed(1)} % of the variance`
    : "";
  const measured = metricWords(metric);
  if (from !== undefined)
    return `bins: ${cost.size} of ${from}${seed === undefined ? "" : ` (seed ${seed})`}${measured}${explained}`;
  return (
    `bins: ${cost.size}, fitted with seed ${seed}${measured}${explained}. Other seeds give other bins and other values: ` +
    "to compare partitions, use --bins-from"
  );
}

function filesRead(data: string | undefined, options: DiagnoseOptions): string[] {
  const { partition, counts = [], centroids, cost, inputs, binsFrom } = options;
  const named = [data, partition, ...counts, centroids, inputs, binsFrom];
  return [...named.filter((path) => path !== undefined), ...costFiles(cost)];
}

function metricsList(metrics: Metrics): string {
  const known = (Object.keys(METRIC_MEANINGS) as (keyof Metrics)[]).filter((name) => metrics[name] !== null);
  return textTable(
    ["metric", "value", "what it is"],
    known.map((name) => [name, significant(metrics[name]!), METRIC_MEANINGS[name]]),
    ["left", "right", "left"],
  );
}

function significant(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(5);
}
