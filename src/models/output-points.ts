import type { DataShapes, OutputPoints } from "./model.js";

/** All points of a grid by the coordinates of its axes, in single precision. */
export function gridPoints(axes: readonly ArrayLike<number>[]): OutputPoints {
  return { values: Float32Array.from(gridCoordinates(axes)), dimensions: axes.length };
}

/** All points of a grid by the coordinates of its axes: points x axes, the last axis fastest. */
export function gridCoordinates(axes: readonly ArrayLike<number>[]): Float64Array {
  const count = axes.reduce((product, { length }) => product * length, 1);
  const values = new Float64Array(count * axes.length);
  let repeats = count;
  axes.forEach((coordinates, axis) => {
    repeats /= coordinates.length;
    for (let point = 0; point < count; point++)
      values[point * axes.length + axis] = coordinates[Math.floor(point / repeats) % coordinates.length];
  });
  return values;
}

/** Where the responses are given: the points of the data, or a grid on the unit interval, square or cube. */
export function outputPoints({ points, responses }: DataShapes): OutputPoints {
  return points ?? gridPoints(responses.grid.map(unitAxis));
}

/** Equidistant coordinates from 0 to 1; 0 for a single point. */
export function unitAxis(length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => i / Math.max(1, length - 1));
}
