import { type DataNames, type OpenData, openData } from "../datasets/files/open.js";
import { threadsFor } from "../datasets/threads-for.js";
import type { DiagnosticsInput } from "../diagnostics/diagnose.js";
import { DataError, OptionError } from "../errors.js";
import { type CostMatrix, centroidCosts, costMatrix } from "../numerics/cost-matrix.js";
import { type Assignment, countTable } from "../partition/assignment.js";
import { binNotes } from "../partition/bin-quality.js";
import { openBinning } from "../pipeline/binned-data.js";
import { diagnosticsInput } from "../pipeline/measured-partition.js";
import { type StartStep, silentSteps } from "../pipeline/progress.js";
import { readPartition } from "./foreign-partition.js";
import { BY_FOLDER } from "./hugging-face.js";
import { otherData } from "./other-data.js";
import { binsSeed, drawnOf, ownPartition, readBins, withFile } from "./own-partition.js";
import { assignmentOf } from "./partition-file.js";
import { type PartitionReading, withPartition } from "./partition-folder.js";
import { checkBins, readCentroids, readCost, readCounts } from "./statistics.js";

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
  /** What is to be said besides what the counts show. */
  readonly remarks?: readonly string[];
}

/** Where the bins lie, in a file of their centroids or of the distances between them. */
export interface BinPositions {
  readonly centroids?: string;
  readonly cost?: string;
}

/** From aggregate statistics: counts, and where the bins lie. */
export async function fromStatistics(
  path: string,
  options: BinPositions & { readonly key?: string },
): Promise<DiagnosisInput> {
  const table = await withFile(path, (file) => readCounts(file, { key: options.key }));
  const { cost, from } = await givenCost(options);
  checkBins(table, cost.size, path, from);
  return { name: path, clientNames: table.clientNames, counts: table.counts, cost, binsOrigin: { from } };
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
  const { cost, from } = await givenCost(options);
  const last = binOfSample.reduce((a, b) => Math.max(a, b));
  if (last >= cost.size) throw new DataError(`${path} has a bin ${last}, but ${from} has ${cost.size} bins`);
  const counts = countTable({ clients: clientNames.length, bins: cost.size, clientOfSample, binOfSample });
  const remarks = leftOut(clientOfSample, "the rest is measured");
  return { name: path, clientNames, counts, cost, binsOrigin: { from }, remarks };
}

/** Data of a partition, and the bins to measure it with. */
export interface DataOptions extends DataNames, PartitionReading {
  /** Accept responses that differ from those that the partition was made from, for the same samples. */
  readonly otherData?: boolean;
  /** Number of bins to fit if the partition has none; default 10. */
  readonly bins?: number;
  /** An earlier partition whose bins are used. */
  readonly binsFrom?: string;
  /** Seed of the bins and of the random choice of inputs. */
  readonly seed: number;
  /** Array of an NPZ file, or key of a dict, that holds the partition. */
  readonly key?: string;
  readonly inputSamples?: number;
  /** GB of memory to use; default 4. */
  readonly memory?: number;
  /** Called when the data file is open, before its arrays are read. */
  readonly onOpen?: (data: OpenData) => void;
  readonly startStep?: StartStep;
}

/** From data: bins of the partition itself where it was made here, else fitted or taken from another one. */
export async function fromData(
  path: string,
  partitionPath: string,
  options: DataOptions,
): Promise<DiagnosisInput> {
  const { seed, inputSamples, startStep = silentSteps } = options;
  const own = await ownPartition(partitionPath);
  if (options.otherData && !own)
    throw new OptionError(
      `--other-data speaks of a partition made here, and ${partitionPath} is another tool's`,
    );
  const reuse = options.binsFrom ?? (own && options.bins === undefined ? partitionPath : undefined);
  const reused = reuse === undefined ? undefined : await readBins(reuse);
  const data = await openData(path, options, (own?.file ?? reused?.file)?.data);
  options.onOpen?.(data);
  try {
    const { samples } = data.responses;
    const { clientOfSample, clientNames } = await withPartition(
      partitionPath,
      (file) =>
        readPartition(file, { column: clientColumn(options), key: options.key, samples, partial: true }),
      options,
    );

    const step = startStep("Reading and binning responses");
    const hashed = data.hashedResponses();
    const binning = await openBinning(
      { responses: hashed.fields, inputs: data.inputs },
      {
        bins: options.bins,
        model: reused?.model,
        threads: threadsFor,
        memory: options.memory,
        onProgress: (fraction) => step.update(fraction, 1),
      },
    );
    const isOther = own !== undefined && hashed.sha256() !== own.file.data.sha256;
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
      intended: own && reuse === partitionPath ? await drawnOf(own) : undefined,
    });
    return {
      ...input,
      name: partitionPath,
      clientNames: own?.file.client_names ?? clientNames,
      assignment,
      binsOrigin: reused ? { from: reuse, seed: reused.seed } : { seed },
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

/** The column of the client in a table; folders that are the clients have been turned into one. */
const clientColumn = ({ column }: PartitionReading) => (column === BY_FOLDER ? undefined : column);

/** What is said of samples that no client holds. */
function leftOut(clientOfSample: Int32Array, consequence: string): string[] {
  const all = clientOfSample.length;
  const count = clientOfSample.reduce((sum, client) => sum + (client < 0 ? 1 : 0), 0);
  if (count === 0) return [];
  const share = ((100 * count) / all).toFixed(1);
  return [`No client holds ${count} of ${all} samples (${share} %): ${consequence}.`];
}

async function givenCost(options: BinPositions): Promise<{ cost: CostMatrix; from: string }> {
  const { cost, centroids } = options;
  if ((cost === undefined) === (centroids === undefined)) {
    throw new OptionError("say where the bins lie with either --centroids or --cost");
  }
  if (cost !== undefined) {
    const rows = await withFile(cost, (file) => readCost(file));
    return { cost: costMatrix(rows.flat(), rows.length), from: cost };
  }
  const rows = await withFile(centroids!, (file) => readCentroids(file));
  return { cost: centroidCosts(rows.flat(), rows.length), from: centroids! };
}
