import { DataError, FormatError } from "../errors.js";
import type { ByteSource } from "../files/byte-source.js";
import type { TextTable } from "../files/csv.js";
import { nameList } from "../files/name-list.js";
import { isInteger, type NdArray, toNumbers } from "../files/ndarray.js";
import { describe, isArray } from "../files/pickle-objects.js";
import { type Cover, type ForeignPartition, partitionOfColumn, partitionOfGroups } from "./client-groups.js";
import { readDocument, type Tree } from "./document.js";

/** Options of `readPartition`. */
export interface ReadPartitionOptions extends Cover {
  /** Table column that holds the client. Default: a column with a usual name, or the only one. */
  readonly column?: string;
  /**
   * Array of an NPZ archive, or key of a JSON or pickled dict, that holds the partition. Default: detected from names
   * and structure.
   */
  readonly key?: string;
}

const CLIENT_NAMES = [
  "client_id",
  "client",
  "cid",
  "party",
  "partition_id",
  "client_of_sample",
  "user",
  "user_id",
];
const BIN_NAMES = ["solution_bin", "bin_of_sample", "bin"];
const MAP_NAMES = ["partition_id_to_indices", "net_dataidx_map", "client_dict", "dataidx_map", "clients"];

/**
 * Reads a partition that this tool or another one wrote. It accepts three kinds of file:
 * - a client column (CSV, NPY, NPZ, or text with one number per line);
 * - lists of sample indices by client (JSON, pickles of FedLab and NIID-Bench, FedML's text);
 * - FL-bench's `partition.pkl`.
 */
export async function readPartition(
  source: ByteSource,
  options: ReadPartitionOptions = {},
): Promise<ForeignPartition> {
  const document = await readDocument(source);
  return document.kind === "table"
    ? fromTable(document.table, source.name, options)
    : fromTree(document.tree, source.name, options);
}

function fromTable(
  table: TextTable,
  file: string,
  { column, ...cover }: ReadPartitionOptions,
): ForeignPartition {
  const { header, rows } = table;
  const names = (header ?? table.rows[0] ?? []).map((name, i) => (header ? name : String(i)));
  const client = clientColumn(names, file, column);
  const index = indexColumn(names);
  const bin = names.findIndex((name) => BIN_NAMES.includes(name.toLowerCase()));
  if (index >= 0 && cover.partial) {
    const some = rowsOfSome(rows, { index, client, bin }, file, cover);
    if (some) return some;
  }
  const ordered = index < 0 ? rows : rowsByIndex(rows, index, file);
  const partition = partitionOfColumn(
    ordered.map((row) => row[client]),
    file,
    cover,
  );
  if (bin < 0) return partition;
  return {
    ...partition,
    binOfSample: binNumbers(
      ordered.map((row) => row[bin]),
      file,
    ),
  };
}

function clientColumn(names: readonly string[], file: string, chosen?: string): number {
  const found =
    chosen === undefined
      ? names.findIndex((name) => CLIENT_NAMES.includes(name.toLowerCase().replace(/[ -]/g, "_")))
      : names.indexOf(chosen);
  if (found >= 0) return found;
  if (chosen === undefined && names.length === 1) return 0;
  const there = `it has ${nameList(names)}`;
  if (chosen !== undefined) throw new FormatError(`${file} has no column "${chosen}"; ${there}`);
  throw new FormatError(
    `${file}: which column is the client? None is called client_id; ${there}: name one by --column`,
  );
}

/** The column that says which sample a row is: the one called index, or the first without a name, which is pandas'. */
function indexColumn(names: readonly string[]): number {
  const named = names.findIndex((name) => name.toLowerCase() === "index");
  return named < 0 && names.length > 1 && names[0] === "" ? 0 : named;
}

/** Rows in the order of their samples; the index column must name every sample once. */
function rowsByIndex(rows: TextTable["rows"], column: number, file: string): TextTable["rows"] {
  const indices = rows.map((row, i) => whole(row[column], `index in row ${i + 1}`, file));
  const covered = partitionOfGroups(new Map([["0", indices]]), `${file}, column index`);
  const ordered = new Array<readonly string[]>(covered.clientOfSample.length);
  indices.forEach((sample, i) => {
    ordered[sample] = rows[i];
  });
  return ordered;
}

/** A table that leaves out samples, which its index column tells; undefined if it has all of them. */
function rowsOfSome(
  rows: TextTable["rows"],
  columns: { readonly index: number; readonly client: number; readonly bin: number },
  file: string,
  cover: Cover,
): ForeignPartition | undefined {
  const indices = rows.map((row, i) => whole(row[columns.index], `index in row ${i + 1}`, file));
  const { clientOfSample: isHeld } = partitionOfGroups(new Map([["0", indices]]), file, cover);
  if (isHeld.length === rows.length) return undefined;
  const { clientNames, clientOfSample } = partitionOfColumn(
    rows.map((row) => row[columns.client]),
    file,
  );
  const spread = (values: Int32Array) => {
    const all = new Int32Array(isHeld.length).fill(-1);
    indices.forEach((sample, row) => {
      all[sample] = values[row];
    });
    return all;
  };
  const bins = columns.bin < 0 ? undefined : rows.map((row) => row[columns.bin]);
  return {
    clientNames,
    clientOfSample: spread(clientOfSample),
    ...(bins && { binOfSample: spread(binNumbers(bins, file)) }),
  };
}

function fromTree(tree: Tree, file: string, options: ReadPartitionOptions): ForeignPartition {
  const { key, samples, partial } = options;
  if (key !== undefined) {
    const child = tree instanceof Map ? tree.get(key) : undefined;
    if (child === undefined) {
      const there = tree instanceof Map ? namesIn(tree) : describe(tree);
      throw new FormatError(`${file} has no "${key}"; it has ${there}`);
    }
    return fromTree(child, file, { samples, partial });
  }
  if (isArray(tree) || isNumbers(tree))
    return partitionOfColumn(column(tree, file), file, { samples, partial });
  if (Array.isArray(tree)) {
    const map = [...new Set(tree)].find((item) => item instanceof Map && groupsOf(item) !== undefined);
    if (map) return fromTree(map, file, options); // the tuple that partition_data of NIID-Bench and FedML returns
  }
  if (tree instanceof Map) {
    const named = MAP_NAMES.map((name) => tree.get(name)).find((value) => value && groupsOf(value));
    const clients = columnIn(tree, CLIENT_NAMES);
    const several = CLIENT_NAMES.filter((name) => isColumn(tree.get(name) ?? null));
    if (!named && several.length > 1) throw new DataError(severalColumns(several, file));
    if (named) {
      const known = samples ?? (partial ? sizeOf(columnIn(tree, BIN_NAMES)) : undefined);
      return withBins(
        partitionOfGroups(indexLists(named, file), file, { samples: known, partial }),
        tree,
        file,
      );
    }
    if (clients) {
      const partition = partitionOfColumn(column(clients, file), file, {
        samples,
        partial,
        clients: knownClients(tree),
      });
      return withBins(partition, tree, file);
    }
    const split = tree.get("data_indices"); // FL-bench: every client's samples, split in train, val and test
    if (Array.isArray(split)) refuseShared(split.flatMap(splitsOf), file);
    const lists = Array.isArray(split) ? split.map(joined) : null;
    if (groupsOf(lists)) return partitionOfGroups(indexLists(lists, file), file, { samples, partial });
  }
  if (groupsOf(tree) === undefined) {
    const there = tree instanceof Map ? `a dict with ${namesIn(tree)}` : describe(tree);
    throw new FormatError(
      `${file} holds no partition that is known: ${there}; name the part that is one by --key`,
    );
  }
  const groups = indexLists(tree, file);
  if (tree instanceof Map) refuseColumns(groups, file, samples);
  return partitionOfGroups(groups, file, { samples, partial });
}

/** Lists under names that are as long as each other and repeat themselves are clients of samples, one choice each. */
function refuseColumns(groups: ReadonlyMap<string, readonly number[]>, file: string, samples?: number): void {
  const lists = [...groups.values()];
  const length = samples ?? lists[0].length;
  const areColumns =
    lists.length > 1 &&
    [...groups.keys()].every((name) => Number.isNaN(Number(name))) &&
    lists.every((list) => list.length === length && new Set(list).size < length);
  if (areColumns) throw new DataError(severalColumns([...groups.keys()], file));
}

function severalColumns(names: readonly string[], file: string): string {
  return `${file}: which one is the client? Each of ${nameList(names)} could be: name one by --key`;
}

/** The clients of our own NPZ, of which some may be empty. */
function knownClients(tree: Map<Tree, Tree>): string[] {
  const sizes = tree.get("sizes") ?? tree.get("counts");
  const isFull = sizes && isArray(sizes) && sizes.values.length > 0; // an empty array may claim any number of rows
  const length = isFull ? sizes.shape[0] : Array.isArray(sizes) ? sizes.length : 0;
  return Array.from({ length }, (_, client) => String(client));
}

function withBins(partition: ForeignPartition, tree: Map<Tree, Tree>, file: string): ForeignPartition {
  const bins = columnIn(tree, BIN_NAMES);
  if (!bins) return partition;
  const values = column(bins, file);
  if (values.length !== partition.clientOfSample.length) {
    throw new DataError(
      `${file} has bins of ${values.length} samples but clients of ${partition.clientOfSample.length}`,
    );
  }
  return {
    ...partition,
    binOfSample: binNumbers(values, file),
  };
}

function binNumbers(bins: readonly (string | number)[], file: string): Int32Array {
  return Int32Array.from(bins, (bin, sample) => {
    const number = whole(bin, `bin of sample ${sample}`, file);
    if (number < 0 || number > 0x7fffffff) throw new DataError(`${file}: bin of sample ${sample} is ${bin}`);
    return number;
  });
}

function columnIn(tree: Map<Tree, Tree>, names: readonly string[]): NdArray | number[] | undefined {
  return names.map((name) => tree.get(name) ?? null).find(isColumn);
}

function sizeOf(list: NdArray | number[] | undefined): number | undefined {
  return list && (Array.isArray(list) ? list.length : list.values.length);
}

/** Pairs of client and samples, if a value has that shape: a dict of lists, or a list of lists. */
function groupsOf(tree: Tree): [Tree, NdArray | number[]][] | undefined {
  const pairs = tree instanceof Map ? [...tree] : Array.isArray(tree) ? [...tree.entries()] : [];
  const groups = pairs.flatMap(([client, list]): [Tree, NdArray | number[]][] =>
    isColumn(list) ? [[client, list]] : [],
  );
  return groups.length > 0 && groups.length === pairs.length ? groups : undefined;
}

function indexLists(tree: Tree, file: string): Map<string, number[]> {
  const groups = groupsOf(tree)!;
  refuseShared(
    groups.map(([, list]) => list),
    file,
  );
  return new Map(
    groups.map(([client, list]) => {
      const name = keyName(client);
      const indices = column(list, file).map((index) => whole(index, `index of client ${name}`, file));
      return [name, indices];
    }),
  );
}

function splitsOf(client: Tree): Tree[] {
  return client instanceof Map ? [...client.values()] : [client];
}

/** Indices of one client of FL-bench, all its splits together. */
function joined(splits: Tree): Tree {
  if (!(splits instanceof Map)) return splits;
  return splitsOf(splits).flatMap((split) =>
    isArray(split) ? [...toNumbers(split.values)] : (split as number[]),
  );
}

/** Refuses one list under several names: a small pickle could make clients of it without end, each with a copy. */
function refuseShared(lists: readonly Tree[], file: string): void {
  const full = lists.filter((list) => {
    if (Array.isArray(list)) return list.length > 0;
    return isArray(list) && list.values.length > 0; // FL-bench has one empty array for many
  });
  if (new Set(full).size < full.length)
    throw new DataError(`${file}: one list of samples is held by several clients`);
}

/** What a dict calls an entry; keys that are no words or numbers are only described. */
function keyName(key: Tree): string {
  return typeof key === "object" ? describe(key) : String(key);
}

function namesIn(tree: Map<Tree, Tree>): string {
  return nameList([...tree.keys()].map(keyName));
}

/** Lists that were looked through already: in a pickle, one may be under many names. */
const numberLists = new WeakMap<object, boolean>();

function isNumbers(tree: Tree): tree is number[] {
  if (!Array.isArray(tree) || tree.length === 0) return false;
  const known = numberLists.get(tree) ?? tree.every((item) => typeof item === "number");
  numberLists.set(tree, known);
  return known;
}

function isColumn(tree: Tree): tree is NdArray | number[] {
  if (isArray(tree)) return tree.shape.length === 1;
  return Array.isArray(tree) && (tree.length === 0 || isNumbers(tree));
}

function column(tree: NdArray | number[], file: string): number[] {
  if (Array.isArray(tree)) return tree;
  if (tree.shape.filter((length) => length !== 1).length > 1) {
    throw new FormatError(`${file}: expected one number a sample, found an array of ${tree.shape.join("x")}`);
  }
  const numbers = [...toNumbers(tree.values)];
  const odd = isInteger(tree.dtype) ? undefined : numbers.find((number) => !Number.isSafeInteger(number));
  if (odd !== undefined) throw new FormatError(`${file}: expected whole numbers, found ${odd}`);
  return numbers;
}

function whole(value: string | number, what: string, file: string): number {
  const number = value === "" ? NaN : Number(value);
  if (!Number.isSafeInteger(number)) throw new DataError(`${file}: ${what} is ${value}, not a whole number`);
  return number;
}
