import { add, concat, matmul, slice } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import { type Activation, activate } from "./activation.js";
import { type ParameterLayout, parameterLayout, type Weights } from "./parameter-layout.js";

/** Sizes of a Cartesian DeepONet. */
export interface DeepOnetSizes {
  /** Values of an input function. */
  readonly sensors: number;
  /** Coordinates of an output point: 1 for u(x), 2 for u(x, t). */
  readonly coordinates: number;
  /** Width of every layer. */
  readonly width: number;
  /** Linear layers of branch and of trunk. */
  readonly depth: number;
  /** Default `relu`. */
  readonly activation?: Activation;
  /** Channels of the prediction; 1 by default. */
  readonly outputs?: number;
  /** Dimension of the final dot product of each channel; the width by default. */
  readonly latent?: number;
  /** What follows the trunk's last layer: the activation of the others by default. */
  readonly trunkOutput?: TrunkOutput;
}

export type TrunkOutput = "activation" | "relu" | "none";

/** Channels of the prediction. */
export const outputsOf = ({ outputs = 1 }: DeepOnetSizes): number => outputs;

/** Dimension of the final dot product of each channel. */
export const latentOf = ({ latent, width }: DeepOnetSizes): number => latent ?? width;

/** The three parts of a DeepONet's prediction, which is branch trunk^T + bias for each channel. */
export interface DeepOnetParts {
  /** [..., samples, channels x latent] */
  readonly branch: Tensor;
  /** [..., points, channels x latent] */
  readonly trunk: Tensor;
  /** [..., 1, channels], or [..., samples, channels] */
  readonly bias: Tensor;
}

/** Weights `branch.0.weight` [in, out], `branch.0.bias` [out], ..., `trunk.0.weight`, ..., and `bias` [channels]. */
export function deepOnetLayout(sizes: DeepOnetSizes): ParameterLayout {
  const { sensors, coordinates, width, depth } = sizes;
  const outputs = outputsOf(sizes);
  const network = (name: string, inputs: number) =>
    Array.from({ length: depth }, (_, layer) => {
      const to = layer + 1 === depth ? outputs * latentOf(sizes) : width;
      return [
        [`${name}.${layer}.weight`, [layer === 0 ? inputs : width, to]] as const,
        [`${name}.${layer}.bias`, [to]] as const,
      ];
    }).flat();
  return parameterLayout([
    ...network("branch", sensors),
    ...network("trunk", coordinates),
    ["bias", [outputs]] as const,
  ]);
}

/**
 * The blocks of a layout to train. Weights and biases of first layers, which lie one behind the other, are one matrix
 * `branch.0` [in + 1, out]: if the inputs end with a column of ones (see `withOnes`), such a layer is one product.
 */
export function trainingBlocks(layout: ParameterLayout): ParameterLayout {
  const named = new Map(layout.map((block) => [block.name, block]));
  return layout.flatMap((block) => {
    const first = /^(branch|trunk)\.0\.(weight|bias)$/.exec(block.name);
    if (!first) return [block];
    if (first[2] === "bias") return [];
    const [inputs, outputs] = block.shape;
    const bias = named.get(`${first[1]}.0.bias`)!;
    const shape = [inputs + 1, outputs];
    const parts = [block, bias];
    return [{ ...block, name: `${first[1]}.0`, shape, size: block.size + bias.size, parts }];
  });
}

/** Rows of numbers, each with a one behind it. */
export function withOnes(values: Float32Array, columns: number): Float32Array {
  const rows = values.length / columns;
  const result = new Float32Array(rows * (columns + 1)).fill(1);
  copyRows(values, columns, result, columns + 1);
  return result;
}

/** Copies rows to the beginnings of longer rows. */
export function copyRows(values: Float32Array, columns: number, into: Float32Array, longer: number): void {
  for (let row = 0; row < values.length / columns; row++)
    into.set(values.subarray(row * columns, (row + 1) * columns), row * longer);
}

/** Values of the branch for sampled input functions [..., samples, sensors]; no activation after its last layer. */
export function branchValues(weights: Weights, inputs: Tensor, sizes: DeepOnetSizes): Tensor {
  return network(weights, "branch", inputs, sizes, "none");
}

/** Values of the trunk at points [points, coordinates]; its last layer has an activation unless told otherwise. */
export function trunkValues(weights: Weights, points: Tensor, sizes: DeepOnetSizes): Tensor {
  return network(weights, "trunk", points, sizes, sizes.trunkOutput ?? "activation");
}

function network(
  weights: Weights,
  name: "branch" | "trunk",
  input: Tensor,
  { depth, activation = "relu" }: DeepOnetSizes,
  output: TrunkOutput,
): Tensor {
  let x = input;
  for (let layer = 0; layer < depth; layer++) {
    const whole = weights[`${name}.${layer}`];
    x = whole
      ? matmul(x, whole)
      : add(matmul(x, weights[`${name}.${layer}.weight`]), weights[`${name}.${layer}.bias`]);
    if (layer + 1 < depth || output === "activation") x = activate(x, activation);
    else if (output === "relu") x = activate(x, "relu");
  }
  return x;
}

/** The values at all points, [..., samples, channels x points]. */
export function combine({ branch, trunk, bias }: DeepOnetParts, outputs = 1): Tensor {
  const latent = branch.shape.at(-1)! / outputs;
  const channels = Array.from({ length: outputs }, (_, channel) => {
    const own = (x: Tensor, size: number) => slice(x, -1, channel * size, (channel + 1) * size);
    return add(matmul(own(branch, latent), own(trunk, latent), { transposeB: true }), own(bias, 1));
  });
  return concat(channels, -1);
}

/**
 * A Cartesian DeepONet (Lu et al. 2021, in the form of DeepXDE): every input function is evaluated at the same
 * points. The prediction is [..., samples, channels x points].
 *
 * Several output channels split the last layers of branch and trunk, each channel with `latent` numbers of its own and a
 * bias: the second of the four ways of Lu et al. (2022), DeepXDE's `split_both`.
 *
 * @param weights axes before those of a weight, such as one over clients, go through.
 * @param inputs sampled input functions, [..., samples, sensors]
 * @param points where the outputs are wanted, [points, coordinates]
 */
export function predictDeepOnet(
  weights: Weights,
  inputs: Tensor,
  points: Tensor,
  sizes: DeepOnetSizes,
): Tensor {
  const parts = {
    branch: branchValues(weights, inputs, sizes),
    trunk: trunkValues(weights, points, sizes),
    bias: weights.bias,
  };
  return combine(parts, outputsOf(sizes));
}
