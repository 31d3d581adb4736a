import { exp, log } from "../numerics/elementary.js";
import type { RowMatrix } from "../numerics/row-matrix.js";

/** Share of the variance below which bins tell little of the responses; white noise has a few hundredths. */
const LITTLE_EXPLAINED = 1 / 3;
/** Bins are those of noise if they explain at most so many times what noise would: k-means varies by about a tenth. */
const LIKE_NOISE = 1.25;
/** Samples dominate if so small a part of them holds half of the variance. With one Gaussian amplitude it takes 12 %. */
const DOMINANT_PART = 0.05;
const DOMINANT_SHARE = 0.5;
/** Samples a bin on average from which on a bin with one alone is worth a word. */
const FULL_BINS = 10;
/** Samples that a sentence names. */
const MOST_NAMED = 5;
/** Rows that a thread takes at a time. */
const BLOCK = 4;

/** How well bins describe the responses that they hold. */
export interface BinQuality {
  /** 1 minus the sum of squared distances from centroids over that from the mean: 1 is perfect, 0 useless. */
  readonly explainedVariance: number;
  /** The fewest samples that together hold half of the variance, the largest first, and their share of it. */
  readonly dominant: { readonly samples: readonly number[]; readonly share: number };
  /** Bins that hold one sample. */
  readonly single: readonly number[];
  readonly samples: number;
  readonly bins: number;
  /** Numbers of a response. */
  readonly size: number;
  /** What the bins were fitted to, where these are not the responses themselves: `spectra`. */
  readonly of?: string;
}

/** Measures bins against the variance of the normalised responses about their own mean. */
export async function binQuality(
  matrix: RowMatrix,
  {
    binOfSample,
    bins,
    inertia,
    of,
  }: { binOfSample: Int32Array; bins: number; inertia: number; of?: string | undefined },
): Promise<BinQuality> {
  const squares = await squaredDeviations(matrix);
  const total = squares.reduce((a, b) => a + b, 0);
  const sizes = new Array<number>(bins).fill(0);
  for (const bin of binOfSample) sizes[bin]++;
  return {
    explainedVariance: total > 0 ? 1 - inertia / total : 0,
    dominant: halfOf(squares, total),
    single: sizes.flatMap((size, bin) => (size === 1 ? [bin] : [])),
    samples: matrix.rows,
    bins,
    size: matrix.columns,
    ...(of !== undefined && { of }),
  };
}

/**
 * Share of the variance that bins of white noise explain, about: a code of B words leaves at least B^(-2/size) of the
 * variance of Gaussian noise (rate-distortion bound), and B means fitted to n samples absorb (B - 1) / (n - 1) of any.
 */
export function noiseExplained({
  samples,
  bins,
  size,
}: Pick<BinQuality, "samples" | "bins" | "size">): number {
  if (bins < 2) return 0;
  return Math.min(1, 1 - exp((-2 * log(bins)) / size) + (bins - 1) / (samples - 1));
}

/** What `squaredDeviations` found: it is the same for all bins of a matrix, and may take two passes over a file. */
const deviationsOf = new WeakMap<RowMatrix, Float64Array>();

/** Squared distance of every row from the mean row. */
async function squaredDeviations(matrix: RowMatrix): Promise<Float64Array> {
  const before = deviationsOf.get(matrix);
  if (before) return before;
  const { rows, columns, stride } = matrix;
  const [mean, squares] = matrix.allocateAll([stride * 8, rows * 8]);
  await matrix.pass(({ base, from, to }) =>
    matrix.run("addColumns32", stride / 8, 64, base + from * stride * 4, to - from, stride, mean),
  );
  const sums = matrix.doubles(mean, columns);
  for (let j = 0; j < columns; j++) sums[j] /= rows;
  await matrix.pass((span) => matrix.runOn(span, "deviations32", BLOCK, span.base, stride, mean, 0, squares));
  const deviations = matrix.doubles(squares, rows).slice();
  matrix.release(mean);
  deviationsOf.set(matrix, deviations);
  return deviations;
}

function halfOf(squares: Float64Array, total: number): BinQuality["dominant"] {
  const order = [...squares.keys()].sort((a, b) => squares[b] - squares[a] || a - b);
  let held = 0;
  let count = 0;
  while (count < order.length && held < DOMINANT_SHARE * total) held += squares[order[count++]];
  return { samples: order.slice(0, count), share: total > 0 ? held / total : 0 };
}

/** What should be known of bins before numbers that depend on them are believed, one sentence each. */
export function binNotes(quality: BinQuality): string[] {
  const { explainedVariance, dominant, single, samples, bins, of = "responses" } = quality;
  const found: string[] = [];
  if (dominant.samples.length <= DOMINANT_PART * samples)
    found.push(
      `${samplesInWords(dominant.samples, samples)} ${percent(dominant.share)} of the variance of the ${of}: ` +
        "bins and distances describe little else. Check these data, or leave them out.",
    );
  if (bins > 1 && explainedVariance < LITTLE_EXPLAINED)
    found.push(
      isLikeNoise(quality)
        ? `The bins explain ${percent(explainedVariance)} of the variance of the ${of}, about as much as of white noise ` +
            `(${percent(noiseExplained(quality))}): they tell nothing of the ${of}, nor do distances between clients.`
        : `The bins explain ${percent(explainedVariance)} of the variance of the ${of}: clients with the same bins ` +
            `may hold quite different ${of}. More bins, or ${of} with less noise, explain more.`,
    );
  if (single.length > 0 && samples >= FULL_BINS * bins)
    found.push(
      `${single.length === 1 ? `Bin ${single[0]} holds` : `Bins ${single.join(", ")} hold`} a single sample${single.length === 1 ? "" : " each"}.`,
    );
  return found;
}

/** Whether bins explain no more than those of white noise of the same size. */
function isLikeNoise(quality: BinQuality): boolean {
  return quality.explainedVariance <= LIKE_NOISE * noiseExplained(quality);
}

function samplesInWords(chosen: readonly number[], all: number): string {
  if (chosen.length === 1) return `Sample ${chosen[0]} holds`;
  const named = chosen.slice(0, MOST_NAMED).join(", ") + (chosen.length > MOST_NAMED ? ", ..." : "");
  return `${chosen.length} of ${all} samples (${named}) hold`;
}

/** A share in percent with one digit; never rounded up to all. */
export function percent(share: number): string {
  const shown = (100 * share).toFixed(1);
  return shown === "100.0" && share < 1 ? "more than 99.9 %" : `${shown} %`;
}
