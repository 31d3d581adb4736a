import { createHash } from "node:crypto";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { convolve, gelu, matmul, tanh } from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";
import { type Federation, federate } from "../../src/federation/federation.js";
import { prepareData } from "../../src/federation/prepared-data.js";
import { type GivenRunOptions, runOptions } from "../../src/federation/run-options.js";
import { train } from "../../src/federation/trainer.js";
import { stream } from "../../src/random/stream.js";

const SHORT = { alpha: 0.1, seed: 42, rounds: 2, localSteps: 2, repair: "largest" } as const;
const SMALL_FNO = { width: 6, modes: 4, layers: 2, projection: 12 };

/** A short run of each of the paper's tasks, small enough to take a few seconds in all. */
export const SHORT_RUNS: Readonly<Record<string, GivenRunOptions>> = {
  antiderivative: { ...SHORT, task: "antiderivative", train: 120, test: 20, clients: 5, bins: 6, minSize: 8 },
  "antiderivative, momentum SGD": {
    ...SHORT,
    task: "antiderivative",
    train: 120,
    test: 20,
    clients: 5,
    bins: 6,
    minSize: 8,
    optimizer: { name: "sgd", rate: 0.01, momentum: 0.9 },
    clientState: "average",
  },
  burgers: { ...SHORT, task: "burgers", train: 48, test: 8, clients: 3, bins: 4, minSize: 8 },
  "diffusion-reaction": {
    ...SHORT,
    task: "diffusion-reaction",
    train: 80,
    test: 8,
    clients: 3,
    bins: 4,
    minSize: 8,
  },
  darcy: {
    ...SHORT,
    task: "darcy",
    train: 24,
    test: 4,
    clients: 3,
    bins: 4,
    minSize: 4,
    batch: 4,
    parameters: { grid: 16 },
    model: SMALL_FNO,
  },
  "dam-break": {
    ...SHORT,
    task: "dam-break",
    train: 24,
    test: 4,
    clients: 3,
    bins: 4,
    minSize: 4,
    batch: 4,
    parameters: { grid: 32 },
    model: { ...SMALL_FNO, padding: 2 },
  },
  cylinder: {
    ...SHORT,
    task: "cylinder",
    train: 8,
    test: 2,
    clients: 2,
    bins: 2,
    minSize: 2,
    batch: 2,
    parameters: { grid: 16, resolution: 5, reynoldsMax: 60, startUp: 4, interval: 1 },
    model: SMALL_FNO,
  },
  "flat-velocity": {
    ...SHORT,
    task: "flat-velocity",
    train: 6,
    test: 2,
    clients: 2,
    bins: 2,
    minSize: 2,
    batch: 2,
    parameters: { stride: 8 },
    model: { width: 2 },
  },
};

/** What a run leaves behind, as hashes of its bits. */
export interface RunBits {
  readonly data: string;
  readonly clients: string;
  readonly initial: string;
  readonly trained: string;
  readonly metrics: string;
}

/** Carries out a run by ONNX Runtime on one thread. */
export async function runBits(given: GivenRunOptions): Promise<RunBits> {
  const options = runOptions({ ...given, checkpoints: [0, 1] });
  const problem = await federate(await prepareData(options), options);
  const { parameters, checkpoints } = await train(problem, options, { backend: onnxBackend });
  const measured = checkpoints.map(({ parameters: _, clients: __, ...rest }) => rest);
  return {
    data: hash(problem.train.inputs, problem.train.responses, problem.test.inputs, problem.test.responses),
    clients: hash(...problem.clientIndices),
    initial: hash(checkpoints[0].parameters),
    trained: hash(parameters),
    metrics: hash(new TextEncoder().encode(JSON.stringify([firstMetrics(problem), measured]))),
  };
}

/**
 * Which kernels ONNX Runtime has chosen for this processor: sums of products differ in their last bits from one
 * instruction set to another, so that hashes of trained parameters hold where this one does.
 */
export async function kernelBits(): Promise<string> {
  const program = new Program();
  const random = stream(1, "kernels");
  const numbers = (count: number) => Float32Array.from({ length: count }, () => random.uniform() - 0.5);
  const x = program.constant(numbers(7 * 101), [7, 101]);
  const y = program.constant(numbers(101 * 67), [101, 67]);
  program.output("product", matmul(x, y));
  program.output("activation", tanh(gelu(matmul(x, y))));
  const field = program.constant(numbers(2 * 3 * 17 * 13), [2, 3, 17, 13]);
  const kernel = program.constant(numbers(5 * 3 * 3 * 3), [5, 3, 3, 3]);
  program.output("convolution", convolve(field, kernel, { strides: [1, 1], padding: [1, 1] }));
  const executable = await onnxBackend.compile(program, { threads: 1 });
  try {
    const found = await executable.run({});
    return hash(...["product", "activation", "convolution"].map((name) => found[name]));
  } finally {
    await executable.close();
  }
}

function hash(...arrays: readonly ArrayBufferView[]): string {
  const sha = createHash("sha256");
  for (const array of arrays) sha.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return sha.digest("hex").slice(0, 16);
}

/** The metrics that the hashes were made of; those that came later are left out. */
function firstMetrics({ measured }: Pick<Federation, "measured">): object {
  const { d_sol_floor: _, eps_size: __, ...first } = measured.diagnostics.metrics;
  return first;
}
