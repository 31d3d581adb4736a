import { Argument, Command } from "commander";
import { generateToFile } from "../datasets/generated-file.js";
import { SOURCE_NAMES, sourceOf } from "../datasets/sources.js";
import { checkOutputs } from "../files/disk.js";
import { type CommonOptions, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { taskParameters, withTaskOptions } from "./options/task-options.js";
import { startProgress } from "./progress.js";

interface GenerateOptions extends CommonOptions {
  readonly seed: number;
  readonly train?: number;
  readonly test?: number;
  readonly out: string;
  readonly force?: boolean;
  readonly cache: boolean;
}

export function generateCommand(): Command {
  const command = new Command("generate")
    .summary("generate a dataset of one of the paper's tasks")
    .description("Generate a dataset of one of the paper's tasks with a high-fidelity solver.")
    .addArgument(new Argument("<task>", "task to generate data for").choices(SOURCE_NAMES))
    .option(
      "--seed <number>",
      "seed of the random inputs; training and test inputs are independent",
      wholeNumber,
      0,
    )
    .option("--train <number>", "training samples (default: the paper's)", wholeNumber)
    .option("--test <number>", "test samples (default: the paper's)", wholeNumber)
    .requiredOption("--out <file>", "HDF5 file to write")
    .option("--force", "replace the file if it exists")
    .option("--no-cache", "do not read or write the cache of generated data")
    .action(generateAction);
  return withCommonOptions(
    withTaskOptions(command),
    "pde-dirichlet generate burgers --seed 42 --viscosity 0.01 --out burgers.h5",
  );
}

async function generateAction(task: string, options: GenerateOptions): Promise<void> {
  const { seed, train, test, out, force, cache, json, quiet } = options;
  await checkOutputs([out], { force });
  const progress = startProgress(`Generating ${task}, seed ${seed}`, { quiet });
  const result = await generateToFile({ task, seed, train, test, parameters: taskParameters(options) }, out, {
    force,
    cache,
    onProgress: (done, total) => progress.update(done, total),
  });
  progress.finish(result.cached ? "copied from the cache" : `${result.train + result.test} samples solved`);
  if (json) console.log(JSON.stringify(result));
  else {
    console.log(`${out}: ${result.train} training and ${result.test} test samples,`);
    console.log(
      `  inputs ${shape(result.inputShape)} -> responses ${shape(result.responseShape)}, ${sourceOf(task).dtype}`,
    );
  }
}

function shape(lengths: readonly number[]): string {
  return lengths.join(" x ");
}
