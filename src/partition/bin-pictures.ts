import { DataError } from "../errors.js";
import { nearestTwo } from "../numerics/k-means.js";
import type { RowMatrix } from "../numerics/row-matrix.js";
import { type BinQuality, binQuality, percent } from "./bin-quality.js";
import type { BinModel } from "./bins.js";

/** A sample is at the border if its own centroid is at least this part as far away as the next one. */
const BORDER = 0.9;
/** Mean silhouettes below these: no clusters at all, and weak ones (Kaufman and Rousseeuw, 1990, table 4). */
const [NO_CLUSTERS, WEAK_CLUSTERS] = [0.25, 0.5];

/** A sample of a bin and its distance from the centroid, in units of s_u. */
export interface BinMember {
  readonly sample: number;
  readonly distance: number;
}

/** What a bin holds. */
export interface BinPicture {
  readonly bin: number;
  readonly samples: number;
  /** Share of the variance of all responses that is left within this bin. */
  readonly left: number;
  /** Mean distance of its samples from the centroid, in units of s_u; undefined for an empty bin. */
  readonly spread?: number;
  /** The samples nearest to and farthest from the centroid, the first among equals. */
  readonly nearest?: BinMember;
  readonly farthest?: BinMember;
  /** Mean silhouette of its samples; undefined for a bin of one sample, or without a neighbour. */
  readonly silhouette?: number;
  /** The bin that its samples are nearest to besides their own, for most of them. */
  readonly neighbour?: number;
}

/** What all bins hold, and how well they are apart. */
export interface BinPictures {
  readonly bins: readonly BinPicture[];
  readonly binOfSample: Int32Array;
  readonly quality: BinQuality;
  /** Mean distance of a response from its centroid, in units of s_u. */
  readonly quantisationError: number;
  /**
   * Mean simplified silhouette (b - a) / max(a, b) of all samples, with a the distance from the own centroid and b that
   * from the nearest other one (Hruschka, de Castro and Campello, ICDM 2004). 1 is far from any border, 0 at one. A bin of
   * one sample counts as 0 (Rousseeuw, 1987). Undefined for one bin.
   */
  readonly silhouette?: number;
  /** Share of samples that are nearly as far from their own centroid as from the next one, a >= 0.9 b. */
  readonly border?: number;
}

/**
 * Looks into bins: which samples are nearest and farthest, how far bins spread and how far they are apart. One pass over
 * the normalised responses, besides those that the quality of bins takes.
 *
 * @param given bin of every sample; default: that of the nearest centroid
 */
export async function binPictures(
  matrix: RowMatrix,
  model: BinModel,
  given?: Int32Array,
): Promise<BinPictures> {
  const { bins } = model;
  if (given && (given.length !== matrix.rows || given.some((bin) => bin < 0 || bin >= bins)))
    throw new DataError(`${given.length} bins below ${bins} do not fit ${matrix.rows} responses`);
  const two = await nearestTwo(matrix, model.centroids, given);
  const { labels, distances } = two;
  const inertia = distances.reduce((sum, distance) => sum + distance * distance, 0);
  const quality = await binQuality(matrix, { binOfSample: labels, bins, inertia });
  const variance = quality.explainedVariance < 1 ? inertia / (1 - quality.explainedVariance) : 0;
  const members = Array.from({ length: bins }, () => [] as number[]);
  labels.forEach((bin, sample) => {
    members[bin].push(sample);
  });
  const silhouettes = silhouettesOf(two, members);
  const border = distances.reduce((sum, own, i) => sum + (own >= BORDER * two.otherDistances[i] ? 1 : 0), 0);
  return {
    bins: members.map((samples, bin) => pictureOf(bin, samples, { ...two, silhouettes, variance, bins })),
    binOfSample: labels,
    quality,
    quantisationError: mean(distances),
    ...(bins > 1 && { silhouette: mean(silhouettes), border: border / matrix.rows }),
  };
}

/** Silhouette of every sample; 0 for the only sample of a bin. */
function silhouettesOf(
  { labels, distances, otherDistances }: Awaited<ReturnType<typeof nearestTwo>>,
  members: readonly (readonly number[])[],
): Float64Array {
  return distances.map((own, sample) => {
    const other = otherDistances[sample];
    const larger = Math.max(own, other);
    return members[labels[sample]].length === 1 || larger === 0 ? 0 : (other - own) / larger;
  });
}

function pictureOf(
  bin: number,
  samples: readonly number[],
  of: Pick<Awaited<ReturnType<typeof nearestTwo>>, "distances" | "others"> & {
    readonly silhouettes: Float64Array;
    readonly variance: number;
    readonly bins: number;
  },
): BinPicture {
  const { distances, others, silhouettes, variance, bins } = of;
  if (samples.length === 0) return { bin, samples: 0, left: 0 };
  const squares = samples.reduce((sum, sample) => sum + distances[sample] * distances[sample], 0);
  const best = (isBetter: (a: number, b: number) => boolean): BinMember => {
    const sample = samples.reduce((found, one) => (isBetter(distances[one], distances[found]) ? one : found));
    return { sample, distance: distances[sample] };
  };
  return {
    bin,
    samples: samples.length,
    left: variance > 0 ? squares / variance : 0,
    spread: samples.reduce((sum, sample) => sum + distances[sample], 0) / samples.length,
    nearest: best((a, b) => a < b),
    farthest: best((a, b) => a > b),
    ...(bins > 1 && {
      neighbour: mostFrequent(
        samples.map((sample) => others[sample]),
        bins,
      ),
    }),
    ...(bins > 1 &&
      samples.length > 1 && {
        silhouette: samples.reduce((sum, sample) => sum + silhouettes[sample], 0) / samples.length,
      }),
  };
}

/** The value that comes most often, the smallest among equals. */
function mostFrequent(values: readonly number[], below: number): number {
  const counts = new Int32Array(below);
  for (const value of values) counts[value]++;
  return counts.indexOf(counts.reduce((a, b) => Math.max(a, b)));
}

function mean(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** How far apart bins are, in one sentence; nothing for a single bin. */
export function separationWords({ silhouette, border }: Pick<BinPictures, "silhouette" | "border">): string {
  if (silhouette === undefined || border === undefined) return "";
  const kind =
    silhouette < NO_CLUSTERS
      ? "the bins cut up one cloud of responses"
      : silhouette < WEAK_CLUSTERS
        ? "the bins touch, as parts of a continuum do"
        : "the bins are clusters apart from each other";
  return (
    `Mean silhouette ${silhouette.toFixed(2)}: ${kind}. ` +
    `${percent(border)} of the samples are about as near to another centroid (within 10 %).`
  );
}
