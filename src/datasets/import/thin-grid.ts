import { OptionError } from "../../errors.js";

/** A grid of which every n-th point is kept along both axes. */
export interface ThinGrid {
  readonly shape: readonly [number, number];
  /** The kept values of a field in C order. */
  field(values: ArrayLike<number>): Float32Array;
  /** The kept coordinates of the first or second axis. */
  axis(values: ArrayLike<number>, which: 0 | 1): Float64Array;
}

/** The grid with `points` along both axes, or all of it by default. Points are taken from the first on. */
export function thinGrid(name: string, shape: readonly [number, number], points?: number): ThinGrid {
  const strides = shape.map((length) => {
    if (points === undefined) return 1;
    const stride = length / points;
    if (Number.isInteger(stride)) return stride;
    throw new OptionError(
      `--grid ${points} does not divide the ${length} points of ${name}: take one of ${divisors(length)}`,
    );
  });
  const [rows, columns] = shape.map((length, axis) => length / strides[axis]);
  return {
    shape: [rows, columns],
    field: (values) => {
      const kept = new Float32Array(rows * columns);
      for (let row = 0, at = 0; row < rows; row++) {
        const start = row * strides[0] * shape[1];
        for (let column = 0; column < columns; column++) kept[at++] = values[start + column * strides[1]];
      }
      return kept;
    },
    axis: (values, which) =>
      Float64Array.from({ length: [rows, columns][which] }, (_, i) => values[i * strides[which]]),
  };
}

function divisors(length: number): string {
  return Array.from({ length }, (_, i) => length - i)
    .filter((points) => length % points === 0)
    .join(", ");
}
