import type { NamedShape } from "../../files/name-list.js";
import type { NamedArray } from "../array-file.js";
import { coordinateArrays, isTime } from "../coordinate-arrays.js";

/**
 * Coordinates of an array's axes: those that the file attaches to them, else arrays of coordinates whose length fits as
 * many axes as there are such arrays. A slice then shortens the coordinates with the axis.
 */
export function lineScales(
  { shape, scales }: NamedArray,
  name: string,
  present: readonly NamedShape[],
): readonly (string | undefined)[] {
  const { lines } = coordinateArrays(present, [name]);
  const found = shape.map((_, axis) => scales[axis]);
  if (found.some((scale) => scale !== undefined)) return found;
  for (const length of new Set(shape.slice(1))) {
    const axes = shape.flatMap((own, axis) => (axis > 0 && own === length ? [axis] : []));
    const fitting = lines.filter((line) => line.length === length);
    if (fitting.length !== axes.length || (axes.length > 1 && fitting.some((line) => isTime(line.name))))
      continue;
    [...fitting]
      .sort((a, b) => a.name.localeCompare(b.name))
      .forEach((line, i) => {
        found[axes[i]] = line.array;
      });
  }
  return found;
}
