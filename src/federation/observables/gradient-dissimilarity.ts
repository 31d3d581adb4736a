import { EPSILON } from "../../diagnostics/gradient-dissimilarity.js";
import type { Backend } from "../../engine/backend.js";
import { add, multiply } from "../../engine/operations.js";
import { Program } from "../../engine/program.js";
import { joined, parameterCount, weightsOf } from "../../models/parameter-layout.js";
import type { TrainableModel as Operator, Training } from "../../models/trainable-model.js";
import { availableMemory } from "../available-memory.js";
import type { Federation } from "../federation.js";
import { heldInputs, hold, unlessHeld } from "../held-inputs.js";
import { replicaAxes } from "../replicas/replicas.js";
import type { ReplicaData } from "../replicas/replicas-data.js";
import { forEachWindow } from "../samples/sample-windows.js";
import { joinedVectors } from "../trainer-state.js";

interface Evaluation {
  readonly backend: Backend;
  /** Samples of each replica whose gradients are computed at once. */
  readonly rows: number;
  readonly threads?: number;
  /**
   * Bytes of gradients that are held, at most; if there are more they are computed twice. 1 GB, and for the many replicas of
   * a GPU a quarter of the free memory.
   */
  readonly held?: number;
}

const BYTES = 8;
const HELD = 1e9;

function heldAtMost({ prefersLargeKernels }: Backend): number {
  const free = availableMemory();
  return prefersLargeKernels && Number.isFinite(free) ? Math.max(HELD, free / 4) : HELD;
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
  { backend, rows, threads, held = heldAtMost(backend) }: Evaluation,
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
    const batches = clients.flatMap((client) => batchesOf(problems, client, data.train.starts, rows));
    const isHeld = BYTES * problems.length * clients.length * count <= held;
    const visitGradients: Gradients = async (visit) => {
      let totals: Float64Array[] = [];
      await forEachWindow(
        windows,
        batches,
        async ({ held: window, indices }, { client, weights, isFirst, isLast }) => {
          give(window);
          const kept = Float64Array.of(isSummedInProgram && !isFirst ? 1 : 0);
          await executable.run({ indices, weights, kept }, []);
          if (isFirst && (isHeld || client === 0)) totals = problems.map(() => new Float64Array(count));
          else if (isFirst) for (const total of totals) total.fill(0);
          if (isSummedInProgram && !isLast) return;
          const gradient = executable.read("gradient");
          totals.forEach((total, replica) => {
            const start = replica * count;
            for (let p = 0; p < count; p++) total[p] += gradient[start + p];
          });
          if (isLast) totals.forEach((total, replica) => void visit(total, client, replica));
        },
      );
    };
    return await dissimilarities(
      isHeld ? await heldGradients(visitGradients) : visitGradients,
      problems,
      count,
    );
  } finally {
    await executable.close();
  }
}

/**
 * Visits the gradients of clients in their order, those of all replicas before those of the next client. Arrays that are
 * not held are used again for the next one.
 */
type Gradients = (visit: (gradient: Float64Array, client: number, replica: number) => void) => Promise<void>;

/** The same from memory. */
async function heldGradients(gradients: Gradients): Promise<Gradients> {
  const held: Parameters<Parameters<Gradients>[0]>[] = [];
  await gradients((...one) => void held.push(one));
  return async (visit) => {
    for (const one of held) visit(...one);
  };
}

/** eq:gradient-metric: the weighted spread of gradients about their mean, over their weighted square. They are visited twice. */
async function dissimilarities(
  gradients: Gradients,
  problems: readonly Pick<Clients, "weights">[],
  count: number,
): Promise<readonly number[]> {
  const means = problems.map(() => new Float64Array(count));
  await gradients((gradient, client, replica) => {
    const share = problems[replica].weights[client];
    const mean = means[replica];
    for (let i = 0; i < count; i++) mean[i] += share * gradient[i];
  });
  const sums = problems.map(() => ({ spread: 0, size: 0 }));
  await gradients((gradient, client, replica) => {
    const share = problems[replica].weights[client];
    const mean = means[replica];
    let { spread, size } = sums[replica];
    for (let i = 0; i < count; i++) {
      const value = gradient[i];
      spread += share * (value - mean[i]) ** 2;
      size += share * value ** 2;
    }
    sums[replica] = { spread, size };
  });
  return sums.map(({ spread, size }) => spread / (size + EPSILON));
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
