import { dirname, join } from "node:path";
import { openData } from "../datasets/open.js";
import { threadsFor } from "../datasets/threads-for.js";
import type { DiagnosticsInput } from "../diagnostics/diagnose.js";
import { inputDistances, inputSpace } from "../diagnostics/input-distance.js";
import { DataError, OptionError } from "../errors.js";
import { binModelOf } from "../exchange/bin-model.js";
import { readPartition } from "../exchange/foreign-partition.js";
import { assignmentOf, type PartitionFile, parsePartition } from "../exchange/partition-file.js";
import { checkBins, readCentroids, readCost, readCounts } from "../exchange/statistics.js";
import { readText } from "../files/byte-source.js";
import { type DiskFile, openFile } from "../files/disk.js";
import { toNumbers } from "../files/element-type.js";
import { type NpzArchive, openNpz } from "../files/npz.js";
import { type CostMatrix, centroidCosts, costMatrix } from "../numerics/cost-matrix.js";
import { applyBins, type BinModel, binCost, fitBins } from "../partition/bins.js";
import { applyNormalisation, normaliseResponses } from "../partition/normalise.js";
import { countTable, PARTITION_SCHEMA } from "../partition/record.js";
import type { DiagnoseOptions } from "./diagnose.js";
import { startProgress } from "./progress.js";
import { tellTakenArrays } from "./taken-arrays.js";

/** What `diagnose` needs, from wherever it comes. */
export interface Diagnosable extends DiagnosticsInput {
  readonly name: string;
  readonly clientNames: readonly string[];
  /** What is to be said besides what the counts show. */
  readonly remarks?: readonly string[];
}

/** From aggregate statistics: counts, and where the bins lie. */
export async function fromStatistics(path: string, options: DiagnoseOptions): Promise<Diagnosable> {
  const table = await withFile(path, (file) => readCounts(file, { key: options.key }));
  const { cost, from } = await givenCost(options);
  checkBins(table, cost.size, path, from);
  return { name: path, clientNames: table.clientNames, counts: table.counts, cost };
}

/** From a partition file alone, which must say where its bins lie, or be helped out with costs or centroids. */
export async function fromPartitionAlone(path: string, options: DiagnoseOptions): Promise<Diagnosable> {
  const own = await ownPartition(path);
  if (own) {
    const { file } = own;
    const assignment = assignmentOf(file);
    return {
      name: path,
      clientNames: file.sizes.map((_, client) => String(client)),
      counts: countTable(assignment),
      cost: costMatrix(file.cost.flat(), file.options.bins),
      drawn: await drawnOf(own),
    };
  }
  const { clientOfSample, binOfSample, clientNames } = await withFile(path, (file) =>
    readPartition(file, options),
  );
  if (!binOfSample)
    throw new OptionError(`${path} does not say the bins of its samples: name the data file first`);
  const { cost, from } = await givenCost(options);
  const last = binOfSample.reduce((a, b) => Math.max(a, b));
  if (last >= cost.size) throw new DataError(`${path} has a bin ${last}, but ${from} has ${cost.size} bins`);
  const counts = countTable({ clients: clientNames.length, bins: cost.size, clientOfSample, binOfSample });
  return { name: path, clientNames, counts, cost };
}

/** From data: bins of the partition itself where it was made here, else fitted or taken from another one. */
export async function fromData(
  path: string,
  partitionPath: string,
  options: DiagnoseOptions,
): Promise<Diagnosable> {
  const { seed, inputSamples, quiet } = options;
  const own = await ownPartition(partitionPath);
  const data = await openData(path, options, own?.file.data);
  tellTakenArrays(data, options);
  try {
    const { samples } = data.responses;
    const { clientOfSample, clientNames } = await withFile(partitionPath, (file) =>
      readPartition(file, { column: options.column, key: options.key, samples }),
    );
    const reuse = options.binsFrom ?? (own && options.bins === undefined ? partitionPath : undefined);
    const model = reuse === undefined ? undefined : await readBinModel(reuse);

    const binning = startProgress("Reading and binning responses", { quiet });
    const threads = threadsFor(data.responses);
    const reading = { threads, onProgress: (fraction: number) => binning.update(fraction, 1) };
    const hashed = data.hashedResponses();
    const normalised = model
      ? await applyNormalisation(hashed.fields, model, reading)
      : await normaliseResponses(hashed.fields, reading);
    const others = own && hashed.sha256() !== own.file.data.sha256;
    const bins = model
      ? await applyBins(normalised, model)
      : await fitBins(normalised, { bins: options.bins, seed });
    await normalised.matrix.close();
    binning.finish(`${samples} in ${bins.bins} bins`);

    const assignment = {
      clients: clientNames.length,
      bins: bins.bins,
      clientOfSample,
      binOfSample: bins.binOfSample,
    };
    const measured =
      data.inputs &&
      (await inputDistances(await inputSpace(data.inputs, { threads }), assignment, {
        seed: own?.file.options.seed ?? seed,
        samples: inputSamples,
      }));
    return {
      name: partitionPath,
      clientNames,
      counts: countTable(assignment),
      cost: binCost(bins),
      drawn: own && reuse === partitionPath ? await drawnOf(own) : undefined,
      quantisationError: bins.quantisationError,
      inputDistances: measured,
      remarks: others ? [`${path} does not hold the responses that ${partitionPath} was made from.`] : [],
    };
  } finally {
    await data.close();
  }
}

/** The bin model of a partition, from the arrays beside it or from those arrays themselves. */
export async function readBinModel(path: string): Promise<BinModel> {
  const own = path.endsWith(".npz") ? undefined : await ownPartition(path);
  if (!own && !path.endsWith(".npz"))
    throw new OptionError(`${path} is not a partition of this tool and has no bins to reuse`);
  return withArchive(own ? own.arrays : path, binModelOf);
}

interface OwnPartition {
  readonly file: PartitionFile;
  /** Path of the arrays beside it. */
  readonly arrays: string;
}

async function ownPartition(path: string): Promise<OwnPartition | undefined> {
  return withFile(path, async (source) => {
    const start = new TextDecoder().decode(await source.read(0, Math.min(16, source.size)));
    if (!/^\s*\{/.test(start)) return undefined;
    const text = await readText(source);
    if (!text.includes(`"${PARTITION_SCHEMA}"`)) return undefined; // wherever a rewrite has put it
    const file = parsePartition(text, path);
    return { file, arrays: join(dirname(path), file.arrays) };
  });
}

function drawnOf({ file, arrays }: OwnPartition): Promise<NonNullable<DiagnosticsInput["drawn"]>> {
  return withArchive(arrays, async (archive) => {
    const matrix = async (name: string) => {
      const array = await archive.array(name);
      const values = toNumbers(await array.read(0, array.rows));
      const width = values.length / array.rows;
      return Array.from({ length: array.rows }, (_, row) => values.subarray(row * width, (row + 1) * width));
    };
    return {
      alpha: file.options.alpha,
      proportions: await matrix("proportions"),
      target: await matrix("target"),
      repairs: file.repairs.length,
    };
  });
}

async function givenCost(options: DiagnoseOptions): Promise<{ cost: CostMatrix; from: string }> {
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

async function withFile<T>(path: string, use: (file: DiskFile) => Promise<T>): Promise<T> {
  const file = await openFile(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function withArchive<T>(path: string, use: (archive: NpzArchive, name: string) => Promise<T>): Promise<T> {
  return withFile(path, async (file) => use(await openNpz(file), path));
}
