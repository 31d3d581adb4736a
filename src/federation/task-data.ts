import type { Fields, LabelledFields } from "../datasets/fields.js";
import type { Progress, Split } from "../datasets/generate.js";
import { generatedDataset } from "../datasets/generated-file.js";
import { fileSha256, readHalf } from "../datasets/labelled-file.js";
import { taskOf } from "../datasets/tasks.js";
import { DataError } from "../errors.js";
import { modelOf } from "../models/models.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { binData } from "../pipeline/binned-data.js";
import { VERSION } from "../version.js";
import type { TaskData } from "./federated-problem.js";
import type { RunOptions } from "./run-options.js";
import { fitScaling, trainingSamples } from "./scaling.js";
import { taskOperator } from "./task-operator.js";
import { checkData } from "./usable-data.js";

export interface TaskDataOptions {
  readonly onProgress?: Progress;
  /** Called with what should not be missed about the data, though they can be trained on. */
  readonly onWarning?: (message: string) => void;
  /** Who computes with fields of this size; the caller's thread by default. */
  readonly threads?: (fields: Fields) => Threads;
}

/** Data, model and bins of a seed. They do not depend on alpha or clients. */
export async function taskData(
  options: Pick<
    RunOptions,
    "task" | "seed" | "dataSeed" | "data" | "train" | "test" | "parameters" | "normalise" | "model" | "bins"
  >,
  { onProgress, onWarning, threads }: TaskDataOptions = {},
): Promise<TaskData> {
  const { train, test, origin, scaling, warnings } = await checkedData(options, onProgress);
  for (const warning of warnings) onWarning?.(warning);
  const { geometry, parameters: usual } = taskOf(options.task);
  const inputShape = train.inputs.shape;
  const responseShape = train.responses.shape;
  const { bins, inputs } = await binData(train, { bins: options.bins, seed: options.seed, threads });
  const samples = await trainingSamples(train, scaling);
  modelOf(taskOf(options.task).model).checkResponses?.(samples.responses);
  return {
    train: samples,
    test: await trainingSamples(test, scaling),
    scaling,
    inputShape,
    responseShape,
    origin,
    operator: taskOperator(options, {
      inputShape,
      responseShape,
      coordinates: geometry(options.data ? usual : options.parameters).coordinates,
    }),
    bins,
    inputSpace: inputs,
  };
}

/** Warnings about data that a run reads from a file; none where they cannot be read, which the run says itself. */
export async function dataWarnings(options: Parameters<typeof taskData>[0]): Promise<readonly string[]> {
  if (!options.data) return [];
  return checkedData(options).then(
    ({ warnings }) => warnings,
    () => [],
  );
}

/** Both halves of data that can be trained on, and how they are scaled for it. */
async function checkedData(options: Parameters<typeof taskData>[0], onProgress?: Progress) {
  const labelled = await labelledData(options, onProgress);
  const scaling = await fitScaling(labelled.train, options.normalise);
  const warnings = await checkData(labelled, scaling, options.data?.file ?? "the generated data");
  return { ...labelled, scaling, warnings };
}

/** Both halves of the data, imported or through the cache of generated ones. */
async function labelledData(
  options: Parameters<typeof taskData>[0],
  onProgress?: Progress,
): Promise<Readonly<Record<Split, LabelledFields>> & { readonly origin: string }> {
  if (!options.data) {
    const generated = await generatedDataset({ ...options, seed: options.dataSeed }, onProgress);
    return { ...generated, origin: `simulated by pde-dirichlet ${VERSION}` };
  }
  const { file, origin, sha256, sampleAxis, channels } = options.data;
  if ((await fileSha256(file)) !== sha256)
    throw new DataError(`${file} has changed since the run was planned; start a new run in another folder`);
  const [train, test] = [
    await readHalf(file, "train", { sampleAxis, channels }),
    await readHalf(file, "test", { sampleAxis, channels }),
  ];
  return { train, test, origin };
}
