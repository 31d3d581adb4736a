import { UserError } from "../errors.js";

/** Lengths of a tensor's axes; `[]` is a scalar. */
export type Shape = readonly number[];

/** Tensors that do not fit together. The message names the operation and the shapes. */
export class ShapeError extends UserError {
  override name = "ShapeError";
}

/** A shape in words: `[3, 4]`. */
export function formatShape(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((length, axis) => length === b[axis]);
}

/** A shape with another length of one axis. */
export function withLength(shape: Shape, axis: number, length: number): Shape {
  return shape.map((old, i) => (i === axis ? length : old));
}

/** Row-major distance in memory between neighbours along each axis. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/** NumPy's rule: align at the last axis; lengths agree, or one of them is 1. Undefined where they do neither. */
export function broadcastShapes(a: Shape, b: Shape): Shape | undefined {
  const rank = Math.max(a.length, b.length);
  const shape = new Array<number>(rank);
  for (let axis = 0; axis < rank; axis++) {
    const left = a[axis - rank + a.length] ?? 1;
    const right = b[axis - rank + b.length] ?? 1;
    if (left !== right && left !== 1 && right !== 1) return undefined;
    shape[axis] = left === 1 ? right : left;
  }
  return shape;
}

/** The axes of `to` along which a tensor of shape `from` repeats when it is broadcast to it. */
export function broadcastAxes(from: Shape, to: Shape): number[] {
  const added = to.length - from.length;
  return [...to.keys()].filter((axis) => axis < added || (from[axis - added] === 1 && to[axis] !== 1));
}
