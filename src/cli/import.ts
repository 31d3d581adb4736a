import { Argument, Command, InvalidArgumentError } from "commander";
import { type ImportOptions, importToFile } from "../datasets/import/imported-file.js";
import { IMPORTERS, type ImportFormat } from "../datasets/import/importers.js";
import { checkOutputs } from "../files/disk.js";
import { type CommonOptions, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { startProgress } from "./progress.js";

interface ImportCommandOptions extends CommonOptions, Omit<ImportOptions, "format" | "paths"> {
  readonly out: string;
  readonly force?: boolean;
}

export function importCommand(): Command {
  const formats = Object.entries(IMPORTERS).map(([name, { describe }]) => `  ${name.padEnd(20)}${describe}`);
  const command = new Command("import")
    .summary("import a public benchmark that you have downloaded")
    .description(
      "Import a random selection of samples from a public benchmark into one HDF5 file for the other commands. " +
        "Pass the files as you downloaded them, of any size.",
    )
    .addArgument(
      new Argument("<format>", "benchmark that the files come from").choices(Object.keys(IMPORTERS)),
    )
    .argument("<paths...>", "files, folders or zip archives")
    .option("--seed <number>", "seed of the random selection", wholeNumber, 0)
    .option("--train <number>", "training samples (default: the paper's)", wholeNumber)
    .option("--test <number>", "test samples (default: the paper's)", wholeNumber)
    .option(
      "--grid <number>",
      "PDEBench: grid points per side, taken at a regular stride from the file",
      wholeNumber,
    )
    .option("--input-frame <number>", "dam break, cylinder: frame to use as input (default: 0)", wholeNumber)
    .option("--input-frames <number>", "dam break: use the first n frames as input channels", wholeNumber)
    .option(
      "--target-frame <number>",
      "dam break, cylinder: frame to use as response (default: the last, for dam break)",
      wholeNumber,
    )
    .option(
      "--time-step <number>",
      "cylinder: frames between input and response, 0.001 s each (default: 100)",
      wholeNumber,
    )
    .option("--skip-short", "cylinder: skip cases that end before the target frame")
    .option("--rows <start:end>", "openfwi: select only among rows start to end - 1 of each file", rowRange)
    .option(
      "--time-stride <number>",
      "openfwi: keep every n-th time step of a trace (default: 1)",
      wholeNumber,
    )
    .option("--raw", "openfwi: keep the original values, without OpenFWI's scaling to [-1, 1]")
    .requiredOption("--out <file>", "HDF5 file to write")
    .option("--force", "replace the file if it exists")
    .addHelpText("after", `\nFormats:\n${formats.join("\n")}`)
    .action(importAction);
  return withCommonOptions(
    command,
    "pde-dirichlet import pdebench-darcy 2D_DarcyFlow_beta1.0_Train.hdf5 --grid 64 --out darcy.h5",
    "pde-dirichlet import pdebench-dam-break 2D_rdb_NA_NA.h5 --input-frames 10 --out dam-break.h5",
    "pde-dirichlet import cfdbench-cylinder bc.zip geo.zip prop.zip --time-step 200 --out cylinder.h5",
    "pde-dirichlet import openfwi FlatVel_A --time-stride 4 --out flat-velocity.h5",
  );
}

async function importAction(
  format: ImportFormat,
  paths: string[],
  options: ImportCommandOptions,
): Promise<void> {
  const { out, force, json, quiet, debug: _, ...choices } = options;
  await checkOutputs([out], { force, inputs: paths });
  const progress = startProgress(`Importing ${format}, seed ${options.seed}`, { quiet });
  const result = await importToFile({ ...choices, format, paths }, out, {
    force,
    onProgress: (done, total) => progress.update(done, total),
  });
  progress.finish(`${result.train + result.test} of ${result.available} samples`);
  if (json) console.log(JSON.stringify(result));
  else {
    console.log(`${out}: ${result.train} training and ${result.test} test samples, ${result.origin},`);
    console.log(`  inputs ${shape(result.inputShape)} -> responses ${shape(result.responseShape)}, float32`);
  }
}

/** `0:100`, the second not among them. */
function rowRange(text: string): [number, number] {
  const [, start, end] = /^(\d+):(\d+)$/.exec(text) ?? [];
  if (end === undefined) throw new InvalidArgumentError(`"${text}" is not a range of rows like 0:100.`);
  return [Number(start), Number(end)];
}

function shape(lengths: readonly number[]): string {
  return lengths.join(" x ");
}
