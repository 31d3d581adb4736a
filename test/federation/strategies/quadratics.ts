import { gather, multiply, reshape, slice, subtract, sum } from "../../../src/engine/operations.js";
import type { Federation } from "../../../src/federation/federation.js";
import { type GivenRunOptions, type RunOptions, runOptions } from "../../../src/federation/run-options.js";
import { UNSCALED } from "../../../src/federation/scaling.js";
import { parameterLayout } from "../../../src/models/parameter-layout.js";
import {
  replaceSamples,
  type TrainableModel,
  type Training,
  type TrainingSamples,
} from "../../../src/models/trainable-model.js";

/** The loss of a client, sum_j a_j / 2 (w_j - b_j)^2, and how many samples it has; all have this loss. */
export interface QuadraticClient {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly samples: number;
}

/** Clients whose losses are quadratic: one weight a block, and gradients a (w - b) without error. */
export function quadratics(
  clients: readonly QuadraticClient[],
  start: readonly number[],
  blocks: readonly string[] = start.map((_, i) => `w${i}`),
): Federation {
  const count = start.length;
  const layout = parameterLayout(blocks.map((name) => [name, [count / blocks.length]]));
  const operator: TrainableModel = {
    ...{ architecture: { name: "quadratic" }, layout, activation: count, gradientRows: 1, anySamples: false },
    initial: () => Float32Array.from(start),
    predict: () => {
      throw new Error("a quadratic predicts nothing");
    },
    training: (samples) => trainingOf(samples, layout),
  };
  const all = clients.flatMap(({ a, b, samples }) => Array.from({ length: samples }, () => ({ a, b })));
  const train = {
    samples: all.length,
    inputs: Float32Array.from(all.flatMap(({ a }) => a)),
    responses: Float32Array.from(all.flatMap(({ b }) => b)),
  };
  let next = 0;
  return {
    ...{ train, test: train, operator, scaling: UNSCALED, description: {}, origin: "simulated" },
    ...{ inputShape: [count], responseShape: [count] },
    shapes: { inputs: { channels: 1, grid: [count] }, responses: { channels: 1, grid: [count] } },
    clientIndices: clients.map(({ samples }) => Int32Array.from({ length: samples }, () => next++)),
    weights: Float64Array.from(clients, ({ samples }) => samples / all.length),
    training: operator.training(train),
    measured: undefined as never,
  };
}

/** Inputs are curvatures a, responses are minima b. */
function trainingOf({ samples, inputs, responses }: TrainingSamples, blocks: Training["blocks"]): Training {
  const shape = [samples, inputs.length / samples];
  return {
    blocks,
    data: { inputs: { values: inputs, shape }, responses: { values: responses, shape } },
    replace: (others) => replaceSamples({ inputs, responses }, others),
    gradients(weights, data, chosen, shares) {
      const [a, b] = [data.inputs, data.responses].map((table) => gather(table, chosen));
      const factor = reshape(shares, [...shares.shape, 1]);
      return Object.fromEntries(
        blocks.map(({ name, start, size }) => {
          const own = (x: typeof a) => slice(x, -1, start, start + size);
          const ofSamples = multiply(own(a), subtract(weights[name], own(b)));
          return [
            name,
            reshape(sum(multiply(ofSamples, factor), [chosen.shape.length - 1]), weights[name].shape),
          ];
        }),
      );
    },
  };
}

/** Options of a run on quadratics: plain descent, batches of one sample. */
export const quadraticOptions = (more: Partial<GivenRunOptions> = {}): RunOptions =>
  runOptions({
    ...{ task: "antiderivative", alpha: 1, seed: 5, rounds: 2, localSteps: 2, batch: 1 },
    ...{ backend: "reference", optimizer: { name: "sgd", rate: 0.25, momentum: 0 }, ...more },
  });
