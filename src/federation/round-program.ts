import type { Backend } from "../engine/backend.js";
import { broadcast, matmul, multiply, reshape, slice, subtract, sum } from "../engine/operations.js";
import { awayFromZero, type OptimizerStep, STEPS_AWAY_FROM_ZERO } from "../engine/optimizers.js";
import { Program, type Tensor } from "../engine/program.js";
import type { Shape } from "../engine/shape.js";
import { parameterCount, type Weights } from "../models/parameter-layout.js";
import type { Training } from "../models/trainable-model.js";
import type { FederatedProblem } from "./federated-problem.js";
import { optimizerOf, type RunOptions } from "./run-options.js";
import { fromGroups, groupsOf, intoGroups, updateGroups, withoutGroups } from "./update-groups.js";

export type ProgramOptions = Pick<RunOptions, "localSteps" | "optimizer" | "clientState">;

/** Who takes the steps of a program: the shape of the axes over clients, of which the first may be over runs. */
export interface Participants {
  /** None for one client, [clients] for all of a run, [runs, clients] for all of several runs. */
  readonly clients: Shape;
  /** How many of these axes the server's parameters have too: 1 if there are several runs, else 0. */
  readonly ofServer: 0 | 1;
}

/**
 * Names of the inputs: those of the training data; the server's `parameters`; what the clients' optimisers remember,
 * `state 0`, ...; and for every step the `indices` of its batch, their `weights` and what the optimiser needs to know
 * of it, `coefficient 0`, ... .
 */
export const coefficientName = (index: number): string => `coefficient ${index}`;
export const stateName = (vector: number): string => `state ${vector}`;

/**
 * The local steps of one client, with matrices of two axes. Outputs `local`, the client's parameters, and its new
 * optimiser state `new state 0`, ... .
 */
export function clientProgram(problem: FederatedProblem, options: ProgramOptions, rows: number): Program {
  const program = new Program();
  const { parameters, state } = localSteps(program, problem, options, { clients: [], ofServer: 0 }, rows);
  program.output("local", parameters);
  if (options.clientState !== "reset")
    state.forEach((vector, i) => {
      program.output(`new ${stateName(i)}`, vector);
    });
  return program;
}

/**
 * A whole round: the local steps of all clients, along a leading axis, and the average of their parameters weighted
 * by n_k / N (FedAvg, McMahan et al. 2017). Parameters and optimiser states are carried from round to round.
 * Output `dispersion` is D_loc, sum_k p_k ||theta_k - mean||^2.
 */
export function roundProgram(
  problem: Pick<FederatedProblem, "training" | "weights">,
  options: ProgramOptions,
  rows: number,
  backend: Pick<Backend, "wide"> = {},
): Program {
  const program = new Program();
  const clients = problem.weights.length;
  const who = { clients: [clients], ofServer: 0 } as const;
  const local = localSteps(program, problem, options, who, rows, backend);
  const shares = program.constant(problem.weights, [1, clients]);
  averaged(program, local, shares, options);
  return program;
}

/**
 * Averages the clients, which lie along the last axis but one, by shares [..., 1, clients], and carries what the next
 * round starts from. Output `dispersion` is D_loc.
 */
export function averaged(
  program: Program,
  { parameters: local, state }: OptimizerStep,
  shares: Tensor,
  { clientState }: Pick<ProgramOptions, "clientState">,
): void {
  const axis = local.shape.length - 2;
  const average = matmul(shares, local);
  const deviation = subtract(local, average);
  program.output("dispersion", sum(matmul(shares, multiply(deviation, deviation)), [axis, axis + 1]));
  program.output("average", reshape(average, [...local.shape.slice(0, axis), local.shape[axis + 1]]));
  program.carry("average", "parameters");
  if (clientState === "reset") return;
  state.forEach((vector, i) => {
    const kept = clientState === "average" ? broadcast(matmul(shares, vector), vector.shape) : vector;
    program.output(`new ${stateName(i)}`, kept);
    program.carry(`new ${stateName(i)}`, stateName(i));
  });
}

/** E optimiser steps from the server's parameters. */
export function localSteps(
  program: Program,
  { training }: Pick<FederatedProblem, "training">,
  { localSteps: steps, clientState, optimizer: optimizerOptions }: ProgramOptions,
  { clients, ofServer }: Participants,
  rows: number,
  { wide = false }: Pick<Backend, "wide"> = {},
): OptimizerStep {
  const { blocks } = training;
  const runs = clients.slice(0, ofServer);
  const optimizer = optimizerOf(optimizerOptions);
  const count = parameterCount(blocks);
  const shape = [...clients, count];
  const data = heldInputs(program, training);
  const indices = program.input("indices", [steps, ...clients, rows], "int");
  const weights = program.input("weights", [steps, ...clients, rows]);
  const coefficients = optimizer.coefficients(1).map((_, i) => program.input(coefficientName(i), [steps]));
  const parameters = program.input("parameters", [...runs, count]);
  const state = Array.from({ length: optimizer.stateVectors }, (_, vector) =>
    clientState === "reset" ? program.constant(0, shape) : program.input(stateName(vector), shape),
  );

  const groups = updateGroups(blocks, { wide });
  const repeated = (x: Tensor) => forClients(x, runs, clients);
  const shared = groupsOf(parameters, blocks, groups, runs);
  let model = shared.map(repeated);
  let states = state.map((vector) => groupsOf(vector, blocks, groups, clients));
  for (let step = 0; step < steps; step++) {
    if (step % STEPS_AWAY_FROM_ZERO === 0) states = states.map((vectors) => vectors.map(awayFromZero));
    // As long as all clients have the server's weights, one product serves them all.
    const present = step === 0 && wide ? shared : model;
    const byName = fromGroups(present, groups, present === shared ? runs : clients);
    const gradientsByName = training.gradients(
      present === shared ? mapped(byName, repeated) : byName,
      data,
      row(indices, step),
      row(weights, step),
    );
    const gradients = intoGroups(gradientsByName, groups, clients);
    const numbers = coefficients.map((all) => row(all, step));
    const after = model.map((tensor, group) => {
      const own = states.map((vector) => vector[group]);
      return optimizer.update(tensor, gradients[group], own, numbers);
    });
    model = after.map(({ parameters: updated }) => updated);
    states = states.map((_, vector) => after.map(({ state: updated }) => updated[vector]));
  }
  const flat = (tensors: readonly Tensor[]) => withoutGroups(tensors, blocks, groups, clients);
  return { parameters: flat(model), state: states.map(flat) };
}

/** What the server has, of each run if there are several, for every client. */
function forClients(x: Tensor, runs: Shape, clients: Shape): Tensor {
  const own = x.shape.slice(runs.length);
  const once = runs.length === 0 ? x : reshape(x, [...runs, 1, ...own]);
  return broadcast(once, [...clients, ...own]);
}

function mapped(weights: Weights, change: (x: Tensor) => Tensor): Weights {
  return Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, change(weight)]));
}

/** The held arrays as inputs of a program. */
export function heldInputs(program: Program, { data }: Training): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(data).map(([name, { shape }]) => [name, program.input(name, shape)]),
  );
}

/** Entry `index` of the first axis. */
function row(x: Tensor, index: number): Tensor {
  return reshape(slice(x, 0, index, index + 1), x.shape.slice(1));
}
