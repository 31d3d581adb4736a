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
import { checkSameData, readGivenPartition } from "./given-clients.js";
import { readBins } from "./own-partition.js";
import { binsSha256, type Provenance } from "./partition-file.js";

export interface PartitionDataFileOptions extends DataNames, Omit<PartitionRunsOptions, "model" | "threads"> {
  /** An earlier partition whose bins are reused. */
  readonly binsFrom?: string;
  /** Called when the file is open, before its arrays are read. */
  readonly onOpen?: (data: OpenData) => void;
}

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
  const binsFrom = options.binsFrom ?? (options.bins === undefined ? given?.own?.path : undefined);
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
        readClients: readGivenPartition,
      },
      runs,
      {
        ...rest,
        model: reused?.model,
        threads: threadsFor,
      },
    );
    const dataSha256 = hashed.sha256();
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
