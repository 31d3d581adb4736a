import { type Backend, type Executable, filled } from "../engine/backend.js";
import { gather, multiply, subtract, sum } from "../engine/operations.js";
import { Program } from "../engine/program.js";
import { parameterCount, weightsOf } from "../models/parameter-layout.js";
import {
  type TrainableModel as Operator,
  replaceSamples,
  type TrainingSamples,
} from "../models/trainable-model.js";
import type { Federation } from "./federation.js";
import { gradientDissimilarities, gradientProgram } from "./gradient-dissimilarity.js";
import { unlessHeld } from "./held-inputs.js";
import { replicaAxes } from "./replicas.js";
import type { ReplicaData } from "./replicas-data.js";
import {
  forEachWindow,
  type SampleForm,
  type SampleWindows,
  sampleWindows,
} from "./samples/sample-windows.js";
import { blocksOf, type Samples, sizesOf } from "./samples/stored-samples.js";
import { byChannels } from "./scaled-tensors.js";
import { type FieldScale, physicalSquare } from "./scaling.js";
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
  { prefersLargeKernels }: Pick<Backend, "prefersLargeKernels">,
): { readonly errors: number; readonly gradients: number } {
  const fitting = Math.floor((prefersLargeKernels ? LARGE_ACTIVATION : ACTIVATION) / (activation * replicas));
  const errors = Math.min(ROWS, Math.max(1, fitting), most);
  return { errors, gradients: Math.min(errors, gradientRows) };
}

const AS_THEY_ARE: SampleForm<TrainingSamples> = { of: (samples) => samples, replace: replaceSamples };

/** Programs that observables are measured with, and how many samples of each replica go through them at once. */
export function observablePrograms(
  problems: readonly Federation<Samples>[],
  data: ReplicaData,
  backend: Pick<Backend, "prefersLargeKernels">,
) {
  const { operator, train, test } = data;
  const replicas = problems.length;
  const most = Math.max(...problems.flatMap((problem) => [problem.train.samples, problem.test.samples]));
  const rows = evaluationRows(operator, replicas, most, backend);
  const channels = problems[0].scaling.responses.length;
  const errorsOn = (samples: Samples) => {
    const windows = sampleWindows(samples, replicas * rows.errors, AS_THEY_ARE);
    const program = () => errorProgram(operator, windows.shape, { replicas, rows: rows.errors, channels });
    return { windows, program };
  };
  return {
    rows,
    train: errorsOn(train),
    test: errorsOn(test),
    gradients: () => {
      const { shape } = data.training(replicas * rows.gradients);
      return gradientProgram(operator, shape, replicas, rows.gradients);
    },
  };
}

export async function openObservables(
  problems: readonly Federation<Samples>[],
  data: ReplicaData,
  backend: Backend,
  options: { readonly threads?: number } = {},
): Promise<Observables> {
  const { rows, train, test } = observablePrograms(problems, data, backend);
  const scales = problems.map(({ scaling }) => scaling.responses);
  const units = scales.map(unitOf);
  const channels = scales[0].length;
  const open = async ({ program, windows }: typeof train): Promise<ErrorMeasurement> => {
    const executable = await backend.compile(program(), options);
    const give = unlessHeld<TrainingSamples>(({ inputs, responses }) => {
      executable.write("inputs", inputs);
      executable.write("responses", responses);
    });
    await filled(executable, () => {
      give(windows.shape);
      if (channels > 1)
        executable.write(
          "scales",
          Float32Array.from(scales.flat(), ({ scale }) => scale),
        );
    });
    return { executable, windows, give, rows: rows.errors };
  };
  const onTrain = await open(train);
  const closingTrain = async (error: unknown) => {
    await onTrain.executable.close();
    throw error;
  };
  const onTest = await open(test).catch(closingTrain);
  const testNorms = await Promise.all(
    problems.map((problem, replica) => physicalNorm(problem.test, scales[replica])),
  ).catch(async (error) => {
    await onTest.executable.close();
    return closingTrain(error);
  });

  return {
    async testErrors(parameters) {
      const samples = problems.map((problem) => problem.test.samples);
      const squares = await squaredErrors(onTest, parameters, samples, data.test.starts);
      return squares.map((square, replica) => (units[replica] * Math.sqrt(square)) / testNorms[replica]);
    },
    async trainLosses(parameters) {
      const samples = problems.map((problem) => problem.train.samples);
      const squares = await squaredErrors(onTrain, parameters, samples, data.train.starts);
      return squares.map(
        (square, replica) => (units[replica] ** 2 * square) / responseCount(problems[replica].train),
      );
    },
    gradientDissimilarities: (parameters) =>
      gradientDissimilarities(problems, data, parameters, {
        backend,
        rows: rows.gradients,
        threads: options.threads,
      }),
    async close() {
      for (const { executable } of [onTrain, onTest]) await executable.close();
    },
  };
}

/** What distances are multiples of where all channels have one scale; where each has its own they are in units of the data. */
function unitOf(scales: FieldScale): number {
  return scales.length === 1 ? scales[0].scale : 1;
}

/** Numbers in all responses. */
const responseCount = (samples: Samples): number => samples.samples * sizesOf(samples).responses;

/** The norm of all responses in their own units. */
async function physicalNorm(samples: Samples, scales: FieldScale): Promise<number> {
  const size = sizesOf(samples).responses;
  let square = 0;
  for await (const { responses } of blocksOf(samples))
    square = physicalSquare(responses, size, scales, square);
  return Math.sqrt(square);
}

/** Output `errors` [replicas, rows]: the squared distance from the truth of each replica's samples, chosen by `indices`. */
function errorProgram(
  operator: Operator,
  { samples, inputs, responses }: TrainingSamples,
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

/** A compiled program of errors, the windows that it runs on, and how it is given one. */
interface ErrorMeasurement {
  readonly executable: Executable;
  readonly windows: SampleWindows<TrainingSamples>;
  readonly give: (held: TrainingSamples) => void;
  /** Samples of each replica in a run. */
  readonly rows: number;
}

/** Sums of squared errors over all samples of each replica, of which there are `samples` from `starts` on. */
async function squaredErrors(
  { executable, windows, give, rows }: ErrorMeasurement,
  parameters: readonly Float32Array[],
  samples: readonly number[],
  starts: readonly number[],
): Promise<number[]> {
  const totals = samples.map(() => 0);
  executable.write("parameters", joinedVectors(parameters));
  const batches = Array.from({ length: Math.ceil(Math.max(...samples) / rows) }, (_, batch) => {
    const first = batch * rows;
    const chosen = new Int32Array(samples.length * rows);
    samples.forEach((count, replica) => {
      for (let i = 0; i < rows; i++)
        chosen[replica * rows + i] = starts[replica] + Math.min(first + i, count - 1);
    });
    return { first, chosen };
  });
  await forEachWindow(windows, batches, async ({ held, indices }, { first }) => {
    give(held);
    const { errors } = await executable.run({ indices });
    samples.forEach((count, replica) => {
      for (let i = 0; i < Math.min(rows, count - first); i++) totals[replica] += errors[replica * rows + i];
    });
  });
  return totals;
}
