import type { LabelledFields } from "../datasets/fields.js";
import type { Progress, Split } from "../datasets/generate.js";
import { generatedDataset } from "../datasets/generated-file.js";
import { readHalf } from "../datasets/labelled-file.js";
import { taskOf } from "../datasets/tasks.js";
import { inputScale } from "../diagnostics/input-distance.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { fitBins } from "../partition/bins.js";
import { normaliseResponses } from "../partition/normalise.js";
import { VERSION } from "../version.js";
import type { TaskData } from "./federated-problem.js";
import type { RunOptions } from "./run-options.js";
import { fitScaling, trainingSamples } from "./scaling.js";
import { taskOperator } from "./task-operator.js";

/** Data, model and bins of a seed. They do not depend on alpha or clients. */
export async function taskData(
  options: Pick<
    RunOptions,
    "task" | "seed" | "dataSeed" | "data" | "train" | "test" | "parameters" | "normalise" | "model" | "bins"
  >,
  { onProgress, threads }: { readonly onProgress?: Progress; readonly threads?: Threads } = {},
): Promise<TaskData> {
  const { train, test, origin } = await labelledData(options, onProgress);
  const { geometry, parameters: usual } = taskOf(options.task);
  const inputShape = train.inputs.shape;
  const responseShape = train.responses.shape;
  const normalised = await normaliseResponses(train.responses, { threads });
  const bins = await fitBins(normalised, { bins: options.bins, seed: options.seed });
  await normalised.matrix.close();
  const scaling = await fitScaling(train, options.normalise);
  return {
    train: await trainingSamples(train, scaling),
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
    scaledInputs: { inputs: train.inputs, scale: await inputScale(train.inputs) },
  };
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
  const { file, origin } = options.data;
  return { train: await readHalf(file, "train"), test: await readHalf(file, "test"), origin };
}
