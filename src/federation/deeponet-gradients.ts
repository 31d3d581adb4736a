import { gradient } from "../engine/gradient.js";
import { multiply, reshape, subtract } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import { branchValues, combine, type DeepOnetSizes, trunkValues } from "../models/deeponet.js";
import type { Weights } from "../models/parameter-layout.js";
import { sumInTurn } from "./sum-in-turn.js";

/** Some of the output points, [points, coordinates], and the responses there, [..., samples, points]. */
export interface Tile {
  readonly points: Tensor;
  readonly responses: Tensor;
  /** If some points only fill the tile up: one for those that count, zero for the others, and the number of ones. */
  readonly counted?: { readonly mask: Tensor; readonly points: number };
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
 * Gradients of the weighted mean squared error, sum_i w_i ||G(a_i) - u_i||^2 / points, with respect to all weights.
 *
 * They are those of sum_i (2 w_i / points) G(a_i) . r_i with the residuals r held fixed. Weights then multiply the
 * branch's few numbers instead of the residuals, which are the largest array of a step.
 */
export function deepOnetGradients(weights: Weights, batch: Batch, sizes: DeepOnetSizes): Weights {
  const { inputs, tiles, weights: shares } = batch;
  const names = (part: string) => Object.keys(weights).filter((name) => name.startsWith(part));
  const part = (name: string) => names(name).map((one) => weights[one]);
  const points = tiles.reduce((total, tile) => total + (tile.counted?.points ?? tile.points.shape[0]), 0);
  const scale = multiply(reshape(shares, [...shares.shape, 1]), 2 / points);
  const branch = branchValues(weights, inputs, sizes);
  const scaled = { branch: multiply(branch, scale), bias: multiply(weights.bias, scale) };

  const ofTiles = tiles.map((tile) => {
    const trunk = trunkValues(weights, tile.points, sizes);
    const all = subtract(combine({ branch, trunk, bias: weights.bias }), tile.responses);
    const residuals = tile.counted ? multiply(all, tile.counted.mask) : all;
    return gradient(combine({ ...scaled, trunk }), [scaled.branch, scaled.bias, ...part("trunk")], residuals);
  });
  const [toBranch, toBias, ...toTrunk] = sumInTurn(ofTiles);
  const named = (part: string, gradients: readonly Tensor[]) =>
    names(part).map((name, i) => [name, gradients[i]] as const);
  return Object.fromEntries([
    ...named("branch", gradient(scaled.branch, part("branch"), toBranch)),
    ...named("trunk", toTrunk),
    ...named("bias", gradient(scaled.bias, [weights.bias], toBias)),
  ]);
}
