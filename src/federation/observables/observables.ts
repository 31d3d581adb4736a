import type { Backend } from "../../engine/backend.js";
import type { TrainableModel as Operator } from "../../models/trainable-model.js";
import type { Federation } from "../federation.js";
import type { ReplicaData } from "../replicas/replicas-data.js";
import { blocksOf, type Samples, sizesOf } from "../samples/stored-samples.js";
import { type FieldScale, physicalSquare } from "../scaling.js";
import { type ClientMeasures, sumsOfBins, weightedError } from "./client-measures.js";
import { gradientDissimilarities, gradientProgram } from "./gradient-dissimilarity.js";
import { errorsOn, openErrors } from "./sample-errors.js";

/** Samples that are evaluated at once, at most: enough to make a DeepONet's trunk a small share of the work. */
const ROWS = 256;
/** Numbers in an activation of all of them, at most, and those where a backend prefers large kernels. */
const ACTIVATION = 2 ** 23;
const LARGE_ACTIVATION = 2 ** 28;

/** What is measured of a replica at a checkpoint, in the units of its data. */
export interface Measures extends Omit<ClientMeasures, "updates" | "cosines"> {
  /** Relative L2 error over the whole test set, ||G(A) - U|| / ||U||; its square is averaged over models of clients. */
  readonly testError: number;
  /** Mean squared error over all training samples, which is sum_k p_k F_k. */
  readonly trainLoss: number;
}

/** Models of clients who do not use the server's. */
export interface OwnModels {
  /** Of each replica, by the client. */
  readonly ofClients: readonly ((client: number) => Float32Array)[];
  /** Whether no client uses the server's parameters: errors are then those of the clients' models, weighted by samples. */
  readonly replaceServer: boolean;
}

/** What is measured of replicas: the parameters of each replica in, a number of each out. */
export interface Observables {
  testErrors(parameters: readonly Float32Array[]): Promise<readonly number[]>;
  trainLosses(parameters: readonly Float32Array[]): Promise<readonly number[]>;
  /**
   * Both, and the same of single clients.
   *
   * @param models the models of the clients of each replica, where they have their own
   */
  measures(parameters: readonly Float32Array[], models?: OwnModels): Promise<readonly Measures[]>;
  /** Mean squared errors of some clients of each replica over their training samples; NaN for the others. */
  clientLosses(
    parameters: readonly Float32Array[],
    asked: readonly (readonly number[])[],
  ): Promise<readonly Float64Array[]>;
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
  const sizes = { replicas, rows: rows.errors, channels: problems[0].scaling.responses.length };
  return {
    rows,
    train: errorsOn(operator, train, sizes),
    test: errorsOn(operator, test, sizes),
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
  const responseScales = problems.map(({ scaling }) => scaling.responses);
  const units = responseScales.map(unitOf);
  const scales = Float32Array.from(responseScales.flat(), ({ scale }) => scale);
  const onTrain = await openErrors(train, scales, backend, options);
  const closingTrain = async (error: unknown) => {
    await onTrain.close();
    throw error;
  };
  const onTest = await openErrors(test, scales, backend, options).catch(closingTrain);
  const testNorms = await Promise.all(
    problems.map((problem, replica) => physicalNorms(problem.test, responseScales[replica])),
  ).catch(async (error) => {
    await onTest.close();
    return closingTrain(error);
  });
  const everyOf = (split: "train" | "test") =>
    problems.map((problem, replica) =>
      Int32Array.from({ length: problem[split].samples }, (_, i) => data[split].starts[replica] + i),
    );
  const [allTrain, allTest] = [everyOf("train"), everyOf("test")];
  const samplesOf = (replica: number, client: number) =>
    problems[replica].clientIndices[client].map((sample) => data.train.starts[replica] + sample);

  /** Squares of errors on the test set as a relative error, and on training samples as a loss. */
  const errorOf = (squares: Float64Array, replica: number) =>
    (units[replica] * Math.sqrt(total(squares))) / testNorms[replica].whole;
  const lossOf = (square: number, samples: number, replica: number) =>
    (units[replica] ** 2 * square) / (samples * sizesOf(problems[replica].train).responses);
  const trainLoss = (squares: Float64Array, replica: number) =>
    lossOf(total(squares), squares.length, replica);

  return {
    async testErrors(parameters) {
      return (await onTest.of(parameters, allTest)).map(errorOf);
    },
    async trainLosses(parameters) {
      return (await onTrain.of(parameters, allTrain)).map(trainLoss);
    },
    async measures(parameters, models) {
      const replacesServer = models?.replaceServer ?? false;
      const blank = (all: readonly Int32Array[]) => all.map(({ length }) => new Float64Array(length));
      const testSquares = replacesServer ? blank(allTest) : await onTest.of(parameters, allTest);
      const trainSquares = replacesServer ? blank(allTrain) : await onTrain.of(parameters, allTrain);
      const byBin = problems.map((problem, replica) => testBins(problem, testNorms[replica].ofSamples));
      const clients = problems[0].clientIndices.length;
      const ofServer = byBin.map((own, replica) => own?.of(squared(testSquares[replica], units[replica])));
      const found = problems.map((problem, replica) => ({
        testErrors: problem.clientIndices.map((_, client) => ofServer[replica]?.weighted(client) ?? NaN),
        trainLosses: problem.clientIndices.map((own) =>
          lossOf(
            own.reduce((sum, sample) => sum + trainSquares[replica][sample], 0),
            own.length,
            replica,
          ),
        ),
      }));
      for (let client = 0; models && client < clients; client++) {
        const own = models.ofClients.map((ofReplica) => ofReplica(client));
        const test = await onTest.of(own, allTest);
        const train = await onTrain.of(
          own,
          problems.map((_, replica) => samplesOf(replica, client)),
        );
        for (const [replica, { testErrors, trainLosses }] of found.entries()) {
          testErrors[client] =
            byBin[replica]?.of(squared(test[replica], units[replica])).weighted(client) ?? NaN;
          trainLosses[client] = trainLoss(train[replica], replica);
          if (!replacesServer) continue;
          const { weights, clientIndices } = problems[replica];
          test[replica].forEach((square, i) => {
            testSquares[replica][i] += weights[client] * square;
          });
          clientIndices[client].forEach((sample, i) => {
            trainSquares[replica][sample] = train[replica][i];
          });
        }
      }
      return problems.map((_, replica) => ({
        testError: errorOf(testSquares[replica], replica),
        trainLoss: trainLoss(trainSquares[replica], replica),
        ...found[replica],
        binErrors: byBin[replica]?.of(squared(testSquares[replica], units[replica])).errors() ?? [],
      }));
    },
    async clientLosses(parameters, asked) {
      const chosen = asked.map((clients, replica) =>
        Int32Array.from(clients.flatMap((client) => [...samplesOf(replica, client)])),
      );
      const squares = await onTrain.of(parameters, chosen);
      return problems.map(({ clientIndices }, replica) => {
        const losses = new Float64Array(clientIndices.length).fill(NaN);
        let at = 0;
        for (const client of asked[replica]) {
          const { length } = clientIndices[client];
          losses[client] = trainLoss(squares[replica].subarray(at, at + length), replica);
          at += length;
        }
        return losses;
      });
    },
    gradientDissimilarities: (parameters) =>
      gradientDissimilarities(problems, data, parameters, {
        backend,
        rows: rows.gradients,
        threads: options.threads,
      }),
    async close() {
      for (const errors of [onTrain, onTest]) await errors.close();
    },
  };
}

/** The sum of numbers, one after another. */
const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Squared errors in units of the data. */
const squared = (squares: Float64Array, unit: number): Float64Array => squares.map((x) => unit ** 2 * x);

/** How errors on the test set are weighted by bins; undefined where its bins are not known. */
function testBins({ binOfTest, measured, clientIndices }: Federation<Samples>, norms: Float64Array) {
  if (!binOfTest) return undefined;
  const { bins, binOfSample } = measured.bins;
  const counts = clientIndices.map((own) => {
    const ofClient = new Float64Array(bins);
    for (const sample of own) ofClient[binOfSample[sample]]++;
    return ofClient;
  });
  const samples = sumsOfBins(new Float64Array(norms.length).fill(1), binOfTest, bins);
  const ofNorms = sumsOfBins(norms, binOfTest, bins);
  return {
    of(ofSamples: Float64Array) {
      const squares = sumsOfBins(ofSamples, binOfTest, bins);
      return {
        weighted: (client: number) => weightedError(counts[client], { squares, norms: ofNorms, samples }),
        errors: () => Array.from(squares, (square, bin) => Math.sqrt(square / ofNorms[bin])),
      };
    },
  };
}

/** What distances are multiples of where all channels have one scale; where each has its own they are in units of the data. */
function unitOf(scales: FieldScale): number {
  return scales.length === 1 ? scales[0].scale : 1;
}

/** The norm of all responses in their own units, and the square of that of each. */
async function physicalNorms(
  samples: Samples,
  scales: FieldScale,
): Promise<{ readonly whole: number; readonly ofSamples: Float64Array }> {
  const size = sizesOf(samples).responses;
  const ofSamples = new Float64Array(samples.samples);
  let [square, sample] = [0, 0];
  for await (const { responses } of blocksOf(samples))
    for (let at = 0; at < responses.length; at += size) {
      const own = responses.subarray(at, at + size);
      square = physicalSquare(own, size, scales, square);
      ofSamples[sample++] = physicalSquare(own, size, scales);
    }
  return { whole: Math.sqrt(square), ofSamples };
}
