import type { Shape } from "../../engine/shape.js";
import { OptionError } from "../../errors.js";
import type { Federation } from "../federation.js";
import type { RunOptions } from "../run-options.js";
import type { Samples } from "../samples/stored-samples.js";
import type { TrainerState } from "../trainer-state.js";

/**
 * A run of a batch that is trained as one program. Replicas differ in seed, alpha, partition and data; a run alone is a
 * batch of one.
 */
export interface Replica {
  readonly problem: Federation<Samples>;
  readonly options: RunOptions;
  readonly start: TrainerState;
}

/**
 * The axes over replicas that tensors of a program begin with: none for one replica, since ONNX Runtime is faster
 * without them, and since recorded results have the bits of programs without them.
 */
export const replicaAxes = (replicas: number): Shape => (replicas === 1 ? [] : [replicas]);

/** Options that are equal among the replicas of a batch: they differ in seed, alpha, data seed and partition alone. */
export function replicaShape(options: RunOptions): string {
  const { alpha, seed, dataSeed, bins, minSize, repair, ...shape } = options;
  return JSON.stringify(shape);
}

/** Refuses runs that cannot be trained as one program. */
export function checkReplicas(replicas: readonly Replica[]): void {
  const [first] = replicas;
  for (const { options, start } of replicas) {
    if (replicaShape(options) !== replicaShape(first.options))
      throw new OptionError("replicas differ in seed, alpha and partition only");
    if (start.round !== first.start.round) throw new OptionError("replicas continue from the same round");
  }
}
