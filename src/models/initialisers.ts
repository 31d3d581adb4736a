import type { Shape } from "../engine/shape.js";
import { normal } from "../random/normal.js";
import type { Stream } from "../random/stream.js";
import { type ParameterBlock, type ParameterLayout, parameterCount } from "./parameter-layout.js";

/**
 * Glorot and Bengio's (2010) normal initialisation: matrices [in, out] have variance 2 / (in + out), vectors
 * (biases) are zero. Drawn in the order of the layout, rounded to float32.
 */
export function glorotNormal(layout: ParameterLayout, random: Stream): Float32Array {
  const parameters = new Float32Array(parameterCount(layout));
  for (const { shape, start, size } of layout) {
    if (shape.length !== 2) continue;
    const deviation = Math.sqrt(2 / (shape[0] + shape[1]));
    for (let i = start; i < start + size; i++) parameters[i] = deviation * normal(random);
  }
  return parameters;
}

/** Where a weight's values are drawn from, uniformly. */
export interface UniformRange {
  readonly low: number;
  readonly high: number;
}

/**
 * PyTorch's defaults for linear layers and convolutions: weights and biases uniform within +-1 / sqrt(fan in), the
 * number of values that a sum of the layer takes. A weight `name.weight` stands before its bias `name.bias`. `special`
 * says where other weights are drawn from. Drawn in the order of the layout, rounded to float32.
 */
export function likePyTorch(
  layout: ParameterLayout,
  random: Stream,
  special: (block: ParameterBlock) => UniformRange | undefined = () => undefined,
): Float32Array {
  const parameters = new Float32Array(parameterCount(layout));
  let bound = 0;
  for (const block of layout) {
    if (block.name.endsWith(".weight")) bound = 1 / Math.sqrt(fanIn(block.shape));
    const { low, high } = special(block) ?? { low: -bound, high: bound };
    for (let i = block.start; i < block.start + block.size; i++)
      parameters[i] = low + (high - low) * random.uniform();
  }
  return parameters;
}

/** Of matrices [in, out] and of kernels [out, in, height, width]. */
function fanIn(shape: Shape): number {
  return shape.length === 2 ? shape[0] : shape.slice(1).reduce((a, b) => a * b, 1);
}
