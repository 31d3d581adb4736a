import { filesInWords } from "../datasets/files/data-in-words.js";
import { threadsFor } from "../datasets/threads-for.js";
import type { DiagnosticsInput } from "../diagnostics/diagnose.js";
import { DataError, OptionError } from "../errors.js";
import { centroidCosts, costMatrix } from "../numerics/cost-matrix.js";
import { type Assignment, countTable } from "../partition/assignment.js";
import { binNotes } from "../partition/bin-quality.js";
import { binCost } from "../partition/bins.js";
import { openBinning } from "../pipeline/binned-data.js";
import { diagnosticsInput } from "../pipeline/measured-partition.js";
import { type StartStep, silentSteps } from "../pipeline/progress.js";
import { readCostChoice } from "./cost-choice.js";
import { readPartition } from "./foreign-partition.js";
import { otherData } from "./other-data.js";
import { binsSeed, drawnOf, ownPartition, readBins, withFile } from "./own-partition.js";
import { assignmentOf } from "./parse-partition.js";
import { type BinMetric, binsSha256, metricOf } from "./partition-file.js";
import { type PartitionReading, withPartition } from "./partition-folder.js";
import {
  clientColumn,
  leftOut,
  openPartitionedData,
  type PartitionedDataOptions,
} from "./partitioned-data.js";
import {
  checkClients,
  countWarnings,
  type GivenBins,
  meanDistance,
  readClients,
  type SmallCounts,
  smallCountNote,
  smallCounts,
} from "./sites/merge-counts.js";
import { readCentroids, readCost } from "./statistics.js";

/** A partition ready to be diagnosed, whoever made it and whatever is known of it. */
export interface DiagnosisInput extends DiagnosticsInput {
  readonly name: string;
  readonly clientNames: readonly string[];
  /** Where the bins come from: a file, or fitted here with a seed. */
  readonly binsOrigin: { readonly from?: string; readonly seed?: number };
  /** How arrays of data were read. */
  readonly reading?: string;
  /** Client and bin of every sample, where data say it. */
  readonly assignment?: Assignment;
  /** What the bins are of, and the cost between them, where they are not those of the responses themselves. */
  readonly metric?: BinMetric;
  /** What is to be said besides what the counts show: warnings, and notes that are none. */
  readonly remarks?: readonly string[];
  readonly notes?: readonly string[];
  /** What counts below a minimum may hide. */
  readonly smallCounts?: SmallCounts;
}

/** Where the bins lie, in a file of them, of their centroids or of the distances between them. */
export interface BinPositions {
  readonly binsFrom?: string;
  readonly centroids?: string;
  readonly cost?: string;
}

/** From aggregate statistics: counts of all clients, in one file or in several, and where the bins lie. */
export async function fromStatistics(
  paths: readonly string[],
  options: BinPositions & { readonly key?: string; readonly seed?: number },
): Promise<DiagnosisInput> {
  const clients = await readClients(paths, { key: options.key });
  const bins = await givenBins(options);
  checkClients(clients, bins);
  const { cost, from, seed } = bins;
  const hidden = smallCounts(clients, bins);
  return {
    name: filesInWords(paths),
    clientNames: clients.map(({ name }) => name),
    counts: clients.map(({ counts }) => counts),
    cost,
    seed: options.seed,
    quantisationError: meanDistance(clients),
    binsOrigin: { from, seed },
    remarks: countWarnings(clients, bins),
    notes: hidden && hidden.zeros > 0 ? [smallCountNote(clients, hidden)] : [],
    smallCounts: hidden,
  };
}

/** From a partition file alone, which must say where its bins lie, or be helped out with costs or centroids. */
export async function fromPartitionAlone(
  path: string,
  options: BinPositions & PartitionReading & { readonly key?: string },
): Promise<DiagnosisInput> {
  const own = await ownPartition(path);
  if (own) {
    const { file } = own;
    const assignment = assignmentOf(file);
    return {
      name: path,
      clientNames: file.client_names ?? file.sizes.map((_, client) => String(client)),
      counts: countTable(assignment),
      cost: costMatrix(file.cost.flat(), file.options.bins),
      drawn: await drawnOf(own),
      seed: file.options.seed,
      metric: file.options,
      binsOrigin: { from: path, seed: binsSeed(file) },
    };
  }
  const { clientOfSample, binOfSample, clientNames } = await withPartition(
    path,
    (file) => readPartition(file, { column: clientColumn(options), key: options.key, partial: true }),
    options,
  );
  if (!binOfSample)
    throw new OptionError(`${path} does not say the bins of its samples: name the data file first`);
  const { cost, from } = await givenBins(options);
  const last = binOfSample.reduce((a, b) => Math.max(a, b));
  if (last >= cost.size) throw new DataError(`${path} has a bin ${last}, but ${from} has ${cost.size} bins`);
  const counts = countTable({ clients: clientNames.length, bins: cost.size, clientOfSample, binOfSample });
  const remarks = leftOut(clientOfSample, "the rest is measured");
  return { name: path, clientNames, counts, cost, binsOrigin: { from }, remarks };
}

/** Data of a partition, and the bins to measure it with. */
export interface DataOptions extends PartitionedDataOptions {
  /** Seed of the bins and of the random choice of inputs. */
  readonly seed: number;
  readonly inputSamples?: number;
  /** GB of memory to use; default 4. */
  readonly memory?: number;
  readonly startStep?: StartStep;
}

/** From data: bins of the partition itself where it was made here, else fitted or taken from another one. */
export async function fromData(
  path: string,
  partitionPath: string,
  options: DataOptions,
): Promise<DiagnosisInput> {
  const { seed, inputSamples, startStep = silentSteps } = options;
  const cost = options.cost === undefined ? undefined : await readCostChoice(options.cost);
  const { data, own, reused, clientOfSample, clientNames } = await openPartitionedData(
    path,
    partitionPath,
    options,
  );
  try {
    const { samples } = data.responses;
    const step = startStep("Reading and binning responses");
    const hashed = data.hashedResponses();
    const binning = await openBinning(
      {
        responses: hashed.fields,
        inputs: data.inputs,
        descriptors: data.descriptors,
        responseAxes: data.responseAxes,
      },
      {
        bins: options.bins,
        representation: options.representation,
        standardise: options.standardise,
        cost,
        model: reused?.model,
        threads: threadsFor,
        memory: options.memory,
        onProgress: (fraction) => step.update(fraction, 1),
      },
    );
    const isOther = own !== undefined && (await hashed.sha256()) !== own.file.data.sha256;
    if (isOther && !options.otherData) {
      await binning.close();
      throw otherData(data, path, own.file, partitionPath);
    }
    const binned = await binning.binned(seed).finally(() => binning.close());
    const { bins } = binned;
    step.finish(`${samples} in ${bins.bins} bins`);

    const assignment = {
      clients: clientNames.length,
      bins: bins.bins,
      clientOfSample,
      binOfSample: bins.binOfSample,
    };
    const input = await diagnosticsInput(assignment, binned, {
      seed: own?.file.options.seed ?? seed,
      inputSamples,
      intended: own && reused?.from === partitionPath ? await drawnOf(own) : undefined,
    });
    return {
      ...input,
      name: partitionPath,
      clientNames: own?.file.client_names ?? clientNames,
      assignment,
      metric: metricOf(bins),
      binsOrigin: reused ? { from: reused.from, seed: reused.seed } : { seed },
      reading: data.reading,
      remarks: [
        ...(isOther ? [`${path} does not hold the responses that ${partitionPath} was made from.`] : []),
        ...leftOut(clientOfSample, "bins are those of all samples, and the rest is measured"),
        ...(bins.quality ? binNotes(bins.quality) : []),
      ],
    };
  } finally {
    await data.close();
  }
}

async function givenBins({ binsFrom, centroids, cost }: BinPositions): Promise<GivenBins> {
  if ([binsFrom, centroids, cost].filter((path) => path !== undefined).length !== 1)
    throw new OptionError(
      "say where the bins lie: --bins with a file of `bins fit`, or else either --centroids or --cost",
    );
  if (binsFrom !== undefined) {
    const { model, seed, fitted } = await readBins(binsFrom);
    return { cost: binCost(model), from: binsFrom, sha256: await binsSha256(model), seed, fitted };
  }
  if (cost !== undefined) {
    const rows = await withFile(cost, (file) => readCost(file));
    return { cost: costMatrix(rows.flat(), rows.length), from: cost };
  }
  const rows = await withFile(centroids!, (file) => readCentroids(file));
  return { cost: centroidCosts(rows.flat(), rows.length), from: centroids! };
}
