import { dirname, extname, join } from "node:path";
import { Argument, Command, Option } from "commander";
import type { ArrayAxes } from "../datasets/array-axes.js";
import { type Companions, openCompanions } from "../datasets/companions.js";
import type { Fields } from "../datasets/fields.js";
import { type OpenData, openData, responsesSha256 } from "../datasets/open.js";
import { OptionError } from "../errors.js";
import { type Columns, type ExportContext, type ExportFormat, textFile } from "../exchange/export-format.js";
import { EXPORTS, type ExportName } from "../exchange/exports.js";
import { assignmentOf, type PartitionFile, parsePartition } from "../exchange/partition-file.js";
import { readText } from "../files/byte-source.js";
import { checkFolder, checkOutputs, openFile, writeFolder, writeOutputs } from "../files/disk.js";
import type { Assignment } from "../partition/record.js";
import { type CommonOptions, withCommonOptions } from "./arguments.js";
import { tellReading, withAxisOptions } from "./array-reading.js";
import { otherData } from "./data-of-partition.js";

interface ExportOptions extends CommonOptions, ArrayAxes {
  readonly format: ExportName;
  readonly out?: string;
  readonly data?: string;
  readonly responses?: string;
  readonly inputs?: string;
  readonly otherData?: boolean;
  readonly dtype?: Fields["dtype"];
  readonly test: boolean;
  readonly force?: boolean;
}

/** The partition in our own layout, in every folder that is exported. */
const PARTITION_COPY = "partition.json";

export function exportCommand(): Command {
  const formats = Object.entries(EXPORTS).map(([name, { describe }]) => `  ${name.padEnd(12)}${describe}`);
  const command = new Command("export")
    .summary("hand a partition to another tool")
    .description("Hand a partition to another tool, in files that it loads as they are.")
    .addArgument(new Argument("<partition>", "partition JSON"))
    .addOption(
      new Option("--format <name>", "for which tool").choices(Object.keys(EXPORTS)).makeOptionMandatory(),
    )
    .option("--out <path>", "file or folder to write (default: beside the partition)")
    .option("--data <file>", "flower: put every sample's input and response into the export, from this file")
    .option("--responses <name>", "dataset or array with the responses (default: as for the partition)")
    .option("--inputs <name>", "dataset, array or NPY file with the inputs (default: as for the partition)")
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
    withAxisOptions(command),
    "pde-dirichlet export p.json --format flower --data u.h5 --dtype float32 --out clients",
    "pde-dirichlet export p.json --format npz",
  );
}

async function exportAction(path: string, options: ExportOptions): Promise<void> {
  const { format, force, json } = options;
  const exporter: ExportFormat = EXPORTS[format];
  checkDataOptions(options, exporter);
  const source = await openFile(path);
  const text = await readText(source).finally(() => source.close());
  const partition = parsePartition(text, path);

  const assignment = assignmentOf(partition);
  const out = options.out ?? defaultOutput(path, format, exporter, assignment);
  const folder = exporter.output === "folder";
  const mine = (entry: string) => entry === PARTITION_COPY || exporter.mine?.(entry) === true;
  if (folder) await checkFolder(out, { force, mine });
  else {
    const arrays = join(dirname(path), partition.arrays);
    const inputs = [path, arrays, options.data].filter((input) => input !== undefined);
    await checkOutputs([out], { force, inputs });
  }

  const data = options.data === undefined ? undefined : await openData(options.data, options, partition.data);
  let beside: Companions | undefined;
  try {
    if (data) {
      await checkData(data, options, partition, path);
      tellReading(data, options);
      beside = await openCompanions(options.data!, data);
    }
    const { alpha, seed } = partition.options;
    const context: ExportContext = {
      description: `pde-dirichlet partition of ${partition.data.name}: alpha ${alpha}, seed ${seed}`,
      facts: factsOf(partition),
      columns: data && columnsOf(data),
      test: beside?.test && options.test ? columnsOf(beside.test) : undefined,
      coordinates: beside?.coordinates,
      dtype: options.dtype,
    };
    const files = [
      ...exporter.files(assignment, context),
      ...(folder ? [textFile(PARTITION_COPY, () => text)] : []),
    ].map((file) => ({ path: file.path, bytes: () => file.bytes() }));
    if (folder) await writeFolder(out, files, { force, mine });
    else await writeOutputs([{ ...files[0], path: out }], { force });
    const python = exporter.python(out);
    if (json)
      console.log(
        JSON.stringify({ format, out, files: folder ? files.map((file) => file.path) : [out], python }),
      );
    else console.log(`Written: ${out}\nLoad it in Python with\n\n${python.replace(/^(?=.)/gm, "  ")}\n`);
  } finally {
    await beside?.close();
    await data?.close();
  }
}

const columnsOf = ({ inputs, responses }: OpenData): Columns => ({
  ...(inputs && { input: inputs }),
  response: responses,
});

/** What a reader of the export wants to know of the partition first. */
function factsOf({ options, metrics }: PartitionFile): Record<string, number | string> {
  const { alpha, seed, min_size } = options;
  const { d_sol, cv_n } = (metrics ?? {}) as Record<string, number | undefined>;
  return {
    alpha,
    seed,
    min_size,
    ...(d_sol !== undefined && { D_sol: d_sol }),
    ...(cv_n !== undefined && { CV_n: cv_n }),
  };
}

/** Refuses data, or names of them, that the export would have no use for. */
function checkDataOptions(options: ExportOptions, { takesColumns }: ExportFormat): void {
  const { format, data } = options;
  if (data !== undefined && !takesColumns) {
    const takers = Object.entries<ExportFormat>(EXPORTS).flatMap(([name, one]) =>
      one.takesColumns ? [name] : [],
    );
    throw new OptionError(
      `${format} holds indices alone: leave out --data, or take --format ${takers.join(" or ")}`,
    );
  }
  const aboutData = {
    responses: "--responses",
    inputs: "--inputs",
    sampleAxis: "--sample-axis",
    channels: "--channels",
    otherData: "--other-data",
    dtype: "--dtype",
  } as const;
  const idle = (Object.keys(aboutData) as (keyof typeof aboutData)[]).find(
    (name) => options[name] !== undefined,
  );
  if (data === undefined && idle) throw new OptionError(`${aboutData[idle]} speaks of --data: name the file`);
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

function defaultOutput(
  path: string,
  format: ExportName,
  exporter: ExportFormat,
  assignment: Assignment,
): string {
  const stem = `${path.slice(0, path.length - extname(path).length)}-${format}`;
  return exporter.output === "folder" ? stem : stem + extname(exporter.files(assignment)[0].path);
}
