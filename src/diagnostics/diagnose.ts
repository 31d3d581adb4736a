import { DataError } from "../errors.js";
import type { CostMatrix } from "../numerics/cost-matrix.js";
import { type PairwiseTransport, pairwiseTransport, transportSolver } from "../numerics/transport.js";
import { type BinQuality, binNotes } from "../partition/bin-quality.js";
import type { Intention } from "../partition/partitioner.js";
import {
  allocationHeterogeneity,
  expectedHeterogeneity,
  expectedRealisedHeterogeneity,
  impliedConcentration,
} from "./concentration-law.js";
import { hellinger, jensenShannon, squaredDistance, totalVariation } from "./divergences.js";
import { iidFloor } from "./iid-floor.js";
import { dependenceScore } from "./independence.js";
import type { InputDistances } from "./input-distance.js";
import type { Metrics } from "./metrics.js";

/** Standard deviations of a chi-square test above which counts depend on bins: chance exceeds it once in a hundred. */
const SIGNIFICANT = 2.326;

export interface DiagnosticsInput {
  /** Number of samples per client and bin, clients x bins. */
  readonly counts: readonly (readonly number[])[];
  /** Ground cost between bins (eq:centroid-cost). */
  readonly cost: CostMatrix;
  /** What was intended for the clients, if the partitioner can say. */
  readonly drawn?: Intention;
  /** Mean distance of a response from its centroid, where responses are at hand. */
  readonly quantisationError?: number;
  /** How well the bins describe the responses, where those are at hand. */
  readonly binQuality?: BinQuality;
  /** What was taken where representation or cost of the bins left a choice, one sentence each. */
  readonly binRemarks?: readonly string[];
  readonly inputDistances?: InputDistances;
  /** Seed of the IID splits that `d_sol_floor` is measured on; default 0. */
  readonly seed?: number;
  /** Whether optimal plans of all pairs are wanted; default: of up to `MOST_PLANNED` clients. They take most of the time. */
  readonly plans?: boolean;
}

export interface Diagnostics {
  readonly metrics: Metrics;
  /** Transport distance between every two clients, clients x clients; NaN for a client without samples. */
  readonly distances: Float64Array;
  /** Optimal plans of all pairs of clients that hold samples; empty where they are not wanted. */
  readonly plans: PairwiseTransport["plans"];
  /** Degenerate cases and remarks, one sentence each. */
  readonly notes: readonly string[];
}

/** Clients whose plans are made unless asked for: half a million pairs of them take some 100 MB. */
const MOST_PLANNED = 1000;

/** Measures the heterogeneity of a partition from its client-by-bin counts and the distances between bins. */
export function diagnose(input: DiagnosticsInput): Diagnostics {
  const { counts, cost, drawn } = input;
  const sizes = counts.map(sum);
  const clients = counts.length;
  const bins = cost.size;
  check(counts, bins, sizes);

  const total = sum(sizes);
  const binSizes = Array.from({ length: bins }, (_, bin) => sum(counts.map((row) => row[bin])));
  const masses = binSizes.map((size) => size / total);
  const present = sizes.flatMap((size, client) => (size > 0 ? [client] : []));
  const histograms = present.map((client) => counts[client].map((count) => count / sizes[client]));
  const weights = present.map((client) => sizes[client] / total);

  const pairs = pairwiseTransport(
    present.map((client) => counts[client]),
    cost,
    { plans: input.plans ?? clients <= MOST_PLANNED },
  );
  const divergences = meanDivergences(histograms);
  const fromMean = transportSolver(cost);
  const hQ = weighted(weights, (k) => squaredDistance(histograms[k], masses));
  const hW = weighted(weights, (k) => {
    const distance = fromMean.distance(counts[present[k]], binSizes);
    return distance * distance;
  });
  const realisedShares = counts.map((row) =>
    row.map((count, bin) => (binSizes[bin] > 0 ? count / binSizes[bin] : 0)),
  );
  const hRealised = allocationHeterogeneity(realisedShares, masses);
  const meanSize = total / clients;
  const cvN = Math.sqrt(sum(sizes.map((size) => (size - meanSize) * (size - meanSize))) / clients) / meanSize;
  // A partition that was drawn by bins here is what its alpha says; of another, the counts must show it.
  const alpha = drawn?.alpha;
  const target = drawn?.target;
  const ignoresBins = !drawn?.proportions && dependenceScore(counts) < SIGNIFICANT;

  const metrics: Metrics = {
    d_sol: meanOfPairs(pairs.distances, present.length),
    d_sol_floor: iidFloor(binSizes, sizes, cost, input.seed),
    input_w1: input.inputDistances?.mean ?? null,
    input_w1_samples: input.inputDistances?.samplesPerClient ?? null,
    eps_part: target
      ? weighted(
          present.map(() => 1 / present.length),
          (k) => 2 * totalVariation(histograms[k], target[present[k]]),
        )
      : null,
    eps_part_l2: target
      ? Math.sqrt(weighted(weights, (k) => squaredDistance(histograms[k], target[present[k]])))
      : null,
    eps_size: drawn?.sizes ? sizeError(sizes, drawn.sizes) : null,
    eps_quant: input.quantisationError ?? null,
    cv_n: cvN,
    n_min: Math.min(...sizes),
    n_max: Math.max(...sizes),
    h_u: drawn?.proportions ? allocationHeterogeneity(drawn.proportions, masses) : null,
    h_u_expected: alpha === undefined ? null : expectedHeterogeneity(clients, alpha, masses),
    h_u_realised: hRealised,
    h_u_realised_expected:
      alpha === undefined ? null : expectedRealisedHeterogeneity(clients, alpha, binSizes),
    alpha_implied: ignoresBins ? null : finite(impliedConcentration(hRealised, clients, binSizes)),
    h_q: hQ,
    h_w: hW,
    h_w_lower: (cost.smallest * cost.smallest * hQ) / 4,
    h_w_upper: (bins * cost.largest * cost.largest * hQ) / 4,
    c_min: cost.smallest,
    c_max: cost.largest,
    tv: divergences.tv,
    d_sol_lower: cost.smallest * divergences.tv,
    d_sol_upper: cost.largest * divergences.tv,
    js: divergences.js,
    hellinger: divergences.hellinger,
    repairs: drawn?.repairs ?? null,
  };
  return {
    metrics,
    distances: present.length === clients ? pairs.distances : spread(pairs.distances, present, clients),
    plans: present.length === clients ? pairs.plans : renumber(pairs.plans, present),
    notes: [
      ...notes(input, { sizes, binSizes, total }),
      ...(input.plans === undefined && clients > MOST_PLANNED
        ? [`Transport plans are left out: the pairs of ${clients} clients would take gigabytes of them.`]
        : []),
      ...(drawn?.proportions ? [] : concentrationNotes({ ignoresBins, hRealised, cvN, masses })),
    ],
  };
}

function check(counts: readonly (readonly number[])[], bins: number, sizes: readonly number[]): void {
  const odd = counts.findIndex((row) => row.length !== bins);
  if (odd !== -1)
    throw new DataError(
      `client ${odd} has counts for ${counts[odd].length} bins, but the cost is ${bins} x ${bins}`,
    );
  const present = sizes.filter((size) => size > 0).length;
  if (present < 2)
    throw new DataError(
      `a partition to diagnose has at least two clients with samples, this one has ${present}`,
    );
}

function meanDivergences(histograms: readonly (readonly number[])[]): {
  tv: number;
  js: number;
  hellinger: number;
} {
  let tv = 0;
  let js = 0;
  let hell = 0;
  for (let i = 0; i < histograms.length; i++) {
    for (let j = i + 1; j < histograms.length; j++) {
      tv += totalVariation(histograms[i], histograms[j]);
      js += jensenShannon(histograms[i], histograms[j]);
      hell += hellinger(histograms[i], histograms[j]);
    }
  }
  const pairs = (histograms.length * (histograms.length - 1)) / 2;
  return { tv: tv / pairs, js: js / pairs, hellinger: hell / pairs };
}

/** eq:solution-distance: the mean over all pairs i < j of a symmetric matrix. */
export function meanOfPairs(matrix: Float64Array, size: number): number {
  let total = 0;
  for (let i = 0; i < size; i++) for (let j = i + 1; j < size; j++) total += matrix[i * size + j];
  return total / ((size * (size - 1)) / 2);
}

function notes(
  { counts, cost, drawn, binQuality, binRemarks = [], inputDistances }: DiagnosticsInput,
  { sizes, binSizes, total }: { sizes: number[]; binSizes: number[]; total: number },
): string[] {
  const found: string[] = [...binRemarks];
  const emptyBins = binSizes.flatMap((size, bin) => (size === 0 ? [bin] : []));
  const emptyClients = sizes.flatMap((size, client) => (size === 0 ? [client] : []));
  if (emptyBins.length > 0) found.push(`${list("bin", emptyBins)} without a sample.`);
  if (emptyClients.length > 0) {
    found.push(`${list("client", emptyClients)} without a sample; means over pairs omit them.`);
  }
  if (cost.size === 1) found.push("There is only one bin: every distance between clients is zero.");
  else if (cost.smallest === 0)
    found.push("c_min = 0, since two bins have the same centroid: the lower bounds are zero.");
  if (!cost.metric)
    found.push("The cost violates the triangle inequality: D_sol is a transport cost, not a distance.");
  if (inputDistances?.mean === 0) found.push("All compared inputs are equal: input W1 is zero.");
  if (binQuality) found.push(...binNotes(binQuality));
  if (drawn && drawn.repairs > 0) {
    const share = ((100 * drawn.repairs) / total).toFixed(1);
    found.push(
      `Repair moved ${drawn.repairs} of ${total} samples (${share} %) to bring all ${counts.length} clients to the minimum size.`,
    );
  }
  return found;
}

/**
 * What alpha_implied cannot say. H_u grows with unequal sizes too: those alone give CV_n^2 times the sum of squared
 * masses. Of a Dirichlet draw by bins that is about that sum of squared masses in H_u.
 */
function concentrationNotes(known: {
  ignoresBins: boolean;
  hRealised: number;
  cvN: number;
  masses: readonly number[];
}): string[] {
  const { ignoresBins, hRealised, cvN, masses } = known;
  if (masses.filter((mass) => mass > 0).length < 2) return [];
  if (ignoresBins)
    return [
      "The counts could come from a split that ignores bins (chi-square test at 1 %): alpha_implied is omitted.",
    ];
  const squares = sum(masses.map((mass) => mass * mass));
  const bySizes = (cvN * cvN * squares) / hRealised;
  if (bySizes <= (1 + squares) / 2) return [];
  return [
    `Unequal client sizes make up ${(100 * bySizes).toFixed(0)} % of h_u_realised: alpha_implied reflects sizes more than bins.`,
  ];
}

function list(noun: string, numbers: readonly number[]): string {
  const shown = numbers.slice(0, 8).join(", ") + (numbers.length > 8 ? ", ..." : "");
  return numbers.length === 1 ? `1 ${noun} (${shown})` : `${numbers.length} ${noun}s (${shown})`;
}

function spread(distances: Float64Array, present: readonly number[], clients: number): Float64Array {
  const whole = new Float64Array(clients * clients).fill(Number.NaN);
  present.forEach((i, row) => {
    present.forEach((j, column) => {
      whole[i * clients + j] = distances[row * present.length + column];
    });
  });
  return whole;
}

function renumber(plans: PairwiseTransport["plans"], present: readonly number[]): PairwiseTransport["plans"] {
  return {
    ...plans,
    source: plans.source.map((client) => present[client]),
    target: plans.target.map((client) => present[client]),
  };
}

/** Mean deviation of client sizes from those intended, relative to the mean size. */
function sizeError(sizes: readonly number[], intended: ArrayLike<number>): number {
  return sum(sizes.map((size, client) => Math.abs(size - intended[client]))) / sum(sizes);
}

function weighted(weights: readonly number[], value: (index: number) => number): number {
  return weights.reduce((total, weight, index) => total + weight * value(index), 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
