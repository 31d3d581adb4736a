import { gelu, leakyRelu, relu, tanh } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";

/** What stands between the layers of a model. `tanh` and `gelu` are smooth, the others have a kink at zero. */
export type Activation = "relu" | "leaky-relu" | "tanh" | "gelu";

/** Slope of the leaky one below zero, InversionNet's. */
const SLOPE = 0.2;

const ACTIVATIONS: Readonly<Record<Activation, (x: Tensor) => Tensor>> = {
  relu,
  "leaky-relu": (x) => leakyRelu(x, SLOPE),
  tanh,
  gelu,
};

export function activate(x: Tensor, activation: Activation): Tensor {
  return ACTIVATIONS[activation](x);
}
