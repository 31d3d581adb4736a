import { OptionError } from "../../errors.js";
import type { ClientState } from "../federation-options.js";
import { optimizerOf, type RunOptions } from "../run-options.js";
import { type ChosenStrategy, strategyOf } from "../strategies/strategies.js";

/** Parameters that a client has of its own, where some or all of them stay with it. */
export const OWN = "parameters";
/** The second model of a client. */
export const PERSONAL = "personal";
/** A vector of the optimiser that trains the second model. */
export const ofPersonal = (vector: string): string => `${PERSONAL}.${vector}`;

export type ClientOptions = Pick<RunOptions, "optimizer" | "clientState" | "secondMoment"> & ChosenStrategy;

/** What becomes of a vector of the clients' optimisers between rounds. */
export function stateRule(
  { optimizer, clientState, secondMoment = clientState }: ClientOptions,
  vector: string,
): ClientState {
  return optimizerOf(optimizer).scales.includes(vector) ? secondMoment : clientState;
}

/** Refuses rules for an optimiser's vectors that cannot work together. */
export function checkStateRules({ optimizer, clientState, secondMoment }: ClientOptions): void {
  if (secondMoment === undefined) return;
  if (optimizerOf(optimizer).scales.length === 0)
    throw new OptionError(`second_moment belongs to adam: ${optimizer.name} has none`);
  const isForgotten = secondMoment === "reset" && clientState !== "reset";
  const isOwn = secondMoment === "keep" && clientState === "average";
  if (isForgotten || isOwn)
    throw new OptionError(
      `second_moment ${secondMoment} with client_state ${clientState}: Adam would divide gradients that it remembers by a size ` +
        "that it does not, and take huge steps; take second_moment average, or leave it out",
    );
}

/** Vectors of the clients' optimisers that have a rule. */
export function optimizerVectors(options: ClientOptions, ...rules: readonly ClientState[]): string[] {
  return optimizerOf(options.optimizer).stateVectors.filter((name) =>
    rules.includes(stateRule(options, name)),
  );
}

/**
 * Names of the clients' vectors that last from round to round: those of their optimisers, those of the strategy, parameters
 * that stay with them, and a second model with its optimiser.
 */
export function clientVectors(options: ClientOptions): readonly string[] {
  const { clientVectors: ofStrategy = [], isLocal, personal } = strategyOf(options);
  const lasting = optimizerVectors(options, "keep", "average");
  return [
    ...lasting,
    ...ofStrategy,
    ...(isLocal ? [OWN] : []),
    ...(personal ? [PERSONAL, ...lasting.map(ofPersonal)] : []),
  ];
}

/** Those of them that start at the server's parameters; the others start at zero. */
export const startsAtServer = (vector: string): boolean => vector === OWN || vector === PERSONAL;

/** Names of the server's vectors besides its parameters. */
export const serverVectors = (options: ChosenStrategy): readonly string[] =>
  strategyOf(options).serverVectors ?? [];
