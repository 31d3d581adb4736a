import type { NamedShape } from "../../../files/name-list.js";
import type { AxisEnd } from "../array-axes.js";
import type { NamedArray } from "../array-file.js";
import { coordinateArrays, isTime, storedAxisNames } from "../coordinate-arrays.js";

/**
 * Coordinates of an array's axes: those that the file attaches to them, those with the name of an axis, else arrays of
 * coordinates whose length fits as many nameless axes as there are such arrays. A slice then shortens the coordinates
 * with the axis.
 */
export function lineScales(
  array: NamedArray,
  name: string,
  present: readonly NamedShape[],
  sampleAxis?: AxisEnd,
): readonly (string | undefined)[] {
  const { shape, scales } = array;
  const found = shape.map((_, axis) => scales[axis]);
  if (found.some((scale) => scale !== undefined)) return found;
  const { lines } = coordinateArrays(present, [name]);
  const names = storedAxisNames(array);
  const samples = sampleAxis === "last" ? shape.length - 1 : 0;
  shape.forEach((length, axis) => {
    const line = lines.find((one) => names[axis] !== "" && one.name === names[axis]);
    if (axis !== samples && line?.length === length) found[axis] = line.array;
  });
  const isFree = (axis: number) => axis !== samples && names[axis] === "";
  const free = lines.filter((line) => !found.includes(line.array));
  for (const length of new Set(shape.filter((_, axis) => isFree(axis)))) {
    const axes = shape.flatMap((own, axis) => (isFree(axis) && own === length ? [axis] : []));
    const fitting = free.filter((line) => line.length === length);
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
