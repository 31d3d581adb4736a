import type { Backend, Executable } from "../engine/backend.js";
import { gather, multiply, subtract, sum } from "../engine/operations.js";
import { Program, type Tensor } from "../engine/program.js";
import { deepOnet, deepOnetLayout } from "../models/deeponet.js";
import { parameterCount, parametersOf, weightsOf } from "../models/parameter-layout.js";
import type { FederatedProblem, TrainingSamples } from "./federated-problem.js";
import { lossGradients } from "./loss.js";

/** Samples that are evaluated at once: enough to make the trunk's share of the work small. */
const ROWS = 256;
/** The epsilon of eq:gradient-metric. */
const EPSILON = 1e-12;

/** What is measured of a model. */
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
  const { train, test } = problem;
  const open = async (samples: TrainingSamples, write: typeof writeErrors) => {
    const executable = await backend.compile(samplesProgram(problem, samples, write), options);
    executable.write("inputs", samples.inputs);
    executable.write("responses", samples.responses);
    return executable;
  };
  const onTrain = await open(train, writeErrors);
  const onTest = await open(test, writeErrors);
  const gradients = await open(train, writeGradient);
  const testNorm = Math.sqrt(test.responses.reduce((total, value) => total + value * value, 0));

  return {
    testError: async (parameters) =>
      Math.sqrt(await squaredError(onTest, parameters, test.samples)) / testNorm,
    trainLoss: async (parameters) =>
      (await squaredError(onTrain, parameters, train.samples)) / train.responses.length,
    async gradientDissimilarity(parameters) {
      const found: Float64Array[] = [];
      for (const samples of problem.clientIndices)
        found.push(await meanGradient(gradients, parameters, samples));
      return dissimilarity(found, problem.weights);
    },
    async close() {
      for (const executable of [onTrain, onTest, gradients]) await executable.close();
    },
  };
}

/** eq:gradient-metric: the weighted spread of gradients about their mean, over their weighted square. */
export function dissimilarity(gradients: readonly Float64Array[], shares: Float64Array): number {
  const mean = new Float64Array(gradients[0].length);
  gradients.forEach((gradient, client) => {
    for (let i = 0; i < mean.length; i++) mean[i] += shares[client] * gradient[i];
  });
  let spread = 0;
  let size = 0;
  gradients.forEach((gradient, client) => {
    for (let i = 0; i < mean.length; i++) {
      spread += shares[client] * (gradient[i] - mean[i]) ** 2;
      size += shares[client] * gradient[i] ** 2;
    }
  });
  return spread / (size + EPSILON);
}

/** A program on `ROWS` samples chosen by `indices`. */
function samplesProgram(
  { sizes, layout, points: coordinates }: FederatedProblem,
  { samples, responses }: TrainingSamples,
  write: typeof writeErrors,
): Program {
  const program = new Program();
  const outputs = responses.length / samples;
  const indices = program.input("indices", [ROWS], "int");
  const batch = {
    inputs: gather(program.input("inputs", [samples, sizes.sensors]), indices),
    responses: gather(program.input("responses", [samples, outputs]), indices),
  };
  const parameters = program.input("parameters", [parameterCount(layout)]);
  write(program, parameters, batch, program.constant(coordinates, [outputs, sizes.coordinates]), sizes);
  return program;
}

type Written = { readonly inputs: Tensor; readonly responses: Tensor };

/** Output `errors`: every sample's squared distance from the truth. */
function writeErrors(
  program: Program,
  parameters: Tensor,
  { inputs, responses }: Written,
  points: Tensor,
  sizes: FederatedProblem["sizes"],
): void {
  const residuals = subtract(deepOnet(parameters, inputs, points, sizes), responses);
  program.output("errors", sum(multiply(residuals, residuals), [1]));
}

/** Output `gradient`: of the mean squared error under `weights`. */
function writeGradient(
  program: Program,
  parameters: Tensor,
  { inputs, responses }: Written,
  points: Tensor,
  sizes: FederatedProblem["sizes"],
): void {
  const weights = program.input("weights", [ROWS]);
  const batch = { inputs, tiles: [{ points, responses }], weights };
  const gradients = lossGradients(weightsOf(parameters, deepOnetLayout(sizes)), batch, sizes);
  program.output("gradient", parametersOf(gradients));
}

async function squaredError(
  executable: Executable,
  parameters: Float32Array,
  samples: number,
): Promise<number> {
  let total = 0;
  for (let start = 0; start < samples; start += ROWS) {
    const indices = Int32Array.from({ length: ROWS }, (_, i) => Math.min(start + i, samples - 1));
    const { errors } = await executable.run({ parameters, indices });
    for (let i = 0; i < Math.min(ROWS, samples - start); i++) total += errors[i];
  }
  return total;
}

async function meanGradient(
  executable: Executable,
  parameters: Float32Array,
  samples: Int32Array,
): Promise<Float64Array> {
  const mean = new Float64Array(parameters.length);
  for (let start = 0; start < samples.length; start += ROWS) {
    const indices = new Int32Array(ROWS).fill(samples[0]);
    const chosen = samples.subarray(start, start + ROWS);
    indices.set(chosen);
    const weights = new Float32Array(ROWS).fill(1 / samples.length, 0, chosen.length);
    const { gradient } = await executable.run({ parameters, indices, weights });
    for (let i = 0; i < mean.length; i++) mean[i] += gradient[i];
  }
  return mean;
}
