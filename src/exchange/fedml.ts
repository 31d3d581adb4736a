import { DataError } from "../errors.js";
import { type Assignment, indicesOfClients } from "../partition/assignment.js";
import { type ExportFormat, quoted, textFile } from "./export-format.js";
import { classCounts } from "./niid-bench.js";

/**
 * The two text files that FedML reads for `partition_method: hetero-fix`. Its parser goes line by line: the indices of
 * a client must be one line, and a client without samples cannot be written.
 */
export const fedml: ExportFormat = {
  describe: "FedML's hetero-fix files: net_dataidx_map.txt and distribution.txt",
  output: "folder",
  mine: (entry) => entry === "net_dataidx_map.txt" || entry === "distribution.txt",
  files: (assignment) => [
    textFile("net_dataidx_map.txt", () => indexMap(assignment)),
    textFile("distribution.txt", () => distribution(assignment)),
  ],
  python: (path) =>
    "from fedml.data.cifar10.data_loader import read_net_dataidx_map\n" +
    `net_dataidx_map = read_net_dataidx_map(${quoted(`${path}/net_dataidx_map.txt`)})`,
};

function indexMap(assignment: Assignment): string {
  const clients = indicesOfClients(assignment).map((indices, client) => {
    if (indices.length === 0) {
      throw new DataError(
        `client ${client} has no samples, which FedML's text files cannot say: use --min-size 1`,
      );
    }
    return `${client}: [\n${indices.join(", ")}\n]\n`;
  });
  return `{\n${clients.join("")}}\n`;
}

function distribution(assignment: Assignment): string {
  const clients = [...classCounts(assignment)].map(([client, counts]) => {
    const lines = [...counts].map(([bin, count]) => `${bin}: ${count},\n`);
    return `${client}: {\n${lines.join("")}}\n`;
  });
  return `{\n${clients.join("")}}\n`;
}
