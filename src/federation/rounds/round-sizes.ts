import type { Backend } from "../../engine/backend.js";
import type { Program } from "../../engine/program.js";
import { OptionError } from "../../errors.js";
import type { Training } from "../../models/trainable-model.js";
import { hasOwnSteps, mostSteps } from "../participation/local-steps-taken.js";
import { isPartial, participantCount } from "../participation/participants.js";
import type { Replica } from "../replicas/replicas.js";
import type { RunOptions } from "../run-options.js";
import { strategyOf } from "../strategies/strategies.js";
import { differentSamples } from "./mini-batches.js";
import { mostRemaining, remainingBatches } from "./remaining-samples.js";
import { type RoundSizes, roundProgram } from "./round-program.js";

/** Steps of a round that one program can have: it holds them one after another, and compiling takes minutes beyond. */
const LONGEST = 512;

/** Refuses rounds that are too long for a program. */
export function checkLength(replicas: readonly Replica[]): void {
  const [{ options }] = replicas;
  const steps = mostSteps(
    replicas.flatMap(({ problem }) => problem.clientIndices),
    options,
  );
  if (steps > LONGEST)
    throw new OptionError(
      `a client takes ${steps} steps in a round, and a round has ${LONGEST} at most: take larger batches, or fewer ` +
        `${options.localEpochs === undefined ? "local_steps" : "local_epochs"} and more rounds`,
    );
}

/** Sizes of the program of a round: batches have as many rows as the largest one of any client of any replica. */
export function sizesOfRound(replicas: readonly Replica[]): RoundSizes {
  const [{ options, problem }] = replicas;
  const all = problem.weights.length;
  const clients = replicas.flatMap((replica) => replica.problem.clientIndices);
  const rows = largestBatch(replicas);
  return {
    replicas: replicas.length,
    clients: participantCount(all, options),
    steps: mostSteps(clients, options),
    rows,
    isPartial: isPartial(all, options),
    isRagged: hasOwnSteps(options),
    remaining: remainingBatches(
      Math.max(...clients.map(({ length }) => mostRemaining(length, options))),
      rows,
      options,
    ),
  };
}

/**
 * The program of a round of all replicas. Where large kernels are fast, it measures the clients' updates too; elsewhere a
 * second program does, where they are wanted.
 */
export function programOfRound(
  replicas: readonly Replica[],
  training: Training,
  backend: Pick<Backend, "prefersLargeKernels">,
): Program {
  const sizes = { ...sizesOfRound(replicas), measuresUpdates: backend.prefersLargeKernels };
  return roundProgram(training, replicas[0].options, sizes, backend);
}

/** Different samples that a client with so many of them needs in a round, at most. */
export function samplesInRound(samples: number, options: RunOptions): number {
  return strategyOf(options).usesFullGradient ? samples : differentSamples(samples, options);
}

/** Different samples that the participants of all replicas need in a round, at most. */
export function chosenInRound(replicas: readonly Replica[]): number {
  return replicas
    .flatMap(({ problem, options }) =>
      problem.clientIndices
        .map((own) => samplesInRound(own.length, options))
        .sort((a, b) => b - a)
        .slice(0, participantCount(problem.weights.length, options)),
    )
    .reduce((sum, count) => sum + count, 0);
}

/** Samples of the largest batch of any client. */
export function largestBatch(replicas: readonly Replica[]): number {
  return Math.max(
    ...replicas.flatMap(({ problem, options }) =>
      problem.clientIndices.map(({ length }) => Math.min(options.batch, length)),
    ),
  );
}

/** Equal parts of values, in float32. */
export function parts(values: Float32Array | Float64Array, count: number): Float32Array[] {
  const size = values.length / count;
  return Array.from({ length: count }, (_, i) => new Float32Array(values.subarray(i * size, (i + 1) * size)));
}
