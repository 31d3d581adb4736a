import { type Shape, stridesOf } from "../../../shape.js";
import {
  coordinatesOf,
  dot,
  fixed,
  type Index,
  range,
  strides,
  variable,
} from "../expressions/index-algebra.js";
import { type Graph, isAlias, isGiven, type Node, sourceOf } from "../graph/graph.js";

/** Where a node's elements lie if they are stored: element [i, j, ...] at offset + i strides[0] + j strides[1] ... */
export interface Placement {
  /** The node whose buffer it is: its own, or a concatenation's of which it is a part. */
  readonly buffer: number;
  readonly offset: number;
  readonly strides: readonly number[];
}

export interface Placements {
  of(node: Node): Placement;
  /** Whether a part of a concatenation is computed in its place there, and not in another part's or elsewhere. */
  isPlaced(concat: Node, part: number): boolean;
}

/**
 * Gives every node its place. Parts of a concatenation are computed where they belong in it, so that gradients of many
 * weights are one vector without having been copied.
 */
export function placementsOf({ nodes, outputs }: Graph): Placements {
  const placements = new Map<Node, Placement>();
  const placed = new Map<Node, ReadonlySet<number>>();
  const separate = (node: Node): Placement => ({
    buffer: node.id,
    offset: 0,
    strides: stridesOf(node.shape),
  });
  const pinned = new Set([...outputs.values()].map(sourceOf));
  const products = nodes.filter(({ operation }) => operation.name === "matmul");
  /** What products read and write lies in rows of neighbouring numbers. */
  const inRows = new Set(products.flatMap((product) => [product, ...product.operands.map(sourceOf)]));
  const keepsRows = (source: Node, { strides: steps }: Placement) =>
    !inRows.has(source) || steps.at(-1) === 1 || source.shape.at(-1) === 1;
  for (const node of [...nodes].reverse()) {
    if (!placements.has(node)) placements.set(node, separate(node));
    if (node.operation.name !== "concat" || node.dtype === "int") continue;
    const own = new Set<number>();
    partsOf(node).forEach(({ part, coordinates }, i) => {
      const source = behindReshapes(part);
      if (isAlias(source) || isGiven(source) || pinned.has(source) || placements.has(source)) return;
      const placement = placementWithin(source, part, coordinates, placements.get(node)!);
      if (!placement || !keepsRows(source, placement)) return;
      placements.set(source, placement);
      own.add(i);
    });
    placed.set(node, own);
  }
  return {
    of: (node) => placements.get(node)!,
    isPlaced: (concat, part) => placed.get(concat)!.has(part),
  };
}

/** The operands of a concatenation, each with the map from its coordinates to those of the whole. */
export function partsOf(
  concat: Node,
): { part: Node; coordinates: (ofPart: readonly Index[]) => readonly Index[] }[] {
  const { axis } = concat.operation as Extract<Node["operation"], { name: "concat" }>;
  let end = 0;
  return concat.operands.map((part) => {
    const start = end;
    end += part.shape[axis];
    return {
      part,
      coordinates: (ofPart) => ofPart.map((at, i) => (i === axis ? dot(start, [1], [at]) : at)),
    };
  });
}

export function behindReshapes(node: Node): Node {
  return node.operation.name === "reshape" ? behindReshapes(node.operands[0]) : node;
}

/** The place in a whole of a node that is, reshaped, one of its parts. */
function placementWithin(
  source: Node,
  part: Node,
  toWhole: (ofPart: readonly Index[]) => readonly Index[],
  whole: Placement,
): Placement | undefined {
  const axes = source.shape.map((length, axis) => variable(`a${axis}`, length));
  const flat = dot(0, stridesOf(source.shape), axes);
  const place = dot(whole.offset, whole.strides, toWhole(coordinatesOf(flat, part.shape)));
  const found = strides(place);
  if (!found) return undefined;
  const steps = source.shape.map((_, axis) => found.get(`a${axis}`) ?? 0);
  return { buffer: whole.buffer, offset: place.constant, strides: steps };
}

/** The place of an element. */
export function placeIn({ buffer, offset, strides }: Placement, coordinates: readonly Index[]) {
  return { buffer, index: dot(offset, strides, coordinates) };
}

/** The coordinates in an operand of what an alias has at these. */
export function throughAlias(node: Node, coordinates: readonly Index[]): readonly Index[] {
  const { operation, shape } = node;
  const [{ shape: from }] = node.operands;
  switch (operation.name) {
    case "reshape":
      return reshapedCoordinates(coordinates, shape, from);
    case "broadcast":
      return broadcastCoordinates(coordinates, from);
    case "transpose": {
      const { order } = operation;
      return from.map((_, axis) => coordinates[order.indexOf(axis)]);
    }
    case "reverse": {
      const { axes } = operation;
      return coordinates.map((at, i) => (axes.includes(i) ? dot(shape[i] - 1, [-1], [at]) : at));
    }
    case "slice": {
      const { axis, start } = operation;
      return coordinates.map((at, i) => (i === axis ? dot(start, [1], [at]) : at));
    }
    default:
      throw new Error(`${operation.name} is no alias`);
  }
}

/** The coordinates in a reshaped or transposed form of what its operand has at these. */
export function onward(node: Node, ofOperand: readonly Index[]): readonly Index[] {
  const { operation, shape } = node;
  const [{ shape: from }] = node.operands;
  if (operation.name === "transpose") return operation.order.map((axis) => ofOperand[axis]);
  return reshapedCoordinates(ofOperand, from, shape);
}

/**
 * The coordinates in one shape of what another one has at these. Where they may lie beyond an edge, as those of padded
 * fields do, axes that are the same in both shapes, or become the same together, are kept apart from others: only then
 * are the others free of divisions.
 */
function reshapedCoordinates(coordinates: readonly Index[], from: Shape, to: Shape): Index[] {
  if (coordinates.every((at, axis) => isWithin(at, from[axis])))
    return coordinatesOf(dot(0, stridesOf(from), coordinates), to);
  const result: Index[] = [];
  for (let [i, j] = [0, 0]; i < from.length || j < to.length; ) {
    const [start, end] = [i, j];
    let [length, wanted] = [from[i++] ?? 1, to[j++] ?? 1];
    while (length !== wanted && (i < from.length || j < to.length))
      if (j === to.length || (length < wanted && i < from.length)) length *= from[i++];
      else wanted *= to[j++];
    const flat = dot(0, stridesOf(from.slice(start, i)), coordinates.slice(start, i));
    result.push(...coordinatesOf(flat, to.slice(end, j)));
  }
  return result;
}

function isWithin(at: Index, extent: number): boolean {
  const [low, high] = range(at);
  return low >= 0 && high < extent;
}

/** The coordinates in a tensor of shape `from` of what it repeats at these. */
export function broadcastCoordinates(coordinates: readonly Index[], from: readonly number[]): Index[] {
  const added = coordinates.length - from.length;
  return from.map((length, axis) => (length === 1 ? fixed(0) : coordinates[axis + added]));
}
