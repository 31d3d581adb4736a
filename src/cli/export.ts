import { dirname, extname, join } from "node:path";
import { Argument, Command, Option } from "commander";
import { type OpenData, openData, responsesSha256 } from "../datasets/open.js";
import { DataError, OptionError } from "../errors.js";
import type { ExportContext, ExportFormat } from "../exchange/export-format.js";
import { EXPORTS, type ExportName } from "../exchange/exports.js";
import { assignmentOf, type PartitionFile, parsePartition } from "../exchange/partition-file.js";
import { readText } from "../files/byte-source.js";
import { checkFolder, checkOutputs, openFile, writeFolder, writeOutputs } from "../files/disk.js";
import type { Assignment } from "../partition/record.js";
import { type CommonOptions, withCommonOptions } from "./arguments.js";

interface ExportOptions extends CommonOptions {
  readonly format: ExportName;
  readonly out?: string;
  readonly data?: string;
  readonly responses?: string;
  readonly inputs?: string;
  readonly otherData?: boolean;
  readonly force?: boolean;
}

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
    .option("--force", "replace what exists")
    .addHelpText("after", `\nFormats:\n${formats.join("\n")}`)
    .action(exportAction);
  return withCommonOptions(
    command,
    "pde-dirichlet export p.json --format flower --out clients",
    "pde-dirichlet export p.json --format npz",
  );
}

async function exportAction(path: string, options: ExportOptions): Promise<void> {
  const { format, force, json } = options;
  const exporter: ExportFormat = EXPORTS[format];
  checkDataOptions(options, exporter);
  const source = await openFile(path);
  const partition = parsePartition(await readText(source).finally(() => source.close()), path);

  const assignment = assignmentOf(partition);
  const out = options.out ?? defaultOutput(path, format, exporter, assignment);
  const folder = exporter.output === "folder";
  if (folder) await checkFolder(out, { force, mine: exporter.mine });
  else {
    const arrays = join(dirname(path), partition.arrays);
    const inputs = [path, arrays, options.data].filter((input) => input !== undefined);
    await checkOutputs([out], { force, inputs });
  }

  const data = options.data === undefined ? undefined : await openData(options.data, options, partition.data);
  try {
    if (data) await checkData(data, options, partition, path);
    const context: ExportContext = {
      description: `pde-dirichlet partition of ${partition.data.name}: alpha ${partition.options.alpha}, seed ${partition.options.seed}`,
      columns: data && { ...(data.inputs && { input: data.inputs }), response: data.responses },
    };
    const files = exporter
      .files(assignment, context)
      .map((file) => ({ path: file.path, bytes: () => file.bytes() }));
    if (folder) await writeFolder(out, files, { force, mine: exporter.mine });
    else await writeOutputs([{ ...files[0], path: out }], { force });
    const python = exporter.python(out);
    if (json)
      console.log(
        JSON.stringify({ format, out, files: folder ? files.map((file) => file.path) : [out], python }),
      );
    else console.log(`Written: ${out}\nLoad it in Python with\n\n${python.replace(/^/gm, "  ")}\n`);
  } finally {
    await data?.close();
  }
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
  const idle = (["responses", "inputs", "otherData"] as const).find((name) => options[name] !== undefined);
  if (data === undefined && idle)
    throw new OptionError(`--${idle === "otherData" ? "other-data" : idle} speaks of --data: name the file`);
}

/** Refuses data that the partition does not split: an export would hand samples to the wrong clients. */
async function checkData(
  data: OpenData,
  { data: file, otherData }: ExportOptions,
  partition: PartitionFile,
  path: string,
): Promise<void> {
  const { samples, sha256, name, responses } = partition.data;
  if (data.responses.samples !== samples)
    throw new OptionError(`${file} has ${data.responses.samples} samples, but ${path} splits ${samples}`);
  if (otherData || (await responsesSha256(data)) === sha256) return;
  const read = data.responsesName === undefined ? file : `${data.responsesName} of ${file}`;
  const made = responses ? `${responses} of ${name}` : name;
  throw new DataError(
    `${read} does not hold the responses that ${path} was made from (${made}): ` +
      "take those, or add --other-data if the samples are the same",
  );
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
