import type { NamedShape } from "../../../files/name-list.js";
import type { NamedArray } from "../array-file.js";
import { axisOf, viewOf } from "./view.js";

/** The axis of a vector that MATLAB stores as a row or a column: it has no arrays of one axis. */
function vectorAxis({ shape }: { readonly shape?: readonly number[] }): number | undefined {
  if (shape?.length !== 2 || !shape.includes(1)) return undefined;
  return shape[0] === 1 ? 1 : 0;
}

/** The shape of a row or a column with its one axis. */
export function vectorShape(one: NamedShape): NamedShape {
  const axis = vectorAxis(one);
  return axis === undefined ? one : { ...one, shape: [one.shape![axis]] };
}

/** A row or a column as an array of one axis. */
export function asVector(array: NamedArray): NamedArray {
  const axis = vectorAxis(array);
  return axis === undefined ? array : viewOf(array, [axisOf(array, axis)]);
}
