import type { NotedNames } from "../datasets/files/open.js";
import { DataError } from "../errors.js";
import type { BinModel } from "../partition/bins.js";
import type { AssignmentFile, GivenClients } from "../partition/partitioner.js";
import { readPartition } from "./foreign-partition.js";
import { type OwnPartition, ownPartition, readBins } from "./own-partition.js";
import { partitionFileIn, withPartition } from "./partition-folder.js";

/** A partition that exists: its clients, and its bins where it was made here. */
export interface GivenPartition extends GivenClients {
  readonly own?: OwnPartition;
  readonly bins?: BinModel;
}

/** Reads the clients that a file states, whoever wrote it. Samples may be without a client, but not with two. */
export async function readGivenPartition(
  { file, column, key }: AssignmentFile,
  samples?: number,
): Promise<GivenPartition> {
  const path = await partitionFileIn(file);
  const own = await ownPartition(path);
  const { clientOfSample, clientNames } = await withPartition(
    path,
    (source) => readPartition(source, { column, key, samples, partial: true }),
    { column },
  );
  const names = own?.file.client_names ?? clientNames;
  return {
    clientOfSample,
    clientNames: names,
    ...(own && { own, bins: (await readBins(path)).model }),
  };
}

/** How the data of a partition were read; undefined for a partition of another tool. */
export async function notedData({ file }: AssignmentFile): Promise<NotedNames | undefined> {
  return (await ownPartition(await partitionFileIn(file)))?.file.data;
}

/** Refuses data with other responses than those that a partition of ours was made from. */
export function checkSameData(
  { own }: GivenPartition,
  sha256: string,
  { file }: AssignmentFile,
  data: string,
): void {
  if (own && own.file.data.sha256 !== sha256)
    throw new DataError(
      `${data} does not hold the responses that ${file} was made from (${own.file.data.name}): ` +
        "partition these data, or export the clients (--format csv) if the samples are the same",
    );
}
