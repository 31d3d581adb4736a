import type { Progress } from "../datasets/generate.js";
import { generatedDataset } from "../datasets/generated-file.js";
import { CONTROLLED_TASKS } from "../datasets/tasks.js";
import { inputScale } from "../diagnostics/input-distance.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { fitBins } from "../partition/bins.js";
import { normaliseResponses } from "../partition/normalise.js";
import { gridPoints, type TaskData, trainingSamples } from "./federated-problem.js";
import type { RunOptions } from "./run-options.js";

/** Data and bins of a seed, through the cache of generated data. They do not depend on alpha or clients. */
export async function taskData(
  options: Pick<RunOptions, "task" | "seed" | "train" | "test" | "viscosity" | "bins">,
  { onProgress, threads }: { readonly onProgress?: Progress; readonly threads?: Threads } = {},
): Promise<TaskData> {
  const { train, test } = await generatedDataset(options, onProgress);
  const normalised = await normaliseResponses(train.responses, { threads });
  const bins = await fitBins(normalised, { bins: options.bins, seed: options.seed });
  await normalised.matrix.close();
  return {
    train: await trainingSamples(train.inputs, train.responses),
    test: await trainingSamples(test.inputs, test.responses),
    points: gridPoints(CONTROLLED_TASKS[options.task].coordinates),
    bins,
    scaledInputs: { inputs: train.inputs, scale: await inputScale(train.inputs) },
  };
}
