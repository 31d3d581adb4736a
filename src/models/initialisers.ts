import { normal } from "../random/normal.js";
import type { Stream } from "../random/stream.js";
import { type ParameterLayout, parameterCount } from "./parameter-layout.js";

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
