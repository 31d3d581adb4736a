import { writeNpz } from "../files/npz.js";
import { type Assignment, countTable, indicesOfClients } from "../partition/assignment.js";
import { type ExportFormat, quoted } from "./export-format.js";

/**
 * NumPy arrays: `client_of_sample` and `bin_of_sample` (N), `counts` (K x B), `sizes` (K), and the samples sorted by
 * client as `indices` (N) with `offsets` (K + 1): client k holds `indices[offsets[k]:offsets[k + 1]]`.
 */
export const npz: ExportFormat = {
  describe: "NumPy arrays: client_of_sample, bin_of_sample, counts, sizes, indices with offsets",
  output: "file",
  files: (assignment) => [{ path: "partition.npz", bytes: async () => writeNpz(arraysOf(assignment)) }],
  python: (path) =>
    `import numpy as np\np = np.load(${quoted(path)}); clients = np.split(p["indices"], p["offsets"][1:-1])`,
};

function arraysOf(assignment: Assignment): Parameters<typeof writeNpz>[0] {
  const { clients, bins, clientOfSample, binOfSample } = assignment;
  const indices = indicesOfClients(assignment);
  const sizes = Int32Array.from(indices, (list) => list.length);
  const offsets = new Int32Array(clients + 1);
  sizes.forEach((size, client) => {
    offsets[client + 1] = offsets[client] + size;
  });
  return {
    client_of_sample: clientOfSample,
    bin_of_sample: binOfSample,
    counts: { values: Int32Array.from(countTable(assignment).flat()), shape: [clients, bins] },
    sizes,
    indices: Int32Array.from(indices.flat()),
    offsets,
  };
}
