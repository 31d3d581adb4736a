import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { NotedNames } from "../datasets/files/open.js";
import { diagnose } from "../diagnostics/diagnose.js";
import { OptionError } from "../errors.js";
import { type Assignment, countTable, indicesOfClients } from "../partition/assignment.js";
import { DEFAULT_PARTITIONER } from "../partition/partitioners.js";
import { splitWords } from "../partition/split-words.js";
import { type DataOptions, fromData } from "./diagnosis-input.js";
import { type ExportedFile, textFile } from "./export-format.js";
import { ownPartition, readBins } from "./own-partition.js";
import { assignmentOf, type PartitionFile } from "./parse-partition.js";
import { PARTITION_COPY } from "./partition-folder.js";

/** A partition that can be exported, of ours or of another tool. */
export interface Exportable {
  readonly path: string;
  readonly assignment: Assignment;
  /** One line on what it is. */
  readonly description: string;
  /** Numbers that belong beside the data. */
  readonly facts: Readonly<Record<string, number | string>>;
  /** The partition itself, for a folder: our own layout, or the clients and what was measured. */
  readonly copies: readonly ExportedFile[];
  /** What the arrays of its data are called, where a partition of ours says it. */
  readonly noted?: NotedNames;
  /** Where it was made here. */
  readonly own?: { readonly file: PartitionFile; readonly arrays: string };
}

/** Reads a partition for its export. That of another tool has no bins, which are fitted to data as `diagnose` does. */
export async function exportable(
  path: string,
  { data, ...options }: DataOptions & { readonly data?: string },
): Promise<Exportable> {
  const own = await ownPartition(path);
  if (own) return ownExport(path, own);
  if (data === undefined)
    throw new OptionError(
      `${path} is another tool's partition: name its data with --data, to which bins are fitted`,
    );
  const found = await fromData(data, path, options);
  const { metrics, notes } = diagnose(found);
  const assignment = found.assignment!;
  const said = {
    schema: "pde-dirichlet/export/1",
    partition: basename(path),
    data: basename(data),
    clients: found.clientNames,
    bins: { bins: assignment.bins, ...found.binsOrigin },
    metrics,
    notes: [...new Set([...(found.remarks ?? []), ...notes])],
    counts: countTable(assignment),
    partition_id_to_indices: Object.fromEntries(indicesOfClients(assignment).entries()),
    bin_of_sample: [...assignment.binOfSample],
  };
  return {
    path,
    assignment,
    description: `partition ${basename(path)} of ${basename(data)}, measured by pde-dirichlet`,
    facts: { D_sol: metrics.d_sol, CV_n: metrics.cv_n },
    copies: [textFile(PARTITION_COPY, () => `${JSON.stringify(said)}\n`)],
    noted: options.binsFrom === undefined ? undefined : (await readBins(options.binsFrom)).data,
  };
}

function ownExport(path: string, own: { readonly file: PartitionFile; readonly arrays: string }): Exportable {
  const { file, arrays } = own;
  const { alpha, partitioner, seed, min_size } = file.options;
  const { d_sol, cv_n } = (file.metrics ?? {}) as Record<string, number | undefined>;
  const beside = PARTITION_COPY.replace(/json$/, "npz");
  return {
    path,
    assignment: assignmentOf(file),
    description: `pde-dirichlet partition of ${file.data.name}: ${splitWords(file.options)}, seed ${seed}`,
    facts: {
      ...(partitioner !== undefined &&
        partitioner.name !== DEFAULT_PARTITIONER && { partitioner: partitioner.name }),
      ...(typeof alpha === "number" && { alpha }),
      ...{ seed, min_size },
      ...(d_sol !== undefined && { D_sol: d_sol }),
      ...(cv_n !== undefined && { CV_n: cv_n }),
    },
    copies: [
      {
        path: PARTITION_COPY,
        bytes: async () => {
          const text = await readFile(path, "utf8");
          return new TextEncoder().encode(
            text.replace(/"arrays":\s*"[^"]*"/, `"arrays": ${JSON.stringify(beside)}`),
          );
        },
      },
      { path: beside, bytes: () => readFile(arrays) },
    ],
    noted: file.data,
    own,
  };
}

/** The name of an export among several: that of its partition, without the ending. */
export const exportName = ({ path }: Pick<Exportable, "path">): string =>
  basename(path).replace(/\.[^.]+$/, "");

/** The partitions of a folder that `partition` wrote for several alphas and seeds; undefined if it holds none. */
export async function partitionsIn(
  folder: string,
  entries: readonly string[],
): Promise<string[] | undefined> {
  const found: string[] = [];
  for (const entry of [...entries].sort()) {
    const path = join(folder, entry);
    if (entry.endsWith(".json") && (await ownPartition(path))) found.push(path);
  }
  return found.length > 0 ? found : undefined;
}
