import { dirname, extname, join } from "node:path";
import { Argument, Command, Option } from "commander";
import { openData } from "../datasets/open.js";
import { OptionError } from "../errors.js";
import type { ExportContext, ExportFormat } from "../exchange/export-format.js";
import { EXPORTS, type ExportName } from "../exchange/exports.js";
import { assignmentOf, parsePartition } from "../exchange/partition-file.js";
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
    .option("--responses <name>", "dataset or array with the responses")
    .option("--inputs <name>", "dataset, array or NPY file with the inputs")
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
  const source = await openFile(path);
  const partition = parsePartition(await readText(source), path);
  await source.close();

  const assignment = assignmentOf(partition);
  const out = options.out ?? defaultOutput(path, format, exporter, assignment);
  const folder = exporter.output === "folder";
  if (folder) await checkFolder(out, { force, mine: exporter.mine });
  else {
    const arrays = join(dirname(path), partition.arrays);
    const inputs = [path, arrays, options.data].filter((input) => input !== undefined);
    await checkOutputs([out], { force, inputs });
  }

  const data = options.data === undefined ? undefined : await openData(options.data, options);
  try {
    if (data && data.responses.samples !== partition.data.samples) {
      throw new OptionError(
        `${options.data} has ${data.responses.samples} samples, but ${path} splits ${partition.data.samples}`,
      );
    }
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

function defaultOutput(
  path: string,
  format: ExportName,
  exporter: ExportFormat,
  assignment: Assignment,
): string {
  const stem = `${path.slice(0, path.length - extname(path).length)}-${format}`;
  return exporter.output === "folder" ? stem : stem + extname(exporter.files(assignment)[0].path);
}
