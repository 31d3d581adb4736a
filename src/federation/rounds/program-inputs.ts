import type { RunOptions } from "../run-options.js";

/** Options that shape the programs of a round. */
export type ProgramOptions = Pick<
  RunOptions,
  | ("optimizer" | "clientState" | "secondMoment" | "strategy" | "local" | "participation")
  | ("clientSchedule" | "serverSchedule" | "rounds")
>;

/** Names of inputs that hold a run's state. The output that becomes such an input in the next round is `new ...`. */
export const PARAMETERS = "server.parameters";
export const serverInput = (vector: string): string => `server.${vector}`;
export const clientInput = (vector: string): string => `clients.${vector}`;
export const newValue = (input: string): string => `new ${input}`;

/** Names of the other inputs of a round. */
export const INPUTS = {
  /** Samples of the batches of every step, and their weights, [steps, clients, rows]. */
  indices: "indices",
  weights: "weights",
  /** The same of batches with the samples that the first step leaves out, [batches, clients, rows]. */
  remainingIndices: "remaining indices",
  remainingWeights: "remaining weights",
  /** Share of the first step's batch in the samples of each client, [clients]. */
  firstShares: "first shares",
  /** 1 where a client takes a step and 0 where it does not, [steps, clients]. */
  active: "active",
  /** Numbers that an optimiser needs for a step, [steps], or [steps, clients]. */
  coefficient: (index: number) => `coefficient ${index}`,
  /** Numbers that a strategy has for the round, [], and for each client, [clients]. */
  serverCoefficient: (index: number) => `server coefficient ${index}`,
  clientCoefficient: (index: number) => `client coefficient ${index}`,
  /** What learning rates are multiplied by. */
  clientRate: "client rate",
  serverRate: "server rate",
  /** Weights of participants in the average, and among all clients, [1, clients]. */
  shares: "shares",
  allShares: "shares of all",
} as const;
