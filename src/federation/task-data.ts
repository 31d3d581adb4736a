import type { Progress } from "../datasets/generate.js";
import { generatedDataset } from "../datasets/generated-file.js";
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

/** Data and bins of a seed, through the cache of generated data. They do not depend on alpha or clients. */
export async function taskData(
  options: Pick<
    RunOptions,
    "task" | "seed" | "dataSeed" | "train" | "test" | "parameters" | "normalise" | "model" | "bins"
  >,
  { onProgress, threads }: { readonly onProgress?: Progress; readonly threads?: Threads } = {},
): Promise<TaskData> {
  const { train, test } = await generatedDataset({ ...options, seed: options.dataSeed }, onProgress);
  const geometry = taskOf(options.task).geometry(options.parameters);
  const normalised = await normaliseResponses(train.responses, { threads });
  const bins = await fitBins(normalised, { bins: options.bins, seed: options.seed });
  await normalised.matrix.close();
  const scaling = await fitScaling(train, options.normalise);
  return {
    train: await trainingSamples(train, scaling),
    test: await trainingSamples(test, scaling),
    scaling,
    inputShape: geometry.inputShape,
    responseShape: geometry.responseShape,
    origin: `simulated by pde-dirichlet ${VERSION}`,
    operator: taskOperator(options, geometry),
    bins,
    scaledInputs: { inputs: train.inputs, scale: await inputScale(train.inputs) },
  };
}
