import { type ArrayDescription, axisPoints, type Coordinates } from "../../../../datasets/dataset.js";
import type { SampledField } from "../../../../figures/samples/sampled-field.js";

/** Numbers of a sample with their axes, as figures draw them. An axis without coordinates is numbered. */
export function sampledField(
  { axes }: ArrayDescription,
  coordinates: Coordinates,
  values: ArrayLike<number>,
): SampledField {
  return {
    values,
    shape: axes.map(({ length }) => length),
    axes: axes.map((axis) => {
      const points = axis.coordinates === undefined ? undefined : axisPoints(axis, coordinates);
      return {
        name: axis.name,
        kind: axis.kind,
        ...(axis.labels && { labels: axis.labels }),
        ...(points?.dimensions === 1 && { values: points.values, unit: axis.unit }),
      };
    }),
  };
}
