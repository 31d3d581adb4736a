import type { Backend } from "../engine/backend.js";
import { broadcast, matmul, multiply, reshape, slice, subtract, sum } from "../engine/operations.js";
import { awayFromZero, STEPS_AWAY_FROM_ZERO } from "../engine/optimizers.js";
import { Program, type Tensor } from "../engine/program.js";
import type { Shape } from "../engine/shape.js";
import { parameterCount, type Weights } from "../models/parameter-layout.js";
import type { Training } from "../models/trainable-model.js";
import { heldInputs } from "./held-inputs.js";
import { replicaAxes } from "./replicas.js";
import { optimizerOf, type RunOptions } from "./run-options.js";
import { strategyOf } from "./strategies/strategies.js";
import type { Strategy, Tensors } from "./strategies/strategy.js";
import { clientVectors, serverVectors, stepsTaken } from "./trainer-state.js";
import { fromGroups, groupsOf, intoGroups, updateGroups, withoutGroups } from "./update-groups.js";

export type ProgramOptions = Pick<RunOptions, "localSteps" | "optimizer" | "clientState" | "strategy">;

/** How large the program of a round is. */
export interface RoundSizes {
  readonly replicas: number;
  /** Clients of each replica that take part. */
  readonly clients: number;
  /** Whether others take turns with them: vectors are then given and returned in every round, not carried. */
  readonly isPartial?: boolean;
  /** Samples of a batch; smaller batches are filled up. */
  readonly rows: number;
}

/** Who takes the steps of a program, as the axes of tensors over replicas and over clients; none for one of them. */
interface Participants {
  readonly replicas: Shape;
  readonly clients: Shape;
  /** Whether clients have taken different numbers of steps. */
  readonly isPartial?: boolean;
}

/** What clients have after a round, [..., clients, parameters]: their parameters, and their vectors by name. */
export interface ClientTensors {
  readonly parameters: Tensor;
  readonly vectors: Readonly<Record<string, Tensor>>;
}

/** Names of inputs that hold a run's state. The output that becomes such an input in the next round is `new ...`. */
export const PARAMETERS = "server.parameters";
export const serverInput = (vector: string): string => `server.${vector}`;
export const clientInput = (vector: string): string => `clients.${vector}`;
export const newValue = (input: string): string => `new ${input}`;
const coefficientName = (index: number): string => `coefficient ${index}`;
const serverCoefficientName = (index: number): string => `server coefficient ${index}`;

/**
 * A whole round: the local steps of all clients of all replicas, and their aggregation. The state is carried from round
 * to round. Output `dispersion` [replicas] is D_loc.
 *
 * Inputs are the arrays of the training data; `server.parameters` and the strategy's `server.<vector>` [replicas, P], and
 * `clients.<vector>` [replicas, clients, P]; the strategy's `server coefficient <i>`, []; `shares` [replicas, 1, clients], each client's weight in the average; and for every step the
 * `indices` of its batch and their `weights`, [steps, replicas, clients, rows], and the optimiser's `coefficient <i>`,
 * [steps]. The axis over replicas is left out for one (`replicaAxes`).
 */
export function roundProgram(
  training: Training,
  options: ProgramOptions,
  { replicas, clients, rows, isPartial = false }: RoundSizes,
  backend: Pick<Backend, "prefersLargeKernels"> = {},
): Program {
  const program = new Program();
  const axes = replicaAxes(replicas);
  const { start, ...local } = localSteps(
    ...([
      program,
      training,
      options,
      { replicas: axes, clients: [clients], isPartial },
      rows,
      backend,
    ] as const),
  );
  const shares = program.input("shares", [...axes, 1, clients]);
  const { parameters, mean, server, vectors } = aggregate(program, start, local, shares, options);
  program.output("dispersion", weightedDispersion(local.parameters, mean, shares));
  const carry = (input: string, value: Tensor) => {
    program.output(newValue(input), value);
    program.carry(newValue(input), input);
  };
  const flat = (x: Tensor) => reshape(x, [...axes, x.shape.at(-1)!]);
  carry(PARAMETERS, flat(parameters));
  for (const name of serverVectors(options)) carry(serverInput(name), flat(server[name]));
  for (const name of clientVectors(options)) {
    const value = broadcast(vectors[name], local.vectors[name].shape);
    if (isPartial) program.output(newValue(clientInput(name)), value);
    else carry(clientInput(name), value);
  }
  return program;
}

/**
 * The local steps of one client, with matrices of two axes. Outputs `local`, the client's parameters, and its new
 * vectors.
 */
export function clientProgram(training: Training, options: ProgramOptions, rows: number): Program {
  const program = new Program();
  const one = { replicas: [], clients: [] };
  const { parameters, vectors } = localSteps(program, training, options, one, rows);
  program.output("local", parameters);
  for (const name of clientVectors(options)) program.output(newValue(clientInput(name)), vectors[name]);
  return program;
}

/**
 * The aggregation alone, of clients whose parameters are the input `local` [clients, P]. Outputs are the new
 * `server.parameters` and `server.<vector>`, the `mean` of the clients' parameters and, if the clients' vectors are
 * averaged, the new ones of all clients.
 */
export function aggregateProgram(clients: number, parameters: number, options: ProgramOptions): Program {
  const program = new Program();
  const names = options.clientState === "average" ? clientVectors(options) : [];
  const shape = [clients, parameters];
  const given = names.map((name) => [name, program.input(clientInput(name), shape)]);
  const local = { parameters: program.input("local", shape), vectors: Object.fromEntries(given) };
  const shares = program.input("shares", [1, clients]);
  const start = program.input(PARAMETERS, [parameters]);
  const found = aggregate(program, start, local, shares, options);
  program.output("mean", found.mean);
  program.output(newValue(PARAMETERS), found.parameters);
  for (const name of serverVectors(options)) program.output(newValue(serverInput(name)), found.server[name]);
  for (const name of names) program.output(newValue(clientInput(name)), found.vectors[name]);
  return program;
}

/** Output `square`: ||theta_k - mean||^2 of one client's parameters `local` and the `average`. */
export function distanceProgram(parameters: number): Program {
  const program = new Program();
  const [local, average] = ["local", "average"].map((name) => program.input(name, [parameters]));
  program.output("square", sum(squaredDeviations(local, average)));
  return program;
}

/**
 * The server's update by the strategy, from the clients' parameters and their shares [..., 1, clients], and the mean of the
 * optimisers' vectors if these are averaged. Results have one entry along the axis over clients.
 */
function aggregate(
  program: Program,
  start: Tensor,
  { parameters: local, vectors }: ClientTensors,
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
  const given = serverVectors(options).map((name) => [
    name,
    once(program.input(serverInput(name), start.shape)),
  ]);
  const { parameters, server = {} } = strategy.aggregate({
    ...{ local, mean, start: once(start), server: Object.fromEntries(given) },
    coefficients: numbersOf(strategy, 0).map((_, i) => program.input(serverCoefficientName(i), [])),
  });
  return {
    ...{ parameters, mean: average, server },
    vectors: options.clientState === "average" ? mapped(vectors, mean) : vectors,
  };
}

const numbersOf = (strategy: Strategy, round: number): readonly number[] =>
  strategy.coefficients?.(round) ?? [];

/** What the server needs to know of a round. */
export function serverCoefficients(round: number, options: ProgramOptions): Record<string, Float64Array> {
  return Object.fromEntries(
    numbersOf(strategyOf(options), round).map((value, i) => [
      serverCoefficientName(i),
      Float64Array.of(value),
    ]),
  );
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

/** E optimiser steps from the server's parameters. */
function localSteps(
  program: Program,
  training: Training,
  options: ProgramOptions,
  { replicas, clients: own, isPartial = false }: Participants,
  rows: number,
  { prefersLargeKernels = false }: Pick<Backend, "prefersLargeKernels"> = {},
): ClientTensors & { readonly start: Tensor } {
  const { localSteps: steps, clientState } = options;
  const { blocks } = training;
  const clients = [...replicas, ...own];
  const optimizer = optimizerOf(options.optimizer);
  const strategy = strategyOf(options);
  const { gradient: corrected = same, settle = same } = strategy;
  const count = parameterCount(blocks);
  const shape = [...clients, count];
  const data = heldInputs(program, training);
  const indices = program.input("indices", [steps, ...clients, rows], "int");
  const weights = program.input("weights", [steps, ...clients, rows]);
  const ofSteps = isPartial ? [steps, ...clients] : [steps];
  const coefficients = optimizer.coefficients(1).map((_, i) => program.input(coefficientName(i), ofSteps));
  const parameters = program.input(PARAMETERS, [...replicas, count]);
  const state = optimizer.stateVectors.map((name) =>
    clientState === "reset" ? program.constant(0, shape) : program.input(clientInput(name), shape),
  );

  // Where a correction depends on the weights, Adam would blow a tiny shift of them up to whole steps.
  const isShifted = (vector: number) =>
    !strategy.gradient || optimizer.scales.includes(optimizer.stateVectors[vector]);
  const groups = updateGroups(blocks, { prefersLargeKernels });
  const repeated = (x: Tensor) => forClients(x, replicas, clients);
  const shared = groupsOf(parameters, blocks, groups, replicas);
  const starts = shared.map(repeated);
  let model = starts;
  let states = state.map((vector) => groupsOf(vector, blocks, groups, clients));
  for (let step = 0; step < steps; step++) {
    if (step % STEPS_AWAY_FROM_ZERO === 0)
      states = states.map((vectors, i) => (isShifted(i) ? vectors.map(awayFromZero) : vectors));
    // As long as all clients have the server's weights, one product serves them all.
    const present = step === 0 && prefersLargeKernels ? shared : model;
    const byName = fromGroups(present, groups, present === shared ? replicas : clients);
    const gradientsByName = training.gradients(
      present === shared ? mapped(byName, repeated) : byName,
      data,
      row(indices, step),
      row(weights, step),
    );
    const gradients = intoGroups(gradientsByName, groups, clients);
    const numbers = coefficients.map((all) => row(all, step));
    const steps = model.map((tensor, group) => ({ parameters: tensor, start: starts[group] }));
    const after = model.map((tensor, group) => {
      const ofGroup = states.map((vector) => vector[group]);
      const own = isPartial ? numbers.map((number) => alongClients(number, tensor)) : numbers;
      return optimizer.update(tensor, corrected(gradients[group], steps[group]), ofGroup, own);
    });
    model = after.map(({ parameters: updated }, group) => settle(updated, steps[group]));
    states = states.map((_, vector) => after.map(({ state: updated }) => updated[vector]));
  }
  const flat = (tensors: readonly Tensor[]) => withoutGroups(tensors, blocks, groups, clients);
  const vectors = optimizer.stateVectors.map((name, i) => [name, flat(states[i])]);
  return { start: parameters, parameters: flat(model), vectors: Object.fromEntries(vectors) };
}

/** A step without a correction. */
const same = (x: Tensor): Tensor => x;

/**
 * What the optimiser needs to know of every step of a round, [steps, clients]. A state that is reset counts steps anew.
 *
 * @param before rounds that each client took part in before; one number where all have the same
 */
export function coefficients(
  before: readonly number[],
  options: ProgramOptions,
): Record<string, Float64Array> {
  const { coefficients: numbersAt } = optimizerOf(options.optimizer);
  const ofSteps = Array.from({ length: options.localSteps }, (_, step) =>
    before.map((rounds) => {
      const taken = options.clientState === "reset" ? 0 : stepsTaken(rounds, options);
      return numbersAt(taken + step + 1);
    }),
  ).flat();
  return Object.fromEntries(
    ofSteps[0].map((_, i) => [coefficientName(i), Float64Array.from(ofSteps, (numbers) => numbers[i])]),
  );
}

/** A number of each client, [...clients], for every number of a tensor that begins with these axes. */
function alongClients(number: Tensor, tensor: Tensor): Tensor {
  const rest = tensor.shape.slice(number.shape.length).map(() => 1);
  return reshape(number, [...number.shape, ...rest]);
}

/** What the server of each replica has, for every client. */
function forClients(x: Tensor, replicas: Shape, clients: Shape): Tensor {
  const own = x.shape.slice(replicas.length);
  const once = replicas.length === 0 ? x : reshape(x, [...replicas, 1, ...own]);
  return broadcast(once, [...clients, ...own]);
}

function mapped(weights: Weights, change: (x: Tensor) => Tensor): Weights {
  return Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, change(weight)]));
}

/** Entry `index` of the first axis. */
function row(x: Tensor, index: number): Tensor {
  return reshape(slice(x, 0, index, index + 1), x.shape.slice(1));
}
