import { gradient } from "../engine/gradient.js";
import { multiply, reshape, subtract } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import { accumulateGradients } from "./accumulate-gradients.js";
import { branchValues, combine, type DeepOnetSizes, outputsOf, trunkValues } from "./deeponet-network.js";
import type { Weights } from "./parameter-layout.js";

/** Some of the output points, [points, coordinates], and the responses there, [..., samples, channels x points]. */
export interface Tile {
  readonly points: Tensor;
  readonly responses: Tensor;
  /** If some points only fill the tile up: one for numbers that count, zero for others; and how many points count. */
  readonly counted?: { readonly mask: Tensor; readonly points: number };
}

/** A mini-batch, or one of every client along leading axes. */
export interface Batch {
  /** [..., samples, sensors] */
  readonly inputs: Tensor;
  /** All output points, in one piece or in several (see point-tiles.ts). */
  readonly tiles: readonly Tile[];
  /** [..., samples]; one over the number of samples, or zero for those that only fill up the batch. */
  readonly weights: Tensor;
}

/**
 * Gradients of the weighted mean squared error, sum_i w_i ||G(a_i) - u_i||^2 / numbers, with respect to all weights.
 *
 * They are those of sum_i (2 w_i / numbers) G(a_i) . r_i with the residuals r held fixed. Weights then multiply the
 * branch's few numbers instead of the residuals, which are the largest array of a step.
 */
export function deepOnetGradients(weights: Weights, batch: Batch, sizes: DeepOnetSizes): Weights {
  const { inputs, tiles, weights: shares } = batch;
  const names = (part: string) => Object.keys(weights).filter((name) => name.startsWith(part));
  const part = (name: string) => names(name).map((one) => weights[one]);
  const outputs = outputsOf(sizes);
  const points = tiles.reduce((total, tile) => total + (tile.counted?.points ?? tile.points.shape[0]), 0);
  const scale = multiply(reshape(shares, [...shares.shape, 1]), 2 / (outputs * points));
  const branch = branchValues(weights, inputs, sizes);
  const scaled = { branch: multiply(branch, scale), bias: multiply(weights.bias, scale) };

  const ofTiles = tiles.map((tile) => {
    const trunk = trunkValues(weights, tile.points, sizes);
    const all = subtract(combine({ branch, trunk, bias: weights.bias }, outputs), tile.responses);
    const residuals = tile.counted ? multiply(all, tile.counted.mask) : all;
    const wanted = [scaled.branch, scaled.bias, ...part("trunk")];
    return gradient(combine({ ...scaled, trunk }, outputs), wanted, residuals);
  });
  const [toBranch, toBias, ...toTrunk] = accumulateGradients(ofTiles);
  const named = (part: string, gradients: readonly Tensor[]) =>
    names(part).map((name, i) => [name, gradients[i]] as const);
  return Object.fromEntries([
    ...named("branch", gradient(scaled.branch, part("branch"), toBranch)),
    ...named("trunk", toTrunk),
    ...named("bias", gradient(scaled.bias, [weights.bias], toBias)),
  ]);
}
