import { gradient } from "../engine/gradient.js";
import { add, concat, multiply, reshape, slice, subtract } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import {
  branchValues,
  combine,
  type DeepOnetSizes,
  deepOnetLayout,
  trunkValues,
} from "../models/deeponet.js";
import { weightsOf } from "../models/parameter-layout.js";

/** Some of the output points, [points, coordinates], and the responses there, [..., samples, points]. */
export interface Tile {
  readonly points: Tensor;
  readonly responses: Tensor;
}

/** A mini-batch, or one of every client along leading axes. */
export interface Batch {
  /** [..., samples, sensors] */
  readonly inputs: Tensor;
  /** All output points, in one piece or in several (see tiles.ts). */
  readonly tiles: readonly Tile[];
  /** [..., samples]; one over the number of samples, or zero for those that only fill up the batch. */
  readonly weights: Tensor;
}

/**
 * Gradient of the weighted mean squared error, sum_i w_i ||G(a_i) - u_i||^2 / points, [..., parameters].
 *
 * It is that of sum_i (2 w_i / points) G(a_i) . r_i with the residuals r held fixed. Weights then multiply the
 * branch's few numbers instead of the residuals, which are the largest array of a step.
 */
export function lossGradient(parameters: Tensor, batch: Batch, sizes: DeepOnetSizes): Tensor {
  const { inputs, tiles, weights: shares } = batch;
  const layout = deepOnetLayout(sizes);
  const weights = weightsOf(parameters, layout);
  const part = (name: string) =>
    layout.filter((block) => block.name.startsWith(name)).map((block) => weights[block.name]);
  const points = tiles.reduce((total, tile) => total + tile.points.shape[0], 0);
  const scale = multiply(reshape(shares, [...shares.shape, 1]), 2 / points);
  const branch = branchValues(weights, inputs, sizes);
  const scaled = { branch: multiply(branch, scale), bias: multiply(weights.bias, scale) };

  const ofTiles = tiles.map((tile) => {
    const trunk = trunkValues(weights, tile.points, sizes);
    const residuals = subtract(combine({ branch, trunk, bias: weights.bias }), tile.responses);
    return gradient(combine({ ...scaled, trunk }), [scaled.branch, scaled.bias, ...part("trunk")], residuals);
  });
  const [toBranch, toBias, ...toTrunk] = sumLists(ofTiles);
  const leading = parameters.shape.slice(0, -1);
  return joined(
    [
      ...gradient(scaled.branch, part("branch"), toBranch),
      ...toTrunk,
      ...gradient(scaled.bias, [weights.bias], toBias),
    ],
    leading,
  );
}

/**
 * Sums lists of tensors, entry by entry. Each list is joined into one tensor first, which makes ONNX Runtime finish
 * a tile, in the cache, before it begins the next.
 */
function sumLists(lists: readonly (readonly Tensor[])[]): readonly Tensor[] {
  if (lists.length === 1) return lists[0];
  const total = lists.map((list) => joined(list, [])).reduce(add);
  let end = 0;
  return lists[0].map(({ shape }) => {
    const size = product(shape);
    end += size;
    return reshape(slice(total, 0, end - size, end), shape);
  });
}

/** Tensors flattened, but for leading axes, and laid end to end. */
function joined(tensors: readonly Tensor[], leading: readonly number[]): Tensor {
  const flat = tensors.map((x) => reshape(x, [...leading, product(x.shape) / product(leading)]));
  return concat(flat, leading.length);
}

const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
