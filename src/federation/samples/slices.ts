import { type Fields, fieldSize } from "../../datasets/fields.js";

/** Numbers of a slice, about. */
const SLICE = 2 ** 22;

/** Consecutive samples from `start` on, flattened. */
export interface FieldSlice {
  readonly start: number;
  readonly values: Float32Array | Float64Array;
}

/** All samples of fields in order, some at a time, wherever they lie. */
export async function* slicesOf(fields: Fields): AsyncGenerator<FieldSlice> {
  const rows = Math.max(1, Math.floor(SLICE / fieldSize(fields)));
  for (let start = 0; start < fields.samples; start += rows)
    yield { start, values: await fields.read(start, Math.min(fields.samples, start + rows)) };
}
