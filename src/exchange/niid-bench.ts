import { writePickle } from "../files/pickle-writer.js";
import { type Assignment, countTable } from "../partition/assignment.js";
import { type ExportFormat, quoted } from "./export-format.js";
import { clientDict } from "./fedlab.js";

/** The last two values that NIID-Bench's `partition_data` returns, as a pickled tuple. */
export const niidBench: ExportFormat = {
  describe: "NIID-Bench: pickle of (net_dataidx_map, traindata_cls_counts)",
  output: "file",
  files: (assignment) => [
    {
      path: "partition.pkl",
      bytes: async () => writePickle({ tuple: [clientDict(assignment), classCounts(assignment)] }),
    },
  ],
  python: (path) =>
    `import pickle\nnet_dataidx_map, traindata_cls_counts = pickle.load(open(${quoted(path)}, "rb"))`,
};

/** {party: {class: count}}, classes that a party lacks left out, as `record_net_data_stats` does. */
export function classCounts(assignment: Assignment): Map<number, Map<number, number>> {
  const rows = countTable(assignment).map((row) =>
    row.flatMap((count, bin): [number, number][] => (count > 0 ? [[bin, count]] : [])),
  );
  return new Map(rows.map((pairs, client) => [client, new Map(pairs)]));
}
