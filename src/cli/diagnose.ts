import { basename } from "node:path";
import { Command } from "commander";
import { verbatim } from "../analysis/notation.js";
import type { ArrayAxes } from "../datasets/array-axes.js";
import { diagnose } from "../diagnostics/diagnose.js";
import { METRIC_MEANINGS, type Metrics } from "../diagnostics/metrics.js";
import { OptionError } from "../errors.js";
import { arraysBeside, diagnosisJson, diagnosticArrays, qualityFields } from "../exchange/partition-file.js";
import { checkOutputs, type Output, writeOutputs } from "../files/disk.js";
import { writeNpz } from "../files/npz.js";
import { DEFAULT_BINS } from "../partition/bins.js";
import { type CommonOptions, checkBinOptions, wholeNumber, withCommonOptions } from "./arguments.js";
import { withAxisOptions } from "./array-reading.js";
import { type Diagnosable, fromData, fromPartitionAlone, fromStatistics } from "./diagnosable.js";
import { partitionFileIn } from "./partition-folder.js";
import { figureOutput } from "./partition-view.js";
import { textTable } from "./table.js";
import { warn } from "./warning.js";

export interface DiagnoseOptions extends CommonOptions, ArrayAxes {
  readonly partition?: string;
  readonly column?: string;
  readonly key?: string;
  readonly counts?: string;
  readonly centroids?: string;
  readonly cost?: string;
  readonly responses?: string;
  readonly inputs?: string;
  readonly inputSamples?: number;
  readonly bins?: number;
  readonly binsFrom?: string;
  readonly seed: number;
  readonly otherData?: boolean;
  readonly out?: string;
  readonly figure?: string;
  readonly force?: boolean;
}

export function diagnoseCommand(): Command {
  const command = new Command("diagnose")
    .summary("measure a partition that exists, also one of another tool")
    .description(
      "Measure a partition that exists: one made here or by another tool, with its data,\n" +
        "or from aggregate statistics alone (a client-by-bin count table and where the bins lie).",
    )
    .argument("[data]", "HDF5, NPY or NPZ file with one response a row")
    .option(
      "--partition <file>",
      "partition JSON, {client: [indices]} JSON, CSV, NPY, NPZ, or a file or folder of FedLab, NIID-Bench, FL-bench or FedML",
    )
    .option("--column <name>", "column of a table that holds the client")
    .option("--key <name>", "array of an archive, or key of a dict, that holds the partition")
    .option("--counts <file>", "without data: samples of every bin at every client (CSV, NPY, NPZ, JSON)")
    .option("--centroids <file>", "without data: centroids of the bins, one a row")
    .option("--cost <file>", "without data: distances between the bins")
    .option("--responses <name>", "dataset or array with the responses (default: as for the partition)")
    .option("--inputs <name>", "dataset, array or NPY file with the inputs (default: as for the partition)")
    .option(
      "--input-samples <number>",
      "inputs a client contributes to the input-space W1 at most",
      wholeNumber,
    )
    .option(
      "--bins <number>",
      `bins to fit for a partition without any (default: ${DEFAULT_BINS})`,
      wholeNumber,
    )
    .option("--bins-from <partition>", "bins of an earlier partition instead")
    .option("--other-data", "measure data of the same samples that the partition was not made from")
    .option("--seed <number>", "seed of the bins and of the inputs' subsample", wholeNumber, 0)
    .option("--out <file>", "write the diagnosis as JSON, with plans and distances as NPZ beside it")
    .option("--figure <file>", "draw the client-by-bin heat map as .svg or .png")
    .option("--force", "replace files that exist")
    .action(diagnoseAction);
  return withCommonOptions(
    withAxisOptions(command),
    "pde-dirichlet diagnose burgers.h5 --partition p.json",
    "pde-dirichlet diagnose fields.npy --partition net_dataidx_map.pkl --bins 20",
    "pde-dirichlet diagnose --counts counts.csv --cost cost.csv",
  );
}

async function diagnoseAction(data: string | undefined, given: DiagnoseOptions): Promise<void> {
  const partition = given.partition && (await partitionFileIn(given.partition));
  const options = { ...given, partition };
  const { out, figure, force } = options;
  const arrays = out && arraysBeside(out);
  checkBinOptions(options);
  if (figure) figureOutput(figure, []);
  await checkOutputs(
    [out, arrays, figure].filter((path) => path !== undefined),
    { force, inputs: filesRead(data, options) },
  );

  const found = await diagnosable(data, options);
  const measured = diagnose(found);
  const diagnostics = { ...measured, notes: [...new Set([...(found.remarks ?? []), ...measured.notes])] };
  const bins = binsFields(found);
  const { counts, clientNames } = found;

  const outputs: Output[] = [];
  if (out && arrays) {
    const json = diagnosisJson({ ...found, bins, diagnostics, arrays: basename(arrays) });
    outputs.push({ path: out, bytes: new TextEncoder().encode(json) });
    outputs.push({ path: arrays, bytes: () => writeNpz(diagnosticArrays(diagnostics, counts.length)) });
  }
  if (figure)
    outputs.push(
      figureOutput(figure, [{ label: verbatim(basename(found.name)), counts, metrics: diagnostics.metrics }]),
    );
  await writeOutputs(outputs, { force });
  for (const remark of found.remarks ?? []) warn(remark);

  if (options.json) {
    console.log(
      JSON.stringify({
        reading: found.reading ?? null,
        clients: clientNames,
        bins,
        metrics: diagnostics.metrics,
        notes: diagnostics.notes,
        out: out ?? null,
      }),
    );
    return;
  }
  const samples = counts.flat().reduce((a, b) => a + b, 0);
  console.log(`${found.name}: ${samples} samples at ${counts.length} clients in ${found.cost.size} bins`);
  console.log(`${binsInWords(found)}\n`);
  console.log(metricsList(diagnostics.metrics));
  if (diagnostics.notes.length > 0) console.log(`\n${diagnostics.notes.join("\n")}`);
  if (outputs.length > 0) console.log(`\nWritten: ${outputs.map(({ path }) => path).join(", ")}`);
}

function diagnosable(data: string | undefined, options: DiagnoseOptions): Promise<Diagnosable> {
  const { partition, counts } = options;
  if ((partition === undefined) === (counts === undefined)) {
    throw new OptionError("give either --partition, or --counts with --centroids or --cost");
  }
  if (counts !== undefined) {
    if (data !== undefined) throw new OptionError("--counts needs no data: leave out one of the two");
    return fromStatistics(counts, options);
  }
  return data === undefined ? fromPartitionAlone(partition!, options) : fromData(data, partition!, options);
}

/** Where the bins come from, and how well they describe the responses. */
function binsFields({ cost, binsOrigin: { from, seed }, binQuality }: Diagnosable) {
  return {
    count: cost.size,
    from: from ?? null,
    seed: seed ?? null,
    ...(binQuality && qualityFields(binQuality)),
  };
}

function binsInWords({ cost, binsOrigin: { from, seed }, binQuality }: Diagnosable): string {
  const explained = binQuality
    ? `; they explain ${(100 * binQuality.explainedVariance).toFixed(1)} % of the variance`
    : "";
  if (from !== undefined)
    return `bins: ${cost.size} of ${from}${seed === undefined ? "" : ` (seed ${seed})`}${explained}`;
  return (
    `bins: ${cost.size}, fitted here with seed ${seed}${explained}. Other seeds give other bins and numbers: ` +
    "compare partitions with --bins-from"
  );
}

function filesRead(data: string | undefined, options: DiagnoseOptions): string[] {
  const { partition, counts, centroids, cost, inputs, binsFrom } = options;
  return [data, partition, counts, centroids, cost, inputs, binsFrom].filter((path) => path !== undefined);
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
