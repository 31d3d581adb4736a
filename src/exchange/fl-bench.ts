import { writePickle } from "../files/pickle-writer.js";
import { type Assignment, countTable, indicesOfClients } from "../partition/assignment.js";
import { type ExportFormat, quoted, textFile } from "./export-format.js";

/** FL-bench's `partition.pkl`, every sample a training sample, and its `all_stats.json`. */
export const flBench: ExportFormat = {
  describe: "FL-bench: partition.pkl (separation, data_indices) and all_stats.json",
  output: "folder",
  mine: (entry) => entry === "partition.pkl" || entry === "all_stats.json",
  files: (assignment) => [
    { path: "partition.pkl", bytes: async () => writePickle(partition(assignment)) },
    textFile("all_stats.json", () => `${JSON.stringify(statistics(assignment), null, 2)}\n`),
  ],
  python: (path) =>
    `import pickle\ndata_indices = pickle.load(open(${quoted(`${path}/partition.pkl`)}, "rb"))["data_indices"]`,
};

function partition(assignment: Assignment): Parameters<typeof writePickle>[0] {
  const everyone = Array.from({ length: assignment.clients }, (_, client) => client);
  const none = new Int32Array(0);
  return new Map<string, Parameters<typeof writePickle>[0]>([
    [
      "separation",
      new Map<string, Parameters<typeof writePickle>[0]>([
        ["train", everyone],
        ["val", []],
        ["test", []],
        ["total", assignment.clients],
      ]),
    ],
    [
      "data_indices",
      indicesOfClients(assignment).map(
        (indices) =>
          new Map([
            ["train", Int32Array.from(indices)],
            ["val", none],
            ["test", none],
          ]),
      ),
    ],
  ]);
}

function statistics(assignment: Assignment): Record<string, unknown> {
  const counts = countTable(assignment);
  const sizes = counts.map((row) => row.reduce((sum, n) => sum + n, 0));
  const mean = sizes.reduce((sum, n) => sum + n, 0) / sizes.length;
  const stddev = Math.sqrt(sizes.reduce((sum, n) => sum + (n - mean) ** 2, 0) / sizes.length);
  const ofClient = (row: number[], client: number): [string, unknown] => [
    String(client),
    { x: sizes[client], y: Object.fromEntries(row.flatMap((n, bin) => (n > 0 ? [[bin, n]] : []))) },
  ];
  return { ...Object.fromEntries(counts.map(ofClient)), samples_per_client: { mean, stddev } };
}
