import { type Backend, type Executable, filled } from "../engine/backend.js";
import { gather, multiply, subtract, sum } from "../engine/operations.js";
import { Program } from "../engine/program.js";
import { parameterCount, weightsOf } from "../models/parameter-layout.js";
import type { TrainableModel as Operator } from "../models/trainable-model.js";
import type { FederatedProblem } from "./federated-problem.js";
import { gradientDissimilarities, gradientProgram } from "./gradient-dissimilarity.js";
import { replicaAxes } from "./replicas.js";
import type { ReplicaData, SharedSamples } from "./replicas-data.js";
import { byChannels } from "./scaled-tensors.js";
import { type FieldScale, physicalNorm } from "./scaling.js";
import { joinedVectors } from "./trainer-state.js";

/** Samples that are evaluated at once, at most: enough to make a DeepONet's trunk a small share of the work. */
const ROWS = 256;
/** Numbers in an activation of all of them, at most, and those where a backend prefers large kernels. */
const ACTIVATION = 2 ** 23;
const LARGE_ACTIVATION = 2 ** 28;

/**
 * What is measured of replicas, errors in the units of their data: the parameters of each replica in, a number of each
 * out.
 */
export interface Observables {
  /** Relative L2 error over the whole test set, ||G(A) - U|| / ||U||. */
  testErrors(parameters: readonly Float32Array[]): Promise<readonly number[]>;
  /** Mean squared error over all training samples, which is sum_k p_k F_k. */
  trainLosses(parameters: readonly Float32Array[]): Promise<readonly number[]>;
  /** H_g^norm of full-batch client gradients (eq:gradient-metric). */
  gradientDissimilarities(parameters: readonly Float32Array[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Samples of each replica that are evaluated at once, and whose gradients are; there are `most` of them. */
export function evaluationRows(
  { activation, gradientRows }: Operator,
  replicas: number,
  most: number,
  { wide }: Pick<Backend, "wide">,
): { readonly errors: number; readonly gradients: number } {
  const fitting = Math.floor((wide ? LARGE_ACTIVATION : ACTIVATION) / (activation * replicas));
  const errors = Math.min(ROWS, Math.max(1, fitting), most);
  return { errors, gradients: Math.min(errors, gradientRows) };
}

/** Programs that observables are measured with, and how many samples of each replica go through them at once. */
export function observablePrograms(
  problems: readonly FederatedProblem[],
  data: ReplicaData,
  backend: Pick<Backend, "wide">,
) {
  const { operator, train, test } = data;
  const replicas = problems.length;
  const most = Math.max(...problems.flatMap((problem) => [problem.train.samples, problem.test.samples]));
  const rows = evaluationRows(operator, replicas, most, backend);
  const channels = problems[0].scaling.responses.length;
  const errors = (samples: SharedSamples) =>
    errorProgram(operator, samples, { replicas, rows: rows.errors, channels });
  return {
    rows,
    trainErrors: () => errors(train),
    testErrors: () => errors(test),
    gradients: () => gradientProgram(data, replicas, rows.gradients),
  };
}

export async function openObservables(
  problems: readonly FederatedProblem[],
  data: ReplicaData,
  backend: Backend,
  options: { readonly threads?: number } = {},
): Promise<Observables> {
  const { train, test } = data;
  const { rows, trainErrors, testErrors } = observablePrograms(problems, data, backend);
  const scales = problems.map(({ scaling }) => scaling.responses);
  const units = scales.map(unitOf);
  const channels = scales[0].length;
  const open = async (program: Program, samples: SharedSamples) =>
    filled(await backend.compile(program, options), (executable) => {
      executable.write("inputs", samples.inputs);
      executable.write("responses", samples.responses);
      if (channels > 1)
        executable.write(
          "scales",
          Float32Array.from(scales.flat(), ({ scale }) => scale),
        );
    });
  const onTrain = await open(trainErrors(), train);
  const onTest = await open(testErrors(), test).catch(async (error) => {
    await onTrain.close();
    throw error;
  });
  const testNorms = problems.map(({ test: { responses, samples } }, replica) =>
    physicalNorm(responses, responses.length / samples, scales[replica]),
  );

  return {
    async testErrors(parameters) {
      const samples = problems.map((problem) => problem.test.samples);
      const squares = await squaredErrors(onTest, parameters, samples, test.starts, rows.errors);
      return squares.map((square, replica) => (units[replica] * Math.sqrt(square)) / testNorms[replica]);
    },
    async trainLosses(parameters) {
      const samples = problems.map((problem) => problem.train.samples);
      const squares = await squaredErrors(onTrain, parameters, samples, train.starts, rows.errors);
      return squares.map(
        (square, replica) => (units[replica] ** 2 * square) / problems[replica].train.responses.length,
      );
    },
    gradientDissimilarities: (parameters) =>
      gradientDissimilarities(problems, data, parameters, {
        backend,
        rows: rows.gradients,
        threads: options.threads,
      }),
    async close() {
      for (const executable of [onTrain, onTest]) await executable.close();
    },
  };
}

/** What distances are multiples of where all channels have one scale; where each has its own they are in units of the data. */
function unitOf(scales: FieldScale): number {
  return scales.length === 1 ? scales[0].scale : 1;
}

/** Output `errors` [replicas, rows]: the squared distance from the truth of each replica's samples, chosen by `indices`. */
function errorProgram(
  operator: Operator,
  { samples, inputs, responses }: SharedSamples,
  {
    replicas,
    rows,
    channels,
  }: { readonly replicas: number; readonly rows: number; readonly channels: number },
): Program {
  const program = new Program();
  const axes = replicaAxes(replicas);
  const indices = program.input("indices", [...axes, rows], "int");
  const given = (name: string, values: Float32Array) =>
    gather(program.input(name, [samples, values.length / samples]), indices);
  const parameters = program.input("parameters", [...axes, parameterCount(operator.layout)]);
  const prediction = operator.predict(weightsOf(parameters, operator.layout), given("inputs", inputs));
  const scaled = subtract(prediction, given("responses", responses));
  const residuals =
    channels === 1
      ? scaled
      : byChannels(scaled, channels, (x) => multiply(x, program.input("scales", [...axes, 1, channels, 1])));
  program.output("errors", sum(multiply(residuals, residuals), [axes.length + 1]));
  return program;
}

/** Sums of squared errors over all samples of each replica, of which there are `samples` from `starts` on. */
async function squaredErrors(
  executable: Executable,
  parameters: readonly Float32Array[],
  samples: readonly number[],
  starts: readonly number[],
  rows: number,
): Promise<number[]> {
  const totals = samples.map(() => 0);
  executable.write("parameters", joinedVectors(parameters));
  for (let first = 0; first < Math.max(...samples); first += rows) {
    const indices = new Int32Array(samples.length * rows);
    samples.forEach((count, replica) => {
      for (let i = 0; i < rows; i++)
        indices[replica * rows + i] = starts[replica] + Math.min(first + i, count - 1);
    });
    const { errors } = await executable.run({ indices });
    samples.forEach((count, replica) => {
      for (let i = 0; i < Math.min(rows, count - first); i++) totals[replica] += errors[replica * rows + i];
    });
  }
  return totals;
}
