import { type FileMetaData, parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { FormatError } from "../errors.js";
import { type ByteSource, readAll } from "../files/byte-source.js";
import { crc32 } from "../files/crc32.js";
import { formatCsv, parseTable } from "../files/csv.js";
import { VERSION } from "../version.js";
import { CLIENT_COLUMNS, type ClientColumn } from "./client-columns.js";
import { EARLIER_OPTIMIZERS, EARLIER_TASKS } from "./earlier-defaults.js";
import type { SeedRecord } from "./seed-record.js";
import {
  earlierOverrides,
  type RecordedSettings,
  type Settings,
  type SettingValue,
  UNKNOWN_OPTIONS,
} from "./settings.js";

export { UNKNOWN_OPTIONS };

/** The name and version of the table's layout, kept in the Parquet file's metadata. */
const SEED_TABLE_SCHEMA = "pde-dirichlet/records/2";

/** Columns that every table has, in the order in which they are written, with their Parquet types. */
const COLUMNS = {
  study: "STRING",
  task: "STRING",
  title: "STRING",
  overrides: "STRING",
  alpha: "DOUBLE",
  split: "STRING",
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
  d_sol_floor: "DOUBLE",
  tv: "DOUBLE",
  js: "DOUBLE",
  eps_part: "DOUBLE",
  eps_quant: "DOUBLE",
  h_g_norm: "DOUBLE",
  d_theta: "DOUBLE",
  test_error: "DOUBLE",
  reference_error: "DOUBLE",
  excess_error: "DOUBLE",
  d_loc: "DOUBLE",
  ...(Object.fromEntries(CLIENT_COLUMNS.map((name) => [name, "DOUBLE"])) as Record<ClientColumn, "DOUBLE">),
  communication: "DOUBLE",
  run_id: "STRING",
} as const satisfies Record<Exclude<keyof SeedRecord, "settings">, "STRING" | "DOUBLE" | "INT32" | "INT64">;

type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];

/** Names, in the Parquet metadata, the columns whose settings are not all of one type: they hold JSON. */
const JSON_COLUMNS = "json_columns";

/** What stands before a setting that has the name of another column. */
const PREFIX = "data.";

const columnOf = (setting: string): string =>
  setting in COLUMNS || setting.startsWith(PREFIX) ? PREFIX + setting : setting;
const settingOfColumn = (column: string): string =>
  column.startsWith(PREFIX) ? column.slice(PREFIX.length) : column;

/** All settings of some rows, in the order in which they first occur. */
function settingNames(records: readonly SeedRecord[]): string[] {
  return [...new Set(records.flatMap(({ settings }) => Object.keys(settings)))];
}

/** A row's value in a fixed column. */
function fixedValue(record: SeedRecord, name: Column): string | number | undefined {
  return name === "overrides" ? record.overrides.join(" ") : record[name];
}

const PARQUET_TYPES = { number: "DOUBLE", string: "STRING", boolean: "BOOLEAN" } as const;

/** Seed-level records as a Parquet file. */
export function writeParquet(records: readonly SeedRecord[]): Uint8Array {
  const fixed = NAMES.map((name) => ({
    name: name as string,
    type: COLUMNS[name] as string,
    nullable: name === "title" || name === "split",
    data: records.map((record) => {
      const value = fixedValue(record, name);
      return COLUMNS[name] === "INT64" ? BigInt(value!) : value;
    }) as unknown[],
  }));
  const mixed: string[] = [];
  const settings = settingNames(records).map((setting) => {
    const values = records.map(({ settings }) => settings[setting]);
    const types = new Set(values.flatMap((value) => (value === undefined ? [] : typeof value)));
    const [type] = types as Set<keyof typeof PARQUET_TYPES>;
    if (types.size > 1) mixed.push(columnOf(setting));
    return {
      name: columnOf(setting),
      type: types.size > 1 ? "STRING" : PARQUET_TYPES[type],
      nullable: true,
      data: types.size > 1 ? values.map((value) => JSON.stringify(value)) : values,
    };
  });
  const kvMetadata = [
    { key: "schema", value: SEED_TABLE_SCHEMA },
    { key: "made_with", value: `pde-dirichlet ${VERSION}` },
    ...(mixed.length > 0 ? [{ key: JSON_COLUMNS, value: JSON.stringify(mixed) }] : []),
    { key: FILE_CRC32, value: "0".repeat(DIGITS) },
  ];
  const columnData = [...fixed, ...settings] as Parameters<typeof parquetWriteBuffer>[0]["columnData"];
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
    const columns = checkedColumns(metadata, file.byteLength);
    rows = (await parquetReadObjects({ file, metadata, columns })).map((row) => fromJson(row, metadata));
    if (at === undefined && rows.length === 0) throw new Error("it has no rows"); // tables of other programs have some
  } catch (error) {
    const what = textAt(bytes, 0, 4) === "PAR1" ? "a damaged Parquet file" : "not a Parquet file";
    throw new FormatError(`${source.name} is ${what}: ${(error as Error).message}`);
  }
  return checkedRows(rows, source.name);
}

/** A row whose columns of mixed type are values again. */
function fromJson(row: Record<string, unknown>, metadata: FileMetaData): Record<string, unknown> {
  const text = metadata.key_value_metadata?.find(({ key }) => key === JSON_COLUMNS)?.value;
  if (text === undefined) return row;
  const parsed = (JSON.parse(text) as string[]).map((name) => {
    const value = row[name];
    return [name, typeof value === "string" ? JSON.parse(value) : value];
  });
  return { ...row, ...Object.fromEntries(parsed) };
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
 * All columns of a file. What the file says of itself is checked first: hyparquet reads columns side by side, and a
 * damaged description would leave some of them to fail where nobody listens.
 */
function checkedColumns(metadata: FileMetaData, bytes: number): string[] {
  const names = parquetSchema(metadata).children.map(({ element }) => element.name);
  for (const { columns, num_rows } of metadata.row_groups) {
    const paths = columns.map(({ meta_data }) => meta_data?.path_in_schema.join("."));
    if (names.some((name) => paths.filter((path) => path === name).length !== 1))
      throw new Error("its columns are not those that it names");
    if (num_rows < 0 || num_rows > bytes) throw new Error(`it cannot have ${num_rows} rows`);
  }
  return names;
}

/** Seed-level records as CSV, numbers in full precision; an empty cell where a run has no such setting. */
export function writeCsv(records: readonly SeedRecord[]): string {
  const settings = settingNames(records);
  return formatCsv([
    [...NAMES, ...settings.map(columnOf)],
    ...records.map((record) => [
      ...NAMES.map((name) => fixedValue(record, name) ?? ""),
      ...settings.map((name) => settingCell(record.settings[name])),
    ]),
  ]);
}

/** Text that would be read as something else, or lose its ends, is quoted. */
function settingCell(value: SettingValue | undefined): string {
  if (value === undefined) return "";
  const isPlain =
    typeof value !== "string" || (settingValue(value) === value && !/^\s|[\r\n]|\s$/.test(value));
  return isPlain ? String(value) : JSON.stringify(value);
}

/** The value of a setting that a cell is the text of; undefined for an empty one. */
function settingValue(text: string): SettingValue | undefined {
  if (text === "") return undefined;
  if (text === "true" || text === "false") return text === "true";
  if (text.startsWith('"')) {
    try {
      return JSON.parse(text) as string;
    } catch {
      return text;
    }
  }
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Reads seed-level records back from CSV. */
export function readCsv(text: string, name: string): SeedRecord[] {
  const { header = [], rows } = parseTable(text, name);
  const isEarlier = !header.includes("overrides");
  const cell = (column: string, content: string): unknown => {
    const type = { ...COLUMNS, ...(isEarlier && EARLIER_COLUMNS) }[column as Column];
    if (type === undefined) return settingValue(content) ?? null;
    return type === "STRING" ? content : content === "" ? null : Number(content);
  };
  return checkedRows(
    rows.map((cells) => Object.fromEntries(header.map((column, i) => [column, cell(column, cells[i])]))),
    name,
  );
}

/** Metrics that earlier tables lack. */
export const LATER_METRICS = [
  "n_min",
  "n_max",
  "h_q",
  "h_w",
  "d_sol_floor",
  "tv",
  "js",
  ...CLIENT_COLUMNS,
  "communication",
] as const satisfies readonly Column[];

/** What the first layout had in place of settings. */
const EARLIER_COLUMNS = {
  viscosity: "DOUBLE",
  clients: "INT32",
  optimizer: "STRING",
  changed: "STRING",
} as const;

/** Takes a value as a column has it; undefined where it is something else. */
type Take<T> = (value: unknown) => T | undefined;

const takeText: Take<string> = (value) => (typeof value === "string" ? value : undefined);
const takeNumber: Take<number> = (value) =>
  typeof value === "number" && Math.abs(value) !== Infinity ? value : undefined;
const takeWhole: Take<number> = (value) =>
  typeof value === "bigint" ? Number(value) : Number.isSafeInteger(value) ? (value as number) : undefined;
const takeSetting: Take<SettingValue> = (value) => {
  if (typeof value === "string" || typeof value === "boolean") return value;
  return Number.isFinite(value) ? (value as number) : undefined;
};
/** A metric that earlier tables lack, or whose cell is empty: it is not known. */
const takeLater: Take<number> = (value) => (value === null || value === undefined ? NaN : takeNumber(value));
/** Of tables of the first layout, which have no such column, all references are this one. */
const takeReference: Take<number> = (value) => (value === undefined ? 100 : takeNumber(value));

/** What columns take, as the end of a sentence. */
const EXPECTED = {
  STRING: "a text",
  DOUBLE: "a number",
  INT32: "a whole number",
  INT64: "a whole number",
} as const;

/** How the values of fixed columns are taken; titles and splits may be absent, and overrides are settings. */
const TAKES: readonly (readonly [Column, Take<unknown>])[] = NAMES.filter(
  (name) => !["overrides", "title", "split"].includes(name),
).map((name) => {
  if (name === "reference_alpha") return [name, takeReference];
  if ((LATER_METRICS as readonly Column[]).includes(name)) return [name, takeLater];
  return [name, COLUMNS[name] === "STRING" ? takeText : COLUMNS[name] === "DOUBLE" ? takeNumber : takeWhole];
});

interface Place {
  readonly name: string;
  readonly index: number;
}

function notOne({ name, index }: Place, column: string, expected: string): FormatError {
  return new FormatError(
    `${name} is not a table of seed-level records: row ${index + 1}, ${column}: it should be ${expected}`,
  );
}

function taken<T>(
  take: Take<T>,
  row: Record<string, unknown>,
  column: string,
  expected: string,
  place: Place,
): T {
  const value = take(row[column]);
  if (value === undefined) throw notOne(place, column, expected);
  return value;
}

type Fixed = Omit<SeedRecord, keyof RecordedSettings>;

/** The fixed columns of a row. */
function fixedOf(row: Record<string, unknown>, place: Place): Fixed {
  const fixed: Record<string, unknown> = {};
  for (const [name, take] of TAKES) fixed[name] = taken(take, row, name, EXPECTED[COLUMNS[name]], place);
  for (const name of ["title", "split"]) {
    const text = row[name];
    if (typeof text === "string" && text !== "") fixed[name] = text;
    else if (text !== null && text !== undefined && text !== "") throw notOne(place, name, EXPECTED.STRING);
  }
  return fixed as unknown as Fixed;
}

/** All rows of a table. Rows of a run share one object of settings, so that their key is made once. */
function checkedRows(rows: readonly Record<string, unknown>[], name: string): SeedRecord[] {
  const settingColumns = Object.keys(rows[0] ?? {}).filter((column) => !(column in COLUMNS));
  let before: { readonly row: Record<string, unknown>; readonly told: RecordedSettings } | undefined;
  return rows.map((row, index) => {
    const place = { name, index };
    const fixed = fixedOf(row, place);
    if (!("overrides" in row))
      return { ...fixed, ...earlierRow(fixed.task, earlierSettings(row, place), Number.isNaN(fixed.n_min)) };
    const known = before?.row;
    if (
      !known ||
      known.overrides !== row.overrides ||
      settingColumns.some((column) => known[column] !== row[column])
    )
      before = { row, told: settingsOfRow(row, settingColumns, place) };
    return Object.assign(fixed, before!.told);
  });
}

function settingsOfRow(
  row: Record<string, unknown>,
  columns: readonly string[],
  place: Place,
): RecordedSettings {
  const settings = columns.flatMap((column) => {
    if (row[column] === null || row[column] === undefined) return [];
    const value = taken(takeSetting, row, column, "a text, a number or a truth value", place);
    return [[settingOfColumn(column), value] as const];
  });
  const overrides = taken(takeText, row, "overrides", EXPECTED.STRING, place).split(" ").filter(Boolean);
  return { settings: Object.fromEntries(settings), overrides };
}

/** What a row of the first layout tells of its settings. */
interface EarlierSettings {
  readonly viscosity: number | null;
  readonly clients: number;
  readonly optimizer: string;
  /** Options that are not the bundled studies', as `local_steps=1 bins=3`. */
  readonly changed: string;
}

function earlierSettings(row: Record<string, unknown>, place: Place): EarlierSettings {
  const { viscosity, changed } = row;
  return {
    viscosity: viscosity === null ? null : taken(takeNumber, row, "viscosity", EXPECTED.DOUBLE, place),
    clients: taken(takeWhole, row, "clients", EXPECTED.INT32, place),
    optimizer: taken(takeText, row, "optimizer", EXPECTED.STRING, place),
    changed:
      changed === undefined ? UNKNOWN_OPTIONS : taken(takeText, row, "changed", EXPECTED.STRING, place),
  };
}

/**
 * The settings of a row of the first layout: the defaults of its time but for what it says. `isFirst` is whether the
 * table is of the versions without `n_min`, whose bundled studies repaired by another rule.
 */
function earlierRow(
  task: string,
  { viscosity, clients, optimizer, changed }: EarlierSettings,
  isFirst: boolean,
): RecordedSettings {
  const told = { ...(viscosity !== null && { viscosity }), clients, optimizer };
  if (changed === UNKNOWN_OPTIONS) return { settings: told, overrides: [UNKNOWN_OPTIONS] };
  const name = task.replace(/^imported-/, "");
  const earlier = EARLIER_TASKS[name];
  const stated = changed
    .split(" ")
    .filter(Boolean)
    .map((one) => {
      const [option, value = ""] = one.split("=");
      return [option, option === "data" ? value : (settingValue(value) ?? "")] as const;
    });
  const settings: Settings = {
    ...earlier?.settings,
    ...(task === name ? earlier?.parameters : {}),
    ...(isFirst && earlier && { repair: "closest" }),
    ...EARLIER_OPTIMIZERS[optimizer],
    ...told,
    ...Object.fromEntries(stated),
  };
  const own = earlierOverrides(name, told).filter((option) => option !== "viscosity" || task === name);
  return { settings, overrides: [...own, ...stated.map(([option]) => option)] };
}
