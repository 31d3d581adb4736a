import type { ArrayAxes } from "../datasets/files/array-axes.js";
import type { NotedChoice } from "../datasets/files/open.js";
import type { Diagnostics } from "../diagnostics/diagnose.js";
import type { NpzEntries } from "../files/npz.js";
import type { CostMatrix } from "../numerics/cost-matrix.js";
import { countTable, indicesOfClients, PARTITION_SCHEMA } from "../partition/assignment.js";
import type { BinQuality } from "../partition/bin-quality.js";
import type { BinModel } from "../partition/bins.js";
import { binCost } from "../partition/bins.js";
import type { AttributeValues } from "../partition/partitioner.js";
import type { FittedRepresentation, Standardisation } from "../partition/representation.js";
import type { MeasuredPartition } from "../pipeline/measured-partition.js";
import { RANDOM_ALGORITHM } from "../random/stream.js";
import { REPRESENTATION_PREFIX, RESPONSE_SHAPE } from "./bin-model.js";

/** The name and version of the diagnosis file's layout. */
const DIAGNOSIS_SCHEMA = "pde-dirichlet/diagnosis/1";

/** The origin of a partition. A partition file stores it with the measurements. */
export interface Provenance {
  /** Version of the program that created the partition. */
  readonly version: string;
  /** Name of the data file. `responses` and `inputs` name the datasets in it. */
  readonly data: string;
  readonly responses?: string;
  readonly inputs?: string;
  /** Axis options that the user gave for the arrays. */
  readonly axes?: ArrayAxes;
  /** Conventions, windows and groups by which the arrays were read. */
  readonly choice?: NotedChoice;
  /** SHA-256 of the responses as little-endian bytes in C order, samples first. */
  readonly dataSha256: string;
  readonly binsSha256: string;
  /** Origin of the bins: the seed of the fit, if known, and the source file, if the bins were reused. */
  readonly binsOrigin?: { readonly seed?: number; readonly from?: string };
  /** Name of the NPZ file next to the JSON. */
  readonly arrays: string;
}

/** Serialises a partition as JSON. Each field takes one line, so that diffs of two partitions are readable. */
export function partitionJson(measured: MeasuredPartition, provenance: Provenance): string {
  const { partition, bins, diagnostics } = measured;
  const cost = binCost(bins);
  const counts = countTable(partition);
  return oneLineAField({
    schema: PARTITION_SCHEMA,
    made_with: { name: "pde-dirichlet", version: provenance.version, random: RANDOM_ALGORITHM },
    data: {
      name: provenance.data,
      responses: provenance.responses ?? null,
      inputs: provenance.inputs ?? null,
      ...(provenance.axes?.sampleAxis && { sample_axis: provenance.axes.sampleAxis }),
      ...(provenance.axes?.channels && { channels: provenance.axes.channels }),
      ...provenance.choice,
      sha256: provenance.dataSha256,
      samples: partition.clientOfSample.length,
      response_shape: bins.representation?.responseShape ?? bins.shape,
    },
    options: {
      clients: partition.clients,
      bins: partition.bins,
      partitioner: partition.partitioner,
      alpha: partition.alpha ?? null,
      seed: partition.seed,
      min_size: partition.minSize,
      repair: partition.repair,
      ...metricOf(bins),
    },
    bins: {
      sha256: provenance.binsSha256,
      ...(bins.representation && { shape: bins.shape }),
      ...(bins.representation?.axes && { response_axes: bins.representation.axes }),
      scale: bins.scale,
      iterations: bins.iterations,
      converged: bins.converged,
      ...(provenance.binsOrigin && {
        seed: provenance.binsOrigin.seed ?? null,
        from: provenance.binsOrigin.from ?? null,
      }),
      ...(bins.quality && qualityFields(bins.quality)),
    },
    metrics: diagnostics.metrics,
    notes: diagnostics.notes,
    ...(partition.clientNames && { client_names: partition.clientNames }),
    sizes: counts.map((row) => row.reduce((a, b) => a + b, 0)),
    counts,
    cost: rows(cost.values, cost.size),
    client_distance: rows(diagnostics.distances, partition.clients),
    repairs: partition.repairs,
    partition_id_to_indices: Object.fromEntries(indicesOfClients(partition).entries()),
    client_of_sample: [...partition.clientOfSample],
    bin_of_sample: [...partition.binOfSample],
    ...(measured.groups && { group_of_sample: [...measured.groups] }),
    arrays: provenance.arrays,
  });
}

/** What bins are of, and the cost between them, under the names of files; empty for what is usual. */
export interface BinMetric {
  readonly representation?: string;
  readonly standardise?: Standardisation;
  readonly cost?: string;
}

/** The metric of bins. */
export function metricOf({ representation, cost }: BinModel): BinMetric {
  return {
    ...(representation && { representation: representation.name }),
    ...(representation?.standardise && { standardise: representation.standardise }),
    ...(cost && { cost: cost.name }),
  };
}

/** The metric in words: `, of pca:20, cost h1`; nothing for what is usual. */
export function metricWords({ representation, standardise, cost }: BinMetric = {}): string {
  const scaled =
    standardise === undefined || standardise === "arrays" ? "" : ` (standardised: ${standardise})`;
  return [
    ...(representation === undefined ? [] : [`, of ${representation}${scaled}`]),
    ...(cost === undefined ? [] : [`, cost ${cost}`]),
  ].join("");
}

/** How well bins describe responses, under the names of files. */
export function qualityFields({ explainedVariance, dominant, single }: BinQuality) {
  return {
    explained_variance: explainedVariance,
    half_of_variance: {
      samples: dominant.samples.length,
      largest: dominant.samples[0],
      share: dominant.share,
    },
    single_sample_bins: single,
  };
}

/** Path of the NPZ file that goes with a JSON file. */
export function arraysBeside(json: string): string {
  return `${json.replace(/\.json$/, "")}.npz`;
}

/** Returns the arrays for the NPZ file: bins in full precision, draws, distances and transport plans. */
export function partitionArrays({
  partition,
  bins,
  diagnostics,
  inputDistances,
  groups,
  known,
}: MeasuredPartition): NpzEntries {
  const { clients } = partition;
  const cost = binCost(bins);
  return {
    client_of_sample: partition.clientOfSample,
    bin_of_sample: partition.binOfSample,
    ...(groups && { group_of_sample: groups }),
    ...(known?.inputBins && { input_bin_of_sample: known.inputBins }),
    ...(known?.attribute && { attribute_of_sample: numbersOf(known.attribute) }),
    counts: { values: Int32Array.from(countTable(partition).flat()), shape: [clients, bins.bins] },
    ...(partition.proportions && { proportions: stacked(partition.proportions) }),
    ...(partition.target && { target: stacked(partition.target) }),
    ...(partition.sizes && { intended_sizes: Float64Array.from(partition.sizes) }),
    cost: { values: cost.values, shape: [bins.bins, bins.bins] },
    centroids: { values: bins.centroids, shape: [bins.bins, ...bins.shape] },
    mean: { values: bins.mean, shape: bins.shape },
    scale: { values: Float64Array.of(bins.scale), shape: [] },
    ...(bins.representation && representationArrays(bins.representation)),
    ...diagnosticArrays(diagnostics, clients),
    ...(inputDistances && {
      input_distance: { values: inputDistances.distances, shape: [clients, clients] },
    }),
  };
}

/** What a representation keeps, and the shape of the responses, by which an archive shows that it has one. */
function representationArrays({ arrays, responseShape }: FittedRepresentation): NpzEntries {
  return {
    [`${REPRESENTATION_PREFIX}${RESPONSE_SHAPE}`]: Int32Array.from(responseShape),
    ...Object.fromEntries(
      Object.entries(arrays).map(([name, array]) => [`${REPRESENTATION_PREFIX}${name}`, array]),
    ),
  };
}

/** Distances between clients and the plans that attain them, entry by entry. */
export function diagnosticArrays({ distances, plans }: Diagnostics, clients: number): NpzEntries {
  return {
    client_distance: { values: distances, shape: [clients, clients] },
    plan_client_from: plans.source,
    plan_client_to: plans.target,
    plan_bin_from: plans.from,
    plan_bin_to: plans.to,
    plan_mass: plans.mass,
  };
}

/** The JSON of a diagnosis of a partition that need not have been made here. */
export function diagnosisJson(found: {
  readonly name: string;
  readonly clientNames: readonly string[];
  readonly counts: readonly (readonly number[])[];
  readonly cost: CostMatrix;
  readonly diagnostics: Diagnostics;
  readonly arrays: string;
  /** Where the bins come from, and how well they describe the responses. */
  readonly bins?: Readonly<Record<string, unknown>>;
  /** What counts below a minimum may hide. */
  readonly small_counts?: Readonly<Record<string, unknown>>;
}): string {
  const { name, clientNames, counts, cost, diagnostics, arrays, bins, small_counts } = found;
  return oneLineAField({
    schema: DIAGNOSIS_SCHEMA,
    partition: name,
    clients: clientNames,
    ...(bins && { bins }),
    ...(small_counts && { small_counts }),
    metrics: diagnostics.metrics,
    notes: diagnostics.notes,
    sizes: counts.map((row) => row.reduce((a, b) => a + b, 0)),
    counts,
    cost: rows(cost.values, cost.size),
    client_distance: rows(diagnostics.distances, counts.length),
    arrays,
  });
}

/**
 * Returns the SHA-256 of the values that define the bins: scale, mean field and centroids, as little-endian float64. What a
 * representation keeps and costs that are given follow, with their names.
 */
export async function binsSha256(model: BinModel): Promise<string> {
  const { scale, mean, centroids, representation, cost } = model;
  const names = JSON.stringify({ ...metricOf(model), axes: representation?.axes });
  const arrays = representation?.arrays ?? {};
  const kept = Object.keys(arrays)
    .sort()
    .map((name) => arrays[name].values);
  const parts: readonly ArrayLike<number>[] = [
    [scale],
    mean,
    centroids,
    ...(names === "{}" ? [] : [new TextEncoder().encode(names), ...kept, cost?.values ?? []]),
  ];
  const values = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    values.set(part, end);
    end += part.length;
  }
  return sha256(values);
}

/** The SHA-256 of bytes in memory, in hexadecimal. */
export async function sha256(bytes: BufferSource): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function rows(values: Float64Array, width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, row) => [
    ...values.subarray(row * width, (row + 1) * width),
  ]);
}

/** Values of an attribute as numbers; names as their places in alphabetical order. */
function numbersOf(values: AttributeValues): Float64Array {
  const all = Array.from(values as ArrayLike<number | string>);
  const place = new Map([...new Set(all)].sort().map((name, i) => [name, i]));
  return Float64Array.from(all, (value) => (typeof value === "number" ? value : place.get(value)!));
}

function stacked(rows: readonly Float64Array[]): { values: Float64Array; shape: number[] } {
  const width = rows[0].length;
  const values = new Float64Array(rows.length * width);
  rows.forEach((row, index) => {
    values.set(row, index * width);
  });
  return { values, shape: [rows.length, width] };
}

function oneLineAField(fields: Record<string, unknown>): string {
  const lines = Object.entries(fields).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}
