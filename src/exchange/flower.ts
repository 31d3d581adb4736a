import {
  batchType,
  Column,
  type DataType,
  fixedSizeList,
  float32,
  float64,
  int64,
  Table,
  tableToIPC,
} from "@uwdata/flechette";
import { type Fields, fieldSize } from "../datasets/fields.js";
import { type Assignment, indicesOfClients } from "../partition/record.js";
import {
  type ExportContext,
  type ExportedFile,
  type ExportFormat,
  quoted,
  textFile,
} from "./export-format.js";

/**
 * Folders that Hugging Face's `datasets.load_from_disk` opens: `partition_0`, `partition_1`, ... one a client, the
 * layout of `flwr-datasets create`, and `dataset` with all samples for Flower's own partitioners and plots. Columns
 * index, client_id and solution_bin (int64), then those of the context.
 */
export const flower: ExportFormat = {
  describe: "Flower: partition_<i>/ and dataset/ as Hugging Face datasets with client_id and solution_bin",
  output: "folder",
  takesColumns: true,
  mine: (entry) => /^(partition_\d+|dataset)$/.test(entry),
  files: (assignment, context = {}) => [
    ...indicesOfClients(assignment).flatMap((rows, client) =>
      folder(`partition_${client}`, assignment, rows, context),
    ),
    ...folder("dataset", assignment, [...assignment.clientOfSample.keys()], context),
  ],
  python: (path) =>
    `from datasets import load_from_disk\npartition = load_from_disk(${quoted(`${path}/partition_0`)})`,
};

/** Bytes of one Arrow file; a dataset with larger columns is spread over several. */
const SHARD_BYTES = 256 << 20;

function folder(
  name: string,
  assignment: Assignment,
  rows: readonly number[],
  { columns = {}, description = "" }: ExportContext,
): ExportedFile[] {
  const rowBytes = Object.values(columns).reduce((sum, fields) => sum + 8 * fieldSize(fields), 24);
  const step = Math.max(1, Math.floor(SHARD_BYTES / rowBytes));
  const shards = Math.max(1, Math.ceil(rows.length / step));
  const padded = (n: number): string => String(n).padStart(5, "0");
  const names = Array.from({ length: shards }, (_, i) => `data-${padded(i)}-of-${padded(shards)}.arrow`);
  const features = featuresOf(columns);
  return [
    ...names.map((file, i) => ({
      path: `${name}/${file}`,
      bytes: () => arrow(assignment, rows.slice(i * step, (i + 1) * step), columns, features),
    })),
    textFile(`${name}/dataset_info.json`, () =>
      json({ citation: "", description, features, homepage: "", license: "" }),
    ),
    textFile(`${name}/state.json`, () =>
      json({
        _data_files: names.map((filename) => ({ filename })),
        _fingerprint: fingerprint(assignment, rows),
        _format_columns: null,
        _format_kwargs: {},
        _format_type: null,
        _output_all_columns: false,
        _split: null,
      }),
    ),
  ];
}

type Feature =
  | { readonly dtype: string; readonly _type: "Value" }
  | { readonly feature: Feature; readonly length: number; readonly _type: "Sequence" };

/** Types in the words of `datasets`; its versions 2 to 4 all read `Sequence`. */
function featuresOf(columns: Readonly<Record<string, Fields>>): Record<string, Feature> {
  const value = (dtype: string): Feature => ({ dtype, _type: "Value" });
  const nested = ({ shape, dtype }: Fields): Feature =>
    shape.reduceRight<Feature>((feature, length) => ({ feature, length, _type: "Sequence" }), value(dtype));
  return {
    index: value("int64"),
    client_id: value("int64"),
    solution_bin: value("int64"),
    ...Object.fromEntries(Object.entries(columns).map(([name, fields]) => [name, nested(fields)])),
  };
}

async function arrow(
  { clientOfSample, binOfSample }: Assignment,
  rows: readonly number[],
  columns: Readonly<Record<string, Fields>>,
  features: Readonly<Record<string, Feature>>,
): Promise<Uint8Array> {
  const whole = (value: (row: number) => number): ArrowData => ({
    type: int64(),
    values: BigInt64Array.from(rows, (row) => BigInt(value(row))),
  });
  const data: [string, ArrowData][] = [
    ["index", whole((row) => row)],
    ["client_id", whole((row) => clientOfSample[row])],
    ["solution_bin", whole((row) => binOfSample[row])],
  ];
  for (const [name, fields] of Object.entries(columns)) data.push([name, await gather(fields, rows)]);
  const metadata = new Map([["huggingface", JSON.stringify({ info: { features } })]]);
  const schema = {
    version: 4,
    endianness: 0,
    fields: data.map(([name, { type }]) => ({ name, type, nullable: true, metadata: null })),
    metadata,
    dictionaryTypes: new Map(),
  } as const;
  const arrowColumns = data.map(([, column]) => new Column([batchOf(column, rows.length)]));
  return tableToIPC(new Table(schema as never, arrowColumns), { format: "stream" })!;
}

interface ArrowData {
  readonly type: DataType;
  readonly values: BigInt64Array | Float32Array | Float64Array;
}

/** The rows of a column, one after another; neighbours are read together. */
async function gather(fields: Fields, rows: readonly number[]): Promise<ArrowData> {
  const size = fieldSize(fields);
  const wide = fields.dtype === "float64";
  const values = wide ? new Float64Array(rows.length * size) : new Float32Array(rows.length * size);
  for (let at = 0; at < rows.length; ) {
    let end = at + 1;
    while (end < rows.length && rows[end] === rows[end - 1] + 1) end++;
    values.set(await fields.read(rows[at], rows[end - 1] + 1), at * size);
    at = end;
  }
  const leaf: DataType = wide ? float64() : float32();
  return {
    type: fields.shape.reduceRight<DataType>((type, length) => fixedSizeList(type, length), leaf),
    values,
  };
}

/** Arrow's memory of a column without missing values: fixed-size lists are nested headers around flat values. */
function batchOf({ type, values }: ArrowData, length: number): never {
  const child = "children" in type && type.children ? type.children[0] : undefined;
  const stride = "stride" in type ? type.stride : 1;
  const children = child ? [batchOf({ type: child.type, values }, length * stride)] : undefined;
  const Batch = batchType(type, {}) as unknown as new (options: object) => never;
  return new Batch({ length, nullCount: 0, type, validity: new Uint8Array(0), values, children });
}

/** FNV-1a over what the table says of its samples: `datasets` names its cache files by it. */
function fingerprint({ clientOfSample, binOfSample }: Assignment, rows: readonly number[]): string {
  let hash = 0xcbf29ce484222325n;
  for (const row of rows) {
    for (const word of [row, clientOfSample[row], binOfSample[row]]) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(word)) * 0x100000001b3n);
    }
  }
  return hash.toString(16).padStart(16, "0");
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
