import { elements } from "../../numerics/shape.js";
import type { Shape } from "../shape.js";

/**
 * The gradient of a kernel by a convolution: one of fields and results is the filter, as large as its plane, with its
 * channels in blocks; the other is what it is laid over, at as many places as the kernel has elements. Channels of that
 * one become samples, and samples become channels, over which a convolution sums.
 */
export interface Correlation {
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

/** How a filter moves over fields. */
export interface Steps {
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
export function stepsOf({ overShape, filterShape, dilations, before, kernel }: Correlation): Steps {
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
    const planes = { plane: [height, columns], reach: [reach, columns], filterPlane };
    const zeros = { before: [before[0], 0], after: [after, 0] };
    return { ...planes, ...zeros, joined: [reach / stride, stride * columns], side: stride, ...rest };
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
