import { type FileMetaData, parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { z } from "zod";
import { FormatError } from "../errors.js";
import { type ByteSource, readAll } from "../files/byte-source.js";
import { crc32 } from "../files/crc32.js";
import { formatCsv, parseTable } from "../files/csv.js";
import { VERSION } from "../version.js";
import type { SeedRecord } from "./seed-record.js";

/** What `changed` says where the table does not. */
export const UNKNOWN_OPTIONS = "unknown_options";

/** The name and version of the table's layout, kept in the Parquet file's metadata. */
const SEED_TABLE_SCHEMA = "pde-dirichlet/records/1";

/** Columns in the order in which they are written, with their Parquet types. */
const COLUMNS = {
  study: "STRING",
  task: "STRING",
  viscosity: "DOUBLE",
  clients: "INT32",
  optimizer: "STRING",
  changed: "STRING",
  alpha: "DOUBLE",
  reference_alpha: "DOUBLE",
  seed: "INT64",
  round: "INT32",
  d_sol: "DOUBLE",
  input_w1: "DOUBLE",
  cv_n: "DOUBLE",
  n_min: "DOUBLE",
  n_max: "DOUBLE",
  h_q: "DOUBLE",
  h_w: "DOUBLE",
  eps_part: "DOUBLE",
  eps_quant: "DOUBLE",
  h_g_norm: "DOUBLE",
  d_theta: "DOUBLE",
  test_error: "DOUBLE",
  reference_error: "DOUBLE",
  excess_error: "DOUBLE",
  d_loc: "DOUBLE",
  run_id: "STRING",
} as const satisfies Record<keyof SeedRecord, "STRING" | "DOUBLE" | "INT32" | "INT64">;

type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];

/** Seed-level records as a Parquet file. */
export function writeParquet(records: readonly SeedRecord[]): Uint8Array {
  const columnData = NAMES.map((name) => ({
    name,
    type: COLUMNS[name],
    nullable: name === "viscosity",
    data: records.map((record) => (COLUMNS[name] === "INT64" ? BigInt(record[name]!) : record[name])),
  }));
  const kvMetadata = [
    { key: "schema", value: SEED_TABLE_SCHEMA },
    { key: "made_with", value: `pde-dirichlet ${VERSION}` },
    { key: FILE_CRC32, value: "0".repeat(DIGITS) },
  ];
  const file = new Uint8Array(parquetWriteBuffer({ columnData, kvMetadata }));
  file.set(new TextEncoder().encode(fileCrc32(file)), digitsOf(file));
  return file;
}

/**
 * Reads seed-level records from a Parquet file. Throws a `FormatError` if its checksum is wrong. The checksum is compared
 * before hyparquet reads a byte, since damaged pages can keep it busy for ever.
 */
export async function readParquet(source: ByteSource): Promise<SeedRecord[]> {
  const bytes = (await readAll(source)).slice();
  const file = bytes.buffer;
  let rows: Record<string, unknown>[];
  try {
    const at = digitsOf(bytes);
    if (at !== undefined && textAt(bytes, at, DIGITS) !== fileCrc32(bytes))
      throw new Error("its checksum is wrong");
    const metadata = parquetMetadata(file);
    rows = await parquetReadObjects({ file, metadata, columns: knownColumns(metadata, file.byteLength) });
    if (at === undefined && rows.length === 0) throw new Error("it has no rows"); // tables of other programs have some
  } catch (error) {
    const what = textAt(bytes, 0, 4) === "PAR1" ? "a damaged Parquet file" : "not a Parquet file";
    throw new FormatError(`${source.name} is ${what}: ${(error as Error).message}`);
  }
  return rows.map((row, index) => checked(row, source.name, index));
}

/**
 * Names the checksum of the file among its metadata: eight hexadecimal digits of the CRC-32 of all its bytes, with zeros
 * in place of these digits. Parquet's own checksums are of pages alone, and rarely written or read.
 */
const FILE_CRC32 = "file_crc32";
const DIGITS = 8;

/** Where the digits of the checksum are; undefined in tables of earlier versions and of other programs. */
function digitsOf(file: Uint8Array): number | undefined {
  // A string of eight bytes follows the name (Thrift's compact protocol).
  const marker = [...new TextEncoder().encode(FILE_CRC32), 0x18, DIGITS];
  for (let at = file.length - marker.length - DIGITS; at >= 0; at--)
    if (marker.every((byte, i) => file[at + i] === byte)) return at + marker.length;
  return undefined;
}

function fileCrc32(file: Uint8Array): string {
  const at = digitsOf(file)!;
  const zeros = new Uint8Array(DIGITS).fill(0x30);
  const crc = crc32(file.subarray(at + DIGITS), crc32(zeros, crc32(file.subarray(0, at))));
  return crc.toString(16).padStart(DIGITS, "0");
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return new TextDecoder("latin1").decode(bytes.subarray(at, at + length));
}

/**
 * The columns of the table that a file has. What the file says of itself is checked first: hyparquet reads columns side
 * by side, and a damaged description would leave some of them to fail where nobody listens.
 */
function knownColumns(metadata: FileMetaData, bytes: number): Column[] {
  const named = parquetSchema(metadata).children.map(({ element }) => element.name);
  const own = NAMES.filter((name) => named.includes(name));
  for (const { columns, num_rows } of metadata.row_groups) {
    const paths = columns.map(({ meta_data }) => meta_data?.path_in_schema.join("."));
    if (own.some((name) => paths.filter((path) => path === name).length !== 1))
      throw new Error("its columns are not those that it names");
    if (num_rows < 0 || num_rows > bytes) throw new Error(`it cannot have ${num_rows} rows`);
  }
  return own;
}

/** Seed-level records as CSV, numbers in full precision; an empty cell where there is no viscosity. */
export function writeCsv(records: readonly SeedRecord[]): string {
  return formatCsv([NAMES, ...records.map((record) => NAMES.map((name) => record[name] ?? ""))]);
}

/** Reads seed-level records back from CSV. */
export function readCsv(text: string, name: string): SeedRecord[] {
  const { header, rows } = parseTable(text, name);
  return rows.map((cells, index) => {
    const row = Object.fromEntries((header ?? []).map((column, i) => [column, cell(column, cells[i])]));
    return checked(row, name, index);
  });
}

function cell(column: string, text: string): unknown {
  if (COLUMNS[column as Column] === "STRING") return text;
  return text === "" ? null : Number(text);
}

const numeric = z.union([z.number(), z.nan()]);
const whole = z.union([z.int(), z.bigint()]).transform(Number);

/** A metric that earlier tables lack, or whose cell is empty: it is not known. */
const metric = z.union([numeric, z.null().transform(() => NaN)]).default(NaN);

/** Columns that earlier tables lack: whether their options were the paper's is not known. */
const ONCE_ABSENT = {
  changed: z.string().default(UNKNOWN_OPTIONS),
  reference_alpha: numeric.default(100),
  n_min: metric,
  n_max: metric,
  h_q: metric,
  h_w: metric,
} as const;

/** Metrics that earlier tables lack. */
export const LATER_METRICS = ["n_min", "n_max", "h_q", "h_w"] as const satisfies readonly Column[];

const schema = z.object(
  Object.fromEntries(
    NAMES.map((name) => {
      const type = COLUMNS[name];
      if (name === "viscosity") return [name, z.number().nullable()];
      if (name in ONCE_ABSENT) return [name, ONCE_ABSENT[name as keyof typeof ONCE_ABSENT]];
      return [name, type === "STRING" ? z.string() : type === "DOUBLE" ? numeric : whole];
    }),
  ) as Record<Column, z.ZodType>,
);

function checked(row: unknown, name: string, index: number): SeedRecord {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data as unknown as SeedRecord;
  const { path, message } = parsed.error.issues[0];
  throw new FormatError(
    `${name} is not a table of seed-level records: row ${index + 1}, ${path.join(".")}: ${message}`,
  );
}
