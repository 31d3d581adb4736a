import { join } from "node:path";
import { Command, Option } from "commander";
import { TASK_NAMES, type TaskName, taskOf } from "../datasets/tasks.js";
import { runOptions } from "../federation/run-options.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import { checkTheory, theoryOutputs } from "../paper/check-theory.js";
import { verdictCounts } from "../paper/theory/page.js";
import { PREDICTION_NAMES, type PredictionName } from "../paper/theory/predictions.js";
import { theorySizes } from "../paper/theory/task-sizes.js";
import { type CommonOptions, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { parameterFlag, taskParameters, withTaskOptions } from "./options/task-options.js";
import { startProgress } from "./progress.js";

interface TheoryCommandOptions extends CommonOptions {
  readonly task: TaskName;
  readonly only?: readonly PredictionName[];
  readonly seed: number;
  readonly clients?: number;
  readonly train?: number;
  readonly test?: number;
  readonly minSize?: number;
  readonly out: string;
  readonly force?: boolean;
}

export function theoryCommand(): Command {
  const command = new Command("theory")
    .summary("check the paper's predictions on a task")
    .description(
      "Check the predictions of the paper's appendix on the data, bins and operator of a task: the concentration law, " +
        "transport, gradients, drift and risk. Print each verdict with the number that decides it. Write theory.md, " +
        "one figure per prediction, and evidence.json. A failed prediction is a result, not an error. Tasks other than " +
        "antiderivative use fewer samples, smaller grids and smaller operators than training does; theory.md lists them.",
    )
    .addOption(new Option("--task <name>", "task to check").choices(TASK_NAMES).default("antiderivative"))
    .addOption(
      new Option("--only <names...>", "predictions to check (default: all)").choices(PREDICTION_NAMES),
    )
    .option("--seed <number>", "seed of data, bins, partitions, draws and operator", wholeNumber, 42)
    .option("--clients <number>", "number of clients K (default: 10, fewer for large tasks)", wholeNumber)
    .option(
      "--train <number>",
      "training samples (default: depends on the task, to take minutes)",
      wholeNumber,
    )
    .option("--test <number>", "test samples (default: depends on the task)", wholeNumber)
    .option(
      "--min-size <number>",
      "minimum samples per client (default: the task's, or fewer if samples are few)",
      wholeNumber,
    )
    .requiredOption("--out <folder>", "folder for theory.md, figures/ and evidence.json")
    .option("--force", "replace files that exist")
    .action(theoryAction);
  return withCommonOptions(
    withTaskOptions(command),
    "pde-dirichlet theory --out out/theory",
    "pde-dirichlet theory --task burgers --only concentration-law transport-band --out out/theory-burgers",
  );
}

async function theoryAction(given: TheoryCommandOptions): Promise<void> {
  const { task, only = PREDICTION_NAMES, out, force, json, quiet } = given;
  await checkOutputs(
    [
      join(out, "theory.md"),
      join(out, "evidence.json"),
      ...only.map((name) => join(out, "figures", `${name}.svg`)),
    ],
    { force },
  );
  const sizes = theorySizes(task, { ...given, parameters: taskParameters(given) });
  const options = runOptions({ task, alpha: 1, seed: given.seed, ...sizes });
  const data = startProgress(`data of ${task}`, { quiet });
  const theory = await checkTheory(options, {
    only,
    onData: (done, total) => data.update(done, total),
    onPrediction: (name) => {
      const progress = startProgress(name, { quiet });
      return {
        update: (done, total) => progress.update(done, total),
        finish: ({ findings }) => progress.finish(verdictCounts(findings)),
      };
    },
  });
  const outputs = theoryOutputs(theory, out, { command: commandLine(given) });
  await writeOutputs(outputs, { force });
  const predictions = theory.checked.map(({ prediction }) => prediction);
  if (json) {
    console.log(JSON.stringify({ task, out, predictions }));
    return;
  }
  for (const { title, findings } of predictions) {
    console.log(`\n${title}`);
    for (const { statement, verdict, decides } of findings)
      console.log(`  ${verdict.padEnd("does not apply".length)}  ${statement}\n${" ".repeat(18)}${decides}`);
  }
  const all = predictions.flatMap(({ findings }) => findings);
  console.log(`\n${taskOf(task).title}: ${verdictCounts(all)}`);
  if (!quiet) console.log(`Written: ${outputs.map(({ path }) => path).join(", ")}`);
}

/** The command line with the options that were given. */
function commandLine({
  task,
  only,
  seed,
  clients,
  out,
  train,
  test,
  minSize,
  ...rest
}: TheoryCommandOptions): string {
  const parameters = Object.entries(taskParameters(rest)).filter(([, value]) => value !== undefined);
  const words = [
    `--task ${task}`,
    ...(only ? [`--only ${only.join(" ")}`] : []),
    `--seed ${seed}`,
    ...Object.entries({ clients, train, test, "min-size": minSize }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name} ${value}`],
    ),
    ...parameters.map(([name, value]) => `${parameterFlag(name)} ${value}`),
    `--out ${out}`,
  ];
  return `pde-dirichlet theory ${words.join(" ")}`;
}
