import { broadcast, gather, matmul, multiply, reshape, slice, subtract, sum } from "../engine/operations.js";
import type { OptimizerStep } from "../engine/optimizers.js";
import { Program, type Tensor } from "../engine/program.js";
import type { Shape } from "../engine/shape.js";
import { parameterCount } from "../models/parameter-layout.js";
import type { FederatedProblem } from "./federated-problem.js";
import { lossGradient } from "./loss.js";
import { optimizerOf, type RunOptions } from "./run-options.js";
import { tilesOf } from "./tiles.js";

type ProgramOptions = Pick<RunOptions, "localSteps" | "optimizer" | "clientState">;

/**
 * Names of the inputs: `inputs` of all training samples and their responses, tile by tile, `responses 0`, ...; the server's `parameters`; what the clients'
 * optimisers remember, `state 0`, ...; and for every step the `indices` of its batch, their `weights` and the number
 * of the step, `steps`.
 */
export const responsesName = (tile: number): string => `responses ${tile}`;
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
  { train, sizes, layout, points: coordinates }: FederatedProblem,
  { localSteps: steps, optimizer: optimizerOptions, clientState }: ProgramOptions,
  clients: Shape,
  rows: number,
): OptimizerStep {
  const optimizer = optimizerOf(optimizerOptions);
  const count = parameterCount(layout);
  const outputs = train.responses.length / train.samples;
  const inputs = program.input("inputs", [train.samples, sizes.sensors]);
  const tiles = tilesOf(outputs, sizes.width).map(({ start, end }, tile) => ({
    points: program.constant(coordinates.subarray(start * sizes.coordinates, end * sizes.coordinates), [
      end - start,
      sizes.coordinates,
    ]),
    responses: program.input(responsesName(tile), [train.samples, end - start]),
  }));
  const parameters = program.input("parameters", [count]);
  const indices = program.input("indices", [steps, ...clients, rows], "int");
  const weights = program.input("weights", [steps, ...clients, rows]);
  const numbers = program.input("steps", [steps]);
  let now: OptimizerStep = {
    parameters: broadcast(parameters, [...clients, count]),
    state: Array.from({ length: optimizer.stateVectors }, (_, vector) =>
      clientState === "reset"
        ? program.constant(0, [...clients, count])
        : program.input(stateName(vector), [...clients, count]),
    ),
  };
  for (let step = 0; step < steps; step++) {
    const chosen = row(indices, step);
    const batch = {
      inputs: gather(inputs, chosen),
      tiles: tiles.map(({ points, responses }) => ({ points, responses: gather(responses, chosen) })),
      weights: row(weights, step),
    };
    const gradient = lossGradient(now.parameters, batch, sizes);
    now = optimizer.update(now.parameters, gradient, now.state, row(numbers, step));
  }
  return now;
}

/** Entry `index` of the first axis. */
function row(x: Tensor, index: number): Tensor {
  return reshape(slice(x, 0, index, index + 1), x.shape.slice(1));
}
