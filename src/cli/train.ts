import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { counted } from "../analysis/numbers.js";
import type { ArrayAxes } from "../datasets/array-axes.js";
import { describeLabelledFile, labelledReading } from "../datasets/labelled-file.js";
import { TASK_NAMES, type TaskName } from "../datasets/tasks.js";
import { threadsFor } from "../datasets/threads-for.js";
import { FileError, OptionError, UserError } from "../errors.js";
import { type DeviceName, type OpenBackend, openBackend } from "../federation/backends.js";
import { checkConvergence } from "../federation/divergence.js";
import { type FederatedProblem, federatedProblem } from "../federation/federated-problem.js";
import { ENGINE_OPTIONS, FEDERATION_OPTIONS, SCALING_OPTIONS } from "../federation/federation-options.js";
import { OPTIMIZER_NAMES, OPTIMIZERS } from "../federation/optimizer-options.js";
import { type RUN_OPTIONS, type RunOptions, runOptions } from "../federation/run-options.js";
import { taskData } from "../federation/task-data.js";
import { type Checkpoint, train } from "../federation/trainer.js";
import { parameterCount } from "../models/parameter-layout.js";
import {
  flagOf,
  type GivenValues,
  type Options,
  type OptionValue,
  type PropertiesOf,
  propertyOf,
} from "../options/option.js";
import { binNotes } from "../partition/bin-quality.js";
import { PARTITION_OPTIONS } from "../partition/partition-options.js";
import { parametersSha256 } from "../records/content-hash.js";
import { recordedTask } from "../records/recorded-task.js";
import { writeFailure } from "../records/run-failure.js";
import { readRunRecord, runFolder } from "../records/run-folder.js";
import { runId } from "../records/run-record.js";
import { executeRun } from "../studies/execute-runs.js";
import { recordedOptions } from "../studies/recorded-options.js";
import { type CommonOptions, number, wholeNumber, withCommonOptions } from "./arguments.js";
import { withAxisOptions } from "./array-reading.js";
import { deviceOption } from "./device-option.js";
import { addOptionFlags } from "./option-flags.js";
import { percent } from "./percent.js";
import { startProgress } from "./progress.js";
import { type TaskOptions, taskParameters, withTaskOptions } from "./task-options.js";
import { startTrainingLine } from "./training-line.js";
import { warn } from "./warning.js";

interface TrainOptions extends CommonOptions, TaskOptions, ArrayAxes, Partial<DeclaredOptions> {
  readonly alpha: number;
  readonly seed: number;
  readonly optimizer: string;
  readonly train?: number;
  readonly test?: number;
  readonly data?: string;
  readonly model?: ModelWords;
  readonly device: DeviceName;
  readonly out?: string;
}

type DeclaredOptions = PropertiesOf<typeof RUN_OPTIONS>;

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
    );
  addOptionFlags(command, { ...PARTITION_OPTIONS, ...FEDERATION_OPTIONS })
    .addOption(
      new Option("--optimizer <name>", "optimiser of the clients").choices(OPTIMIZER_NAMES).default("adam"),
    )
    .option("--train <number>", "training samples (default: the paper's)", wholeNumber)
    .option("--test <number>", "test samples (default: the paper's)", wholeNumber)
    .option("--data <file>", "train on this file, made by `import` or `generate`, instead of generated data")
    .option(
      "--model <words...>",
      "model and its options, such as fno width=16 modes=8 (default: the task's own model)",
      modelWords,
    );
  addOptionFlags(command, { ...OPTIMIZER_FLAGS, ...SCALING_OPTIONS, ...ENGINE_OPTIONS })
    .addOption(deviceOption())
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

/** Options of all optimisers; each says its default for those that have it. */
const OPTIMIZER_FLAGS: Options = Object.fromEntries(
  Object.values(OPTIMIZERS)
    .flatMap(({ options }) => Object.entries(options))
    .map(([option, declared]) => [option, { ...declared, defaultWords: optimizerDefaults(option) }]),
);

/** `0.001 for adam, 0.01 for sgd`. */
function optimizerDefaults(option: string): string {
  return OPTIMIZER_NAMES.filter((name) => option in OPTIMIZERS[name].options)
    .map((name) => `${OPTIMIZERS[name].options[option].default} for ${name}`)
    .join(", ");
}

async function trainAction(task: TaskName, given: TrainOptions): Promise<void> {
  if (given.data === undefined && (given.channels ?? given.sampleAxis) !== undefined)
    throw new OptionError("--channels and --sample-axis need --data: name the file");
  const options = runOptions({
    ...given,
    task,
    data: given.data === undefined ? undefined : await describeLabelledFile(given.data, given),
    parameters: taskParameters(given),
    model: given.model,
    optimizer: givenOptimizer(given),
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
    const problem = await federatedProblem(await shown.data(), options);
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
      taskData(options, {
        onProgress: (done, total) => preparing.update(done, total),
        onWarning: warn,
        threads: threadsFor,
      }),
    begin(problem: FederatedProblem) {
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

/** The optimiser with those of its options that were given. */
function givenOptimizer(given: TrainOptions): { readonly name: string } & GivenValues {
  const { optimizer: name } = given;
  const values = Object.keys(OPTIMIZER_FLAGS).map(
    (option) => [option, given[propertyOf(option) as keyof TrainOptions] as OptionValue] as const,
  );
  const stray = values.find(
    ([option, value]) => value !== undefined && !(option in OPTIMIZERS[name].options),
  );
  if (stray) throw new OptionError(`${flagOf(stray[0])} is not an option of ${name}`);
  return { ...Object.fromEntries(values), name };
}

/** A model's `name`, and its options by name. */
type ModelWords = Readonly<Record<string, OptionValue>>;

/** Reads `fno`, `width=16` or `initialiser=pytorch`, one word after another. */
function modelWords(text: string, before: ModelWords = {}): ModelWords {
  const [, option, value] = /^([a-z_]+)=(\S+)$/.exec(text) ?? [];
  if (option !== undefined)
    return { ...before, [option]: Number.isNaN(Number(value)) ? value : Number(value) };
  if (before.name !== undefined || !/^[a-z][a-z0-9-]*$/.test(text))
    throw new InvalidArgumentError(`"${text}" is not an option of a model: write width=16`);
  return { ...before, name: text };
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
