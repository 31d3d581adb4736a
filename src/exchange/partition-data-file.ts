import { basename } from "node:path";
import { type DataNames, type OpenData, openData } from "../datasets/files/open.js";
import { threadsFor } from "../datasets/threads-for.js";
import type { SolutionBins } from "../partition/bins.js";
import type { MeasuredPartition } from "../pipeline/measured-partition.js";
import {
  type PartitionRun,
  type PartitionRunResult,
  type PartitionRunsOptions,
  partitionRuns,
} from "../pipeline/partition-runs.js";
import { wantedBy } from "../pipeline/sample-knowledge.js";
import { readCostChoice } from "./cost-choice.js";
import { checkSameData, readGivenPartition } from "./given-clients.js";
import { readBins } from "./own-partition.js";
import { binsSha256, type Provenance } from "./partition-file.js";

export interface PartitionDataFileOptions
  extends DataNames,
    Omit<PartitionRunsOptions, "model" | "threads" | "cost"> {
  /** Ground metric by name, or a file with a matrix. */
  readonly cost?: string;
  /** An earlier partition whose bins are reused. */
  readonly binsFrom?: string;
  /** Called when the file is open, before its arrays are read. */
  readonly onOpen?: (data: OpenData) => void;
}

/** Whether options ask for bins that are fitted, though a partition may bring its own. */
export const fitsBins = (
  options: Readonly<
    Partial<Record<"bins" | "representation" | "standardise" | "cost", number | string | undefined>>
  >,
): boolean =>
  [options.bins, options.representation, options.standardise, options.cost].some((one) => one !== undefined);

/** Makes and measures the partitions of a data file, with the provenance that a partition file stores. */
export async function partitionDataFile(
  path: string,
  runs: readonly PartitionRun[],
  options: PartitionDataFileOptions,
): Promise<{
  readonly results: readonly PartitionRunResult[];
  readonly provenance: (measured: MeasuredPartition) => Omit<Provenance, "version" | "arrays">;
  /** How the arrays were read. */
  readonly reading: string;
}> {
  const { onOpen, ...rest } = options;
  const { assignment } = wantedBy(options.partitioner);
  const given = assignment && (await readGivenPartition(assignment));
  // A partition that was made here is measured with its own bins, unless others are asked for.
  const binsFrom = options.binsFrom ?? (fitsBins(options) ? undefined : given?.own?.path);
  const cost = options.cost === undefined ? undefined : await readCostChoice(options.cost);
  const reused = binsFrom === undefined ? undefined : await readBins(binsFrom);
  const data = await openData(path, options, given?.own?.file.data ?? reused?.data);
  onOpen?.(data);
  try {
    const hashed = data.hashedResponses();
    const results = await partitionRuns(
      {
        responses: hashed.fields,
        inputs: data.inputs,
        groups: data.groups,
        attributes: data.attributes,
        descriptors: data.descriptors,
        responseAxes: data.responseAxes,
        readClients: readGivenPartition,
      },
      runs,
      {
        ...rest,
        cost,
        model: reused?.model,
        threads: threadsFor,
      },
    );
    const dataSha256 = await hashed.sha256();
    if (given) checkSameData(given, dataSha256, assignment, path);
    const hashes = new Map<SolutionBins, string>();
    for (const { bins } of results.map(({ measured }) => measured))
      if (!hashes.has(bins)) hashes.set(bins, await binsSha256(bins));
    const provenance = ({ bins, partition }: MeasuredPartition) => ({
      data: data.name,
      responses: data.responsesName,
      inputs: data.inputsName,
      axes: data.axes,
      choice: data.choice,
      dataSha256,
      binsSha256: hashes.get(bins)!,
      binsOrigin: reused ? { seed: reused.seed, from: basename(binsFrom!) } : { seed: partition.seed },
    });
    return { results, provenance, reading: data.reading };
  } finally {
    await data.close();
  }
}
