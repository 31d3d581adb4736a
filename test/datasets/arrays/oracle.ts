import fc from "fast-check";
import type { NamedArray } from "../../../src/datasets/files/array-file.js";
import type { AxisRange, RowArray } from "../../../src/files/ndarray.js";
import { elements } from "../../../src/numerics/shape.js";

/** A plain array in memory: its shape and the number at each place. The slow, obviously right form of every view. */
export interface Plain {
  readonly shape: readonly number[];
  at(place: readonly number[]): number;
}

/** Every place of a shape in C order. */
export function places(shape: readonly number[]): number[][] {
  let found: number[][] = [[]];
  for (const length of shape)
    found = found.flatMap((place) => Array.from({ length }, (_, i) => [...place, i]));
  return found;
}

/** All numbers in C order. */
export const numbers = ({ shape, at }: Plain): number[] => places(shape).map(at);

/** Counts upwards in C order, so that every number tells its place. */
export const counting = (shape: readonly number[]): Plain => ({
  shape,
  at: (place) => place.reduce((sum, index, axis) => sum * shape[axis] + index, 0),
});

/** An array as a reader gives it; with or without a native `readBox`. */
export function stored(
  plain: Plain,
  { hasBox = false, ...rest }: { hasBox?: boolean } & Partial<Pick<NamedArray, "attributes" | "scales">> = {},
): NamedArray {
  const values = Float64Array.from(numbers(plain));
  const { shape } = plain;
  const row = elements(shape.slice(1));
  const rows = shape[0] ?? 1;
  const readBox = async (box: readonly AxisRange[]) =>
    Float64Array.from(places(box.map(({ length }) => length)), (place) =>
      plain.at(place.map((index, axis) => box[axis].start + index * box[axis].step)),
    );
  return {
    shape,
    rows,
    dtype: "float64",
    attributes: {},
    scales: [],
    ...rest,
    read: async (start, end) => {
      if (start < 0 || end > rows || start > end) throw new RangeError(`rows ${start} to ${end} of ${rows}`);
      return values.slice(start * row, end * row);
    },
    ...(hasBox && { readBox }),
  };
}

/** Checks an array against its oracle: shape, all rows, some rows, no rows. */
export async function agrees(
  array: RowArray,
  plain: Plain,
  expect: (found: unknown, wanted: unknown) => void,
) {
  expect([...array.shape], [...plain.shape]);
  const all = numbers(plain);
  const rows = array.shape[0] ?? 1;
  const row = all.length / Math.max(1, rows);
  expect(array.rows, rows);
  expect([...(await array.read(0, rows))], all);
  const [from, to] = [Math.floor(rows / 3), Math.ceil((2 * rows) / 3)];
  expect([...(await array.read(from, to))], all.slice(from * row, to * row));
  if (array.shape.length > 0) expect([...(await array.read(from, from))], []);
}

export const shapes = (least: number, most: number, longest = 4) =>
  fc.array(fc.integer({ min: 1, max: longest }), { minLength: least, maxLength: most });
