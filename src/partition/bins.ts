import { DataError, OptionError } from "../errors.js";
import { type CostMatrix, centroidCosts, costMatrix } from "../numerics/cost-matrix.js";
import { assignToCentroids, kMeans } from "../numerics/k-means.js";
import { stream } from "../random/stream.js";
import { type BinQuality, binQuality } from "./bin-quality.js";
import type { NormalisedResponses } from "./normalise.js";
import type { FittedRepresentation } from "./representation.js";

/** The paper's number of solution bins. */
export const DEFAULT_BINS = 10;

/** Everything that maps a response to its bin: normalisation and centroids. */
export interface BinModel {
  readonly bins: number;
  /** Shape of one response. */
  readonly shape: readonly number[];
  /** Mean field, flattened. */
  readonly mean: Float64Array;
  /** The one global scale s_u (eq:response-normalization). */
  readonly scale: number;
  /** Centroids in normalised units, bins x field size (eq:kmeans). */
  readonly centroids: Float64Array;
  /** What the rows are, where they are not the responses: shape, mean and centroids are then of such rows. */
  readonly representation?: FittedRepresentation;
  /** Costs between bins, bins x bins, and what they are called, where they are not the distances of centroids. */
  readonly cost?: { readonly name: string; readonly values: Float64Array };
}

/** A bin model and the bins of the given samples. */
export interface SolutionBins extends BinModel {
  readonly binOfSample: Int32Array;
  /** Distance of every normalised response from its centroid. */
  readonly distances: Float64Array;
  /** Mean of these distances. */
  readonly quantisationError: number;
  /** Lloyd iterations, and whether they reached a fixed point; 0 and true for bins that were reused. */
  readonly iterations: number;
  /** Sum of squared distances of normalised responses from their centroids. */
  readonly inertia: number;
  readonly converged: boolean;
  /** How well these bins describe the given samples. */
  readonly quality?: BinQuality;
  /** What was taken where representation or cost left a choice, one sentence each. */
  readonly notes?: readonly string[];
}

/** Fits bins by seeded k-means++ and Lloyd iterations. */
export async function fitBins(
  responses: NormalisedResponses,
  options: {
    readonly bins?: number;
    /** 0 unless told otherwise. */
    readonly seed?: number;
    readonly onIteration?: (iteration: number) => void;
  } = {},
): Promise<SolutionBins> {
  const { bins = DEFAULT_BINS, seed = 0, onIteration } = options;
  if (!Number.isInteger(bins) || bins < 1)
    throw new OptionError(`the number of bins is a whole number from 1 on, not ${bins}`);
  const samples = responses.matrix.rows;
  if (bins > samples)
    throw new OptionError(`${samples} responses cannot fill ${bins} bins: take at most ${samples}`);
  const fit = await kMeans(responses.matrix, { clusters: bins, random: stream(seed, "bins"), onIteration });
  return {
    bins,
    shape: responses.shape,
    mean: responses.mean,
    scale: responses.scale,
    centroids: fit.centroids,
    binOfSample: fit.labels,
    distances: fit.distances,
    quantisationError: mean(fit.distances),
    iterations: fit.iterations,
    inertia: fit.inertia,
    converged: fit.converged,
    quality: await binQuality(responses.matrix, {
      ...{ binOfSample: fit.labels, bins, inertia: fit.inertia },
      of: responses.what,
    }),
  };
}

/** Assigns responses, normalised with the mean and scale of the model, to bins fitted earlier. */
export async function applyBins(responses: NormalisedResponses, model: BinModel): Promise<SolutionBins> {
  if (responses.matrix.columns !== model.mean.length) {
    throw new DataError(
      `the bins were fitted to responses of ${model.mean.length} values, these have ${responses.matrix.columns}`,
    );
  }
  const { labels, distances } = await assignToCentroids(responses.matrix, model.centroids);
  const { bins, shape, mean: field, scale, centroids, representation, cost } = model;
  const inertia = distances.reduce((sum, distance) => sum + distance * distance, 0);
  return {
    bins,
    shape,
    mean: field,
    scale,
    centroids,
    ...(representation && { representation }),
    ...(cost && { cost }),
    binOfSample: labels,
    distances,
    quantisationError: mean(distances),
    iterations: 0,
    inertia,
    converged: true,
    quality: await binQuality(responses.matrix, { binOfSample: labels, bins, inertia, of: responses.what }),
  };
}

/** The centroid of a bin in the units of the data. */
export function centroidField({ mean, scale, centroids }: BinModel, bin: number): Float64Array {
  return mean.map((value, i) => value + scale * centroids[bin * mean.length + i]);
}

/** Costs that were asked for before: every split of the same bins needs them. */
const costOf = new WeakMap<BinModel, CostMatrix>();

/** Costs between bins: distances between centroids (eq:centroid-cost), or those that the model has. */
export function binCost(model: BinModel): CostMatrix {
  const { cost, centroids, bins } = model;
  const found = costOf.get(model) ?? (cost ? costMatrix(cost.values, bins) : centroidCosts(centroids, bins));
  costOf.set(model, found);
  return found;
}

function mean(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
