import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { ArrayAxes } from "../datasets/array-axes.js";
import { describeLabelledFile, labelledReading } from "../datasets/labelled-file.js";
import { TASK_NAMES, type TaskName } from "../datasets/tasks.js";
import { threadsFor } from "../datasets/threads-for.js";
import { FileError, OptionError, UserError } from "../errors.js";
import { type DeviceName, type OpenBackend, openBackend } from "../federation/backends.js";
import { checkConvergence } from "../federation/divergence.js";
import { type Federation, federate } from "../federation/federation.js";
import { prepareData } from "../federation/prepared-data.js";
import {
  BACKENDS,
  type BackendName,
  CLIENT_STATES,
  type ClientState,
  DEFAULT_OPTIMIZERS,
  NORMALISATIONS,
  type Normalisation,
  type OptimizerOptions,
  type RunOptions,
  recordedTask,
  runOptions,
} from "../federation/run-options.js";
import { type Checkpoint, train } from "../federation/trainer.js";
import { parameterCount } from "../models/parameter-layout.js";
import { binNotes } from "../partition/bin-quality.js";
import { DEFAULT_BINS } from "../partition/bins.js";
import { REPAIR_RULES, type RepairRule } from "../partition/repair.js";
import { parametersSha256 } from "../records/content-hash.js";
import { writeFailure } from "../records/run-failure.js";
import { readRunRecord, runFolder } from "../records/run-folder.js";
import { recordedOptions, runId } from "../records/run-record.js";
import { executeRun } from "../studies/execute-runs.js";
import { counted } from "../theory/measured.js";
import { type CommonOptions, collected, number, wholeNumber, withCommonOptions } from "./arguments.js";
import { withAxisOptions } from "./array-reading.js";
import { deviceOption } from "./device-option.js";
import { percent } from "./percent.js";
import { startProgress } from "./progress.js";
import { type TaskOptions, taskParameters, withTaskOptions } from "./task-options.js";
import { startTrainingLine } from "./training-line.js";
import { warn } from "./warning.js";

interface TrainOptions extends CommonOptions, TaskOptions, ArrayAxes {
  readonly alpha: number;
  readonly seed: number;
  readonly clients?: number;
  readonly bins?: number;
  readonly minSize?: number;
  readonly repair?: RepairRule;
  readonly rounds?: number;
  readonly localSteps?: number;
  readonly batch?: number;
  readonly optimizer: OptimizerOptions["name"];
  readonly rate?: number;
  readonly momentum?: number;
  readonly clientState: ClientState;
  readonly train?: number;
  readonly test?: number;
  readonly data?: string;
  readonly normalise?: Normalisation;
  readonly model?: readonly (readonly [string, number | string])[];
  readonly backend: BackendName;
  readonly device: DeviceName;
  readonly tf32?: boolean;
  readonly threads?: number;
  readonly out?: string;
}

export function trainCommand(): Command {
  const command = new Command("train")
    .summary("train a neural operator with federated averaging (one run)")
    .description(
      "Train a neural operator with federated averaging on clients of chosen heterogeneity, and measure it. " +
        "Options default to the paper's values. Where the paper states none, docs/readings.md lists our choice.",
    )
    .addArgument(new Argument("<task>", "task to learn").choices(TASK_NAMES))
    .requiredOption(
      "--alpha <number>",
      "Dirichlet concentration: 100 is nearly IID, 0.01 very heterogeneous",
      number,
    )
    .option(
      "--seed <number>",
      "seed of bins, partition, initial model and batches, and of the data of controlled tasks",
      wholeNumber,
      0,
    )
    .option("--clients <number>", "number of clients K (default: 10)", wholeNumber)
    .option("--bins <number>", `number of solution bins (default: ${DEFAULT_BINS})`, wholeNumber)
    .option(
      "--min-size <number>",
      "smallest number of samples per client (default: the task's, 16 or 4)",
      wholeNumber,
    )
    .addOption(
      new Option(
        "--repair <rule>",
        "which client gives samples to a client below --min-size (default: closest; the bundled studies have largest)",
      ).choices(REPAIR_RULES),
    )
    .option("--rounds <number>", "communication rounds (default: 1000)", wholeNumber)
    .option("--local-steps <number>", "optimiser steps per client and round (default: 5)", wholeNumber)
    .option("--batch <number>", "batch size (default: 64 for DeepONet, else 16)", wholeNumber)
    .addOption(
      new Option("--optimizer <name>", "optimiser of the clients")
        .choices(Object.keys(DEFAULT_OPTIMIZERS))
        .default("adam"),
    )
    .option("--rate <number>", "learning rate (default: 0.001 for adam, 0.01 for sgd)", number)
    .option("--momentum <number>", "momentum, for sgd (default: 0.9)", number)
    .addOption(
      new Option(
        "--client-state <rule>",
        "whether clients keep, reset or average their optimiser states between rounds",
      )
        .choices(CLIENT_STATES)
        .default("keep"),
    )
    .option("--train <number>", "training samples (default: the paper's)", wholeNumber)
    .option("--test <number>", "test samples (default: the paper's)", wholeNumber)
    .option("--data <file>", "train on this file, made by `import` or `generate`, instead of generated data")
    .addOption(
      new Option(
        "--normalise <rule>",
        "scale inputs and responses by mean and standard deviation: not, over all values, or per channel (default: channels for FNO2D, else none)",
      ).choices(NORMALISATIONS),
    )
    .option(
      "--model <option=value...>",
      "size and options of the model, such as width=16 modes=8",
      collected(modelOption),
    )
    .addOption(
      new Option("--backend <name>", "engine; reference is slow plain code in float64")
        .choices(BACKENDS)
        .default("onnx"),
    )
    .addOption(deviceOption())
    .option(
      "--tf32",
      "use TF32 (10-bit mantissa) for matrix products on a GPU: faster, and recorded as another run",
    )
    .option("--threads <number>", "number of threads of the engine (default: 1)", wholeNumber)
    .option(
      "--out <folder>",
      "store the run in <folder>/runs, as `study` does; you can then stop and resume it",
    )
    .action(trainAction);
  return withCommonOptions(
    withAxisOptions(withTaskOptions(command)),
    "pde-dirichlet train antiderivative --alpha 0.1 --seed 42",
    "pde-dirichlet train burgers --alpha 0.01 --seed 42 --viscosity 0.01 --rounds 200 --out run",
  );
}

async function trainAction(task: TaskName, given: TrainOptions): Promise<void> {
  if (given.data === undefined && (given.channels ?? given.sampleAxis) !== undefined)
    throw new OptionError("--channels and --sample-axis need --data: name the file");
  const options = runOptions({
    ...given,
    task,
    data: given.data === undefined ? undefined : await describeLabelledFile(given.data, given),
    parameters: taskParameters(given),
    model: given.model && Object.fromEntries(given.model),
    optimizer: optimizerOptions(given),
  });
  if (options.data && !given.quiet) process.stderr.write(`${await labelledReading(options.data)}\n`);
  const backend = await openBackend(options, given.device);
  try {
    await carryOut(options, given, backend);
  } finally {
    backend.close();
  }
}

/** Trains, and prints or keeps what came of it. */
async function carryOut(
  options: RunOptions,
  { quiet, json, out }: TrainOptions,
  opened: OpenBackend,
): Promise<void> {
  const shown = shownTraining(options, quiet);
  if (out === undefined) {
    const problem = await federate(await shown.data(), options);
    let startError: number | undefined;
    shown.begin(problem);
    const { parameters, checkpoints } = await train(problem, options, {
      backend: opened.backend,
      onRound: shown.round,
      onCheckpoint: (checkpoint) => {
        shown.checkpoint(checkpoint);
        if (checkpoint.round === 0) startError = checkpoint.testError;
        checkConvergence("training", checkpoint, startError, options.rounds);
      },
    });
    shown.finish();
    const { testError, trainLoss, round } = checkpoints[checkpoints.length - 1];
    const result = {
      round,
      test_error: testError,
      train_loss: trainLoss,
      parameters_sha256: await parametersSha256(parameters),
    };
    if (json) {
      const model = { ...problem.operator.architecture, parameters: parameterCount(problem.operator.layout) };
      const partition = problem.measured.diagnostics.metrics;
      const measured = checkpoints.map(withoutParameters);
      console.log(JSON.stringify({ options, model, partition, checkpoints: measured, result }));
    } else console.log(resultLine(options, result));
    if (!quiet)
      process.stderr.write("Nothing was stored: --out keeps the run, its weights and model.onnx.\n");
    return;
  }
  const id = await runId(recordedOptions(options));
  const folder = runFolder(out, id);
  const result = await interruptible((signal) =>
    executeRun(out, { id, options, reference: id }, shown.data, {
      backend: opened,
      onBegin: (_, problem) => shown.begin(problem),
      onRound: (_, round) => shown.round(round),
      onCheckpoint: (_, checkpoint) => shown.checkpoint(checkpoint),
      signal,
      onNotice: warn,
    }).catch(async (error) => {
      // `report` says why; a run that was told to stop, or whose folder cannot be written, did not fail.
      if (!signal.aborted && !(error instanceof FileError))
        await writeFailure(folder, id, error).catch(() => undefined);
      throw error;
    }),
  );
  shown.finish();
  if (json) console.log(JSON.stringify(await readRunRecord(folder)));
  else console.log(`${resultLine(options, result)}\nWritten: ${folder}`);
}

/** Data and training of a run, with what they are about on the screen. */
function shownTraining(options: RunOptions, quiet?: boolean) {
  const preparing = startProgress(`Data and partition of ${recordedTask(options)}, seed ${options.seed}`, {
    quiet,
  });
  let line: ReturnType<typeof startTrainingLine> | undefined;
  return {
    data: () =>
      prepareData(options, {
        onProgress: (done, total) => preparing.update(done, total),
        onWarning: warn,
        threads: threadsFor,
      }),
    begin(problem: Federation) {
      const { d_sol, n_min, n_max } = problem.measured.diagnostics.metrics;
      const { quality } = problem.measured.bins;
      preparing.finish(`D_sol ${d_sol.toFixed(3)}, clients of ${n_min} to ${n_max} samples`);
      for (const note of quality ? binNotes(quality) : []) warn(note);
      line = startTrainingLine(options, { quiet });
    },
    round: (round: number) => line?.round(round),
    checkpoint: (checkpoint: Checkpoint) => line?.checkpoint(checkpoint),
    finish: () => line?.finish(),
  };
}

/** Lets a first Ctrl-C end a run in good order, with its state saved. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  const interrupt = () => stop.abort(new UserError("Stopped. Run the same command to resume."));
  for (const signal of signals) process.once(signal, interrupt);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

function optimizerOptions({ optimizer, rate, momentum }: TrainOptions): OptimizerOptions {
  const usual = DEFAULT_OPTIMIZERS[optimizer];
  if (usual.name === "sgd")
    return { name: "sgd", rate: rate ?? usual.rate, momentum: momentum ?? usual.momentum };
  if (momentum !== undefined) throw new OptionError("--momentum is an option of sgd, not of adam");
  return { name: "adam", rate: rate ?? usual.rate };
}

/** `width=16` or `normalisation=batch`. */
function modelOption(text: string): readonly [string, number | string] {
  const [, name, value] = /^([a-z]+)=(\S+)$/.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError(`"${text}" is not an option of a model: write width=16`);
  return [name, Number.isNaN(Number(value)) ? value : Number(value)];
}

function withoutParameters({ parameters: _, ...measured }: Checkpoint) {
  return measured;
}

function resultLine(
  options: RunOptions,
  { round, test_error }: { readonly round: number; readonly test_error: number },
): string {
  const { alpha, seed } = options;
  return `${recordedTask(options)}, alpha ${alpha}, seed ${seed}: test error ${percent(test_error, 3)} after ${counted(round, "round")}`;
}
