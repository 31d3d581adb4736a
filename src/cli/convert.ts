import { Command } from "commander";
import { type ConvertedFile, convertFile } from "../datasets/files/convert/convert-file.js";
import { FILE_CHOICES } from "../datasets/files/file-choices.js";
import type { FileChoice } from "../datasets/files/labelled-file.js";
import { checkOutputs } from "../files/disk.js";
import { type CommonOptions, withCommonOptions } from "./options/arguments.js";
import { readFiles } from "./options/array-reading.js";
import { addFileFlags, DATA_ARGUMENT, dataText } from "./options/file-options.js";
import { startProgress } from "./progress.js";
import { warn } from "./warning.js";

interface ConvertCommandOptions extends CommonOptions, FileChoice {
  readonly out: string;
  readonly float32?: boolean;
  readonly force?: boolean;
}

export function convertCommand(): Command {
  const command = new Command("convert")
    .summary("write the data that you choose from any file to HDF5")
    .description(
      "Write the inputs and responses that you choose from any file to one HDF5 file. The new file holds both halves, " +
        "channels first, with coordinates, labels, units and attributes, so that later commands need no options. Files of " +
        "any size pass through memory in pieces.",
    )
    .argument(...DATA_ARGUMENT)
    .requiredOption("--out <file>", "HDF5 file to write, .h5 or .hdf5")
    .option(
      "--test <samples>",
      "test samples: a number, a fraction, a range such as 800:1000, or a second file; none keeps all in one half",
    )
    .option(
      "--float32",
      "write inputs and responses as float32 (default: float64 unless the source is float32 or half, or inputs are bool)",
    )
    .option("--force", "replace the file if it exists")
    .action(convertAction);
  return withCommonOptions(
    addFileFlags(command, FILE_CHOICES),
    "pde-dirichlet convert NavierStokes.mat --inputs a --responses 'u[..., -1]' --out ns.h5",
    "pde-dirichlet convert advection.hdf5 --inputs 'tensor[:, 0]' --responses 'tensor[:, -1]' --test 1000 --out a.h5",
    "pde-dirichlet convert 'runs/*.h5' --window 4:1 --responses velocity --float32 --out windows.h5",
  );
}

async function convertAction(given: readonly string[], options: ConvertCommandOptions): Promise<void> {
  const path = dataText(given);
  const { out, force, float32, json, quiet } = options;
  await checkOutputs([out], { force, inputs: readFiles(path, options) });
  let progress: ReturnType<typeof startProgress> | undefined;
  const result = await convertFile(path, options, out, {
    force,
    float32,
    onOpen: (reading, advice) => {
      if (!quiet) process.stderr.write(`${reading}\n`);
      if (advice !== undefined) warn(advice);
      progress = startProgress(`Converting ${path}`, { quiet });
    },
    onProgress: (done, total) => progress?.update(done, total),
  });
  progress?.finish(`${result.train + result.test} samples`);
  if (json) console.log(JSON.stringify(result));
  else console.log(resultInWords(result));
}

function resultInWords({
  file,
  origin,
  train,
  test,
  inputShape,
  responseShape,
  dtypes,
}: ConvertedFile): string {
  const sized = (shape: readonly number[], dtype: string) => `${shape.join(" x ")} ${dtype}`;
  return (
    `${file}: ${train} training and ${test} test samples, ${origin},\n` +
    `  inputs ${sized(inputShape, dtypes.inputs)} -> responses ${sized(responseShape, dtypes.responses)}`
  );
}
