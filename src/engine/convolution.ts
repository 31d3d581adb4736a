import { type Shape, sameShape } from "./shape.js";

/** How a kernel moves over a plane field: along rows, then along columns. */
export interface Sliding {
  /** Distance between neighbouring places of the kernel. */
  readonly strides: readonly [number, number];
  /** Zeros on either side of the field. */
  readonly padding: readonly [number, number];
}

/*
 * Fields x [..., samples, in, rows, columns], kernels k [..., out, in, height, width] and results y [..., samples, out, ...]
 * of a convolution are bound by one sum of products x k y. Each of the three operations leaves one of them out, and the
 * derivatives of each are the other two. Axes before these, over clients say, are the same for all three: each client
 * has kernels of its own.
 */

/** The shape of y, or undefined where x and k do not fit. */
export function convolvedShape(x: Shape, kernel: Shape, sliding: Sliding): Shape | undefined {
  const leading = leadingOf(x);
  const fits = x.length >= 4 && sameShape(leading, leadingOf(kernel)) && x.at(-3) === kernel.at(-3);
  const isEmpty = [...planeOf(x), ...planeOf(kernel)].some((length) => !(length > 0));
  if (!fits || kernel.length !== x.length || isEmpty) return undefined;
  const [rows, columns] = ([0, 1] as const).map((axis) =>
    places(planeOf(x)[axis], planeOf(kernel)[axis], sliding, axis),
  );
  return rows > 0 && columns > 0 ? [...leading, x.at(-4)!, kernel.at(-4)!, rows, columns] : undefined;
}

/** The shape of x if it has `size` rows and columns, or undefined where y and k do not come of such fields. */
export function fieldShape(
  y: Shape,
  kernel: Shape,
  size: readonly number[],
  sliding: Sliding,
): Shape | undefined {
  if (y.length < 4 || kernel.length < 4) return undefined;
  const field = [...leadingOf(y), y.at(-4)!, kernel.at(-3)!, ...size];
  const convolved = convolvedShape(field, kernel, sliding);
  return convolved && sameShape(convolved, y) ? field : undefined;
}

/** The shape of k if it has `size` rows and columns, or undefined where x and y do not come of such kernels. */
export function kernelShape(
  x: Shape,
  y: Shape,
  size: readonly number[],
  sliding: Sliding,
): Shape | undefined {
  if (y.length < 4 || x.length < 4) return undefined;
  const kernel = [...leadingOf(x), y.at(-3)!, x.at(-3)!, ...size];
  const convolved = convolvedShape(x, kernel, sliding);
  return convolved && sameShape(convolved, y) ? kernel : undefined;
}

/** The axes before those of fields, kernels or results. */
export const leadingOf = (shape: Shape): Shape => shape.slice(0, -4);

/** Rows and columns of fields, kernels or results. */
export const planeOf = (shape: Shape): readonly [number, number] => [shape.at(-2)!, shape.at(-1)!];

/** How often a kernel of some length fits along an axis. */
function places(length: number, kernel: number, { strides, padding }: Sliding, axis: number): number {
  return Math.floor((length + 2 * padding[axis] - kernel) / strides[axis]) + 1;
}
