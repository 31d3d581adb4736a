import type { OpenData } from "../datasets/files/open.js";
import { DataError } from "../errors.js";
import type { PartitionFile } from "./parse-partition.js";

/** Why data are not those that a partition was made from. */
export function otherData(data: OpenData, file: string, partition: PartitionFile, path: string): DataError {
  const { name, responses } = partition.data;
  const read = data.responsesName === undefined ? file : `${data.responsesName} of ${file}`;
  const made = responses ? `${responses} of ${name}` : name;
  return new DataError(
    `${read} does not hold the responses that ${path} was made from (${made}): ` +
      "name that file, or add --other-data if the samples are the same",
  );
}
