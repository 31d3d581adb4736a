import { formatCsv } from "../files/csv.js";
import { type ExportFormat, quoted, textFile } from "./export-format.js";

/** One line a sample that has a client: its index, client and solution bin. */
export const csv: ExportFormat = {
  describe: "a table with one line a sample: index, client_id, solution_bin",
  output: "file",
  files: ({ clientOfSample, binOfSample }) => [
    textFile("partition.csv", () => {
      const all = Array.from(clientOfSample, (client, sample) => [sample, client, binOfSample[sample]]);
      const rows = all.filter(([, client]) => client >= 0);
      return formatCsv([["index", "client_id", "solution_bin"], ...rows]);
    }),
  ],
  python: (path) =>
    `import pandas as pd\nclients = pd.read_csv(${quoted(path)}).groupby("client_id")["index"].apply(list)`,
};
