import { add, matmul } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import { type Activation, activate } from "./activation.js";
import { type ParameterLayout, parameterLayout, type Weights, weightsOf } from "./parameter-layout.js";

/** Sizes of a Cartesian DeepONet. */
export interface DeepOnetSizes {
  /** Values of an input function. */
  readonly sensors: number;
  /** Coordinates of an output point: 1 for u(x), 2 for u(x, t). */
  readonly coordinates: number;
  /** Width of every layer, and the dimension of the final dot product. */
  readonly width: number;
  /** Linear layers of branch and of trunk. */
  readonly depth: number;
  /** Default `relu`. */
  readonly activation?: Activation;
}

/** The three parts of a DeepONet's prediction, which is branch trunk^T + bias. */
export interface DeepOnetParts {
  /** [..., samples, width] */
  readonly branch: Tensor;
  /** [..., points, width] */
  readonly trunk: Tensor;
  /** [..., 1, 1] */
  readonly bias: Tensor;
}

/** Weights `branch.0.weight` [in, out], `branch.0.bias` [out], ..., `trunk.0.weight`, ..., and `bias` [1]. */
export function deepOnetLayout({ sensors, coordinates, width, depth }: DeepOnetSizes): ParameterLayout {
  const network = (name: string, inputs: number) =>
    Array.from({ length: depth }, (_, layer) => [
      [`${name}.${layer}.weight`, [layer === 0 ? inputs : width, width]] as const,
      [`${name}.${layer}.bias`, [width]] as const,
    ]).flat();
  return parameterLayout([
    ...network("branch", sensors),
    ...network("trunk", coordinates),
    ["bias", [1]] as const,
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
    const { size } = named.get(`${first[1]}.0.bias`)!;
    return [{ ...block, name: `${first[1]}.0`, shape: [inputs + 1, outputs], size: block.size + size }];
  });
}

/** Rows of numbers, each with a one behind it. */
export function withOnes(values: Float32Array, columns: number): Float32Array {
  const rows = values.length / columns;
  const result = new Float32Array(rows * (columns + 1)).fill(1);
  for (let row = 0; row < rows; row++)
    result.set(values.subarray(row * columns, (row + 1) * columns), row * (columns + 1));
  return result;
}

/** Values of the branch for sampled input functions [..., samples, sensors]; no activation after its last layer. */
export function branchValues(weights: Weights, inputs: Tensor, sizes: DeepOnetSizes): Tensor {
  return network(weights, "branch", inputs, sizes, false);
}

/** Values of the trunk at points [points, coordinates]; its last layer has an activation. */
export function trunkValues(weights: Weights, points: Tensor, sizes: DeepOnetSizes): Tensor {
  return network(weights, "trunk", points, sizes, true);
}

function network(
  weights: Weights,
  name: "branch" | "trunk",
  input: Tensor,
  { depth, activation = "relu" }: DeepOnetSizes,
  activateLast: boolean,
): Tensor {
  let x = input;
  for (let layer = 0; layer < depth; layer++) {
    const whole = weights[`${name}.${layer}`];
    x = whole
      ? matmul(x, whole)
      : add(matmul(x, weights[`${name}.${layer}.weight`]), weights[`${name}.${layer}.bias`]);
    if (layer + 1 < depth || activateLast) x = activate(x, activation);
  }
  return x;
}

/** The values at all points, [..., samples, points]. */
export function combine({ branch, trunk, bias }: DeepOnetParts): Tensor {
  return add(matmul(branch, trunk, { transposeB: true }), bias);
}

/**
 * A Cartesian DeepONet (Lu et al. 2021, in the form of DeepXDE): every input function is evaluated at the same
 * points. The prediction is [..., samples, points].
 *
 * @param parameters [..., parameters]; axes before the last, such as one over clients, go through.
 * @param inputs sampled input functions, [..., samples, sensors]
 * @param points where the outputs are wanted, [points, coordinates]
 */
export function deepOnet(parameters: Tensor, inputs: Tensor, points: Tensor, sizes: DeepOnetSizes): Tensor {
  const weights = weightsOf(parameters, deepOnetLayout(sizes));
  return combine({
    branch: branchValues(weights, inputs, sizes),
    trunk: trunkValues(weights, points, sizes),
    bias: weights.bias,
  });
}
