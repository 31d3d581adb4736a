import { fieldsInMemory } from "../../datasets/fields.js";
import { elements } from "../../numerics/shape.js";
import type { GroundCost } from "../ground-cost.js";
import { differences } from "../representations/gradient.js";
import { spaceAxes } from "../space-axes.js";

/** The H1 norm of the difference of the bins' mean responses: it also sees how steep the difference is. */
export const h1: GroundCost = {
  describe: "H1 norm of the difference of the bins' mean responses, in normalised units: values and slopes",
  needsFields: true,
  async between({ model: { bins }, binFields }) {
    const { values, shape, axes } = await binFields();
    const size = elements(shape);
    const responses = fieldsInMemory(values, bins, shape);
    const { count, write } = differences(spaceAxes({ responses, axes }, "h1"), size);
    const [difference, slopes] = [new Float64Array(size), new Float64Array(count)];
    const costs = new Float64Array(bins * bins);
    for (let b = 0; b < bins; b++)
      for (let c = b + 1; c < bins; c++) {
        for (let i = 0; i < size; i++) difference[i] = values[b * size + i] - values[c * size + i];
        write(difference, slopes);
        costs[b * bins + c] = costs[c * bins + b] = Math.sqrt(squares(difference) + squares(slopes));
      }
    return costs;
  },
};

const squares = (values: Float64Array): number => {
  let sum = 0;
  for (const value of values) sum += value * value;
  return sum;
};
