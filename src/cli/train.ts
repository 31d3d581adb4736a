import { existsSync } from "node:fs";
import { Command, Option } from "commander";
import { counted } from "../analysis/numbers.js";
import type { FileData } from "../datasets/dataset.js";
import { dataPaths } from "../datasets/files/data-paths.js";
import { FILE_CHOICES } from "../datasets/files/file-choices.js";
import { readingInWords } from "../datasets/files/labelled-file.js";
import type { NotedNames } from "../datasets/files/open.js";
import { TASK_NAMES } from "../datasets/tasks.js";
import { threadsFor } from "../datasets/threads-for.js";
import { DeviceError, FileError, OptionError, UserError } from "../errors.js";
import { notedData } from "../exchange/given-clients.js";
import { fitsBins } from "../exchange/partition-data-file.js";
import { type DeviceName, type OpenBackend, openBackend, sampleMemory } from "../federation/backends.js";
import { chosenModel, plannedModel } from "../federation/chosen-model.js";
import { checkConvergence } from "../federation/divergence.js";
import { type Federation, federate, type PreparedData } from "../federation/federation.js";
import {
  ENGINE_OPTIONS,
  PARTICIPATION_OPTIONS,
  ROUND_OPTIONS,
  SCALING_OPTIONS,
  STATE_OPTIONS,
} from "../federation/federation-options.js";
import { OPTIMIZER_NAMES, OPTIMIZERS } from "../federation/optimizer-options.js";
import { prepareData } from "../federation/prepared-data.js";
import { completeOptions, type RUN_OPTIONS, type RunOptions, runOptions } from "../federation/run-options.js";
import type { Samples } from "../federation/samples/stored-samples.js";
import { resolvePartitioner } from "../federation/split/chosen-partitioner.js";
import { communication } from "../federation/strategies/communication.js";
import { participantsInWords, trainingWords } from "../federation/strategies/strategy-words.js";
import { type Checkpoint, train } from "../federation/trainer.js";
import { describeTrainingFile } from "../federation/training-file.js";
import { folderAbove, removeEmptyFolders } from "../files/disk.js";
import { DISK } from "../files/store/disk.js";
import { MODEL_NAMES, modelOf } from "../models/models.js";
import { parameterCount } from "../models/parameter-layout.js";
import { flagOf, type GivenValues, type PropertiesOf } from "../options/option.js";
import { suggestName } from "../options/suggestions/closest-name.js";
import { binNotes } from "../partition/bin-quality.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import { PARTITION_OPTIONS } from "../partition/partition-options.js";
import { DEFAULT_PARTITIONER, takesAlpha } from "../partition/partitioners.js";
import { splitWords } from "../partition/split-words.js";
import { wantedBy } from "../pipeline/sample-knowledge.js";
import { parametersSha256 } from "../records/content-hash.js";
import { recordedTask } from "../records/recorded-task.js";
import { writeFailure } from "../records/run-failure.js";
import { readRunRecord, runFolder } from "../records/run-folder.js";
import { runId } from "../records/run-record.js";
import { executeRun } from "../studies/execution/execute-runs.js";
import { recordedOptions } from "../studies/recorded-options.js";
import { type CommonOptions, number, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { chosenDevice, deviceOption } from "./options/device-option.js";
import { entryFlags, givenValues } from "./options/entry-options.js";
import { addFileFlags, FILE_OPTIONS, type FileOptions } from "./options/file-options.js";
import { type ModelWords, modelWords } from "./options/model-words.js";
import { addOptionFlags } from "./options/option-flags.js";
import {
  addPartitionerName,
  addPartitionerOptions,
  givenPartitioner,
} from "./options/partitioner-options.js";
import { addStrategyName, addStrategyOptions, givenStrategy } from "./options/strategy-options.js";
import { type TaskOptions, taskParameters, withTaskOptions } from "./options/task-options.js";
import { addTrackOptions, type TrackOptions } from "./options/track-options.js";
import { percent } from "./percent.js";
import { startProgress } from "./progress.js";
import { PATIENCE_AFTER_STOP, startTracking } from "./tracking/start-tracking.js";
import { startTrainingLine } from "./training-line.js";
import { warn } from "./warning.js";

interface TrainOptions
  extends CommonOptions,
    TaskOptions,
    FileOptions,
    TrackOptions,
    Partial<DeclaredOptions> {
  readonly alpha?: number;
  readonly targetDistance?: number;
  readonly partitioner?: string;
  readonly strategy?: string;
  readonly partition?: string;
  readonly seed: number;
  readonly optimizer: string;
  readonly train?: number;
  readonly test?: string;
  readonly data?: string;
  readonly model?: ModelWords;
  readonly device: DeviceName;
  readonly out?: string;
}

type DeclaredOptions = PropertiesOf<typeof RUN_OPTIONS & typeof MEMORY_OPTIONS>;

export function trainCommand(): Command {
  const command = new Command("train")
    .summary("train a neural operator with federated averaging or another strategy (one run)")
    .description(
      "Train a neural operator on clients of chosen heterogeneity, by federated averaging or another strategy, and measure it. " +
        "Options default to the paper's values. Where the paper states none, docs/readings.md lists our choice.",
    )
    .argument(
      "<task or file>",
      `built-in task (${TASK_NAMES.join(", ")}), or a file of data (several with commas between them)`,
    )
    .option("--alpha <number>", "Dirichlet concentration: 100 is nearly IID, 0.01 very heterogeneous", number)
    .option(
      "--target-distance <number>",
      "instead of --alpha: find the alpha whose D_sol is closest to this",
      number,
    )
    .option(
      "--partition <file>",
      "instead of --alpha: train on a partition that exists, of this or another tool (all that `diagnose` reads)",
    )
    .option(
      "--seed <number>",
      "seed of bins, partition, initial model and batches, and of the data of controlled tasks",
      wholeNumber,
      0,
    )
    .option(
      "--out <folder>",
      "store the run in <folder>/runs, as `study` does; you can then stop and resume it",
    )
    .addOption(deviceOption());
  addTrainingFlags(command);
  command
    .optionsGroup("Data:")
    .option("--train <number>", "training samples (default: the paper's)", wholeNumber)
    .option(
      "--test <samples>",
      "test samples: a number; of a file also a share (0.2), a range (800:1000) or another file (default: the paper's, or those of the file, or its last fifth)",
    )
    .option("--data <file>", "train on this file, which holds data of the task, instead of generated data");
  addOptionFlags(command, { ...SCALING_OPTIONS, ...MEMORY_OPTIONS });
  addPartitionerName(command.optionsGroup("How samples are split:"));
  addOptionFlags(command, PARTITION_OPTIONS);
  addOptionFlags(command.optionsGroup("Engine:"), ENGINE_OPTIONS);
  addStrategyOptions(command);
  addPartitionerOptions(command, ["file"]);
  withTaskOptions(command.optionsGroup("Parameters of generated data:"));
  addFileFlags(command.optionsGroup("How a file is read:"), FILE_CHOICES);
  addTrackOptions(command.optionsGroup("Output:"));
  return withCommonOptions(
    command.action(trainAction),
    "pde-dirichlet train antiderivative --alpha 0.1 --seed 42",
    "pde-dirichlet train burgers --alpha 0.01 --seed 42 --viscosity 0.01 --rounds 200 --out run",
    "pde-dirichlet train ns.npz --inputs a --responses u --test 0.2 --model fno width=32 --alpha 0.1",
    "pde-dirichlet train burgers --partition p.json --seed 42",
    "pde-dirichlet train burgers --partitioner shards --shards 2",
    "pde-dirichlet train burgers --alpha 0.1 --strategy fedprox --mu 10",
    "pde-dirichlet train burgers --alpha 0.1 --strategy scaffold --participation 0.5",
  );
}

/** Adds the flags that say what is trained, who takes part and what clients keep. */
function addTrainingFlags(command: Command): void {
  addStrategyName(command.optionsGroup("Training:"));
  addOptionFlags(command, ROUND_OPTIONS).addOption(
    new Option("--optimizer <name>", "optimiser of the clients").choices(OPTIMIZER_NAMES).default("adam"),
  );
  addOptionFlags(command, OPTIMIZER_FLAGS).option(
    "--model <words...>",
    `model (${MODEL_NAMES.join(", ")}) and its options, such as fno width=16 modes=8 (default: the task's, or one that suits the shapes)`,
    modelWords,
  );
  addOptionFlags(command.optionsGroup("Who takes part in a round:"), PARTICIPATION_OPTIONS);
  addOptionFlags(command.optionsGroup("What clients keep, and learning rates by the round:"), STATE_OPTIONS);
}

/** Options of all optimisers; each says its default for those that have it. */
const OPTIMIZER_FLAGS = entryFlags(OPTIMIZERS);

async function trainAction(what: string, given: TrainOptions): Promise<void> {
  if (given.track && given.out === undefined)
    throw new OptionError("--track needs --out: trackers are fed from the stored run");
  if (given.localEpochs !== undefined && given.localSteps !== undefined)
    throw new OptionError("give either --local-epochs or --local-steps: both say how long a client trains");
  const split = givenSplit(given);
  const { assignment } = wantedBy(split.partitioner);
  const data = await fileOf(what, given, assignment && (await notedData(assignment)));
  const { partitioner: _, strategy: __, ...others } = given;
  const asked = {
    ...others,
    ...split,
    task: data?.task ?? what,
    data,
    test: data || given.test === undefined ? undefined : testCount(given.test),
    parameters: taskParameters(given),
    model: given.model,
    optimizer: givenOptimizer(given),
    strategy: givenStrategy({ ...given }),
  };
  const { train } = completeOptions(asked);
  const { clients, bins, representation, standardise, cost } = given;
  const metric = { representation, standardise, cost };
  const resolved =
    split.partitioner || fitsBins(metric)
      ? await resolvePartitioner({ partitioner: split.partitioner, data, train, clients, bins, ...metric })
      : {};
  const options = runOptions({ ...asked, ...resolved });
  const backend = await openBackend(options, await chosenDevice(given.device));
  try {
    if (data && !given.quiet) process.stderr.write(`${await readingInWords(data)}\n`);
    if (data?.advice !== undefined) warn(data.advice);
    if (!given.quiet) process.stderr.write(`${modelInWords(options)}\n`);
    const memory = sampleMemory(backend.backend, given.memory ?? MEMORY_OPTIONS.memory.default);
    const shown = shownTraining(options, { quiet: given.quiet, memory });
    await carryOut(options, given, backend, shown).finally(() => shown.close());
  } finally {
    backend.close();
  }
}

/** How samples are split: by a concentration, a target distance, a partition that exists, or another partitioner. */
function givenSplit(given: TrainOptions): Pick<RunOptions, "partitioner" | "targetDistance"> {
  const { partition, alpha, targetDistance } = given;
  if (partition !== undefined && given.partitioner !== undefined && given.partitioner !== "file")
    throw new OptionError(`give either --partition or --partitioner ${given.partitioner}`);
  const partitioner = givenPartitioner({ ...given, ...(partition !== undefined && { file: partition }) });
  const hasAlpha = takesAlpha(partitioner?.name ?? DEFAULT_PARTITIONER);
  const stray = alpha === undefined ? "--target-distance" : "--alpha";
  if (!hasAlpha && (alpha !== undefined || targetDistance !== undefined))
    throw new OptionError(
      partition === undefined
        ? `the partitioner ${partitioner!.name} has no concentration: leave out ${stray}`
        : `${partition} says which client holds every sample: leave out ${stray}`,
    );
  if (alpha !== undefined && targetDistance !== undefined)
    throw new OptionError("give either --alpha or --target-distance");
  if (hasAlpha && alpha === undefined && targetDistance === undefined)
    throw new OptionError(
      "say how samples are split: --alpha 0.1, --target-distance, --partition or --partitioner",
    );
  return { partitioner, targetDistance };
}

/** The file that is asked for, in place of a task or beside it; undefined for generated data. */
async function fileOf(
  what: string,
  given: TrainOptions,
  noted: NotedNames | undefined,
): Promise<FileData | undefined> {
  const isTask = TASK_NAMES.includes(what);
  if (!isTask && given.data !== undefined)
    throw new OptionError(`give one file: ${what}, or a task with --data ${given.data}`);
  const path = isTask ? given.data : what;
  if (path === undefined) {
    const stray = FILE_OPTIONS.find((name) => given[name] !== undefined);
    if (stray)
      throw new OptionError(
        `${flagOf(recordedName(stray))} needs a file: name it in place of ${what}, or with --data`,
      );
    return undefined;
  }
  if (!isTask && !dataPaths(DISK, path).every((one) => existsSync(one)))
    throw new OptionError(
      `${what} is neither a task nor a file; the tasks are ${TASK_NAMES.join(", ")}${suggestName(what, TASK_NAMES)}`,
    );
  return describeTrainingFile(path, given, { task: isTask ? what : undefined, noted });
}

/** The number of generated test samples. */
function testCount(text: string): number {
  try {
    return wholeNumber(text);
  } catch {
    throw new OptionError(`--test is a whole number for generated data, not ${text}`);
  }
}

/** `inputLabel` as options are recorded: `input_label`. */
const recordedName = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Which model is trained, and how large it is: nobody may have chosen it. */
function modelInWords(options: RunOptions): string {
  const { name } = chosenModel(options);
  const { architecture, layout } = plannedModel(options);
  const sizes = Object.keys(modelOf(name).options)
    .filter((option) => architecture[option] !== undefined)
    .map((option) => `${option} ${architecture[option]}`);
  return `model: ${modelOf(name).title}, ${sizes.join(", ")} (${parameterCount(layout).toLocaleString("en")} parameters)`;
}

/** Trains, and prints or keeps what came of it. */
async function carryOut(
  options: RunOptions,
  { quiet, json, out, track, experiment }: TrainOptions,
  opened: OpenBackend,
  shown: ReturnType<typeof shownTraining>,
): Promise<void> {
  if (out === undefined) {
    const problem = await federate(await shown.data(), options, { plans: false });
    let startError: number | undefined;
    shown.begin(problem);
    const { parameters, checkpoints } = await train(problem, options, {
      backend: opened.backend,
      onRound: shown.round,
      onCheckpoint: (checkpoint) => {
        shown.checkpoint(checkpoint);
        if (checkpoint.round === 0) startError = checkpoint.testError;
        checkConvergence("training", checkpoint, startError, options);
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
    } else console.log(`${resultLine(options, result)}\n${shown.clients()}`.trimEnd());
    if (!quiet)
      process.stderr.write("Nothing was stored: --out keeps the run, its weights and model.onnx.\n");
    return;
  }
  const id = await runId(recordedOptions(options));
  const folder = runFolder(out, id);
  const above = await folderAbove(folder);
  let hasBegun = false;
  const tracking = await startTracking(out, new Map(), { track, experiment, quiet });
  const result = await interruptible((signal) =>
    executeRun(out, { id, options, reference: id }, shown.data, {
      backend: opened,
      onBegin: (_, problem) => {
        hasBegun = true;
        shown.begin(problem);
      },
      onRound: (_, round) => shown.round(round),
      onCheckpoint: (_, checkpoint) => shown.checkpoint(checkpoint),
      signal,
      onNotice: warn,
    }).catch(async (error) => {
      // `report` says why; a run that was told to stop, or whose folder cannot be written, did not fail.
      const isRefused = !hasBegun && error instanceof UserError && !(error instanceof DeviceError);
      if (!signal.aborted && !isRefused && !(error instanceof FileError))
        await writeFailure(folder, id, error).catch(() => undefined);
      await removeEmptyFolders(folder, above);
      await tracking.finish(signal.aborted ? { patience: PATIENCE_AFTER_STOP } : {});
      throw error;
    }),
  );
  shown.finish();
  await tracking.finish();
  if (json) console.log(JSON.stringify(await readRunRecord(folder)));
  else console.log(`${resultLine(options, result)}\n${shown.clients()}Written: ${folder}`);
}

/** Data and training of a run, with what they are about on the screen. */
function shownTraining(
  options: RunOptions,
  { quiet, memory }: { readonly quiet?: boolean; readonly memory?: number },
) {
  const preparing = startProgress(`Data and partition of ${recordedTask(options)}, seed ${options.seed}`, {
    quiet,
  });
  let line: ReturnType<typeof startTrainingLine> | undefined;
  let notice: string | undefined;
  let prepared: PreparedData<Samples> | undefined;
  let ofClients = "";
  return {
    data: async () => {
      prepared = await prepareData(options, {
        onProgress: (done, total) => preparing.update(done, total),
        onWarning: warn,
        onNotice: (message) => {
          notice = message;
        },
        threads: threadsFor,
        memory,
      });
      return prepared;
    },
    begin(problem: Federation<Samples>) {
      const { d_sol, d_sol_floor, n_min, n_max } = problem.measured.diagnostics.metrics;
      const {
        bins: { quality, notes = [] },
        partition,
      } = problem.measured;
      const found = options.targetDistance === undefined ? "" : `alpha ${partition.alpha}, `;
      preparing.finish(
        `${found}D_sol ${d_sol.toFixed(3)} (IID clients of these sizes: ${d_sol_floor.toFixed(3)}), ` +
          `${partition.clients} clients of ${n_min} to ${n_max} samples${participantsInWords(partition.clients, options)}`,
      );
      for (const note of [...(partition.notes ?? []), ...notes])
        if (!quiet) process.stderr.write(`${note}\n`);
      for (const note of quality ? binNotes(quality) : []) warn(note);
      if (notice !== undefined && !quiet) process.stderr.write(`${notice}\n`);
      line = startTrainingLine(options, { quiet });
    },
    round: (round: number) => line?.round(round),
    checkpoint(checkpoint: Checkpoint) {
      ofClients = clientsLine(checkpoint, prepared!, options);
      line?.checkpoint(checkpoint);
    },
    /** How errors differ among clients; nothing where no checkpoint was reached in this call. */
    clients: () => ofClients,
    finish: () => line?.finish(),
    close: async () => prepared?.close(),
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
  return { ...givenValues(OPTIMIZERS, OPTIMIZER_FLAGS, name, { ...given }), name };
}

/** A line on the errors of clients and the communication of a round; empty where errors are not known. */
function clientsLine(
  { clients: { testErrors } }: Checkpoint,
  { operator }: PreparedData<Samples>,
  options: RunOptions,
): string {
  const known = testErrors.filter((error) => !Number.isNaN(error));
  if (known.length === 0) return "";
  const mean = known.reduce((sum, error) => sum + error, 0) / known.length;
  const { down, up } = communication(operator.layout, options);
  return (
    `Clients, each on the test set weighted to its bins: mean ${percent(mean, 2)}, worst ${percent(Math.max(...known), 2)}. ` +
    `Communication: ${((down + up) / 1e6).toPrecision(3)} MB a round.\n`
  );
}

function withoutParameters({ parameters: _, ...measured }: Checkpoint) {
  return measured;
}

function resultLine(
  options: RunOptions,
  { round, test_error }: { readonly round: number; readonly test_error: number },
): string {
  const { seed } = options;
  const what = [recordedTask(options), splitWords(options), ...trainingWords(options), `seed ${seed}`];
  return `${what.join(", ")}: test error ${percent(test_error, 3)} after ${counted(round, "round")}`;
}
