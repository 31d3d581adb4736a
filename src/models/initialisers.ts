import type { Shape } from "../engine/shape.js";
import { normal } from "../random/normal.js";
import type { Stream } from "../random/stream.js";
import { type ParameterBlock, type ParameterLayout, parameterCount } from "./parameter-layout.js";

/** How weights and biases are drawn. */
export type Initialiser = "glorot-normal" | "pytorch";
export const INITIALISERS: readonly Initialiser[] = ["glorot-normal", "pytorch"];

/** Where a weight's values are drawn from, uniformly. */
export interface UniformRange {
  readonly low: number;
  readonly high: number;
}

/** Weights that have a range of their own, whatever the initialiser. */
export type SpecialRange = (block: ParameterBlock) => UniformRange | undefined;

const NONE: SpecialRange = () => undefined;

/** Initial values in the order of the layout, rounded to float32. */
export function initialValues(
  layout: ParameterLayout,
  random: Stream,
  initialiser: Initialiser,
  special: SpecialRange = NONE,
): Float32Array {
  return initialiser === "pytorch"
    ? likePyTorch(layout, random, special)
    : glorotNormal(layout, random, special);
}

/**
 * Glorot and Bengio's (2010) normal initialisation: matrices [in, out] have variance 2 / (in + out), kernels count their
 * positions on both sides, vectors (biases) are zero.
 */
export function glorotNormal(
  layout: ParameterLayout,
  random: Stream,
  special: SpecialRange = NONE,
): Float32Array {
  const parameters = new Float32Array(parameterCount(layout));
  for (const block of layout) {
    const { shape, start, size } = block;
    const range = special(block);
    if (range) {
      drawUniform(parameters, block, range, random);
      continue;
    }
    if (shape.length < 2) continue;
    const positions = shape.slice(2).reduce((a, b) => a * b, 1);
    const deviation = Math.sqrt(2 / ((shape[0] + shape[1]) * positions));
    for (let i = start; i < start + size; i++) parameters[i] = deviation * normal(random);
  }
  return parameters;
}

/**
 * PyTorch's defaults for linear layers and convolutions: weights and biases uniform within +-1 / sqrt(fan in), the
 * number of values that a sum of the layer takes. A weight `name.weight` stands before its bias `name.bias`.
 */
export function likePyTorch(
  layout: ParameterLayout,
  random: Stream,
  special: SpecialRange = NONE,
): Float32Array {
  const parameters = new Float32Array(parameterCount(layout));
  let bound = 0;
  for (const block of layout) {
    if (block.name.endsWith(".weight")) bound = 1 / Math.sqrt(fanIn(block.shape));
    drawUniform(parameters, block, special(block) ?? { low: -bound, high: bound }, random);
  }
  return parameters;
}

function drawUniform(
  parameters: Float32Array,
  { start, size }: ParameterBlock,
  { low, high }: UniformRange,
  random: Stream,
): void {
  for (let i = start; i < start + size; i++) parameters[i] = low + (high - low) * random.uniform();
}

/** Of matrices [in, out] and of kernels [out, in, height, width]. */
function fanIn(shape: Shape): number {
  return shape.length === 2 ? shape[0] : shape.slice(1).reduce((a, b) => a * b, 1);
}
