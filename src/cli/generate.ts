import { Argument, Command } from "commander";
import { generateToFile } from "../datasets/generated-file.js";
import { CONTROLLED_TASKS, type TaskName } from "../datasets/tasks.js";
import { checkOutputs } from "../files/disk.js";
import { type CommonOptions, number, wholeNumber, withCommonOptions } from "./arguments.js";
import { startProgress } from "./progress.js";

interface GenerateOptions extends CommonOptions {
  readonly seed: number;
  readonly train?: number;
  readonly test?: number;
  readonly viscosity?: number;
  readonly out: string;
  readonly force?: boolean;
  readonly cache: boolean;
}

export function generateCommand(): Command {
  const command = new Command("generate")
    .summary("generate one of the paper's controlled datasets")
    .description("Generate one of the paper's controlled datasets with a high-fidelity solver.")
    .addArgument(new Argument("<task>", "which dataset").choices(Object.keys(CONTROLLED_TASKS)))
    .option("--seed <number>", "names the random inputs; train and test are independent", wholeNumber, 0)
    .option("--train <number>", "training samples (default: the paper's)", wholeNumber)
    .option("--test <number>", "test samples (default: the paper's)", wholeNumber)
    .option("--viscosity <number>", "for burgers (default: 0.1)", number)
    .requiredOption("--out <file>", "HDF5 file to write")
    .option("--force", "replace the file if it exists")
    .option("--no-cache", "neither use nor fill the cache of generated data")
    .action(generateAction);
  return withCommonOptions(
    command,
    "pde-dirichlet generate burgers --seed 42 --viscosity 0.01 --out burgers.h5",
  );
}

async function generateAction(task: TaskName, options: GenerateOptions): Promise<void> {
  const { seed, train, test, viscosity, out, force, cache, json, quiet } = options;
  await checkOutputs([out], { force });
  const progress = startProgress(`Generating ${task}, seed ${seed}`, { quiet });
  const result = await generateToFile({ task, seed, train, test, viscosity }, out, {
    force,
    cache,
    onProgress: (done, total) => progress.update(done, total),
  });
  progress.finish(result.cached ? "taken from the cache" : `${result.train + result.test} samples solved`);
  if (json) console.log(JSON.stringify(result));
  else {
    console.log(`${out}: ${result.train} training and ${result.test} test samples,`);
    console.log(`  inputs ${shape(result.inputShape)} -> responses ${shape(result.responseShape)}, float64`);
  }
}

function shape(lengths: readonly number[]): string {
  return lengths.join(" x ");
}
