import type { Backend } from "../engine/backend.js";
import { Program } from "../engine/program.js";
import { joined, parameterCount, weightsOf } from "../models/parameter-layout.js";
import type { FederatedProblem } from "./federated-problem.js";
import { heldInputs, hold } from "./held-inputs.js";
import { replicaAxes } from "./replicas.js";
import type { ReplicaData } from "./replicas-data.js";
import { joinedVectors } from "./trainer-state.js";

/** The epsilon of eq:gradient-metric. */
export const EPSILON = 1e-12;

interface Evaluation {
  readonly backend: Backend;
  /** Samples of each replica whose gradients are computed at once. */
  readonly rows: number;
  readonly threads?: number;
}

type Clients = Pick<FederatedProblem, "clientIndices" | "weights">;
type Data = Pick<ReplicaData, "operator" | "training"> & {
  readonly train: Pick<ReplicaData["train"], "starts">;
};

/** H_g^norm of each replica (eq:gradient-metric), of full-batch client gradients that are added up in float64. */
export async function gradientDissimilarities(
  problems: readonly Clients[],
  data: Data,
  parameters: readonly Float32Array[],
  { backend, rows, threads }: Evaluation,
): Promise<readonly number[]> {
  // It is wanted at the start alone, so the program lives no longer.
  const executable = await backend.compile(gradientProgram(data, problems.length, rows), { threads });
  try {
    hold(executable, data.training);
    executable.write("parameters", joinedVectors(parameters));
    const count = parameterCount(data.operator.layout);
    const ofReplicas: Float64Array[][] = problems.map(() => []);
    for (const client of problems[0].clientIndices.keys()) {
      const totals = problems.map(() => new Float64Array(count));
      for (const batch of batchesOf(problems, client, data.train.starts, rows)) {
        const { gradient } = await executable.run(batch);
        totals.forEach((total, replica) => {
          const start = replica * count;
          for (let i = 0; i < count; i++) total[i] += gradient[start + i];
        });
      }
      totals.forEach((total, replica) => {
        ofReplicas[replica].push(total);
      });
    }
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
 * Output `gradient` [replicas, P]: of each replica's mean squared error under `weights`, of samples that are chosen by
 * `indices`.
 */
export function gradientProgram(
  { operator, training }: Pick<ReplicaData, "operator" | "training">,
  replicas: number,
  rows: number,
): Program {
  const program = new Program();
  const axes = replicaAxes(replicas);
  const gradients = training.gradients(
    weightsOf(program.input("parameters", [...axes, parameterCount(operator.layout)]), training.blocks),
    heldInputs(program, training),
    program.input("indices", [...axes, rows], "int"),
    program.input("weights", [...axes, rows]),
  );
  const all = training.blocks.map(({ name }) => gradients[name]);
  program.output("gradient", joined(all, axes));
  return program;
}

/** All samples of a client in every replica; where one has fewer, the rest has weight zero. */
function batchesOf(
  problems: readonly Clients[],
  client: number,
  starts: readonly number[],
  rows: number,
): { readonly indices: Int32Array; readonly weights: Float32Array }[] {
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
    return { indices, weights };
  });
}
