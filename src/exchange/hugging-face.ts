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

/**
 * A Hugging Face dataset as a CSV table of which sample each row is and which client holds it, and of its bin where there
 * is one. The client is a column, or the number of the folder `partition_3`; the sample is the column `index`, without
 * which rows cannot be told.
 */
export async function huggingFaceTable(
  files: readonly FolderFile[],
  name: string,
  column?: string,
): Promise<string> {
  const data = files
    .filter(({ path }) => DATA.test(path) && !TEST.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const byFolder = data.every(({ path }) => CLIENT_FOLDER.test(path));
  const client = column ?? "client_id";
  const rows: string[][] = [];
  for (const { path, open } of data) {
    const file = await open();
    try {
      const columns = await wholeNumbers(file, ["index", "solution_bin", ...(byFolder ? [] : [client])]);
      const index = columns.get("index");
      const holder = byFolder ? CLIENT_FOLDER.exec(path)![1] : undefined;
      if (!index)
        throw new FormatError(
          `${name}/${path} has no column "index", which tells the samples: add one before the split, ` +
            'as ds.add_column("index", range(len(ds)))',
        );
      if (holder === undefined && !columns.has(client))
        throw new FormatError(
          `${name}/${path} has no column "${client}": name that of the client by --column`,
        );
      index.forEach((sample, row) => {
        const bin = columns.get("solution_bin")?.[row];
        rows.push([sample, holder ?? columns.get(client)![row], ...(bin === undefined ? [] : [bin])]);
      });
    } finally {
      await file.close();
    }
  }
  const hasBins = rows.length > 0 && rows.every((row) => row.length === 3);
  const header = ["index", client, ...(hasBins ? ["solution_bin"] : [])];
  return formatCsv([header, ...rows.map((row) => row.slice(0, header.length))]);
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
