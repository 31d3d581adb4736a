import type { Backend, Executable } from "../engine/backend.js";
import { gather, multiply, subtract, sum } from "../engine/operations.js";
import { Program, type Tensor } from "../engine/program.js";
import { joined, parameterCount, weightsOf } from "../models/parameter-layout.js";
import type { TrainableModel as Operator, TrainingSamples } from "../models/trainable-model.js";
import type { FederatedProblem } from "./federated-problem.js";
import { heldInputs } from "./round-program.js";
import { hold } from "./rounds.js";
import { unscaledTensor } from "./scaled-tensors.js";
import { type FieldScale, physicalNorm } from "./scaling.js";

/** Samples that are evaluated at once, at most: enough to make a DeepONet's trunk a small share of the work. */
export const ROWS = 256;
/** Numbers in an activation of all of them, at most. */
export const ACTIVATION = 2 ** 23;
/** The epsilon of eq:gradient-metric. */
export const EPSILON = 1e-12;

/** What is measured of a model, errors in the units of the data. */
export interface Observables {
  /** Relative L2 error over the whole test set, ||G(A) - U|| / ||U||. */
  testError(parameters: Float32Array): Promise<number>;
  /** Mean squared error over all training samples, which is sum_k p_k F_k. */
  trainLoss(parameters: Float32Array): Promise<number>;
  /** H_g^norm of full-batch client gradients (eq:gradient-metric). */
  gradientDissimilarity(parameters: Float32Array): Promise<number>;
  close(): Promise<void>;
}

export async function openObservables(
  problem: FederatedProblem,
  backend: Backend,
  options: { readonly threads?: number } = {},
): Promise<Observables> {
  const { train, test, operator, training } = problem;
  const scales = problem.scaling.responses;
  const fitting = Math.max(1, Math.floor(ACTIVATION / operator.activation));
  const rows = Math.min(ROWS, fitting, Math.max(train.samples, test.samples));
  const open = async (samples: TrainingSamples) => {
    const executable = await backend.compile(errorProgram(operator, samples, rows, scales), options);
    executable.write("inputs", samples.inputs);
    executable.write("responses", samples.responses);
    return executable;
  };
  const onTrain = await open(train);
  const onTest = await open(test);
  const gradientRows = Math.min(rows, operator.gradientRows);
  const gradients = await backend.compile(gradientProgram(problem, gradientRows), options);
  hold(gradients, training);
  const unit = unitOf(scales);
  const testNorm = physicalNorm(test.responses, test.responses.length / test.samples, scales);

  return {
    testError: async (parameters) =>
      (unit * Math.sqrt(await squaredError(onTest, parameters, test.samples, rows))) / testNorm,
    trainLoss: async (parameters) =>
      (unit ** 2 * (await squaredError(onTrain, parameters, train.samples, rows))) / train.responses.length,
    async gradientDissimilarity(parameters) {
      const found: Float64Array[] = [];
      for (const samples of problem.clientIndices)
        found.push(await meanGradient(gradients, parameters, samples, gradientRows));
      return dissimilarity(found, problem.weights);
    },
    async close() {
      for (const executable of [onTrain, onTest, gradients]) await executable.close();
    },
  };
}

/** eq:gradient-metric: the weighted spread of gradients about their mean, over their weighted square. */
export function dissimilarity(
  gradients: readonly (Float64Array | Float32Array)[],
  shares: Float64Array,
): number {
  const mean = new Float64Array(gradients[0].length);
  for (const [client, gradient] of gradients.entries()) addTo(mean, gradient, shares[client]);
  let spread = 0;
  let size = 0;
  for (const [client, gradient] of gradients.entries()) {
    const share = shares[client];
    for (let i = 0; i < mean.length; i++) {
      const value = gradient[i];
      spread += share * (value - mean[i]) ** 2;
      size += share * value ** 2;
    }
  }
  return spread / (size + EPSILON);
}

function addTo(total: Float64Array, values: Float64Array | Float32Array, factor: number): void {
  for (let i = 0; i < total.length; i++) total[i] += factor * values[i];
}

/** What distances are multiples of where all channels have one scale; where each has its own they are in units of the data. */
export function unitOf(scales: FieldScale): number {
  return scales.length === 1 ? scales[0].scale : 1;
}

/** Output `errors`: the squared distance from the truth of samples that are chosen by `indices`. */
function errorProgram(
  operator: Operator,
  { samples, inputs, responses }: TrainingSamples,
  rows: number,
  scales: FieldScale,
): Program {
  const program = new Program();
  const indices = program.input("indices", [rows], "int");
  const given = (name: string, values: Float32Array) =>
    gather(program.input(name, [samples, values.length / samples]), indices);
  const parameters = program.input("parameters", [parameterCount(operator.layout)]);
  const prediction = operator.predict(weightsOf(parameters, operator.layout), given("inputs", inputs));
  const residuals = physical(subtract(prediction, given("responses", responses)), scales);
  program.output("errors", sum(multiply(residuals, residuals), [1]));
  return program;
}

/** Differences with the scales of their channels, if these differ. */
function physical(residuals: Tensor, scales: FieldScale): Tensor {
  const apart = scales.map(({ scale }) => ({ offset: 0, scale }));
  return scales.length === 1 ? residuals : unscaledTensor(residuals, apart);
}

/** Output `gradient`: of the mean squared error under `weights`, of samples that are chosen by `indices`. */
function gradientProgram({ operator, training }: FederatedProblem, rows: number): Program {
  const program = new Program();
  const parameters = program.input("parameters", [parameterCount(operator.layout)]);
  const gradients = training.gradients(
    weightsOf(parameters, training.blocks),
    heldInputs(program, training),
    program.input("indices", [rows], "int"),
    program.input("weights", [rows]),
  );
  program.output("gradient", joined(training.blocks.map(({ name }) => gradients[name])));
  return program;
}

async function squaredError(
  executable: Executable,
  parameters: Float32Array,
  samples: number,
  rows: number,
): Promise<number> {
  let total = 0;
  for (let start = 0; start < samples; start += rows) {
    const indices = Int32Array.from({ length: rows }, (_, i) => Math.min(start + i, samples - 1));
    const { errors } = await executable.run({ parameters, indices });
    for (let i = 0; i < Math.min(rows, samples - start); i++) total += errors[i];
  }
  return total;
}

async function meanGradient(
  executable: Executable,
  parameters: Float32Array,
  samples: Int32Array,
  rows: number,
): Promise<Float64Array> {
  const mean = new Float64Array(parameters.length);
  for (let start = 0; start < samples.length; start += rows) {
    const indices = new Int32Array(rows).fill(samples[0]);
    const chosen = samples.subarray(start, start + rows);
    indices.set(chosen);
    const weights = new Float32Array(rows).fill(1 / samples.length, 0, chosen.length);
    const { gradient } = await executable.run({ parameters, indices, weights });
    for (let i = 0; i < mean.length; i++) mean[i] += gradient[i];
  }
  return mean;
}
