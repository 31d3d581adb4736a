import { elements } from "../numerics/shape.js";
import type { Fields } from "./fields.js";

/**
 * Fields as they are stored, of fields whose axes were put into another order.
 *
 * @param order stored axis of each axis of a sample
 */
export function inStoredOrder(fields: Fields, order: readonly number[] | undefined): Fields {
  if (!order) return fields;
  const places = order.map((_, stored) => order.indexOf(stored)); // axis of the sample that was stored there
  const shape = places.map((axis) => fields.shape[axis]);
  const strides = places.map((axis) => elements(fields.shape.slice(axis + 1)));
  const size = elements(shape);
  const from = Int32Array.from({ length: size }, (_, index) => {
    let [rest, at] = [index, 0];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += (rest % shape[axis]) * strides[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    return at;
  });
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
