import { elements } from "../../files/element-type.js";
import type { Sliding } from "../convolution.js";
import type { Shape } from "../shape.js";
import { cut, intoBlocks, reversed, shaped, transposed, wholeBlocks } from "./channel-blocks.js";
import { BLOCKED, type OnnxGraph } from "./graph.js";

/**
 * The gradient of a kernel as a convolution: one of fields and results is the filter, as large as its plane, with its
 * channels in blocks; the other is what it is laid over, at as many places as the kernel has elements. Channels of that
 * one become samples, and samples become channels, over which a convolution sums.
 */
interface Correlation {
  readonly over: string;
  /** [samples, channels, rows, columns] */
  readonly overShape: Shape;
  readonly filter: string;
  readonly filterShape: Shape;
  /** Distances between neighbouring elements of the filter. */
  readonly dilations: readonly [number, number];
  /** Zeros before the first row and column; fewer than none leaves out as many. */
  readonly before: readonly [number, number];
  readonly kernel: readonly [number, number];
}

/** Sums that must be under way at once, or the processor waits for its own results. */
const ENOUGH_SUMS = 3;

/** The gradient of a kernel, or undefined where products of matrices are faster. */
export function blockedKernelGradient(
  graph: OnnxGraph,
  [x, y]: readonly string[],
  { strides, padding }: Sliding,
  [field, results]: readonly Shape[],
  [to, from, ...kernel]: Shape,
  block: number,
): string | undefined {
  const [height, width] = kernel;
  const sizes = { kernel: [height, width] } as const;
  const filterResults: Correlation = {
    ...{ over: x, overShape: field, filter: y, filterShape: results, ...sizes },
    ...{ dilations: strides, before: padding },
  };
  const passes = (over: number, filter: number) => over * wholeBlocks(filter, block);
  const atEveryPlace = strides.every((stride) => stride === 1);
  if (!atEveryPlace || passes(from, to) <= passes(to, from)) {
    const blocks = correlated(graph, filterResults, block);
    if (blocks === undefined) return undefined;
    // [from, blocks, height * width, block], of which the blocks come first and then what is in them.
    const count = wholeBlocks(to, block) / block;
    const size = height * width;
    const byBlocks = count === 1 ? blocks : transposed(graph, blocks, [from, count, size * block], [1, 0, 2]);
    const all = transposed(graph, byBlocks, [count, from * size, block], [0, 2, 1]);
    const filled = shaped(graph, all, [count * block, from, height, width]);
    return to === count * block ? filled : cut(graph, filled, 0, 0, to);
  }
  const blocks = correlated(
    graph,
    {
      ...{ over: y, overShape: results, filter: x, filterShape: field, ...sizes },
      ...{ dilations: [1, 1], before: [height - 1 - padding[0], width - 1 - padding[1]] },
    },
    block,
  );
  if (blocks === undefined) return undefined;
  const channels = wholeBlocks(from, block);
  const all = transposed(graph, blocks, [(to * channels) / block, height * width, block], [0, 2, 1]);
  const filled = shaped(graph, all, [to, channels, height, width]);
  return reversed(graph, from === channels ? filled : cut(graph, filled, 1, 0, from), [2, 3]);
}

/** [channels of what the filter is laid over, channels of the filter in blocks, kernel], or undefined if it is slow. */
function correlated(graph: OnnxGraph, given: Correlation, block: number): string | undefined {
  const { over, overShape, filter, filterShape, dilations, before, kernel } = given;
  const [samples, channels, ...plane] = overShape;
  const [, filters, rows, columns] = filterShape;
  if (filters % 4 !== 0) return undefined;
  const blocks = wholeBlocks(filters, block);
  // A kernel of one column moves by whole rows: those that belong to a place become one row, over which it moves.
  const tall = kernel[1] === 1 && before[1] === 0 && dilations[1] === 1 && plane[1] === columns;
  const stride = dilations[0];
  const wholeHeight = tall ? stride * Math.ceil(kernel[0] / stride) : kernel[0];
  const side = tall ? (stride === 1 ? wholeHeight : stride) : kernel[1];
  if (side * Math.min(4, blocks / block) < ENOUGH_SUMS) return undefined;

  const reach = [(rows - 1) * dilations[0] + wholeHeight, (columns - 1) * dilations[1] + kernel[1]];
  const after = reach.map((length, axis) => length - plane[axis] - before[axis]);
  // One sample needs no rearrangement, but what it adds to the kernel's gradient should not outweigh it.
  const ofOne = elements(overShape.slice(1)) + elements(filterShape.slice(1));
  const together = Math.max(
    1,
    Math.min(block - 1, Math.round((channels * blocks * elements(kernel)) / ofOne)),
  );
  const parts = Math.ceil(samples / together);
  const inBlocks = intoBlocks(graph, filter);
  let sum: string | undefined;
  for (let part = 0; part < parts; part++) {
    const [start, end] = [part, part + 1].map((edge) => Math.floor((edge * samples) / parts));
    const count = end - start;
    const pads = [-start, ...before, end - samples, ...after];
    const padded = pads.every((zeros) => zeros === 0)
      ? over
      : graph.node("Pad", [over, graph.ints(pads), "", graph.ints([0, 2, 3])]);
    const image = count === 1 ? padded : graph.node("Transpose", [padded], { perm: [1, 0, 2, 3] });
    const own = parts === 1 ? inBlocks : cut(graph, inBlocks, 0, start, end);
    const weights =
      count === 1 || blocks === block
        ? own
        : transposed(graph, own, [count, blocks / block, rows * columns * block], [1, 0, 2]);
    const [imagePlane, filterPlane] = tall
      ? stride === 1
        ? [
            [1, reach[0] * columns],
            [1, rows * columns],
          ]
        : [
            [reach[0] / stride, stride * columns],
            [rows, columns],
          ]
      : [reach, [rows, columns]];
    sum = graph.node(
      "Conv",
      [
        shaped(graph, image, [channels, count, ...imagePlane]),
        shaped(graph, weights, [blocks, count, ...filterPlane]),
        ...(sum === undefined ? [] : ["", sum]),
      ],
      {
        kernel_shape: filterPlane,
        ...(tall ? { strides: [1, columns] } : { dilations: [...dilations] }),
      },
      BLOCKED,
    );
  }
  const size = elements(kernel);
  const taps = wholeHeight * kernel[1];
  const result = shaped(graph, sum!, [channels, blocks / block, taps, block]);
  return taps === size ? result : cut(graph, result, 2, 0, size);
}
