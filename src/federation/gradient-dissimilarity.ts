import type { Backend } from "../engine/backend.js";
import { add, multiply } from "../engine/operations.js";
import { Program } from "../engine/program.js";
import { joined, parameterCount, weightsOf } from "../models/parameter-layout.js";
import type { TrainableModel as Operator, Training } from "../models/trainable-model.js";
import type { Federation } from "./federation.js";
import { heldInputs, hold, unlessHeld } from "./held-inputs.js";
import { replicaAxes } from "./replicas.js";
import type { ReplicaData } from "./replicas-data.js";
import { forEachWindow } from "./samples/sample-windows.js";
import { joinedVectors } from "./trainer-state.js";

/** The epsilon of eq:gradient-metric. */
export const EPSILON = 1e-12;

interface Evaluation {
  readonly backend: Backend;
  /** Samples of each replica whose gradients are computed at once. */
  readonly rows: number;
  readonly threads?: number;
}

type Clients = Pick<Federation, "clientIndices" | "weights">;
type Data = Pick<ReplicaData, "operator" | "training"> & {
  readonly train: Pick<ReplicaData["train"], "starts">;
};

/**
 * H_g^norm of each replica (eq:gradient-metric), of full-batch client gradients. Batches of a client are added up in
 * float64, or in the program of a backend that prefers large kernels: it would wait for copies of millions of parameters.
 */
export async function gradientDissimilarities(
  problems: readonly Clients[],
  data: Data,
  parameters: readonly Float32Array[],
  { backend, rows, threads }: Evaluation,
): Promise<readonly number[]> {
  // It is wanted at the start alone, so the program lives no longer.
  const windows = data.training(problems.length * rows);
  const program = gradientProgram(data.operator, windows.shape, problems.length, rows);
  const executable = await backend.compile(program, { threads });
  const isSummedInProgram = backend.prefersLargeKernels ?? false;
  try {
    const give = unlessHeld<Training>((training) => hold(executable, training));
    give(windows.shape);
    const count = parameterCount(data.operator.layout);
    executable.write("parameters", joinedVectors(parameters));
    executable.write("gradient", new Float32Array(problems.length * count));
    const clients = [...problems[0].clientIndices.keys()];
    const ofReplicas = problems.map(() => clients.map(() => new Float64Array(count)));
    const batches = clients.flatMap((client) => batchesOf(problems, client, data.train.starts, rows));
    await forEachWindow(windows, batches, async ({ held, indices }, { client, weights, isFirst, isLast }) => {
      give(held);
      const kept = Float64Array.of(isSummedInProgram && !isFirst ? 1 : 0);
      await executable.run({ indices, weights, kept }, []);
      if (isSummedInProgram && !isLast) return;
      const gradient = executable.read("gradient");
      ofReplicas.forEach(({ [client]: total }, replica) => {
        const start = replica * count;
        for (let p = 0; p < count; p++) total[p] += gradient[start + p];
      });
    });
    return problems.map(({ weights }, replica) => dissimilarity(ofReplicas[replica], weights));
  } finally {
    await executable.close();
  }
}

/** eq:gradient-metric: the weighted spread of gradients about their mean, over their weighted square. */
export function dissimilarity(gradients: readonly Float64Array[], shares: Float64Array): number {
  const mean = new Float64Array(gradients[0].length);
  for (const [client, gradient] of gradients.entries())
    for (let i = 0; i < mean.length; i++) mean[i] += shares[client] * gradient[i];
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

/**
 * Adds the gradient of each replica's mean squared error under `weights`, of samples that are chosen by `indices`, to
 * `kept` times `gradient` [replicas, P], and carries the sum.
 */
export function gradientProgram(
  operator: Operator,
  training: Training,
  replicas: number,
  rows: number,
): Program {
  const program = new Program();
  const axes = replicaAxes(replicas);
  const shape = [...axes, parameterCount(operator.layout)];
  const gradients = training.gradients(
    weightsOf(program.input("parameters", shape), training.blocks),
    heldInputs(program, training),
    program.input("indices", [...axes, rows], "int"),
    program.input("weights", [...axes, rows]),
  );
  const all = training.blocks.map(({ name }) => gradients[name]);
  const before = multiply(program.input("kept", []), program.input("gradient", shape));
  program.output("new gradient", add(before, joined(all, axes)));
  program.carry("new gradient", "gradient");
  return program;
}

/** Samples of a client in every replica, [replicas, rows], and its place among the client's batches. */
interface ClientBatch {
  readonly client: number;
  readonly chosen: Int32Array;
  readonly weights: Float32Array;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** All samples of a client in every replica; where one has fewer, the rest has weight zero. */
function batchesOf(
  problems: readonly Clients[],
  client: number,
  starts: readonly number[],
  rows: number,
): ClientBatch[] {
  const samples = problems.map(({ clientIndices }) => clientIndices[client]);
  const count = Math.ceil(Math.max(...samples.map(({ length }) => length)) / rows);
  return Array.from({ length: count }, (_, batch) => {
    const indices = new Int32Array(samples.length * rows);
    const weights = new Float32Array(indices.length);
    samples.forEach((own, replica) => {
      const chosen = own.subarray(batch * rows, (batch + 1) * rows);
      for (let i = 0; i < rows; i++) indices[replica * rows + i] = starts[replica] + (chosen[i] ?? own[0]);
      weights.fill(1 / own.length, replica * rows, replica * rows + chosen.length);
    });
    return { client, chosen: indices, weights, isFirst: batch === 0, isLast: batch === count - 1 };
  });
}
