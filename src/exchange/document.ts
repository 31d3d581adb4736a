import { FormatError } from "../errors.js";
import { type ByteSource, readAll, readText } from "../files/byte-source.js";
import { parseTable, type TextTable } from "../files/csv.js";
import { isHdf5, refuseForeign } from "../files/file-kinds.js";
import type { NdArray } from "../files/ndarray.js";
import { isNpy, readNpy } from "../files/npy.js";
import { openNpz } from "../files/npz.js";
import { isPickle, type PickleValue, readPickle } from "../files/pickle.js";
import { isZip } from "../files/zip.js";

/** Nested lists, dicts and arrays, whatever file they came from; JSON objects are maps. */
export type Tree = PickleValue;

/** What a file of another tool holds: a table of text, or a tree. */
export type Document =
  | { readonly kind: "table"; readonly table: TextTable }
  | { readonly kind: "tree"; readonly tree: Tree };

/**
 * Reads a file by what its bytes say it is: NPY, NPZ, pickle, JSON, FedML's brace text, or else a table. The arrays of
 * an NPZ archive are a map by name.
 */
export async function readDocument(source: ByteSource): Promise<Document> {
  const { name } = source;
  const opening = await source.read(0, Math.min(16, source.size));
  if (opening.length === 0) throw new FormatError(`${name} is empty`);
  if (isNpy(opening)) return { kind: "tree", tree: await readNpy(source) };
  await refuseForeign(source);
  if (await isHdf5(source)) {
    throw new FormatError(
      `${name} is an HDF5 file: a partition is read from JSON, CSV, NPY, NPZ or a pickle`,
    );
  }
  if (isZip(opening)) return { kind: "tree", tree: await readNpzArrays(source) };
  if (isPickle(opening) || /\.(pkl|pickle|p)$/i.test(name))
    return { kind: "tree", tree: readPickle(await readAll(source), name) };
  const text = await readText(source);
  if (/^\s*\{\s*-?\d+\s*:/.test(text)) return { kind: "tree", tree: parseBraces(text, name) };
  if (/^\s*[[{]/.test(text)) return { kind: "tree", tree: parseJson(text, name) };
  return { kind: "table", table: parseTable(text, name) };
}

/** Bytes of all arrays of a partition's archive, which are read into memory. */
const MOST_BYTES = 1 << 29;

async function readNpzArrays(source: ByteSource): Promise<Map<string, NdArray>> {
  const archive = await openNpz(source);
  const arrays = new Map<string, NdArray>();
  let bytes = 0;
  for (const name of archive.names) {
    const { shape, dtype, rows, read } = await archive.array(name);
    const values = await read(0, rows);
    bytes += values.byteLength;
    if (bytes > MOST_BYTES)
      throw new FormatError(`${source.name} holds more than ${MOST_BYTES >> 20} MiB, which is no partition`);
    arrays.set(name, { shape, dtype, values });
  }
  return arrays;
}

function parseJson(text: string, name: string): Tree {
  try {
    return treeOf(JSON.parse(text));
  } catch (error) {
    throw new FormatError(`${name} is not valid JSON (truncated?): ${(error as Error).message}`);
  }
}

function treeOf(json: unknown): Tree {
  if (Array.isArray(json)) return json.map(treeOf);
  if (typeof json !== "object" || json === null) return json as Tree;
  return new Map(Object.entries(json).map(([key, value]) => [key, treeOf(value)]));
}

/** FedML's `net_dataidx_map.txt` and `distribution.txt`: JSON but for bare keys, trailing and missing commas. */
function parseBraces(text: string, name: string): Tree {
  const json = text
    .replace(/(?<!\d)(-?\d+)\s*:/g, '"$1":') // each number is tried from its first digit alone, not from every one
    .replace(/([\]}])\s*(?=")/g, "$1,")
    .replace(/,\s*([\]}])/g, "$1");
  return parseJson(json, name);
}
