import type { Sliding } from "../convolution.js";
import type { Shape } from "../shape.js";
import { intoBlocks, outOfBlocks, reversed, transposed } from "./channel-blocks.js";
import { BLOCKED, type OnnxGraph } from "./graph.js";

/** Products for each number that changes its place: below this moving costs more than blocks save. */
const WORTH_MOVING = 40;

/**
 * Whether a convolution is faster in blocks, with fields brought into them and back.
 *
 * @param shape of the kernel
 * @param perResult how many places of the fields there are to a place of the results
 */
export function betterInBlocks([to, from, height, width]: Shape, perResult: number, block: number): boolean {
  if (block === 1 || to % block !== 0 || (from > block && from % block !== 0)) return false;
  // Few channels are taken as they are.
  const moved = to + (from < block ? 0 : from * perResult);
  return to * from * height * width >= WORTH_MOVING * moved;
}

/** Fields convolved with a kernel that `kernelInBlocks` or `turnedKernelInBlocks` made. */
export function blockedConvolution(
  graph: OnnxGraph,
  fields: string,
  kernel: string,
  [to, from, ...size]: Shape,
  { strides, padding: [rows, columns] }: Sliding,
  block: number,
): string {
  const image = from < block ? fields : intoBlocks(graph, fields);
  const attributes = { strides: [...strides], pads: [rows, columns, rows, columns], kernel_shape: size };
  return outOfBlocks(graph, graph.node("Conv", [image, kernel], attributes, BLOCKED), to);
}

/** A kernel [to, from, ...] as [to / block, from / block, ..., from in a block, to in a block]. */
export function kernelInBlocks(graph: OnnxGraph, kernel: string, shape: Shape, block: number): string {
  const [to, from, height, width] = shape;
  return graph.once(`${kernel} in blocks`, () => {
    const size = height * width;
    const byBlocks = transposed(graph, kernel, [to / block, block, from * size], [0, 2, 1]);
    if (from < block) return graph.reshape(byBlocks, shape);
    const all = [(to / block) * (from / block), block, size, block];
    return graph.reshape(transposed(graph, byBlocks, all, [0, 2, 1, 3]), shape);
  });
}

/** A kernel with inputs and outputs exchanged, last row and column first. */
export const turnedKernel = (graph: OnnxGraph, kernel: string): string =>
  graph.once(`${kernel} turned around`, () =>
    reversed(graph, graph.node("Transpose", [kernel], { perm: [1, 0, 2, 3] }), [2, 3]),
  );

/** The same with inputs and outputs exchanged, last row and column first. */
export function turnedKernelInBlocks(graph: OnnxGraph, kernel: string, shape: Shape, block: number): string {
  const [to, from, height, width] = shape;
  return graph.once(`${kernel} turned around in blocks`, () => {
    const size = height * width;
    const places = reversed(graph, transposed(graph, kernel, [to * from, size], [1, 0]), [0]);
    const [inner, outer] = to < block ? [to, 1] : [block, to / block];
    const all = [size, outer, inner, from / block, block];
    const order = to < block ? [3, 1, 2, 0, 4] : [3, 1, 0, 2, 4];
    return graph.reshape(transposed(graph, places, all, order), [from, to, height, width]);
  });
}
