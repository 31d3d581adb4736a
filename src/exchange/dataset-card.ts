import { stringify } from "yaml";
import type { Fields } from "../datasets/fields.js";
import type { Assignment } from "../partition/assignment.js";
import type { ExportContext } from "./export-format.js";

/**
 * The card of a Hugging Face dataset: which files are which split, and the type of every column. `datasets` takes nested
 * lists for arrays of a fixed shape because of it, which load about twenty times as fast.
 */
export function datasetCard(assignment: Assignment, context: ExportContext): string {
  const { columns = {}, test, description = "", facts = {} } = context;
  const split = (name: string) => ({ split: name, path: `${name}/*.parquet` });
  const numbers = ["index", "client_id", "solution_bin"].map((name) => ({ name, dtype: "int64" }));
  const fields = Object.entries(columns).map(([name, column]) => ({ name, ...featureOf(column) }));
  const front = stringify({
    pretty_name: description || "A federated partition",
    configs: [{ config_name: "default", data_files: ["train", ...(test ? ["test"] : [])].map(split) }],
    dataset_info: { features: [...numbers, ...fields] },
  });
  return `---\n${front}---\n\n${text(assignment, { ...context, description, facts })}`;
}

/** A type in the words of `datasets`; its versions 2 to 4 read these. Beyond five axes lists stay nested. */
function featureOf({ shape, dtype }: Pick<Fields, "shape" | "dtype">): object {
  if (shape.length === 0) return { dtype };
  if (shape.length === 1) return { sequence: dtype, length: shape[0] };
  if (shape.length <= 5) return { dtype: { [`array${shape.length}_d`]: { shape: [...shape], dtype } } };
  return { sequence: featureOf({ shape: shape.slice(1), dtype }) };
}

function text(
  { clients, bins, clientOfSample }: Assignment,
  { description, facts = {}, test, columns, coordinates }: ExportContext,
): string {
  const hasTest = test !== undefined;
  const lines = Object.entries({ samples: clientOfSample.length, clients, bins, ...facts });
  return [
    `# ${description || "A federated partition"}`,
    "",
    "Made by `pde-dirichlet export`. Each row of `train` has the sample's `index` in the original data, its `client_id`, and",
    "its `solution_bin`. `train/client-00000.parquet` holds the samples of client 0, and so on.",
    ...(hasTest
      ? ["No client holds the samples of `test`: their `client_id` and `solution_bin` are -1."]
      : []),
    "",
    ...(Object.keys(columns ?? {}).length > 0
      ? [
          `The arrays are ${Object.keys(columns!)
            .map((name) => `\`${name}\``)
            .join(" and ")}.`,
        ]
      : []),
    ...(coordinates
      ? ["`coordinates.npz` has the coordinates of their axes, those of the responses first."]
      : []),
    "`partition.json` and `partition.npz` are the partition as `pde-dirichlet diagnose` reads it.",
    "",
    "| | |",
    "|---|---|",
    ...lines.map(([name, value]) => `| ${name} | ${value} |`),
    "",
  ].join("\n");
}
