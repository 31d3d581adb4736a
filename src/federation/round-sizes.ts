import type { Backend } from "../engine/backend.js";
import type { Program } from "../engine/program.js";
import type { Training } from "../models/trainable-model.js";
import { differentSamples } from "./mini-batches.js";
import { participantCount } from "./participation/participants.js";
import type { Replica } from "./replicas.js";
import { roundProgram } from "./round-program.js";

/** The program of a round of all replicas, whose batches have as many rows as the largest one of any client. */
export function programOfRound(
  replicas: readonly Replica[],
  training: Training,
  backend: Pick<Backend, "prefersLargeKernels">,
): Program {
  const [{ options, problem }] = replicas;
  const all = problem.weights.length;
  const clients = participantCount(all, options);
  const sizes = {
    ...{ replicas: replicas.length, clients, isPartial: clients < all },
    rows: largestBatch(replicas),
  };
  return roundProgram(training, options, sizes, backend);
}

/** Different samples that the participants of all replicas take in a round, at most. */
export function chosenInRound(replicas: readonly Replica[]): number {
  return replicas
    .flatMap(({ problem, options }) =>
      problem.clientIndices
        .map((own) => differentSamples(own.length, options))
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
