import type { Backend, Executable } from "../../engine/backend.js";
import { gradient } from "../../engine/gradient.js";
import { gather, matmul, multiply, reshape, subtract, sum } from "../../engine/operations.js";
import { Program, type Tensor } from "../../engine/program.js";
import { parameterCount, weightsOf } from "../../models/parameter-layout.js";
import type { TrainableModel as Operator, TrainingSamples } from "../../models/trainable-model.js";
import { dot } from "../../numerics/vector.js";

/** Which samples a loss is the mean over: a bin's, a client's, or all. */
export type SampleGroup = Int32Array;

/**
 * Mean squared errors over groups of samples, with first and second derivatives with respect to all parameters, in
 * double precision. A client's objective F_k, a bin's F_b and the common test risk are all of this kind.
 */
export interface Objective {
  /** Number of parameters. */
  readonly parameters: number;
  /** Every sample. */
  readonly all: SampleGroup;
  /** Mean over the group of ||G(a) - u||^2 / points, in the units in which the model is trained. */
  loss(theta: Float64Array, group?: SampleGroup): Promise<number>;
  gradient(theta: Float64Array, group?: SampleGroup): Promise<Float64Array>;
  /** The Hessian at theta times v, exactly: the gradient of the gradient's product with v. */
  hessianVector(theta: Float64Array, v: Float64Array, group?: SampleGroup): Promise<Float64Array>;
  close(): Promise<void>;
}

/** Samples of one run: the smallest of these that holds what is left of a group. */
const ROWS = [1, 4, 16, 32, 64, 128, 256];

type Kind = "loss" | "gradient" | "hessianVector";

export interface ObjectiveOptions {
  /** Samples of one run at most, which bounds its memory; 256 by default. */
  readonly together?: number;
  readonly threads?: number;
}

/** Opens the objectives of an operator on samples. Programs are compiled when they are first needed. */
export function openObjective(
  operator: Operator,
  samples: TrainingSamples,
  backend: Backend,
  { together = 256, threads = 1 }: ObjectiveOptions = {},
): Objective {
  const parameters = parameterCount(operator.layout);
  const all = Int32Array.from({ length: samples.samples }, (_, i) => i);
  const fitting = ROWS.filter((rows) => rows <= together);
  const inputs = Float64Array.from(samples.inputs);
  const responses = Float64Array.from(samples.responses);
  const compiled = new Map<string, Promise<Executable>>();

  const executable = (kind: Kind, rows: number): Promise<Executable> => {
    const key = `${kind} ${rows}`;
    const known =
      compiled.get(key) ??
      backend.compile(objectiveProgram(kind, operator, samples, rows), { threads }).then((made) => {
        made.write("inputs", inputs);
        made.write("responses", responses);
        return made;
      });
    compiled.set(key, known);
    return known;
  };

  /** Sums a program's result over the group, as many samples at a time as fit. */
  const total = async (
    kind: Kind,
    group: SampleGroup,
    given: Readonly<Record<string, Float64Array>>,
    length: number,
  ): Promise<Float64Array> => {
    const result = new Float64Array(length);
    for (let start = 0; start < group.length; ) {
      const left = group.length - start;
      const rows = fitting.find((some) => some >= left) ?? fitting.at(-1)!;
      const chosen = group.subarray(start, start + rows);
      const indices = new Int32Array(rows).fill(group[0]);
      indices.set(chosen);
      const weights = new Float64Array(rows).fill(1 / group.length, 0, chosen.length);
      const { value } = await (await executable(kind, rows)).run({ ...given, indices, weights });
      for (let i = 0; i < length; i++) result[i] += value[i];
      start += rows;
    }
    return result;
  };

  return {
    parameters,
    all,
    loss: async (theta, group = all) => (await total("loss", group, { theta }, 1))[0],
    gradient: (theta, group = all) => total("gradient", group, { theta }, parameters),
    hessianVector: (theta, v, group = all) =>
      total("hessianVector", group, { theta, direction: v }, parameters),
    async close() {
      for (const one of compiled.values()) await (await one).close();
    },
  };
}

/** Output `value`: the weighted sum of losses of samples chosen by `indices`, or a derivative of it. */
function objectiveProgram(
  kind: Kind,
  operator: Operator,
  { samples, inputs, responses }: TrainingSamples,
  rows: number,
): Program {
  const program = new Program();
  const theta = program.input("theta", [parameterCount(operator.layout)]);
  const indices = program.input("indices", [rows], "int");
  const shares = program.input("weights", [rows]);
  const given = (name: string, values: Float32Array): Tensor =>
    gather(program.input(name, [samples, values.length / samples]), indices);
  const prediction = operator.predict(weightsOf(theta, operator.layout), given("inputs", inputs));
  const residuals = subtract(prediction, given("responses", responses));
  const scale = multiply(reshape(shares, [rows, 1]), samples / responses.length);
  const loss = sum(multiply(multiply(residuals, residuals), scale));
  if (kind === "loss") {
    program.output("value", reshape(loss, [1]));
    return program;
  }
  const [slope] = gradient(loss, [theta]);
  program.output(
    "value",
    kind === "gradient" ? slope : gradient(slope, [theta], program.input("direction", theta.shape))[0],
  );
  return program;
}

/** Scalar products g_i . g_j of the gradients of all single samples, row-major. */
export async function gradientGram(
  objective: Objective,
  theta: Float64Array,
  backend: Backend,
): Promise<Float64Array> {
  const { all, parameters } = objective;
  const gradients = new Float64Array(all.length * parameters);
  for (let i = 0; i < all.length; i++)
    gradients.set(await objective.gradient(theta, all.subarray(i, i + 1)), i * parameters);
  const program = new Program();
  const rows = program.input("gradients", [all.length, parameters]);
  program.output("gram", matmul(rows, rows, { transposeB: true }));
  const made = await backend.compile(program);
  const { gram } = await made.run({ gradients });
  await made.close();
  return Float64Array.from(gram as Float64Array);
}

/** E ||g_i - g||^2 of one sample drawn from a group whose mean gradient is g. */
export function sampleVariance(gram: Float64Array, group: SampleGroup, mean: Float64Array): number {
  const samples = Math.sqrt(gram.length);
  const square = group.reduce((sum, sample) => sum + gram[sample * (samples + 1)], 0) / group.length;
  return Math.max(0, square - dot(mean, mean));
}
