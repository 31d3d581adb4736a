import type { Backend } from "../../engine/backend.js";
import type { Program } from "../../engine/program.js";
import type { TrainableModel } from "../../models/trainable-model.js";
import { hasOwnSteps, mostStepsOf } from "../participation/local-steps-taken.js";
import { isPartial, participantCount } from "../participation/participants.js";
import type { RunOptions } from "../run-options.js";
import { blankSamples, type SampleSizes } from "../samples/stored-samples.js";
import { trainedCount } from "../trained-clients.js";
import { mostRemaining, remainingBatches } from "./remaining-samples.js";
import { roundProgram } from "./round-program.js";

/** The program of a round of clients that all have as many samples, for those who must know its size before there are clients. */
export function averageRound(
  operator: TrainableModel,
  sizes: SampleSizes,
  trainSamples: number,
  options: RunOptions,
  backend: Pick<Backend, "prefersLargeKernels"> = {},
): Program {
  const { batch: rows } = options;
  const all = trainedCount(options.clients, options);
  const samples = Math.ceil(trainSamples / all);
  const one = blankSamples(sizes, 1); // enough to know the shapes of a program
  const training = operator.training(one, { largeKernels: backend.prefersLargeKernels });
  return roundProgram(
    training,
    options,
    {
      ...{ replicas: 1, clients: participantCount(all, options), rows, steps: mostStepsOf(samples, options) },
      ...{ isPartial: isPartial(all, options), isRagged: hasOwnSteps(options) },
      remaining: remainingBatches(mostRemaining(samples, options), rows, options),
      measuresUpdates: backend.prefersLargeKernels,
    },
    backend,
  );
}
