import { broadcast, matmul, multiply, reshape, slice, subtract, sum } from "../engine/operations.js";
import { awayFromZero, type OptimizerStep, STEPS_AWAY_FROM_ZERO } from "../engine/optimizers.js";
import { Program, type Tensor } from "../engine/program.js";
import type { Shape } from "../engine/shape.js";
import { joined, parameterCount, weightsOf } from "../models/parameter-layout.js";
import type { FederatedProblem } from "./federated-problem.js";
import type { Training } from "./operator.js";
import { optimizerOf, type RunOptions } from "./run-options.js";
import { fromGroups, intoGroups, updateGroups } from "./update-groups.js";

type ProgramOptions = Pick<RunOptions, "localSteps" | "optimizer" | "clientState">;

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
  const { parameters, state } = localSteps(program, problem, options, [], rows);
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
export function roundProgram(problem: FederatedProblem, options: ProgramOptions, rows: number): Program {
  const program = new Program();
  const clients = problem.weights.length;
  const { parameters: local, state } = localSteps(program, problem, options, [clients], rows);
  const shares = program.constant(problem.weights, [1, clients]);
  const average = matmul(shares, local);
  const deviation = subtract(local, average);
  program.output("dispersion", sum(matmul(shares, multiply(deviation, deviation))));
  program.output("average", reshape(average, [local.shape[1]]));
  program.carry("average", "parameters");
  if (options.clientState === "reset") return program;
  state.forEach((vector, i) => {
    const kept = options.clientState === "average" ? broadcast(matmul(shares, vector), vector.shape) : vector;
    program.output(`new ${stateName(i)}`, kept);
    program.carry(`new ${stateName(i)}`, stateName(i));
  });
  return program;
}

/** E optimiser steps from the server's parameters; `clients` is the shape of the axes over clients. */
function localSteps(
  program: Program,
  { operator: { layout }, training }: FederatedProblem,
  { localSteps: steps, optimizer: optimizerOptions, clientState }: ProgramOptions,
  clients: Shape,
  rows: number,
): OptimizerStep {
  const optimizer = optimizerOf(optimizerOptions);
  const count = parameterCount(layout);
  const data = heldInputs(program, training);
  const indices = program.input("indices", [steps, ...clients, rows], "int");
  const weights = program.input("weights", [steps, ...clients, rows]);
  const coefficients = optimizer.coefficients(1).map((_, i) => program.input(coefficientName(i), [steps]));

  const { blocks } = training;
  const groups = updateGroups(blocks);
  const start = weightsOf(program.input("parameters", [count]), blocks);
  const shared = intoGroups(start, groups, []);
  let model = shared.map((weights) => broadcast(weights, [...clients, ...weights.shape]));
  let states: readonly (readonly Tensor[])[] = Array.from({ length: optimizer.stateVectors }, (_, vector) => {
    const shape = [...clients, count];
    const flat =
      clientState === "reset" ? program.constant(0, shape) : program.input(stateName(vector), shape);
    return intoGroups(weightsOf(flat, blocks), groups, clients);
  });
  for (let step = 0; step < steps; step++) {
    if (step % STEPS_AWAY_FROM_ZERO === 0) states = states.map((state) => state.map(awayFromZero));
    const byName = training.gradients(
      fromGroups(model, groups, clients),
      data,
      row(indices, step),
      row(weights, step),
    );
    const gradients = intoGroups(byName, groups, clients);
    const numbers = coefficients.map((all) => row(all, step));
    const after = model.map((parameters, group) => {
      const state = states.map((vector) => vector[group]);
      return optimizer.update(parameters, gradients[group], state, numbers);
    });
    model = after.map(({ parameters }) => parameters);
    states = states.map((_, vector) => after.map(({ state }) => state[vector]));
  }
  const flat = (tensors: readonly Tensor[]) => {
    const weights = fromGroups(tensors, groups, clients);
    return joined(
      blocks.map(({ name }) => weights[name]),
      clients,
    );
  };
  return { parameters: flat(model), state: states.map(flat) };
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
