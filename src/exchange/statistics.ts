import { DataError, FormatError } from "../errors.js";
import type { ByteSource } from "../files/byte-source.js";
import { isNumber, numberOf, type TextTable } from "../files/csv.js";
import { nameList } from "../files/name-list.js";
import { toNumbers } from "../files/ndarray.js";
import { describe, isArray } from "../files/pickle-objects.js";
import { elements } from "../numerics/shape.js";
import { readDocument, type Tree } from "./document.js";

/** Number of samples per client and bin. For data that cannot leave the clients, only these counts are known. */
export interface CountTable {
  readonly clientNames: readonly string[];
  readonly binNames: readonly string[];
  /** Counts as a clients x bins table. */
  readonly counts: readonly (readonly number[])[];
}

/** Options of `readCounts`, `readCost` and `readCentroids`. */
export interface StatisticsOptions {
  /** Array of an NPZ archive, or key of a JSON or pickled dict. Default: `counts`, `cost` or `centroids`. */
  readonly key?: string;
}

interface NamedMatrix {
  readonly rowNames?: readonly string[];
  readonly columnNames?: readonly string[];
  readonly rows: readonly (readonly number[])[];
}

const ID_COLUMN = /^(|cid|client|client[ _-]?id|party|partition[ _-]?id|id|user)$/i;
const TOTAL_COLUMN = /^(total|totalamount|total[ _-]?amount|amount|size|n)$/i;

/**
 * Reads a client-by-bin count table from CSV, NPY, NPZ, JSON rows, `{client: {bin: count}}` or a partition file. In a
 * CSV with a header, it recognises the columns of client ids and of totals, as in FedLab's report.
 */
export async function readCounts(source: ByteSource, { key }: StatisticsOptions = {}): Promise<CountTable> {
  const { name } = source;
  const { rows, rowNames, columnNames } = await readMatrix(source, key ?? "counts", key !== undefined);
  rows.forEach((row, client) => {
    const bin = row.findIndex((count) => !Number.isSafeInteger(count) || count < 0);
    if (bin >= 0) {
      throw new DataError(
        `${name}: client ${rowNames?.[client] ?? client} has ${row[bin]} samples of bin ${bin}`,
      );
    }
  });
  const empty = rows.every((row) => row.every((count) => count === 0));
  if (empty) throw new DataError(`${name}: all counts are zero`);
  return {
    clientNames: rowNames ?? rows.map((_, client) => String(client)),
    binNames: columnNames ?? rows[0].map((_, bin) => String(bin)),
    counts: rows,
  };
}

/** Reads the cost matrix between bins. The matrix must be square, symmetric and nonnegative, with a zero diagonal. */
export async function readCost(source: ByteSource, { key }: StatisticsOptions = {}): Promise<number[][]> {
  const { name } = source;
  const { rows } = await readMatrix(source, key ?? "cost", key !== undefined);
  if (rows.length !== rows[0].length) {
    throw new DataError(`${name}: a cost matrix is square, this one is ${rows.length}x${rows[0].length}`);
  }
  const largest = rows.flat().reduce((most, cost) => Math.max(most, Math.abs(cost)), 0);
  const slack = 1e-9 * largest; // what text with ten digits leaves
  rows.forEach((row, i) => {
    row.forEach((cost, j) => {
      if (!Number.isFinite(cost) || cost < 0)
        throw new DataError(`${name}: the cost from bin ${i} to ${j} is ${cost}`);
      if (i === j && cost > slack)
        throw new DataError(`${name}: the cost from bin ${i} to itself is ${cost}, not 0`);
      if (Math.abs(cost - rows[j][i]) > slack) {
        throw new DataError(
          `${name}: the cost from bin ${i} to ${j} is ${cost}, but back it is ${rows[j][i]}`,
        );
      }
    });
  });
  return rows.map((row, i) => row.map((cost, j) => (i === j ? 0 : cost)));
}

/** Reads the bin centroids, one per row. It flattens fields of any rank. */
export async function readCentroids(
  source: ByteSource,
  { key }: StatisticsOptions = {},
): Promise<number[][]> {
  const { rows } = await readMatrix(source, key ?? "centroids", key !== undefined);
  const bad = rows.findIndex((row) => row.some((value) => !Number.isFinite(value)));
  if (bad >= 0)
    throw new DataError(`${source.name}: the centroid of bin ${bad} has a value that is not finite`);
  return rows.map((row) => [...row]);
}

/** Throws where counts and costs or centroids speak of different numbers of bins. */
export function checkBins(table: CountTable, bins: number, counts: string, other: string): void {
  if (table.binNames.length !== bins) {
    throw new DataError(`${counts} has ${table.binNames.length} bins, but ${other} has ${bins}`);
  }
}

async function readMatrix(source: ByteSource, key: string, chosen: boolean): Promise<NamedMatrix> {
  const document = await readDocument(source);
  const matrix =
    document.kind === "table"
      ? matrixOfTable(document.table, source.name)
      : matrixOfTree(pick(document.tree, key, chosen, source.name), key, source.name);
  if (matrix.rows.length === 0 || matrix.rows[0].length === 0) throw new DataError(`${source.name} is empty`);
  return matrix;
}

function matrixOfTable(table: TextTable, name: string): NamedMatrix {
  const { header, rows } = withoutFalseHeader(table);
  const words = rows.some((row) => !isNumber(row[0]));
  const first = words || (header !== undefined && ID_COLUMN.test(header[0])) ? 1 : 0;
  const last = header !== undefined && TOTAL_COLUMN.test(header[header.length - 1]) ? -1 : undefined;
  return {
    rows: rows.map((row, i) => row.slice(first, last).map((cell) => numberOf(cell, name, i))),
    rowNames: first === 1 ? rows.map((row) => row[0]) : undefined,
    columnNames: header?.slice(first, last),
  };
}

/** A first line like `hospital,3,0,12` is no header but the first client. */
function withoutFalseHeader({ header, rows }: TextTable): TextTable {
  const isRow = header && header.length > 1 && !ID_COLUMN.test(header[0]) && header.slice(1).every(isNumber);
  return isRow ? { rows: [header, ...rows] } : { header, rows };
}

/** The named part of a dict; without a choice also the only array of an archive, or the thing itself. */
function pick(tree: Tree, key: string, chosen: boolean, name: string): Tree {
  if (tree instanceof Map && tree.has(key)) return tree.get(key)!;
  if (chosen) {
    const there = tree instanceof Map ? nameList([...tree.keys()].map(String)) : describe(tree);
    throw new FormatError(`${name} has no "${key}"; it has ${there}`);
  }
  const alone = tree instanceof Map && tree.size === 1 ? [...tree.values()][0] : undefined;
  if (alone && isArray(alone)) return alone;
  // the pair (net_dataidx_map, traindata_cls_counts) of NIID-Bench
  const nested = Array.isArray(tree) ? tree.find((item) => item instanceof Map && isNested(item)) : undefined;
  return nested ?? tree;
}

function matrixOfTree(tree: Tree, key: string, name: string): NamedMatrix {
  if (isArray(tree)) {
    const [count, ...rest] = tree.shape.length === 0 ? [0] : tree.shape;
    const width = elements(rest);
    const values = toNumbers(tree.values);
    return {
      rows: Array.from({ length: count }, (_, i) => [...values.subarray(i * width, (i + 1) * width)]),
    };
  }
  if (tree instanceof Map && isNested(tree)) return matrixOfCounts(tree as Map<Tree, Map<Tree, Tree>>, name);
  const lists = Array.isArray(tree) ? tree : tree instanceof Map ? [...tree.values()].map(onlyList) : [];
  const rows = lists.map((list) => flatNumbers(list));
  if (rows.length === 0 || rows.some((row) => row === undefined)) {
    throw new FormatError(`${name} holds no matrix "${key}": found ${describe(tree)}`);
  }
  const ragged = rows.findIndex((row) => row!.length !== rows[0]!.length);
  if (ragged >= 0) {
    throw new DataError(
      `${name}: row ${ragged} has ${rows[ragged]!.length} values, the first has ${rows[0]!.length}`,
    );
  }
  return {
    rows: rows as number[][],
    rowNames: tree instanceof Map ? [...tree.keys()].map(String) : undefined,
  };
}

function onlyList(tree: Tree): Tree {
  return typeof tree === "number" ? null : tree;
}

function isNested(map: Map<Tree, Tree>): boolean {
  return map.size > 0 && [...map.values()].every((value) => value instanceof Map);
}

/** `{client: {bin: count}}`; a bin that a client does not name has count 0, and so have numbers between. */
function matrixOfCounts(map: Map<Tree, Map<Tree, Tree>>, name: string): NamedMatrix {
  const byName = [...map].map(([client, row]) => ({
    client: String(client),
    counts: new Map([...row].map(([bin, count]) => [String(bin), count])),
  }));
  const named = [...new Set(byName.flatMap(({ counts }) => [...counts.keys()]))];
  const last = named.every((bin) => /^\d{1,5}$/.test(bin)) ? Math.max(...named.map(Number)) : undefined;
  const bins =
    last === undefined
      ? named.sort(new Intl.Collator("en", { numeric: true }).compare)
      : Array.from({ length: last + 1 }, (_, bin) => String(bin));
  const rows = byName.map(({ client, counts }) =>
    bins.map((bin) => {
      const count = counts.get(bin) ?? 0;
      if (typeof count !== "number")
        throw new FormatError(`${name}: client ${client} has ${describe(count)} of ${bin}`);
      return count;
    }),
  );
  return { rows, rowNames: byName.map(({ client }) => client), columnNames: bins };
}

function flatNumbers(tree: Tree): number[] | undefined {
  if (typeof tree === "number") return [tree];
  if (isArray(tree)) return [...toNumbers(tree.values)];
  if (!Array.isArray(tree)) return undefined;
  const parts = tree.map(flatNumbers);
  return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part!);
}
