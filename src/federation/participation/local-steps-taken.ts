import { OptionError } from "../../errors.js";
import { stream } from "../../random/stream.js";
import type { RunOptions } from "../run-options.js";

export type StepOptions = Pick<RunOptions, "localSteps" | "localStepsMin" | "localEpochs" | "batch" | "seed">;

/** Refuses numbers of local steps that contradict each other. */
export function checkSteps({ localSteps, localStepsMin, localEpochs }: StepOptions): void {
  if (localStepsMin === undefined) return;
  if (localEpochs !== undefined)
    throw new OptionError("give either local_epochs or local_steps_min: stragglers are drawn among steps");
  if (localStepsMin > localSteps)
    throw new OptionError(`local_steps_min is ${localStepsMin}, but local_steps is ${localSteps}`);
}

/** Whether clients may take different numbers of steps in a round. */
export const hasOwnSteps = ({ localStepsMin, localEpochs }: Partial<StepOptions>): boolean =>
  localStepsMin !== undefined || localEpochs !== undefined;

/** Steps that a client with so many samples takes in a round, at most. */
export function mostStepsOf(
  samples: number,
  { localSteps, localEpochs, batch }: Omit<StepOptions, "seed">,
): number {
  return localEpochs === undefined ? localSteps : localEpochs * Math.ceil(samples / Math.min(batch, samples));
}

/** Steps that any client takes in a round, at most: those that the program of a round has. */
export function mostSteps(clients: readonly { readonly length: number }[], options: StepOptions): number {
  return Math.max(...clients.map(({ length }) => mostStepsOf(length, options)));
}

/** Steps of every client in a round. The draw depends on seed, round and client alone. */
export function stepsInRound(
  clients: readonly { readonly length: number }[],
  options: StepOptions,
): (round: number, client: number) => number {
  const { seed, localSteps, localStepsMin } = options;
  if (localStepsMin === undefined) return (_, client) => mostStepsOf(clients[client].length, options);
  return (round, client) =>
    localStepsMin + stream(seed, "local steps", round, client).below(localSteps - localStepsMin + 1);
}
