import { add, matmul, multiply, reshape, subtract } from "../../engine/operations.js";
import type { Program, Tensor } from "../../engine/program.js";
import { strategyOf } from "../strategies/strategies.js";
import type { Tensors } from "../strategies/strategy.js";
import { optimizerVectors } from "./client-vectors.js";
import { INPUTS, type ProgramOptions } from "./program-inputs.js";

/** What clients have after a round, [..., clients, parameters]: their parameters, and their vectors by name. */
export interface ClientTensors {
  readonly parameters: Tensor;
  readonly vectors: Tensors;
  /** The strategy's vectors before the round. */
  readonly before: Tensors;
  /** What the strategy knows of each client, [..., clients]. */
  readonly coefficients: readonly Tensor[];
}

/** What the server has before a round, [..., parameters]. */
export interface ServerTensors {
  readonly parameters: Tensor;
  readonly vectors: Tensors;
}

/** Vectors that are averaged over the participants at the end of a round; those of second models stay with the clients. */
export const averagedVectors = (options: ProgramOptions): readonly string[] =>
  optimizerVectors(options, "average");

/**
 * The server's update by the strategy, from what clients have and their shares [..., 1, clients], and the mean of the
 * optimisers' vectors if these are averaged. Results have one entry along the axis over clients.
 */
export function aggregate(
  program: Program,
  start: ServerTensors,
  { parameters: local, vectors, before, coefficients: ofClients }: ClientTensors,
  shares: Tensor,
  options: ProgramOptions,
): {
  readonly parameters: Tensor;
  readonly mean: Tensor;
  readonly server: Tensors;
  readonly vectors: Tensors;
} {
  const strategy = strategyOf(options);
  const once = (x: Tensor) => reshape(x, [...x.shape.slice(0, -1), 1, x.shape.at(-1)!]);
  const average = matmul(shares, local);
  const mean = (x: Tensor) => (x === local ? average : matmul(shares, x));
  let ofAll: Tensor | undefined;
  const sum = (x: Tensor) => {
    ofAll ??= program.input(INPUTS.allShares, shares.shape);
    return matmul(ofAll, x);
  };
  const from = once(start.parameters);
  const names = Object.keys(before);
  const { parameters: updated, server = {} } = strategy.aggregate({
    ...{ local, mean, sum, start: from, before },
    server: mapped(start.vectors, once),
    after: Object.fromEntries(names.map((name) => [name, vectors[name]])),
    coefficients: (strategy.coefficients?.(0) ?? []).map((_, i) =>
      program.input(INPUTS.serverCoefficient(i), []),
    ),
    clientCoefficients: ofClients.map((number) => reshape(number, [...number.shape, 1])),
  });
  const factor = options.serverSchedule === undefined ? undefined : program.input(INPUTS.serverRate, []);
  const parameters = factor ? add(from, multiply(subtract(updated, from), factor)) : updated;
  const averaged = averagedVectors(options).map((name) => [name, mean(vectors[name])]);
  return { parameters, mean: average, server, vectors: { ...vectors, ...Object.fromEntries(averaged) } };
}

function mapped(tensors: Tensors, change: (x: Tensor) => Tensor): Tensors {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, change(tensor)]));
}
