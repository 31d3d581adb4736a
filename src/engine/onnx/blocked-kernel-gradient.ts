import { elements } from "../../files/element-type.js";
import type { Sliding } from "../convolution.js";
import type { Shape } from "../shape.js";
import { cut, intoBlocks, reversed, transposed, wholeBlocks } from "./channel-blocks.js";
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
    const filled = graph.reshape(all, [count * block, from, height, width]);
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
  const filled = graph.reshape(all, [to, channels, height, width]);
  return reversed(graph, from === channels ? filled : cut(graph, filled, 1, 0, from), [2, 3]);
}

/** [channels of what the filter is laid over, blocks of the filter, kernel, block], or undefined if it is slow. */
function correlated(graph: OnnxGraph, given: Correlation, block: number): string | undefined {
  const { over, overShape, filter, filterShape, kernel } = given;
  const [samples, channels] = overShape;
  const [, filters, rows, columns] = filterShape;
  const blocks = wholeBlocks(filters, block);
  const steps = stepsOf(given);
  if (filters % 4 !== 0 || steps.side * Math.min(4, blocks / block) < ENOUGH_SUMS) return undefined;

  // One sample needs no rearrangement, but what it adds to the kernel's gradient should not outweigh it.
  const ofOne = elements(overShape.slice(1)) + elements(filterShape.slice(1));
  const together = Math.max(
    1,
    Math.min(block - 1, Math.round((channels * blocks * elements(kernel)) / ofOne)),
  );
  const parts = Math.ceil(samples / together);
  const images = graph.reshape(over, [samples * channels, 1, ...steps.plane]);
  const planes = graph.reshape(intoBlocks(graph, filter), [samples * blocks, 1, ...steps.filterPlane]);
  let sum: string | undefined;
  for (let part = 0; part < parts; part++) {
    const [start, end] = [part, part + 1].map((edge) => Math.floor((edge * samples) / parts));
    const count = end - start;
    const pads = [-start * channels, ...steps.before, (end - samples) * channels, ...steps.after];
    const padded = pads.every((zeros) => zeros === 0)
      ? images
      : graph.node("Pad", [images, graph.ints(pads), "", graph.ints([0, 2, 3])]);
    const own = parts === 1 ? planes : cut(graph, planes, 0, start * blocks, end * blocks);
    const places = steps.reach[0] * steps.reach[1];
    const image = count === 1 ? padded : transposed(graph, padded, [count, channels, places], [1, 0, 2]);
    const weights =
      count === 1 || blocks === block
        ? own
        : transposed(graph, own, [count, blocks / block, rows * columns * block], [1, 0, 2]);
    const operands = [
      steps.joined || count > 1
        ? graph.reshape(image, [channels, count, ...(steps.joined ?? steps.reach)])
        : image,
      count > 1 ? graph.reshape(weights, [blocks, count, ...steps.filterPlane]) : weights,
    ];
    const { strides, dilations, filterPlane } = steps;
    const attributes = { kernel_shape: filterPlane, strides, dilations };
    sum = graph.node("Conv", sum === undefined ? operands : [...operands, "", sum], attributes, BLOCKED);
  }
  const result = graph.reshape(sum!, [channels, blocks / block, steps.taps, block]);
  return steps.taps === elements(kernel) ? result : cut(graph, result, 2, 0, elements(kernel));
}

/** How a filter moves over fields. */
interface Steps {
  /** Rows and columns of the fields, and the zeros before and after them. */
  readonly plane: Shape;
  readonly before: Shape;
  readonly after: Shape;
  /** Rows and columns with zeros; `joined` if several rows are to be taken as one. */
  readonly reach: Shape;
  readonly joined?: Shape;
  readonly filterPlane: Shape;
  readonly strides: Shape;
  readonly dilations: Shape;
  /** Places of the filter, and how many of them are side by side. */
  readonly taps: number;
  readonly side: number;
}

/**
 * A kernel of one column moves by whole rows. Several places side by side are faster than one below another: rows
 * that come to the same place, all of them if the kernel moves by single rows, are laid end to end.
 */
function stepsOf({ overShape, filterShape, dilations, before, kernel }: Correlation): Steps {
  const [height, width] = overShape.slice(2);
  const [rows, columns] = filterShape.slice(2);
  const [stride] = dilations;
  const filterPlane = [rows, columns];
  if (kernel[1] !== 1 || before[1] !== 0 || dilations[1] !== 1 || width !== columns) {
    const plane = [height, width];
    const reach = filterPlane.map((length, axis) => (length - 1) * dilations[axis] + kernel[axis]);
    const after = reach.map((length, axis) => length - plane[axis] - before[axis]);
    const rest = { taps: elements(kernel), side: kernel[1], strides: [1, 1], dilations };
    return { plane, before, after, reach, filterPlane, ...rest };
  }
  const taps = stride * Math.ceil(kernel[0] / stride);
  const reach = (rows - 1) * stride + taps;
  const after = reach - height - before[0];
  const rest = { taps, strides: [1, columns], dilations: [1, 1] };
  if (stride > 1) {
    const joined = [reach / stride, stride * columns];
    const zeros = { before: [before[0], 0], after: [after, 0] };
    return {
      plane: [height, columns],
      ...zeros,
      reach: [reach, columns],
      joined,
      filterPlane,
      side: stride,
      ...rest,
    };
  }
  return {
    plane: [1, height * columns],
    before: [0, before[0] * columns],
    after: [0, after * columns],
    reach: [1, reach * columns],
    filterPlane: [1, rows * columns],
    side: taps,
    ...rest,
  };
}
