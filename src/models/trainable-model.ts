import { gradient } from "../engine/gradient.js";
import { gather, multiply, reshape, slice, subtract } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import type { Shape } from "../engine/shape.js";
import type { Stream } from "../random/stream.js";
import { accumulateGradients } from "./accumulate-gradients.js";
import type { ParameterLayout, Weights } from "./parameter-layout.js";

/** Labelled samples as a model takes them: float32, one sample after another. */
export interface TrainingSamples {
  readonly samples: number;
  /** samples x numbers of an input */
  readonly inputs: Float32Array;
  /** samples x numbers of a response */
  readonly responses: Float32Array;
}

/** The arrays of {@link TrainingSamples}. */
export type SampleArrays = Pick<TrainingSamples, "inputs" | "responses">;

/** Puts other samples in the place of the first ones of those given. */
export function replaceSamples(held: SampleArrays, { inputs, responses }: SampleArrays): void {
  held.inputs.set(inputs);
  held.responses.set(responses);
}

/** A model that was built for data: its parameters, what it predicts, and how it learns from samples. */
export interface TrainableModel {
  /** Its name and sizes, as they are recorded. */
  readonly architecture: { readonly name: string } & Readonly<Record<string, string | number>>;
  readonly layout: ParameterLayout;
  /** Numbers that a sample takes in the largest activation: how many fit into memory at once. */
  readonly activation: number;
  /** Samples whose gradient is computed at once, at most: few where all activations must be kept for it. */
  readonly gradientRows: number;
  /** Whether a program that predicts can be run with any number of samples, whichever it was made for. */
  readonly anySamples: boolean;
  initial(random: Stream): Float32Array;
  /**
   * Predictions [..., samples, numbers of a response] from inputs [..., samples, numbers of an input]. Axes before these,
   * over runs or clients, are those of the weights.
   */
  predict(weights: Weights, inputs: Tensor): Tensor;
  training(samples: TrainingSamples, options?: TrainingOptions): Training;
}

export interface TrainingOptions {
  /** Write few large operations instead of many that stay in a processor's cache; false by default. */
  readonly largeKernels?: boolean;
}

/** Training data in the form in which programs take them, and the gradient of the loss on some of them. */
export interface Training {
  /** The blocks of parameters that are trained: those of the layout, of which some may be joined. */
  readonly blocks: ParameterLayout;
  /** Arrays that programs hold as inputs, by name. */
  readonly data: Readonly<Record<string, HeldArray>>;
  /** Puts other samples in the place of the first ones that it holds: new arrays for each batch would take time. */
  replace(samples: SampleArrays): void;
  /**
   * Gradients of the mean squared error on a batch, sum_i w_i ||G(a_i) - u_i||^2 / points, by block; of several clients
   * at once along leading axes.
   *
   * @param data the held arrays
   * @param chosen which samples, [..., batch]
   * @param shares w_i, [..., batch]; one over the number of samples, or zero for those that fill up the batch
   */
  gradients(
    weights: Weights,
    data: Readonly<Record<string, Tensor>>,
    chosen: Tensor,
    shares: Tensor,
  ): Weights;
}

export interface HeldArray {
  readonly values: Float32Array;
  readonly shape: Shape;
}

/**
 * Training by nothing but the gradient of predictions. Gradients are summed over `together` samples at a time,
 * all of a batch unless told otherwise: activations of a few may stay in the cache where those of a batch do not.
 */
export function plainTraining(
  { layout, predict }: Pick<TrainableModel, "layout" | "predict">,
  { samples, inputs, responses }: TrainingSamples,
  together = Infinity,
): Training {
  const points = responses.length / samples;
  return {
    blocks: layout,
    data: {
      inputs: { values: inputs, shape: [samples, inputs.length / samples] },
      responses: { values: responses, shape: [samples, points] },
    },
    replace: (others) => replaceSamples({ inputs, responses }, others),
    gradients(weights, data, chosen, shares) {
      const rows = chosen.shape.at(-1)!;
      const names = Object.keys(weights);
      const parts: Tensor[][] = [];
      for (let start = 0; start < rows; start += together) {
        const some = (x: Tensor) => slice(x, -1, start, Math.min(rows, start + together));
        const prediction = predict(weights, gather(data.inputs, some(chosen)));
        const residuals = subtract(prediction, gather(data.responses, some(chosen)));
        const scale = multiply(reshape(some(shares), [...some(shares).shape, 1]), 2 / points);
        parts.push(gradient(prediction, Object.values(weights), multiply(residuals, scale)));
      }
      const total = accumulateGradients(parts, chosen.shape.slice(0, -1));
      return Object.fromEntries(names.map((name, i) => [name, total[i]]));
    },
  };
}

/** Samples whose activations are kept at once, for gradients of all of a client's. */
const GRADIENT_ROWS = 16;

/**
 * A model that needs no training of its own: it is trained by the gradient of its predictions, and its programs are made
 * for a number of samples.
 *
 * @param together samples whose gradients are computed at a time on a processor; all of a batch by default
 */
export function trainedByPredictions(
  parts: Omit<TrainableModel, "training" | "anySamples" | "gradientRows">,
  together?: number,
): TrainableModel {
  return {
    ...parts,
    gradientRows: GRADIENT_ROWS,
    anySamples: false,
    training: (samples, { largeKernels = false } = {}) =>
      plainTraining(parts, samples, largeKernels ? undefined : together),
  };
}
