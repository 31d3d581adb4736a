import { createHash } from "node:crypto";
import { join } from "node:path";
import { Argument, Command, Option } from "commander";
import { TASK_NAMES, type TaskName } from "../datasets/tasks.js";
import { OptionError } from "../errors.js";
import { federatedProblem } from "../federation/federated-problem.js";
import {
  BACKENDS,
  type BackendName,
  CLIENT_STATES,
  type ClientState,
  DEFAULT_OPTIMIZERS,
  type OptimizerOptions,
  type RunOptions,
  runOptions,
} from "../federation/run-options.js";
import { taskData } from "../federation/task-data.js";
import { type Checkpoint, train } from "../federation/trainer.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import { parameterCount } from "../models/parameter-layout.js";
import { type CommonOptions, number, wholeNumber, withCommonOptions } from "./arguments.js";
import { startProgress } from "./progress.js";
import { type TaskOptions, taskParameters, withTaskOptions } from "./task-options.js";
import { startTrainingLine } from "./training-line.js";

interface TrainOptions extends CommonOptions, TaskOptions {
  readonly alpha: number;
  readonly seed: number;
  readonly clients?: number;
  readonly rounds?: number;
  readonly localSteps?: number;
  readonly batch?: number;
  readonly optimizer: OptimizerOptions["name"];
  readonly rate?: number;
  readonly momentum?: number;
  readonly clientState: ClientState;
  readonly train?: number;
  readonly test?: number;
  readonly backend: BackendName;
  readonly threads?: number;
  readonly out?: string;
  readonly force?: boolean;
}

export function trainCommand(): Command {
  const command = new Command("train")
    .summary("train a DeepONet by federated averaging, one run")
    .description(
      "Train a DeepONet by federated averaging on clients of chosen heterogeneity, and measure it.\n" +
        "What is left out has the paper's value.",
    )
    .addArgument(new Argument("<task>", "what to learn").choices(TASK_NAMES))
    .requiredOption(
      "--alpha <number>",
      "Dirichlet concentration: 100 is nearly IID, 0.01 very uneven",
      number,
    )
    .option("--seed <number>", "names data, bins, partition, initial model and batches", wholeNumber, 0)
    .option("--clients <number>", "number of clients K (default: 10)", wholeNumber)
    .option("--rounds <number>", "communication rounds (default: 1000)", wholeNumber)
    .option("--local-steps <number>", "optimiser steps of a client in a round (default: 5)", wholeNumber)
    .option("--batch <number>", "samples of a step (default: 64)", wholeNumber)
    .addOption(
      new Option("--optimizer <name>", "of the clients")
        .choices(Object.keys(DEFAULT_OPTIMIZERS))
        .default("adam"),
    )
    .option("--rate <number>", "learning rate (default: 0.001 for adam, 0.01 for sgd)", number)
    .option("--momentum <number>", "of sgd (default: 0.9)", number)
    .addOption(
      new Option("--client-state <rule>", "what becomes of optimiser states between rounds")
        .choices(CLIENT_STATES)
        .default("keep"),
    )
    .option("--train <number>", "training samples (default: the paper's)", wholeNumber)
    .option("--test <number>", "test samples (default: the paper's)", wholeNumber)
    .addOption(new Option("--backend <name>", "what computes").choices(BACKENDS).default("onnx"))
    .option("--threads <number>", "threads of the engine (default: 1)", wholeNumber)
    .option("--out <folder>", "folder for train.json, a summary of the run")
    .option("--force", "replace it if it exists")
    .action(trainAction);
  return withCommonOptions(
    withTaskOptions(command),
    "pde-dirichlet train antiderivative --alpha 0.1 --seed 42",
    "pde-dirichlet train burgers --alpha 0.01 --seed 42 --viscosity 0.01 --rounds 200 --out run",
  );
}

async function trainAction(task: TaskName, given: TrainOptions): Promise<void> {
  const { quiet, json, out, force } = given;
  const options = runOptions({
    ...given,
    task,
    parameters: taskParameters(given),
    optimizer: optimizerOptions(given),
  });
  const file = out === undefined ? undefined : join(out, "train.json");
  if (file) await checkOutputs([file], { force });

  const preparing = startProgress(`Data and partition of ${task}, seed ${options.seed}`, { quiet });
  const data = await taskData(options, { onProgress: (done, total) => preparing.update(done, total) });
  const problem = await federatedProblem(data, options);
  const { metrics } = problem.measured.diagnostics;
  preparing.finish(
    `D_sol ${metrics.d_sol.toFixed(3)}, clients of ${metrics.n_min} to ${metrics.n_max} samples`,
  );

  const line = startTrainingLine(options, { quiet });
  const { parameters, checkpoints } = await train(problem, options, {
    onRound: (round) => line.round(round),
    onCheckpoint: (checkpoint) => line.checkpoint(checkpoint),
  });
  line.finish();

  const last = checkpoints[checkpoints.length - 1];
  const summary = {
    options,
    model: { ...problem.operator.architecture, parameters: parameterCount(problem.operator.layout) },
    partition: metrics,
    checkpoints: checkpoints.map(withoutParameters),
    result: {
      test_error: last.testError,
      seconds: line.seconds(),
      parameters_sha256: createHash("sha256").update(new Uint8Array(parameters.buffer)).digest("hex"),
    },
  };
  const text = JSON.stringify(summary, null, 2);
  if (file) await writeOutputs([{ path: file, bytes: new TextEncoder().encode(`${text}\n`) }], { force });
  if (json) console.log(JSON.stringify(summary));
  else console.log(resultLine(options, last) + (file ? `\nWritten: ${file}` : ""));
}

function optimizerOptions({ optimizer, rate, momentum }: TrainOptions): OptimizerOptions {
  const usual = DEFAULT_OPTIMIZERS[optimizer];
  if (usual.name === "sgd")
    return { name: "sgd", rate: rate ?? usual.rate, momentum: momentum ?? usual.momentum };
  if (momentum !== undefined) throw new OptionError("--momentum is an option of sgd, not of adam");
  return { name: "adam", rate: rate ?? usual.rate };
}

function withoutParameters({ parameters: _, ...measured }: Checkpoint) {
  return measured;
}

function resultLine({ task, alpha, seed }: RunOptions, { round, testError }: Checkpoint): string {
  return `${task}, alpha ${alpha}, seed ${seed}: test error ${(100 * testError).toFixed(3)} % after ${round} rounds`;
}
