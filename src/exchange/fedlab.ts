import { formatCsv } from "../files/csv.js";
import { writePickle } from "../files/pickle-writer.js";
import { type Assignment, countTable, indicesOfClients } from "../partition/assignment.js";
import { type ExportFormat, quoted, textFile } from "./export-format.js";

/** FedLab's `client_dict` {client: indices} as a pickle, and the table that its `partition_report` writes. */
export const fedlab: ExportFormat = {
  describe: "FedLab: client_dict.pkl ({client: ndarray}) and report.csv as of partition_report",
  output: "folder",
  mine: (entry) => entry === "client_dict.pkl" || entry === "report.csv",
  files: (assignment) => [
    { path: "client_dict.pkl", bytes: async () => writePickle(clientDict(assignment)) },
    textFile("report.csv", () => formatCsv(report(assignment))),
  ],
  python: (path) =>
    `import pickle\nclient_dict = pickle.load(open(${quoted(`${path}/client_dict.pkl`)}, "rb"))`,
};

/** {client: indices}, the shape that FedLab and NIID-Bench share. */
export function clientDict(assignment: Assignment): Map<number, Int32Array> {
  return new Map(indicesOfClients(assignment).map((indices, client) => [client, Int32Array.from(indices)]));
}

function report(assignment: Assignment): (string | number)[][] {
  const classes = Array.from({ length: assignment.bins }, (_, bin) => `class-${bin}`);
  const rows = countTable(assignment).map((row, client) => [
    client,
    ...row,
    row.reduce((sum, n) => sum + n, 0),
  ]);
  return [["cid", ...classes, "TotalAmount"], ...rows];
}
