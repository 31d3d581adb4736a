import { elements } from "../../../../numerics/shape.js";
import { dot, type Index, plus, range, strides, times, variable } from "../expressions/index-algebra.js";
import { type Cutting, isAlias, type Node, sourceOf } from "../graph/graph.js";
import { type Placements, placeIn, throughAlias } from "./buffer-placement.js";

/**
 * A matrix of patches that are not stored: its numbers are read where the field has them, and are zero outside. Lines are
 * the elements of a kernel in all channels, numbers its places.
 */
export interface Patches extends Cutting {
  readonly channels: number;
  /** Rows and columns of the field, and numbers between neighbouring channels, rows and columns in memory. */
  readonly field: readonly [number, number];
  readonly steps: readonly [channel: number, row: number, column: number];
  /** Places of the kernel: along rows, then along columns of the field. */
  readonly places: readonly [number, number];
  /** Places between the first ones of two matrices of a group, which have parts of all places. */
  readonly shift: number;
}

/** Bits that say which rows and columns of a kernel lie outside of the field; all lines have the next one, all places the last. */
export const MOST_BITS = 30;

/** Kernels reckon in 32 bits where numbers of a field lie. */
const LARGEST = 2 ** 31;

/** The patches that a factor of a product consists of, unless they are stored. */
export function unstoredPatches(factor: Node, stored: ReadonlySet<Node>): Node | undefined {
  const source = sourceOf(factor);
  return source.operation.name === "patches" && !stored.has(source) ? source : undefined;
}

/** How a factor of patches lies in the field's memory, for coordinates made of variables. */
export interface PatchesView {
  readonly buffer: number;
  /** Where the field begins, and by how much each variable moves it. */
  readonly offset: number;
  readonly steps: ReadonlyMap<string, number>;
  /** By how many places each variable moves the first one of a matrix. */
  readonly shifts: ReadonlyMap<string, number>;
  readonly transposed: boolean;
  readonly patches: Patches;
}

/** Undefined where the field, or the patches of a matrix, are not regular enough. The last two coordinates are variables. */
export function patchesView(
  factor: Node,
  coordinates: readonly Index[],
  placements: Placements,
): PatchesView | undefined {
  const { node, at } = behindAliases(factor, coordinates);
  const { kernel, strides: moves, padding } = node.operation as Cutting;
  const [, channels, , , down, across] = node.shape;
  const [sample, channel, i, j, row, column] = at;
  const line = dot(0, [elements(kernel), kernel[1], 1], [channel, i, j]);
  const number = dot(0, [across, 1], [row, column]);
  const transposed = line.key !== coordinates.at(-2)!.key;
  const [lines, numbers] = transposed ? coordinates.slice(-2).reverse() : coordinates.slice(-2);
  const first = plus(number, times(numbers, -1));
  const shifts = strides(first);
  const [field] = node.operands;
  const [, , height, width] = field.shape;
  const inField = [variable("channel", channels), variable("y", height), variable("x", width)];
  const { node: source, at: place } = behindAliases(field, [sample, ...inField]);
  const { buffer, index } = placeIn(placements.of(source), place);
  const steps = strides(index);
  const isRegular = line.key === lines.key && first.constant === 0 && range(index)[1] < LARGEST;
  if (!steps || !shifts || !isRegular || kernel[0] + kernel[1] > MOST_BITS) return undefined;
  const [ofChannel, ofRow, ofColumn] = ["channel", "y", "x"].map((name) => steps.get(name) ?? 0);
  return {
    buffer,
    offset: index.constant,
    steps,
    shifts,
    transposed,
    patches: {
      kernel,
      strides: moves,
      padding,
      channels,
      field: [height, width],
      steps: [ofChannel, ofRow, ofColumn],
      places: [down, across],
      shift: 0,
    },
  };
}

function behindAliases(node: Node, at: readonly Index[]): { node: Node; at: readonly Index[] } {
  return isAlias(node) ? behindAliases(node.operands[0], throughAlias(node, at)) : { node, at };
}

/** Numbers of a field, of which patches are cut out. */
export const fieldSize = ({ channels, field }: Patches): number => channels * elements(field);
