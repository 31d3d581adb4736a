import type { Backend } from "../../engine/backend.js";
import { broadcast, matmul, multiply, reshape, subtract, sum } from "../../engine/operations.js";
import { Program, type Tensor } from "../../engine/program.js";
import type { Training } from "../../models/trainable-model.js";
import { replicaAxes } from "../replicas/replicas.js";
import { strategyOf } from "../strategies/strategies.js";
import { aggregate, averagedVectors } from "./aggregation.js";
import { clientVectors, serverVectors } from "./client-vectors.js";
import { localSteps, type Steppers } from "./local-steps.js";
import {
  clientInput,
  INPUTS,
  newValue,
  PARAMETERS,
  type ProgramOptions,
  serverInput,
} from "./program-inputs.js";

export {
  clientInput,
  INPUTS,
  newValue,
  PARAMETERS,
  type ProgramOptions,
  serverInput,
} from "./program-inputs.js";
export { clientCoefficients, coefficients, serverCoefficients } from "./round-values.js";

/** How large the program of a round is; what `Steppers` has of clients and steps. */
export interface RoundSizes extends Omit<Steppers, "replicas" | "clients"> {
  readonly replicas: number;
  /** Clients of each replica that take part. */
  readonly clients: number;
  /** Whether the program measures the clients' updates, in outputs of `UPDATES`; `pairs` for the products of every two as well. */
  readonly measuresUpdates?: boolean | "pairs";
}

/**
 * Outputs that tell how far clients moved in a round: of each client the square of its update u_k and its product with
 * their mean, [replicas, clients], and the square of the mean, [replicas].
 */
export const UPDATES = {
  squares: "update squares",
  products: "update products",
  mean: "mean update",
} as const;

/** The output with the products of every two clients' updates, [replicas, clients, clients]. */
export const UPDATE_PAIRS = "update pairs";

/**
 * A whole round: the local steps of all participants of all replicas, and their aggregation. The state is carried from
 * round to round, but that of clients who take turns. Output `dispersion` [replicas] is D_loc.
 *
 * Inputs are the arrays of the training data; `server.parameters` and the strategy's `server.<vector>` [replicas, P],
 * `clients.<vector>` [replicas, clients, P], and those that `INPUTS` names. The axis over replicas is left out for one
 * (`replicaAxes`).
 */
export function roundProgram(
  training: Training,
  options: ProgramOptions,
  { replicas, clients, measuresUpdates = false, ...sizes }: RoundSizes,
  backend: Pick<Backend, "prefersLargeKernels"> = {},
): Program {
  const program = new Program();
  const axes = replicaAxes(replicas);
  const local = localSteps(
    ...([program, training, options, { replicas: axes, clients: [clients], ...sizes }, backend] as const),
  );
  const shares = program.input(INPUTS.shares, [...axes, 1, clients]);
  const before = { parameters: local.server, vectors: local.serverVectors };
  const { parameters, mean, server, vectors } = aggregate(program, before, local, shares, options);
  program.output("dispersion", weightedDispersion(local.parameters, mean, shares));
  if (measuresUpdates)
    measureUpdates(program, { local: local.parameters, starts: local.starts(), shares }, measuresUpdates);
  const carry = (input: string, value: Tensor) => {
    program.output(newValue(input), value);
    program.carry(newValue(input), input);
  };
  const flat = (x: Tensor) => reshape(x, [...axes, x.shape.at(-1)!]);
  carry(PARAMETERS, flat(parameters));
  for (const name of serverVectors(options)) carry(serverInput(name), flat(server[name]));
  for (const name of clientVectors(options)) {
    const value = broadcast(vectors[name], local.vectors[name].shape);
    if (sizes.isPartial) program.output(newValue(clientInput(name)), value);
    else carry(clientInput(name), value);
  }
  return program;
}

/**
 * The local steps of one client, with matrices of two axes. Outputs `local`, the client's parameters, and its new
 * vectors.
 */
export function clientProgram(
  training: Training,
  options: ProgramOptions,
  sizes: Pick<Steppers, "steps" | "rows" | "remaining">,
): Program {
  const program = new Program();
  const { parameters, vectors } = localSteps(program, training, options, {
    ...{ replicas: [], clients: [], ...sizes },
  });
  program.output("local", parameters);
  for (const name of clientVectors(options)) program.output(newValue(clientInput(name)), vectors[name]);
  return program;
}

/** The input of `aggregateProgram` that has a vector of clients after their local steps. */
export const stepped = (vector: string): string => `stepped.${vector}`;

/**
 * The aggregation alone, of clients whose parameters are the input `local` [clients, P]. Outputs are the new
 * `server.parameters` and `server.<vector>`, the `mean` of the clients' parameters and, if the clients' vectors are
 * averaged, the new ones of all clients.
 */
export function aggregateProgram(clients: number, parameters: number, options: ProgramOptions): Program {
  const program = new Program();
  const { clientVectors: ofStrategy = [], clientCoefficients } = strategyOf(options);
  const averaged = averagedVectors(options);
  const inputs = (names: readonly string[], input: (name: string) => string, shape: readonly number[]) =>
    Object.fromEntries(names.map((name) => [name, program.input(input(name), shape)]));
  const shape = [clients, parameters];
  const local = {
    parameters: program.input("local", shape),
    vectors: inputs([...averaged, ...ofStrategy], stepped, shape),
    before: inputs(ofStrategy, clientInput, shape),
    coefficients: (clientCoefficients?.({ steps: 1, before: 0 }, 1) ?? []).map((_, i) =>
      program.input(INPUTS.clientCoefficient(i), [clients]),
    ),
  };
  const shares = program.input(INPUTS.shares, [1, clients]);
  const start = {
    parameters: program.input(PARAMETERS, [parameters]),
    vectors: inputs(serverVectors(options), serverInput, [parameters]),
  };
  const found = aggregate(program, start, local, shares, options);
  program.output("mean", found.mean);
  program.output(newValue(PARAMETERS), found.parameters);
  for (const name of serverVectors(options)) program.output(newValue(serverInput(name)), found.server[name]);
  for (const name of averaged) program.output(newValue(clientInput(name)), found.vectors[name]);
  return program;
}

/** The outputs `UPDATES` of clients whose parameters are the input `local` [clients, P], from their `starts`. */
export function updatesProgram(
  clients: number,
  parameters: number,
  measured: NonNullable<RoundSizes["measuresUpdates"]> = true,
): Program {
  const program = new Program();
  const [local, starts] = ["local", "starts"].map((name) => program.input(name, [clients, parameters]));
  measureUpdates(program, { local, starts, shares: program.input(INPUTS.shares, [1, clients]) }, measured);
  return program;
}

function measureUpdates(
  program: Program,
  { local, starts, shares }: Readonly<Record<"local" | "starts" | "shares", Tensor>>,
  measured: RoundSizes["measuresUpdates"],
): void {
  const updates = subtract(local, starts);
  const mean = matmul(shares, updates);
  const axis = local.shape.length - 1;
  program.output(UPDATES.squares, sum(multiply(updates, updates), [axis]));
  program.output(UPDATES.products, sum(multiply(updates, mean), [axis]));
  program.output(UPDATES.mean, sum(multiply(mean, mean), [axis - 1, axis]));
  if (measured === "pairs") program.output(UPDATE_PAIRS, matmul(updates, updates, { transposeB: true }));
}

/** Output `square`: ||theta_k - mean||^2 of one client's parameters `local` and the `average`. */
export function distanceProgram(parameters: number): Program {
  const program = new Program();
  const [local, average] = ["local", "average"].map((name) => program.input(name, [parameters]));
  program.output("square", sum(squaredDeviations(local, average)));
  return program;
}

/** D_loc, sum_k p_k ||theta_k - mean||^2, of clients along the last axis but one. */
function weightedDispersion(local: Tensor, average: Tensor, shares: Tensor): Tensor {
  const axis = local.shape.length - 2;
  return sum(matmul(shares, squaredDeviations(local, average)), [axis, axis + 1]);
}

function squaredDeviations(local: Tensor, average: Tensor): Tensor {
  const deviation = subtract(local, average);
  return multiply(deviation, deviation);
}
