import { readdir } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { Argument, Command, Option } from "commander";
import type { Fields } from "../datasets/fields.js";
import type { ArrayAxes } from "../datasets/files/array-axes.js";
import { type Companions, openCompanions } from "../datasets/files/companions.js";
import { dataPaths } from "../datasets/files/data-paths.js";
import { type OpenData, openData, responsesSha256 } from "../datasets/files/open.js";
import { OptionError } from "../errors.js";
import type { DataOptions } from "../exchange/diagnosis-input.js";
import type { Columns, ExportContext, ExportFormat } from "../exchange/export-format.js";
import { type Exportable, exportable, exportName, partitionsIn } from "../exchange/exportable.js";
import { EXPORTS, type ExportName } from "../exchange/exports.js";
import { otherData } from "../exchange/other-data.js";
import type { PartitionFile } from "../exchange/parse-partition.js";
import { isFolder, isToolFolder, partitionFileIn } from "../exchange/partition-folder.js";
import { checkFolder, checkOutputs, writeFolder, writeOutputs } from "../files/disk.js";
import { DISK } from "../files/store/disk.js";
import { type CommonOptions, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { announceArrayChoice, shownReading, withArrayOptions } from "./options/array-reading.js";

interface ExportOptions extends CommonOptions, ArrayAxes, DataOptions {
  readonly format: ExportName;
  readonly out?: string;
  readonly data?: string;
  readonly dtype?: Fields["dtype"];
  readonly test: boolean;
  readonly force?: boolean;
}

export function exportCommand(): Command {
  const formats = Object.entries(EXPORTS).map(([name, { describe }]) => `  ${name.padEnd(12)}${describe}`);
  const command = new Command("export")
    .summary("hand a partition to another tool")
    .description("Hand a partition to another tool, in files that it loads as they are.")
    .addArgument(
      new Argument(
        "<partition...>",
        "partition JSON, a folder of several, or what another tool wrote (with --data)",
      ),
    )
    .addOption(
      new Option("--format <name>", "for which tool").choices(Object.keys(EXPORTS)).makeOptionMandatory(),
    )
    .option("--out <path>", "file or folder to write (default: beside the partition)")
    .option("--data <file>", "flower: put every sample's input and response into the export, from this file")
    .option("--bins <number>", "bins to fit for another tool's partition (default: 10)", wholeNumber)
    .option("--bins-from <partition>", "bins of an earlier partition instead, or of a file of `bins fit`")
    .option("--seed <number>", "seed of these bins", wholeNumber, 0)
    .option("--column <name>", "column of a table that holds the client")
    .option("--key <name>", "array or key that holds another tool's partition")
    .option("--other-data", "take data of the same samples that the partition was not made from")
    .addOption(
      new Option(
        "--dtype <type>",
        "flower: store arrays in this precision (default: as the data are)",
      ).choices(["float32", "float64"]),
    )
    .option("--no-test", "flower: leave out the test samples of the data file")
    .option("--force", "replace what exists")
    .addHelpText("after", `\nFormats:\n${formats.join("\n")}`)
    .action(exportAction);
  return withCommonOptions(
    withArrayOptions(command),
    "pde-dirichlet export p.json --format flower --data u.h5 --dtype float32 --out clients",
    "pde-dirichlet export split --format fedlab --out clients",
    "pde-dirichlet export theirs.pkl --data u.h5 --format flower --out clients",
  );
}

async function exportAction(paths: readonly string[], options: ExportOptions): Promise<void> {
  const exporter: ExportFormat = EXPORTS[options.format];
  checkDataOptions(options);
  const files = (await Promise.all(paths.map(partitionsAt))).flat();
  const all: Exportable[] = [];
  for (const file of files) all.push(await exportable(file, { ...options, ...shownReading(options) }));
  checkUse(all, options, exporter);
  const outs = outputsOf(all, options, exporter);
  for (const [i, one] of all.entries()) await checkOutput(one, outs[i], options, exporter);
  const written: object[] = [];
  for (const [i, one] of all.entries()) written.push(await exportOne(one, outs[i], options, exporter));
  if (options.json) console.log(JSON.stringify(all.length === 1 ? written[0] : written));
  else {
    const python = exporter.python(outs[0]).replace(/^(?=.)/gm, "  ");
    console.log(`Written: ${outs.join(", ")}\nLoad it in Python with\n\n${python}\n`);
  }
}

/** The partitions that a path names: a file, a folder of several of ours, or a folder of another tool. */
async function partitionsAt(path: string): Promise<string[]> {
  if (!(await isFolder(path))) return [path];
  const several = (await isToolFolder(path)) ? undefined : await partitionsIn(path, await readdir(path));
  return several ?? [await partitionFileIn(path)];
}

/** Where each export goes: to `--out`, or below it where there are several. */
function outputsOf(
  all: readonly Exportable[],
  { format, out }: ExportOptions,
  exporter: ExportFormat,
): string[] {
  const ending = ({ assignment }: Exportable) =>
    exporter.output === "folder" ? "" : extname(exporter.files(assignment)[0].path);
  if (all.length === 1)
    return [out ?? `${join(dirname(all[0].path), exportName(all[0]))}-${format}${ending(all[0])}`];
  if (out === undefined)
    throw new OptionError(`${all.length} partitions go into one folder: name it with --out`);
  const outs = all.map((one) => join(out, `${exportName(one)}${ending(one)}`));
  const twice = outs.find((path, i) => outs.indexOf(path) < i);
  if (twice)
    throw new OptionError(`two of the partitions would be written to ${twice}: export them one by one`);
  return outs;
}

const isMine = (exporter: ExportFormat, { copies }: Exportable) => {
  const own = copies.map(({ path }) => path);
  return (entry: string) => own.includes(entry) || exporter.mine?.(entry) === true;
};

async function checkOutput(
  one: Exportable,
  out: string,
  { force, data }: ExportOptions,
  exporter: ExportFormat,
): Promise<void> {
  if (exporter.output === "folder") return checkFolder(out, { force, mine: isMine(exporter, one) });
  const own = [one.path, one.own?.arrays].filter((input) => input !== undefined);
  const inputs = [...own, ...(data === undefined ? [] : dataPaths(DISK, data))];
  await checkOutputs([out], { force, inputs });
}

async function exportOne(
  one: Exportable,
  out: string,
  options: ExportOptions,
  exporter: ExportFormat,
): Promise<object> {
  const { format, force, dtype } = options;
  const isFolder = exporter.output === "folder";
  const named = exporter.takesColumns ? options.data : undefined;
  const data = named === undefined ? undefined : await openData(named, options, one.noted);
  let beside: Companions | undefined;
  try {
    if (data) {
      if (one.own) await checkData(data, options, one.own.file, one.path);
      announceArrayChoice(data, options);
      beside = await openCompanions(named!, data);
    }
    const context: ExportContext = {
      description: one.description,
      facts: one.facts,
      columns: data && columnsOf(data),
      test: beside?.test && options.test ? columnsOf(beside.test) : undefined,
      coordinates: beside?.coordinates,
      dtype,
    };
    if (exporter.takesColumns && !options.quiet) process.stderr.write(`${out}: ${contentsOf(context)}\n`);
    const files = [...exporter.files(one.assignment, context), ...(isFolder ? one.copies : [])].map(
      (file) => ({
        path: file.path,
        bytes: () => file.bytes(),
      }),
    );
    if (isFolder) await writeFolder(out, files, { force, mine: isMine(exporter, one) });
    else await writeOutputs([{ ...files[0], path: out }], { force });
    return {
      format,
      out,
      files: isFolder ? files.map((file) => file.path) : [out],
      python: exporter.python(out),
    };
  } finally {
    await beside?.close();
    await data?.close();
  }
}

/** What an export with fields holds, in one line; what it lacks is said with the way to have it. */
function contentsOf({ columns, test, coordinates }: ExportContext): string {
  if (!columns) return "indices, clients and bins alone; --data adds inputs and responses";
  const names = Object.keys(columns).join(" and ");
  const tested = test ? `${Object.values(test)[0].samples} test samples` : NO_TEST;
  const axes = coordinates ? `coordinates ${Object.keys(coordinates).join(", ")}` : "no coordinates";
  return `${names} of ${Object.values(columns)[0].samples} training samples; ${tested}; ${axes}`;
}

const NO_TEST =
  "no test samples (arrays named as those for training, with test in place of train, would be taken)";

const columnsOf = ({ inputs, responses }: OpenData): Columns => ({
  ...(inputs && { input: inputs }),
  response: responses,
});

/** Refuses names of data and options of bins where there are no data. */
function checkDataOptions(options: ExportOptions): void {
  const aboutData = {
    responses: "--responses",
    inputs: "--inputs",
    sampleAxis: "--sample-axis",
    window: "--window",
    windowStep: "--window-step",
    group: "--group",
    layout: "--layout",
    channels: "--channels",
    otherData: "--other-data",
    dtype: "--dtype",
    bins: "--bins",
    binsFrom: "--bins-from",
  } as const;
  const idle = (Object.keys(aboutData) as (keyof typeof aboutData)[]).find(
    (name) => options[name] !== undefined,
  );
  if (options.data === undefined && idle)
    throw new OptionError(`${aboutData[idle]} speaks of --data: name the file`);
}

/** Refuses data that an export would have no use for: it holds indices alone, and knows its bins. */
function checkUse(all: readonly Exportable[], { data, format }: ExportOptions, exporter: ExportFormat): void {
  if (data === undefined || exporter.takesColumns || all.some(({ own }) => !own)) return;
  const takers = Object.entries<ExportFormat>(EXPORTS).flatMap(([name, one]) =>
    one.takesColumns ? [name] : [],
  );
  throw new OptionError(
    `${format} holds indices alone: leave out --data, or take --format ${takers.join(" or ")}`,
  );
}

/** Refuses data that the partition does not split: an export would hand samples to the wrong clients. */
async function checkData(
  data: OpenData,
  { data: file, otherData: isOtherAllowed }: ExportOptions,
  partition: PartitionFile,
  path: string,
): Promise<void> {
  const { samples, sha256 } = partition.data;
  if (data.responses.samples !== samples)
    throw new OptionError(`${file} has ${data.responses.samples} samples, but ${path} splits ${samples}`);
  if (!isOtherAllowed && (await responsesSha256(data)) !== sha256)
    throw otherData(data, file!, partition, path);
}
