import { elements } from "../../numerics/shape.js";
import type { Sliding } from "../convolution.js";
import type { Shape } from "../shape.js";
import { cut, intoBlocks, reversed, transposed, wholeBlocks } from "./channel-blocks.js";
import { type Correlation, stepsOf } from "./correlation.js";
import { BLOCKED, type OnnxGraph } from "./graph.js";

/** Sums that must be under way at once, or the processor waits for its own results. */
const ENOUGH_SUMS = 3;

/**
 * The gradient of a kernel as a convolution, or undefined where products of matrices are faster. One of fields and
 * results is the filter, whichever fills its blocks better.
 */
export function blockedKernelGradient(
  graph: OnnxGraph,
  [x, y]: readonly string[],
  { strides, padding }: Sliding,
  [field, results]: readonly Shape[],
  kernelShape: Shape,
  block: number,
): string | undefined {
  const [to, from, height, width] = kernelShape;
  const kernel = [height, width] as const;
  const passes = (over: number, filter: number) => over * wholeBlocks(filter, block);
  if (strides.some((stride) => stride > 1) || passes(from, to) <= passes(to, from)) {
    const fields = { over: x, overShape: field, filter: y, filterShape: results };
    const blocks = correlated(graph, { ...fields, kernel, dilations: strides, before: padding }, block);
    return blocks === undefined ? undefined : outputsFirst(graph, blocks, kernelShape, block);
  }
  const before = [height - 1 - padding[0], width - 1 - padding[1]] as const;
  const fields = { over: y, overShape: results, filter: x, filterShape: field };
  const blocks = correlated(graph, { ...fields, kernel, dilations: [1, 1], before }, block);
  return blocks === undefined ? undefined : turned(graph, blocks, kernelShape, block);
}

/** From [inputs, blocks of outputs, elements, block] to a kernel's shape. */
function outputsFirst(graph: OnnxGraph, blocks: string, [to, from, ...size]: Shape, block: number): string {
  const count = wholeBlocks(to, block) / block;
  const taps = elements(size);
  const byBlocks = count === 1 ? blocks : transposed(graph, blocks, [from, count, taps * block], [1, 0, 2]);
  const all = transposed(graph, byBlocks, [count, from * taps, block], [0, 2, 1]);
  const filled = graph.reshape(all, [count * block, from, ...size]);
  return to === count * block ? filled : cut(graph, filled, 0, 0, to);
}

/** From [outputs, blocks of inputs, elements, block], the last element first, to a kernel's shape. */
function turned(graph: OnnxGraph, blocks: string, [to, from, ...size]: Shape, block: number): string {
  const channels = wholeBlocks(from, block);
  const all = transposed(graph, blocks, [(to * channels) / block, elements(size), block], [0, 2, 1]);
  const filled = graph.reshape(all, [to, channels, ...size]);
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
