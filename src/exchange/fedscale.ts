import { OptionError } from "../errors.js";
import { formatCsv } from "../files/csv.js";
import { type ExportFormat, quoted, textFile } from "./export-format.js";

/** FedScale's client mapping: row i is sample i. */
export const fedscale: ExportFormat = {
  describe: "FedScale's client mapping: client_id,sample_name,sample_category,category_id",
  output: "file",
  files: ({ clientOfSample, binOfSample }) => {
    const left = clientOfSample.filter((client) => client < 0).length;
    if (left > 0)
      throw new OptionError(
        `FedScale has a client for every sample, but ${left} of ${clientOfSample.length} have none: take another format, such as csv`,
      );
    return [
      textFile("train.csv", () => {
        const rows = Array.from(clientOfSample, (client, sample) => {
          const bin = binOfSample[sample];
          return [client, sample, `bin-${bin}`, bin];
        });
        return formatCsv([["client_id", "sample_name", "sample_category", "category_id"], ...rows]);
      }),
    ];
  },
  python: (path) =>
    `import pandas as pd\nclient_of_sample = pd.read_csv(${quoted(path)})["client_id"].to_numpy()`,
};
