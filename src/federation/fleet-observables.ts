import { type Backend, type Executable, filled } from "../engine/backend.js";
import { gather, multiply, subtract, sum } from "../engine/operations.js";
import { Program } from "../engine/program.js";
import { parameterCount, weightsOf } from "../models/parameter-layout.js";
import type { TrainableModel as Operator } from "../models/trainable-model.js";
import type { FederatedProblem } from "./federated-problem.js";
import type { FleetData, SharedSamples } from "./fleet-data.js";
import { gradientDissimilarities, gradientProgram } from "./fleet-dissimilarity.js";
import { ACTIVATION, ROWS, unitOf } from "./observables.js";
import { joined } from "./rounds.js";
import { byChannels } from "./scaled-tensors.js";
import { physicalNorm } from "./scaling.js";

/** Numbers in an activation of all samples that a wide backend evaluates at once, at most. */
const WIDE_ACTIVATION = 2 ** 28;

/** `Observables` of several runs at once: parameters of every run in, a number of every run out. */
export interface FleetObservables {
  testErrors(parameters: readonly Float32Array[]): Promise<readonly number[]>;
  trainLosses(parameters: readonly Float32Array[]): Promise<readonly number[]>;
  gradientDissimilarities(parameters: readonly Float32Array[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Samples of each run that are evaluated at once, and whose gradients are; there are `most` of them. */
export function evaluationRows(
  { activation, gradientRows }: Operator,
  runs: number,
  most: number,
  { wide }: Pick<Backend, "wide">,
): { readonly errors: number; readonly gradients: number } {
  const fitting = Math.floor((wide ? WIDE_ACTIVATION : ACTIVATION) / (activation * runs));
  const errors = Math.min(ROWS, Math.max(1, fitting), most);
  return { errors, gradients: Math.min(errors, gradientRows) };
}

/** Programs that observables are measured with, and how many samples of each run go through them at once. */
export function observablePrograms(
  problems: readonly FederatedProblem[],
  data: FleetData,
  backend: Pick<Backend, "wide">,
) {
  const { operator, train, test } = data;
  const runs = problems.length;
  const most = Math.max(...problems.flatMap((problem) => [problem.train.samples, problem.test.samples]));
  const rows = evaluationRows(operator, runs, most, backend);
  const channels = problems[0].scaling.responses.length;
  const errors = (samples: SharedSamples) =>
    errorProgram(operator, samples, { runs, rows: rows.errors, channels });
  return {
    rows,
    trainErrors: () => errors(train),
    testErrors: () => errors(test),
    gradients: () => gradientProgram(data, runs, rows.gradients),
  };
}

export async function openFleetObservables(
  problems: readonly FederatedProblem[],
  data: FleetData,
  backend: Backend,
  options: { readonly threads?: number } = {},
): Promise<FleetObservables> {
  const { train, test } = data;
  const { rows, trainErrors, testErrors } = observablePrograms(problems, data, backend);
  const scales = problems.map(({ scaling }) => scaling.responses);
  const units = scales.map(unitOf);
  const channels = scales[0].length;
  const open = async (program: Program, samples: SharedSamples) => {
    return filled(await backend.compile(program, options), (executable) => {
      executable.write("inputs", samples.inputs);
      executable.write("responses", samples.responses);
      if (channels > 1)
        executable.write(
          "scales",
          Float32Array.from(scales.flat(), ({ scale }) => scale),
        );
    });
  };
  const onTrain = await open(trainErrors(), train);
  const onTest = await open(testErrors(), test).catch(async (error) => {
    await onTrain.close();
    throw error;
  });
  const testNorms = problems.map(({ test: { responses, samples } }, run) =>
    physicalNorm(responses, responses.length / samples, scales[run]),
  );

  return {
    async testErrors(parameters) {
      const samples = problems.map((problem) => problem.test.samples);
      const squares = await squaredErrors(onTest, parameters, samples, test.starts, rows.errors);
      return squares.map((square, run) => (units[run] * Math.sqrt(square)) / testNorms[run]);
    },
    async trainLosses(parameters) {
      const samples = problems.map((problem) => problem.train.samples);
      const squares = await squaredErrors(onTrain, parameters, samples, train.starts, rows.errors);
      return squares.map((square, run) => (units[run] ** 2 * square) / problems[run].train.responses.length);
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

/** Output `errors` [runs, rows]: the squared distance from the truth of each run's samples, chosen by `indices`. */
function errorProgram(
  operator: Operator,
  { samples, inputs, responses }: SharedSamples,
  { runs, rows, channels }: { readonly runs: number; readonly rows: number; readonly channels: number },
): Program {
  const program = new Program();
  const indices = program.input("indices", [runs, rows], "int");
  const given = (name: string, values: Float32Array) =>
    gather(program.input(name, [samples, values.length / samples]), indices);
  const parameters = program.input("parameters", [runs, parameterCount(operator.layout)]);
  const prediction = operator.predict(weightsOf(parameters, operator.layout), given("inputs", inputs));
  const scaled = subtract(prediction, given("responses", responses));
  const residuals =
    channels === 1
      ? scaled
      : byChannels(scaled, channels, (x) => multiply(x, program.input("scales", [runs, 1, channels, 1])));
  program.output("errors", sum(multiply(residuals, residuals), [2]));
  return program;
}

/** Sums of squared errors over all samples of each run, of which there are `samples` from `starts` on. */
async function squaredErrors(
  executable: Executable,
  parameters: readonly Float32Array[],
  samples: readonly number[],
  starts: readonly number[],
  rows: number,
): Promise<number[]> {
  const totals = samples.map(() => 0);
  let given: Record<string, Float32Array> = { parameters: joined(parameters) };
  for (let first = 0; first < Math.max(...samples); first += rows) {
    const indices = new Int32Array(samples.length * rows);
    samples.forEach((count, run) => {
      for (let i = 0; i < rows; i++) indices[run * rows + i] = starts[run] + Math.min(first + i, count - 1);
    });
    const { errors } = await executable.run({ ...given, indices });
    given = {}; // it keeps them
    samples.forEach((count, run) => {
      for (let i = 0; i < Math.min(rows, count - first); i++) totals[run] += errors[run * rows + i];
    });
  }
  return totals;
}
