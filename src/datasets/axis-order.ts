import { elements } from "../numerics/shape.js";
import type { Fields } from "./fields.js";

/**
 * Fields as they are stored, of fields whose axes were put into another order.
 *
 * @param order stored axis of each axis of a sample
 */
export function inStoredOrder(fields: Fields, order: readonly number[] | undefined): Fields {
  if (!order) return fields;
  const { shape, from } = storedPlaces(fields.shape, order);
  const size = from.length;
  return {
    ...fields,
    shape,
    read: async (start, end) => {
      const values = await fields.read(start, end);
      const moved = values.slice();
      for (let row = 0; row < end - start; row++)
        for (let i = 0; i < size; i++) moved[row * size + i] = values[row * size + from[i]];
      return moved;
    },
  };
}

/** One field in the order of its description, of a field as it is stored; `shape` is the described one. */
export function inDescribedOrder(
  stored: Float64Array,
  shape: readonly number[],
  order: readonly number[] | undefined,
): Float64Array {
  if (!order) return stored;
  const { from } = storedPlaces(shape, order);
  const moved = new Float64Array(stored.length);
  for (let i = 0; i < from.length; i++) moved[from[i]] = stored[i];
  return moved;
}

/** The stored shape, and where each stored number lies among the described ones. */
function storedPlaces(
  described: readonly number[],
  order: readonly number[],
): { readonly shape: readonly number[]; readonly from: Int32Array } {
  const places = order.map((_, stored) => order.indexOf(stored)); // axis of the sample that was stored there
  const shape = places.map((axis) => described[axis]);
  const strides = places.map((axis) => elements(described.slice(axis + 1)));
  const from = Int32Array.from({ length: elements(shape) }, (_, index) => {
    let [rest, at] = [index, 0];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += (rest % shape[axis]) * strides[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    return at;
  });
  return { shape, from };
}
