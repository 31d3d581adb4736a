import type { AxisRange, RowArray, Values } from "../../../files/ndarray.js";
import { elements } from "../../../numerics/shape.js";

/** Numbers that pass through memory at once while parts are picked out of rows. */
const PIECE_NUMBERS = 1 << 22;

/** A whole axis. */
export const wholeAxis = (length: number): AxisRange => ({ start: 0, length, step: 1 });

/** Part of an array, in C order; an array whose reader cannot pick parts is read by rows. */
export async function readBox(array: RowArray, box: readonly AxisRange[]): Promise<Values> {
  if (array.readBox) return array.readBox(box);
  const { shape } = array;
  if (shape.length === 0) return array.read(0, 1);
  const [{ start, length, step }, ...within] = box;
  const rest = shape.slice(1);
  const size = elements(rest);
  const kept = within.map((range) => range.length);
  if (step === 1 && within.every((range, i) => isWhole(range, rest[i])))
    return array.read(start, start + length);
  const strides = rest.map((_, axis) => elements(rest.slice(axis + 1)));
  const offset = within.reduce((sum, range, axis) => sum + range.start * strides[axis], 0);
  const steps = within.map((range, axis) => range.step * strides[axis]);
  const most = Math.max(1, Math.floor(PIECE_NUMBERS / Math.max(1, size * step)));
  let result: Values | undefined;
  for (let first = 0; first < length; first += most) {
    const count = Math.min(most, length - first);
    const rows = await array.read(start + first * step, start + (first + count - 1) * step + 1);
    const part = gathered(rows, offset, [count, ...kept], [size * step, ...steps]);
    result ??= make(part, length * elements(kept));
    place(result, part, first * elements(kept));
  }
  return result ?? make(await array.read(0, 0), 0);
}

const isWhole = ({ start, length, step }: AxisRange, axis: number): boolean =>
  start === 0 && length === axis && step === 1;

/** Values of a shape in C order, taken from `offset` on at the given strides; a stride of 0 repeats a value. */
export function gathered<T extends Values>(
  values: T,
  offset: number,
  shape: readonly number[],
  strides: readonly number[],
): T {
  const result = make(values, elements(shape));
  if (result.length === 0) return result;
  // Axes that follow each other without a gap are one axis.
  const lengths: number[] = [];
  const steps: number[] = [];
  shape.forEach((length, axis) => {
    if (length === 1) return;
    const isNext = steps.length > 0 && steps[steps.length - 1] === strides[axis] * length;
    if (isNext) {
      lengths[lengths.length - 1] *= length;
      steps[steps.length - 1] = strides[axis];
    } else {
      lengths.push(length);
      steps.push(strides[axis]);
    }
  });
  if (lengths.length === 0) {
    result[0] = values[offset];
    return result;
  }
  const last = lengths.length - 1;
  const [count, step] = [lengths[last], steps[last]];
  const position = new Array<number>(last).fill(0);
  let from = offset;
  for (let at = 0; at < result.length; at += count) {
    if (step === 1) place(result, values.subarray(from, from + count) as T, at);
    else for (let i = 0; i < count; i++) result[at + i] = values[from + i * step];
    for (let axis = last - 1; axis >= 0; axis--) {
      from += steps[axis];
      if (++position[axis] < lengths[axis]) break;
      from -= steps[axis] * lengths[axis];
      position[axis] = 0;
    }
  }
  return result;
}

/** An array of the same type. */
export function make<T extends Values>(like: T, length: number): T {
  return new (like.constructor as new (length: number) => T)(length);
}

/** Copies values of one type to a place in another array of that type. */
export function place(target: Values, part: Values, at: number): void {
  (target as Float64Array).set(part as Float64Array, at);
}
