import { gradient } from "../engine/gradient.js";
import { multiply, reshape, subtract } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import { combine, type DeepOnetSizes, deepOnetParts } from "../models/deeponet.js";

/** A mini-batch, or one of every client along leading axes. */
export interface Batch {
  /** [..., samples, sensors] */
  readonly inputs: Tensor;
  /** [..., samples, points] */
  readonly responses: Tensor;
  /** [..., samples]; one over the number of samples, or zero for those that only fill up the batch. */
  readonly weights: Tensor;
}

/**
 * Gradient of the weighted mean squared error, sum_i w_i ||G(a_i) - u_i||^2 / points, [..., parameters].
 *
 * It is that of sum_i (2 w_i / points) G(a_i) . r_i with the residuals r held fixed. Weights then multiply the
 * branch's few numbers instead of the residuals, which are the largest array of a step.
 */
export function lossGradient(
  parameters: Tensor,
  { inputs, responses, weights }: Batch,
  points: Tensor,
  sizes: DeepOnetSizes,
): Tensor {
  const { branch, trunk, bias } = deepOnetParts(parameters, inputs, points, sizes);
  const residuals = subtract(combine({ branch, trunk, bias }), responses);
  const scale = multiply(reshape(weights, [...weights.shape, 1]), 2 / points.shape[0]);
  const weighted = combine({ branch: multiply(branch, scale), trunk, bias: multiply(bias, scale) });
  return gradient(weighted, [parameters], residuals)[0];
}
