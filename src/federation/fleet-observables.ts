import type { Backend, Executable, OutputValues } from "../engine/backend.js";
import { add, gather, multiply, subtract, sum } from "../engine/operations.js";
import { Program } from "../engine/program.js";
import { joined as joinedTensors, parameterCount, weightsOf } from "../models/parameter-layout.js";
import type { FederatedProblem } from "./federated-problem.js";
import { type FleetData, type SharedSamples, shareSamples } from "./fleet-data.js";
import { ACTIVATION, dissimilarity, ROWS, unitOf } from "./observables.js";
import type { Operator } from "./operator.js";
import { heldInputs } from "./round-program.js";
import { hold, joined } from "./rounds.js";
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

export async function openFleetObservables(
  problems: readonly FederatedProblem[],
  data: FleetData,
  backend: Backend,
  options: { readonly threads?: number } = {},
): Promise<FleetObservables> {
  const { operator, training, train } = data;
  const runs = problems.length;
  const test = shareSamples(problems.map((problem) => problem.test));
  const most = Math.max(...problems.flatMap((problem) => [problem.train.samples, problem.test.samples]));
  const { errors: rows, gradients: gradientRows } = evaluationRows(operator, runs, most, backend);

  const scales = problems.map(({ scaling }) => scaling.responses);
  const units = scales.map(unitOf);
  const channels = scales[0].length;
  const open = async (samples: SharedSamples) => {
    const executable = await backend.compile(
      errorProgram(operator, samples, { runs, rows, channels }),
      options,
    );
    executable.write("inputs", samples.inputs);
    executable.write("responses", samples.responses);
    if (channels > 1)
      executable.write(
        "scales",
        Float32Array.from(scales.flat(), ({ scale }) => scale),
      );
    return executable;
  };
  const onTrain = await open(train);
  const onTest = await open(test);
  const testNorms = problems.map(({ test: { responses, samples } }, run) =>
    physicalNorm(responses, responses.length / samples, scales[run]),
  );

  return {
    async testErrors(parameters) {
      const samples = problems.map((problem) => problem.test.samples);
      const squares = await squaredErrors(onTest, parameters, samples, test.starts, rows);
      return squares.map((square, run) => (units[run] * Math.sqrt(square)) / testNorms[run]);
    },
    async trainLosses(parameters) {
      const samples = problems.map((problem) => problem.train.samples);
      const squares = await squaredErrors(onTrain, parameters, samples, train.starts, rows);
      return squares.map((square, run) => (units[run] ** 2 * square) / problems[run].train.responses.length);
    },
    async gradientDissimilarities(parameters) {
      // Asked for at the start alone: the program is made for that.
      const executable = await backend.compile(gradientProgram(data, runs, gradientRows), options);
      try {
        hold(executable, training);
        executable.write("parameters", joined(parameters));
        const size = parameterCount(operator.layout);
        const found: OutputValues[][] = problems.map(() => []);
        for (const client of problems[0].clientIndices.keys()) {
          const samples = problems.map(({ clientIndices }) => clientIndices[client]);
          const means = await meanGradients(executable, samples, train.starts, { rows: gradientRows, size });
          means.forEach((mean, run) => {
            found[run].push(mean);
          });
        }
        return found.map((gradients, run) => dissimilarity(gradients, problems[run].weights));
      } finally {
        await executable.close();
      }
    },
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

/**
 * Adds the gradient of each run's mean squared error under `weights`, of samples chosen by `indices`, to `gradient`
 * [runs, P], which it carries.
 */
function gradientProgram({ operator, training }: FleetData, runs: number, rows: number): Program {
  const program = new Program();
  const parameters = program.input("parameters", [runs, parameterCount(operator.layout)]);
  const gradients = training.gradients(
    weightsOf(parameters, training.blocks),
    heldInputs(program, training),
    program.input("indices", [runs, rows], "int"),
    program.input("weights", [runs, rows]),
  );
  const blocks = training.blocks.map(({ name }) => gradients[name]);
  const before = program.input("gradient", [runs, parameterCount(operator.layout)]);
  program.output("sum", add(before, joinedTensors(blocks, [runs])));
  program.carry("sum", "gradient");
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

/** Of each run the gradient on all samples of one client, added up where it is computed. */
async function meanGradients(
  executable: Executable,
  samples: readonly Int32Array[],
  starts: readonly number[],
  { rows, size }: { readonly rows: number; readonly size: number },
): Promise<readonly OutputValues[]> {
  executable.write("gradient", new Float32Array(samples.length * size));
  for (let first = 0; first < Math.max(...samples.map(({ length }) => length)); first += rows) {
    const indices = new Int32Array(samples.length * rows);
    const weights = new Float32Array(indices.length);
    samples.forEach((own, run) => {
      const chosen = own.subarray(first, first + rows);
      for (let i = 0; i < rows; i++) indices[run * rows + i] = starts[run] + (chosen[i] ?? own[0]);
      weights.fill(1 / own.length, run * rows, run * rows + chosen.length);
    });
    await executable.run({ indices, weights }, []);
  }
  const all = executable.read("gradient");
  return samples.map((_, run) => all.slice(run * size, (run + 1) * size));
}
