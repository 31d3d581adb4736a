import { tableFromIPC } from "@uwdata/flechette";
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { FormatError } from "../errors.js";
import { type ByteSource, readAll } from "../files/byte-source.js";
import { formatCsv } from "../files/csv.js";

/** A file of a folder, opened when it is needed; its path is from the folder, with slashes. */
export interface FolderFile {
  readonly path: string;
  open(): Promise<ByteSource & { close(): Promise<void> }>;
}

/** Files of a Hugging Face dataset: Parquet, or Arrow as `save_to_disk` writes it, but not those of a test split. */
const DATA = /\.(parquet|arrow)$/;
const TEST = /(^|\/)(test|valid|validation)([-_./]|$)/;
/** The folder of one client, as `flwr-datasets create` names it. */
const CLIENT_FOLDER = /(?:^|\/)partition_(\d+)\//;

export function isHuggingFace(paths: readonly string[]): boolean {
  return paths.some((path) => DATA.test(path) && !TEST.test(path));
}

/** Which client holds which sample, as a CSV table, and how that was told. */
export interface ClientTable {
  readonly csv: string;
  /** "the column client_id of 10 files", or "one folder or file per client". */
  readonly clients: string;
}

/** What `--column` says where the folders or files are the clients, whatever columns they have. */
export const BY_FOLDER = "folder";

/**
 * A Hugging Face dataset as a table of the sample in each row, the client that holds it, and its bin where there is one.
 * The sample is the column `index`. The client is a column, or the folder or file of the row: `partition_3` as Flower names
 * it, or any other. Rows of a split that was split again still carry the old `client_id`: where column and folders
 * disagree, one has to be chosen.
 */
export async function huggingFaceTable(
  files: readonly FolderFile[],
  name: string,
  column?: string,
): Promise<ClientTable> {
  const data = files
    .filter(({ path }) => DATA.test(path) && !TEST.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const wanted = column === undefined || column === BY_FOLDER ? "client_id" : column;
  const rows: { readonly sample: string; readonly place: string; client?: string; bin?: string }[] = [];
  for (const { path, open } of data) {
    const file = await open();
    try {
      const columns = await wholeNumbers(file, ["index", "solution_bin", wanted]);
      const index = columns.get("index");
      if (!index)
        throw new FormatError(
          `${name}/${path} has no column "index", which tells the samples: add one before the split, ` +
            'as ds.add_column("index", range(len(ds)))',
        );
      const [clients, bins] = [columns.get(wanted), columns.get("solution_bin")];
      index.forEach((sample, row) => {
        rows.push({ sample, place: placeOf(path), client: clients?.[row], bin: bins?.[row] });
      });
    } finally {
      await file.close();
    }
  }
  const byColumn = isByColumn(rows, data, { name, column, wanted });
  const hasBins = rows.length > 0 && rows.every(({ bin }) => bin !== undefined);
  const header = ["index", byColumn ? wanted : "client_id", ...(hasBins ? ["solution_bin"] : [])];
  const lines = rows.map(({ sample, place, client, bin }) => [
    ...[sample, byColumn ? client! : place],
    ...(hasBins ? [bin!] : []),
  ]);
  return {
    csv: formatCsv([header, ...lines]),
    clients: byColumn ? `the column ${wanted} of ${data.length} files` : "one folder or file per client",
  };
}

/** The folder or file that may be a client: the number of `partition_3`, else the path without what numbers shards. */
function placeOf(path: string): string {
  const flowers = CLIENT_FOLDER.exec(path);
  if (flowers) return flowers[1];
  const isShard = /(^|\/)[^/]*-\d{5}-of-\d{5}\.\w+$/;
  return isShard.test(path) ? path.slice(0, path.lastIndexOf("/") + 1) || "." : path;
}

/** Whether a column tells the clients. */
function isByColumn(
  rows: readonly { readonly place: string; readonly client?: string }[],
  data: readonly FolderFile[],
  { name, column, wanted }: { readonly name: string; readonly column?: string; readonly wanted: string },
): boolean {
  if (column === BY_FOLDER || data.every(({ path }) => CLIENT_FOLDER.test(path))) return false;
  const places = new Set(rows.map(({ place }) => place));
  const missing = rows.some(({ client }) => client === undefined);
  if (column !== undefined || places.size <= 1) {
    if (missing)
      throw new FormatError(
        `${name} has no column "${wanted}" in all of its files: name that of the client by --column`,
      );
    return true;
  }
  if (missing) return false;
  const pairs = new Set(rows.map(({ place, client }) => `${place}\n${client}`)).size;
  const clients = new Set(rows.map(({ client }) => client)).size;
  if (pairs === places.size && pairs === clients) return true; // both say the same
  throw new FormatError(
    `${name}: are the clients the column ${wanted} (${clients}), or its folders and files (${places.size})? ` +
      `They disagree: say --column ${wanted}, or --column ${BY_FOLDER}`,
  );
}

/** Bytes of an Arrow file, which is read as a whole. */
const MOST_BYTES = 2 ** 31;

/** The columns of whole numbers or words that a file has of those wanted, as text. */
async function wholeNumbers(file: ByteSource, wanted: readonly string[]): Promise<Map<string, string[]>> {
  try {
    return await (file.name.endsWith(".parquet") ? parquetColumns : arrowColumns)(file, wanted);
  } catch (error) {
    throw new FormatError(`${file.name} cannot be read: ${(error as Error).message}`);
  }
}

async function parquetColumns(file: ByteSource, wanted: readonly string[]): Promise<Map<string, string[]>> {
  const slices = {
    byteLength: file.size,
    slice: async (start: number, end = file.size) =>
      (await file.read(start, end - start)).slice().buffer as ArrayBuffer,
  };
  const metadata = await parquetMetadataAsync(slices);
  const named = parquetSchema(metadata).children.map(({ element }) => element.name);
  const columns = wanted.filter((name) => named.includes(name));
  const rows = columns.length === 0 ? [] : await parquetReadObjects({ file: slices, metadata, columns });
  return new Map(columns.map((name) => [name, rows.map((row) => String(row[name]))]));
}

async function arrowColumns(file: ByteSource, wanted: readonly string[]): Promise<Map<string, string[]>> {
  if (file.size > MOST_BYTES) throw new Error("it has more than 2 GiB");
  const table = tableFromIPC(await readAll(file), { useBigInt: true });
  const columns = wanted.filter((name) => table.names.includes(name));
  return new Map(columns.map((name) => [name, Array.from(table.getChild(name), String)]));
}
