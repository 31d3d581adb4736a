import { type Fields, fieldSize } from "../datasets/fields.js";
import { writeNpz } from "../files/npz.js";
import { type FixedShapeColumn, fixedShapeParquet } from "../files/parquet-fields.js";
import { type Assignment, indicesOfClients } from "../partition/assignment.js";
import { datasetCard } from "./dataset-card.js";
import { type Columns, type ExportedFile, type ExportFormat, quoted, textFile } from "./export-format.js";

/**
 * A Hugging Face dataset in Parquet, which Flower's `FederatedDataset` and `datasets.load_dataset` open as it is. The
 * split `train` has one file a client, so that a real client can take its own file alone; `test` has the samples that no
 * client holds. Columns index, client_id and solution_bin (int64), then those of the context.
 */
export const flower: ExportFormat = {
  describe: "Flower: a Hugging Face dataset in Parquet for FederatedDataset, one file a client",
  output: "folder",
  takesColumns: true,
  mine: (entry) => /^(README\.md|train|test|coordinates\.npz)$/.test(entry),
  files: (assignment, context = {}) => {
    const { columns = {}, test, coordinates, dtype } = context;
    const all = convertedTo(dtype, columns);
    return [
      textFile("README.md", () => datasetCard(assignment, { ...context, columns: all })),
      ...indicesOfClients(assignment).flatMap((rows, client) =>
        shards(`train/client-${padded(client)}`, rows, all, clientColumns(assignment)),
      ),
      ...(test ? testFiles(convertedTo(dtype, test)) : []),
      ...(coordinates ? [{ path: "coordinates.npz", bytes: async () => writeNpz(coordinates) }] : []),
    ];
  },
  python: (path) =>
    [
      "from flwr_datasets import FederatedDataset",
      "from flwr_datasets.partitioner import NaturalIdPartitioner",
      "",
      `fds = FederatedDataset(dataset=${quoted(path)}, partitioners={"train": NaturalIdPartitioner("client_id")}, shuffle=False)`,
      '# in a ClientApp: context.node_config["partition-id"] instead of 0; "torch" gives float32',
      'partition = fds.load_partition(0).with_format("torch")',
    ].join("\n"),
};

/** Bytes of one Parquet file; a client with more has several. */
const SHARD_BYTES = 256 << 20;

const padded = (n: number): string => String(n).padStart(5, "0");

/** Whole numbers of a row of `train`. */
type RowNumbers = Readonly<Record<string, (row: number) => number>>;

const clientColumns = ({ clientOfSample, binOfSample }: Assignment): RowNumbers => ({
  index: (row) => row,
  client_id: (row) => clientOfSample[row],
  solution_bin: (row) => binOfSample[row],
});

function testFiles(columns: Columns): ExportedFile[] {
  const samples = Object.values(columns)[0]?.samples ?? 0;
  const rows = Array.from({ length: samples }, (_, row) => row);
  const none = () => -1; // both splits have the same columns, as `datasets` wants it
  return shards("test/test", rows, columns, { index: (row) => row, client_id: none, solution_bin: none });
}

/** The rows as Parquet files of bounded size; no rows are one empty file. */
function shards(
  name: string,
  rows: readonly number[],
  columns: Columns,
  numbers: RowNumbers,
): ExportedFile[] {
  const rowBytes = Object.values(columns).reduce((sum, fields) => sum + 8 * fieldSize(fields), 24);
  const step = Math.max(1, Math.floor(SHARD_BYTES / rowBytes));
  const count = Math.max(1, Math.ceil(rows.length / step));
  return Array.from({ length: count }, (_, i) => ({
    path: count === 1 ? `${name}.parquet` : `${name}-${padded(i)}-of-${padded(count)}.parquet`,
    bytes: () => parquet(rows.slice(i * step, (i + 1) * step), columns, numbers),
  }));
}

async function parquet(rows: readonly number[], columns: Columns, numbers: RowNumbers): Promise<Uint8Array> {
  const data: FixedShapeColumn[] = Object.entries(numbers).map(([name, number]) => ({
    name,
    shape: [],
    values: BigInt64Array.from(rows, (row) => BigInt(number(row))),
  }));
  for (const [name, fields] of Object.entries(columns))
    data.push({ name, shape: fields.shape, values: await gather(fields, rows) });
  return fixedShapeParquet(data, rows.length);
}

/** Bytes of neighbouring rows that are read together. */
const SLICE_BYTES = 32 << 20;

/** The rows of a column, one after another; neighbours are read together. */
async function gather(fields: Fields, rows: readonly number[]): Promise<Float32Array | Float64Array> {
  const size = fieldSize(fields);
  const Values = fields.dtype === "float64" ? Float64Array : Float32Array;
  const values = new Values(rows.length * size);
  const most = Math.max(1, Math.floor(SLICE_BYTES / (8 * size)));
  for (let at = 0; at < rows.length; ) {
    let end = at + 1;
    while (end < rows.length && end - at < most && rows[end] === rows[end - 1] + 1) end++;
    values.set(await fields.read(rows[at], rows[end - 1] + 1), at * size);
    at = end;
  }
  return values;
}

/** Columns whose values are stored in another precision. */
function convertedTo(dtype: Fields["dtype"] | undefined, columns: Columns): Columns {
  if (dtype === undefined) return columns;
  return Object.fromEntries(Object.entries(columns).map(([name, fields]) => [name, { ...fields, dtype }]));
}
