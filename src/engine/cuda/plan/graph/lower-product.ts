import { elements } from "../../../../numerics/shape.js";
import { type Shape, withLength } from "../../../shape.js";
import { type GraphWriter, type Node, swappedFrom } from "./graph.js";

export interface ProductOptions {
  /** Products over up to this many numbers are computed where they are used; 4 by default. */
  readonly shortInner?: number;
  /** Products with up to this many rows or columns are sums; 4 by default. */
  readonly thin?: number;
  /** Multiprocessors of the GPU, for which large products should have work; 132 by default. */
  readonly processors?: number;
}

interface Transposition {
  readonly transposeA: boolean;
  readonly transposeB: boolean;
}

/** Rows and columns of a product that one block of threads computes at a time. */
const TILE = 128;
/** Tiles for each multiprocessor, below which a product is divided: with fewer, the last ones leave many idle. */
const TILES = 2;
/** Parts of a divided sum, and numbers that each adds up at least; fewer if a multiprocessor would have no part. */
const LIMITS: PartLimits = { most: 32, shortest: 256 };
const SHORT: PartLimits = { ...LIMITS, shortest: 128 };
/** Elements of a small result at most: blocks for them are small, and a multiprocessor has several at a time. */
const SMALL = 64 * 64;
/** Small results that each multiprocessor should have to compute, in parts that are long beside what they leave to add up. */
const SMALL_TILES = 10;
const SMALL_LIMITS: PartLimits = { most: 64, shortest: 1024 };

/**
 * A product of matrices. One over two or three numbers (the first layer of a trunk) is elementwise; one with few rows
 * or columns (the gradient of that layer) is a few sums, which can share a pass over memory with others; one over many
 * points with a small result (the gradient of any other layer) would leave most of a GPU idle and is divided into
 * parts, which are added up in a fixed order.
 */
export function lowerProduct(
  graph: GraphWriter,
  a: Node,
  b: Node,
  { transposeA, transposeB }: Transposition,
  shape: Shape,
  options: ProductOptions,
): Node {
  const { shortInner = 4, thin = 4 } = options;
  const left = transposeA ? graph.swapped(a) : a;
  const right = transposeB ? graph.swapped(b) : b;
  const inner = left.shape.at(-1)!;
  const [rows, columns] = shape.slice(-2);
  if (inner <= shortInner) return unrolled(graph, left, right);
  const groups = groupedSum(b);
  if (groups) return sumsOfGroups(graph, left, groups);
  if (Math.min(rows, columns) <= thin) return sums(graph, left, right, rows <= columns);
  const parts = divisionOf(left.shape, right.shape, shape, options);
  if (parts > 1) return inParts(graph, left, right, shape, parts);
  const whole = (x: Node) => graph.broadcast(x, [...shape.slice(0, -2), ...x.shape.slice(-2)]);
  // A right factor that several neighbouring matrices share makes them one; other factors may have to be copied.
  return graph.matmul(
    isPartlyShared(left.shape, shape) ? whole(left) : left,
    isPartlyShared(right.shape, shape) && transposeA ? whole(right) : right,
  );
}

/** Into how many parts the inner axis of a product [..., rows, inner] [..., inner, columns] is divided. */
export function divisionOf(
  left: Shape,
  right: Shape,
  shape: Shape,
  { shortInner = 4, thin = 4, processors = 132 }: ProductOptions,
): number {
  const inner = left.at(-1)!;
  const [rows, columns] = shape.slice(-2);
  if (inner <= shortInner || Math.min(rows, columns) <= thin) return 1;
  const tiles = elements(shape.slice(0, -2)) * tilesOf(rows, columns);
  const wanted = (TILES * processors) / tiles;
  const long = partCount(inner, wanted, LIMITS);
  const few = long * tiles < processors ? partCount(inner, wanted, SHORT) : long;
  const more = isSmall(rows, columns)
    ? partCount(inner, (SMALL_TILES * processors) / tiles, SMALL_LIMITS)
    : 1;
  const isShared = isPartlyShared(left, shape) || isPartlyShared(right, shape);
  // A factor that some of the batch share would have to be copied, which is not worth it for the last blocks.
  return tiles < processors || !isShared ? Math.max(few, more) : 1;
}

/** Whether a factor is the same along some axes of the batch, but not along all. */
function isPartlyShared(factor: Shape, shape: Shape): boolean {
  const batch = shape.slice(0, -2);
  const own = batch.map((_, axis) => factor[axis - shape.length + factor.length] ?? 1);
  const repeats = (axis: number) => own[axis] === 1 && batch[axis] > 1;
  return batch.some((_, axis) => repeats(axis)) && own.some((length) => length > 1);
}

/** Column by row, one after another. */
export function unrolled(graph: GraphWriter, a: Node, b: Node): Node {
  const products = Array.from({ length: a.shape.at(-1)! }, (_, k) =>
    graph.elementwise(
      "multiply",
      graph.slice(a, a.shape.length - 1, k, k + 1),
      graph.slice(b, b.shape.length - 2, k, k + 1),
    ),
  );
  return products.reduce((sum, product) => graph.elementwise("add", sum, product));
}

/** A matrix that adds up groups of `size` neighbours and gives each of them `factor` times their sum. */
interface GroupedSum {
  readonly size: number;
  readonly factor: number;
}

/** Neighbours that are added up where their sum is used, at most. */
const LARGEST_GROUP = 8;

/**
 * What a constant matrix does, if it has the same number in square blocks along its diagonal and zeros elsewhere. What is
 * not a number stays in its group then, where a product with zeros would spread it.
 */
function groupedSum({ operation, shape }: Node): GroupedSum | undefined {
  if (operation.name !== "constant" || shape.length !== 2 || shape[0] !== shape[1]) return undefined;
  const { values } = operation;
  const [length] = shape;
  const factor = values[0];
  const zero = values.indexOf(0);
  const size = zero < 0 || zero > length ? length : zero;
  if (size === 0 || size > LARGEST_GROUP || length % size !== 0) return undefined;
  const group = (place: number) => Math.floor(place / size);
  const isGrouped = values.every(
    (value, at) => value === (group(Math.floor(at / length)) === group(at % length) ? factor : 0),
  );
  return isGrouped ? { size, factor } : undefined;
}

function sumsOfGroups(graph: GraphWriter, x: Node, { size, factor }: GroupedSum): Node {
  const groups = [...x.shape.slice(0, -1), x.shape.at(-1)! / size, size];
  const apart = graph.reshape(x, groups);
  const sum = acrossParts(graph, apart, groups.length - 1);
  const scaled = graph.elementwise("multiply", sum, graph.constant(Float64Array.of(factor), []));
  return graph.reshape(graph.broadcast(scaled, groups), x.shape);
}

/**
 * Each row, or each column, of the result as a sum over the inner axis. The large factor is read as it lies in memory:
 * neighbouring threads then read neighbours, and sums over one tensor share a pass.
 */
function sums(graph: GraphWriter, a: Node, b: Node, byRows: boolean): Node {
  const [small, large] = byRows ? [a, b] : [b, a];
  const turned = swappedFrom(large);
  const isLast = byRows === (turned !== undefined);
  const rank = small.shape.length;
  /** Vectors of the small factor, along the axis of the large one over which they are summed. */
  const vectors = byRows === isLast ? small : graph.swapped(small);
  const along = isLast ? rank - 2 : rank - 1;
  const results = Array.from({ length: vectors.shape[along] }, (_, i) => {
    const products = graph.elementwise("multiply", graph.slice(vectors, along, i, i + 1), turned ?? large);
    const sum = graph.sum(products, [products.shape.length - (isLast ? 1 : 2)]);
    const length = byRows ? [1, b.shape.at(-1)!] : [a.shape.at(-2)!, 1];
    return graph.reshape(sum, [...sum.shape.slice(0, -2), ...length]);
  });
  return graph.concat(results, results[0].shape.length - (byRows ? 2 : 1));
}

/** Parts of the inner axis as one more axis before the matrices, summed out after. */
function inParts(graph: GraphWriter, a: Node, b: Node, shape: Shape, parts: number): Node {
  return graph.reshape(
    acrossParts(graph, partialProducts(graph, a, b, shape, parts), shape.length - 2),
    shape,
  );
}

/** Products [..., parts, rows, columns] over each part of the inner axis. */
export function partialProducts(graph: GraphWriter, a: Node, b: Node, shape: Shape, parts: number): Node {
  const [rows, columns] = shape.slice(-2);
  const length = a.shape.at(-1)! / parts;
  const left = graph.swapped(divided(graph, graph.swapped(a), parts));
  const right = divided(graph, b, parts);
  const batch = [...shape.slice(0, -2), parts];
  // Shared factors are repeated by name, so that they can be copied if the library cannot repeat them.
  return graph.matmul(
    graph.broadcast(left, [...batch, rows, length]),
    graph.broadcast(right, [...batch, length, columns]),
  );
}

/** Factors [..., inner, n] as [..., parts, inner / parts, n]. */
export function divided(graph: GraphWriter, x: Node, parts: number): Node {
  const [inner, n] = x.shape.slice(-2);
  return graph.reshape(x, [...x.shape.slice(0, -2), parts, inner / parts, n]);
}

/**
 * A sum over one of the last two axes, in the parts into which a product over that axis is divided: its kernel may add
 * up what it reads anyway (see factor-sums.ts).
 */
export function sumInParts(graph: GraphWriter, x: Node, axis: number, parts: number): Node {
  const isLast = axis === x.shape.length - 1;
  const factor = isLast ? graph.swapped(divided(graph, graph.swapped(x), parts)) : divided(graph, x, parts);
  const sums = graph.sum(factor, [axis + 1]);
  return graph.reshape(acrossParts(graph, sums, x.shape.length - 2), withLength(x.shape, axis, 1));
}

/** The sum along an axis of few numbers. */
function acrossParts(graph: GraphWriter, x: Node, axis: number): Node {
  const parts = Array.from({ length: x.shape[axis] }, (_, i) => graph.slice(x, axis, i, i + 1));
  return addedUp(graph, parts);
}

/** A sum of few, neighbours first, which can be computed where it is used. */
function addedUp(graph: GraphWriter, terms: readonly Node[]): Node {
  if (terms.length === 1) return terms[0];
  const half = Math.ceil(terms.length / 2);
  return graph.elementwise("add", addedUp(graph, terms.slice(0, half)), addedUp(graph, terms.slice(half)));
}

/** Whether a multiprocessor computes several results of this size at a time. */
export function isSmall(rows: number, columns: number): boolean {
  return rows * columns <= SMALL;
}

/** Tiles of a result. */
export function tilesOf(rows: number, columns: number): number {
  return Math.ceil(rows / TILE) * Math.ceil(columns / TILE);
}

interface PartLimits {
  readonly most: number;
  readonly shortest: number;
  /** A number of which the parts' length is a multiple. */
  readonly aligned?: number;
}

/** The smallest number of equal parts from `wanted` on, or the largest below it. */
export function partCount(
  length: number,
  wanted: number,
  { most, shortest, aligned = 1 }: PartLimits,
): number {
  let best = 1;
  for (let parts = 1; parts <= most && length / parts >= shortest; parts++) {
    if (length % (parts * aligned) !== 0) continue;
    best = parts;
    if (parts >= wanted) break;
  }
  return best;
}
