import { elements } from "../../../../numerics/shape.js";
import {
  coordinatesOf,
  fixed,
  type Index,
  quotient,
  remainder,
  strides,
  variable,
  ZERO,
} from "../expressions/index-algebra.js";
import { isAlias, type Node, swappedFrom, upright } from "../graph/graph.js";
import {
  broadcastCoordinates,
  type Placement,
  type Placements,
  placeIn,
  throughAlias,
} from "./buffer-placement.js";
import { fieldSize, type Patches, patchesView, unstoredPatches } from "./patch-matrix.js";

/** A matrix of a batch: op(A) has rows and columns of the product, A is stored with neighbouring numbers in its rows. */
export interface Matrix {
  readonly buffer: number;
  readonly offset: number;
  readonly transposed: boolean;
  /** Numbers between the beginnings of two rows, as stored. */
  readonly rowStride: number;
  /** Numbers between two matrices of a group, and between two groups if there are several. */
  readonly batchStride: number;
  readonly groupStride?: number;
  /** Set where its numbers are read from a field, in which strides are between samples. */
  readonly patches?: Patches;
}

/** C[i] = op(A[i]) op(B[i]), i = 0, ..., batch - 1, and what is added to it; strides and offsets in numbers. */
export interface Product {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly batch: number;
  /** Matrices of a group, one stride apart, of those that kernels of ours take in several groups. */
  readonly group?: number;
  readonly a: Matrix;
  readonly b: Matrix;
  readonly c: Omit<Matrix, "transposed">;
  readonly added?: AddedProduct;
}

/**
 * A second product that has the first one's rows, such as a layer at each point beside a transform along an axis: its
 * right factor, over `inner` numbers and of `columns` columns, stands repeated along a diagonal, once for each so many
 * columns of the result.
 */
export interface AddedProduct {
  readonly inner: number;
  readonly columns: number;
  readonly a: Matrix;
  readonly b: Matrix;
}

/** All matrices that a product is made of. */
export function factorsOf({ a, b, added }: Product): Matrix[] {
  return added ? [a, b, added.a, added.b] : [a, b];
}

/** How the operand of a product lies in memory, along each axis of the batch and of the matrix. */
interface View {
  readonly buffer: number;
  readonly offset: number;
  readonly batch: readonly number[];
  readonly rows: number;
  readonly columns: number;
  /** How patches are read, and whether the matrix has their places for rows. */
  readonly patches?: Patches;
  readonly transposed?: boolean;
  /** Places by which patches are further along each axis of the batch. */
  readonly shifts?: readonly number[];
}

interface BatchAxis {
  /** The axes of the node that it consists of. */
  readonly of: readonly number[];
  readonly length: number;
  /** Numbers between neighbours, in each matrix of the product. */
  readonly strides: readonly number[];
  /** Places between neighbouring matrices of patches. */
  readonly shift: number;
}

/** Calls of a library that are as good as one, since they are made at the same time. */
export const FEW = 4;
/** Matrices of a batch with which a call is worth making by itself. */
const MANY = 64;

/**
 * Whether an operand can be read where it is; otherwise it must be copied. A copy is also better where the matrices of a
 * batch are not all one stride apart, if it brings them there: a pass over memory takes less time than many small
 * products of a library. A kernel of ours takes groups of them as they are.
 */
export function fits(
  product: Node,
  side: number,
  placements: Placements,
  isOurs: (product: Product) => boolean,
  storedPatches: ReadonlySet<Node>,
): boolean {
  const operand = product.operands[side];
  const view = readable(operand, product, placements, storedPatches);
  if (!view) return false;
  const batch = product.shape.slice(0, -2);
  const complete = batch.every((length, axis) => operand.shape[axis] === length);
  const axes = collapsed(batch.map((length, i) => ({ of: [i], length, strides: [view.batch[i]], shift: 0 })));
  const widest = Math.max(1, ...axes.map(({ length }) => length));
  const calls = elements(axes.map(({ length }) => length)) / widest;
  const isWorthCalls = calls <= FEW || widest >= MANY;
  if (!complete || operand.shape.length !== product.shape.length || isWorthCalls) return true;
  const unread = product.operands.filter((x) => !readable(x, product, placements, storedPatches));
  const copied = new Set([...storedPatches, ...unread.map(upright)]);
  return productCalls(product, placements, copied, true).every((one) => isOurs(one.product));
}

/** How an operand lies in memory, if it can be read there. */
export function readable(
  operand: Node,
  product: Node,
  placements: Placements,
  storedPatches: ReadonlySet<Node>,
): View | undefined {
  const view = viewOf(operand, product, placements, storedPatches);
  return view && matrixOf(view, operand.shape.at(-2)!, operand.shape.at(-1)!) && view;
}

/** A product as one call, with the coordinates in the node of the element that it counts by n, row and column. */
export interface ProductCall {
  readonly product: Product;
  readonly at: readonly Index[];
}

/**
 * A product as calls: one if all axes of the batch are one stride apart, or `inGroups` if they are two, else one for each
 * place along the other axes. Matrices that share their right factor and lie one behind the other are one matrix.
 */
export function productCalls(
  node: Node,
  placements: Placements,
  copied: ReadonlySet<Node>,
  inGroups = false,
): ProductCall[] {
  const [rows, columns] = node.shape.slice(-2);
  const views = node.operands.map((operand) => viewOf(operand, node, placements, copied)!);
  const result = placementView(placements.of(node));
  const one: Matrix[] = [
    ...node.operands.map(({ shape }, i) => matrixOf(views[i], shape.at(-2)!, shape.at(-1)!)!),
    {
      buffer: result.buffer,
      offset: result.offset,
      transposed: false,
      rowStride: rows === 1 ? columns : result.rows,
      batchStride: 0,
    },
  ];
  const axes = collapsed(
    node.shape.slice(0, -2).map((length, i) => ({
      of: [i],
      length,
      strides: [...views, result].map(({ batch }) => batch[i]),
      shift: views.find(({ shifts }) => shifts)?.shifts?.[i] ?? 0,
    })),
  );
  const last = axes.at(-1);
  const folded = last && isFoldable(one, rows, last) ? last : undefined;
  const sizes = { rows: folded ? rows * folded.length : rows, columns };
  const apart = axes.filter((axis) => axis !== folded);
  const widest = apart.reduce<BatchAxis | undefined>(
    (a, b) => (a && a.length >= b.length ? a : b),
    undefined,
  );
  const others = apart.filter((axis) => axis !== widest);
  const [row, column] = [variable("row", sizes.rows), variable("column", columns)];
  if (inGroups && apart.length === 2) {
    const [groups, within] = apart;
    const along = new Map(groupedPlaces(groups, within));
    if (folded) along.set(folded, quotient(row, rows));
    const at = [...batchCoordinates(node, along), remainder(row, rows), column];
    const batch = { batch: groups.length * within.length, group: within.length };
    return [{ product: productOf(node, { ...sizes, ...batch }, grouped(one, groups, within)), at }];
  }
  return placesAlong(others).map((places) => {
    const matrices = one.map((matrix, which) => ({
      ...(widest ? alongAxis(matrix, widest, which) : matrix),
      offset: others.reduce((offset, axis, i) => offset + places[i] * axis.strides[which], matrix.offset),
    }));
    const along = new Map(others.map((axis, i) => [axis, fixed(places[i])]));
    if (widest) along.set(widest, variable("n", widest.length));
    if (folded) along.set(folded, quotient(row, rows));
    return {
      product: productOf(node, { ...sizes, batch: widest?.length ?? 1 }, matrices),
      at: [...batchCoordinates(node, along), remainder(row, rows), column],
    };
  });
}

/** A product of these matrices: those of its operands, and where its result goes. */
function productOf(
  { operands }: Node,
  sizes: Pick<Product, "rows" | "columns" | "batch" | "group">,
  matrices: readonly Matrix[],
): Product {
  const [a, b, ...more] = matrices.slice(0, -1);
  const { transposed, ...c } = matrices.at(-1)!;
  const product = { ...sizes, inner: operands[0].shape.at(-1)!, a, b, c };
  if (more.length === 0) return product;
  const [inner, columns] = operands[3].shape.slice(-2);
  return { ...product, added: { inner, columns, a: more[0], b: more[1] } };
}

/** Matrices along an axis. */
function alongAxis(matrix: Matrix, { strides, shift }: BatchAxis, which: number): Matrix {
  const { patches } = matrix;
  return { ...matrix, batchStride: strides[which], ...(patches && { patches: { ...patches, shift } }) };
}

/** Matrices along two axes. */
function grouped(one: readonly Matrix[], groups: BatchAxis, within: BatchAxis): Matrix[] {
  return one.map((matrix, which) => ({
    ...alongAxis(matrix, within, which),
    groupStride: groups.strides[which],
  }));
}

/** Where the n-th matrix is along both axes. */
function groupedPlaces(groups: BatchAxis, within: BatchAxis): [BatchAxis, Index][] {
  const n = variable("n", groups.length * within.length);
  return [
    [groups, quotient(n, within.length)],
    [within, remainder(n, within.length)],
  ];
}

/** Coordinates along the axes of a batch, of places along what they were put together to. */
function batchCoordinates({ shape }: Node, along: ReadonlyMap<BatchAxis, Index>): Index[] {
  const at = shape.slice(0, -2).map(() => ZERO);
  for (const [{ of: axes }, place] of along) {
    const coordinates = coordinatesOf(
      place,
      axes.map((axis) => shape[axis]),
    );
    axes.forEach((axis, i) => {
      at[axis] = coordinates[i];
    });
  }
  return at;
}

/** All places along some axes, the last one counting fastest. */
function placesAlong(axes: readonly BatchAxis[]): number[][] {
  return axes.reduce<number[][]>(
    (places, { length }) => places.flatMap((place) => Array.from({ length }, (_, i) => [...place, i])),
    [[]],
  );
}

/** Multiplications and additions. */
export function productFlops({ rows, columns, inner, batch, added }: Product): number {
  return 2 * rows * columns * (inner + (added?.inner ?? 0)) * batch;
}

function viewOf(
  operand: Node,
  product: Node,
  placements: Placements,
  copied: ReadonlySet<Node>,
): View | undefined {
  const batch = product.shape.slice(0, -2).map((length, axis) => variable(`b${axis}`, length));
  const [rows, columns] = operand.shape.slice(-2);
  const coordinates = [
    ...broadcastCoordinates(batch, operand.shape.slice(0, -2)),
    variable("row", rows),
    variable("column", columns),
  ];
  if (unstoredPatches(operand, copied)) return viewOfPatches(operand, coordinates, batch.length, placements);
  const { buffer, index } = placeBehind(operand, coordinates, placements, copied);
  const found = strides(index);
  return (
    found && {
      buffer,
      offset: index.constant,
      batch: batch.map((_, axis) => found.get(`b${axis}`) ?? 0),
      rows: found.get("row") ?? 0,
      columns: found.get("column") ?? 0,
    }
  );
}

/** How patches lie in their field. Only the last axis of a batch may have parts of them, as kernels can read them. */
function viewOfPatches(
  operand: Node,
  coordinates: readonly Index[],
  axes: number,
  placements: Placements,
): View | undefined {
  const found = patchesView(operand, coordinates, placements);
  if (!found) return undefined;
  const { buffer, offset, transposed, patches } = found;
  const alongBatch = (steps: ReadonlyMap<string, number>) =>
    Array.from({ length: axes }, (_, axis) => steps.get(`b${axis}`) ?? 0);
  const shifts = alongBatch(found.shifts);
  const isOfBatch = ["row", "column"].every((name) => !found.shifts.has(name) && !found.steps.has(name));
  if (!isOfBatch || shifts.slice(0, -1).some((shift) => shift !== 0)) return undefined;
  const batch = alongBatch(found.steps);
  return { buffer, offset, batch, rows: 0, columns: 0, patches, transposed, shifts };
}

/** Where an element of an alias lies; an operand that was copied, or is the transpose of a copy, lies in that buffer. */
function placeBehind(
  node: Node,
  coordinates: readonly Index[],
  placements: Placements,
  copied: ReadonlySet<Node>,
): { buffer: number; index: Index } {
  return isAlias(node) && !copied.has(node)
    ? placeBehind(
        node.operands[0],
        throughAlias(node, coordinates),
        placements,
        swappedFrom(node) ? copied : new Set(),
      )
    : placeIn(placements.of(node), coordinates);
}

/** The matrices of a view, if the numbers of either rows or columns are neighbours. */
function matrixOf(view: View, rows: number, columns: number): Matrix | undefined {
  const { buffer, offset, patches, transposed = false, ...step } = view;
  const matrix = { buffer, offset, batchStride: 0 };
  if (patches) return { ...matrix, patches, transposed, rowStride: 0 };
  if ((step.columns === 1 || columns === 1) && (rows === 1 || step.rows >= columns))
    return { ...matrix, transposed: false, rowStride: rows === 1 ? columns : step.rows };
  if ((step.rows === 1 || rows === 1) && (columns === 1 || step.columns >= rows))
    return { ...matrix, transposed: true, rowStride: columns === 1 ? rows : step.columns };
  return undefined;
}

function placementView({ buffer, offset, strides }: Placement): View {
  const [rows, columns] = strides.slice(-2);
  return { buffer, offset, batch: strides.slice(0, -2), rows, columns };
}

/** Axes of the batch with neighbours put together where all three matrices go on with the same stride. */
function collapsed(axes: readonly BatchAxis[]): BatchAxis[] {
  const result: BatchAxis[] = [];
  for (const axis of axes.filter(({ length }) => length > 1)) {
    const before = result.at(-1);
    const goesOn =
      before?.shift === axis.shift * axis.length &&
      before.strides.every((stride, i) => stride === axis.strides[i] * axis.length);
    if (before && goesOn)
      result[result.length - 1] = {
        ...axis,
        of: [...before.of, ...axis.of],
        length: before.length * axis.length,
      };
    else result.push(axis);
  }
  return result;
}

/** Whether matrices along an axis are one matrix with more rows. */
function isFoldable(matrices: readonly Matrix[], rows: number, { strides }: BatchAxis): boolean {
  const isJoined = matrices.length > 3;
  const [a, b, c] = matrices;
  if (isJoined || a.patches || b.patches) return false;
  const [ofA, ofB, ofC] = strides;
  return ofB === 0 && !a.transposed && ofA === rows * a.rowStride && ofC === rows * c.rowStride;
}

/** Bytes that a product reads and writes at least. */
export function productBytes({ rows, columns, inner, batch, group = batch, a, b, added }: Product): number {
  const times = (stride: number, count: number) => (stride === 0 ? 1 : count);
  const different = ({ batchStride, groupStride = 0 }: Matrix) =>
    times(batchStride, group) * times(groupStride, batch / group);
  const second = added
    ? (rows * columns * added.inner * different(added.a)) / added.columns +
      added.inner * added.columns * different(added.b)
    : 0;
  const numbers = (matrix: Matrix, size: number) =>
    different(matrix) * (matrix.patches ? fieldSize(matrix.patches) : size);
  return 4 * (numbers(a, rows * inner) + numbers(b, inner * columns) + second + rows * columns * batch);
}

/** Whether elements of a product that lie there are stored row after row and matrix after matrix. */
export function isDense(
  index: Index,
  { rows, columns, batch }: Pick<Product, "rows" | "columns" | "batch">,
): boolean {
  const found = strides(index);
  return (
    found?.get("column") === 1 &&
    found.get("row") === columns &&
    (batch === 1 || found.get("n") === rows * columns)
  );
}
