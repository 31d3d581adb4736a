import { fieldSize } from "../../datasets/fields.js";
import type { Representation, RepresentedData } from "../representation.js";
import { mappedFields } from "../represented-rows.js";
import { fieldStarts, type SpaceAxes, spaceAxes, spaceWords } from "../space-axes.js";

/** Differences of neighbours along every axis of space, which is taken for a unit interval. */
export const gradient: Representation = {
  describe: "differences of neighbours along each axis of space, over their distance on a unit interval",
  rowsCalled: "gradients",
  needsAxes: true,
  rows(data) {
    const { count, write } = differences(spaceAxes(data, "gradient"), fieldSize(data.responses));
    return mappedFields(data.responses, [count], write);
  },
  notes: (data: RepresentedData) => [spaceWords(data, spaceAxes(data, "gradient"))],
};

/** How many differences a field of these axes has, and what writes them: axis after axis, in C order. */
export function differences(
  axes: SpaceAxes,
  size: number,
): { readonly count: number; write(values: Float64Array, result: Float64Array): void } {
  const { space, shape, strides } = axes;
  const lines = space.map((axis) => ({
    stride: strides[axis],
    /** Neighbours are 1 / (points - 1) apart. */
    scale: shape[axis] - 1,
    starts: fieldStarts({
      ...axes,
      apart: shape.map((_, i) => i).filter((i) => i !== axis),
    }),
  }));
  const count = lines.reduce((sum, { scale, starts }) => sum + scale * starts.length, 0);
  return {
    count,
    write(values, result) {
      if (values.length !== size) throw new RangeError(`a field of ${values.length} numbers, not ${size}`);
      let at = 0;
      for (const { stride, scale, starts } of lines)
        for (const start of starts)
          for (let i = 0, place = start; i < scale; i++, place += stride)
            result[at++] = (values[place + stride] - values[place]) * scale;
    },
  };
}
