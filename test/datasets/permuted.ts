import { gathered } from "../../src/datasets/files/arrays/box.js";
import type { Values } from "../../src/files/ndarray.js";

/** Values in C order of an array whose axes are put into another order: axis `i` of the result is axis `order[i]`. */
export function permuted<T extends Values>(values: T, shape: readonly number[], order: readonly number[]): T {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  return gathered(
    values,
    0,
    order.map((axis) => shape[axis]),
    order.map((axis) => strides[axis]),
  );
}
