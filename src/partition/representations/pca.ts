import { fieldSize } from "../../datasets/fields.js";
import { OptionError } from "../../errors.js";
import { principalComponents } from "../../numerics/decompositions/principal-components.js";
import { wholeNumber } from "../../options/option.js";
import { normal } from "../../random/normal.js";
import { stream } from "../../random/stream.js";
import type { Representation } from "../representation.js";
import { blocksOf, mappedFields } from "../represented-rows.js";

/** Bytes of components that a file of bins may take: it is meant to be handed on. */
const MOST_BYTES = 1e9;
/** Passes over the data that are usual. */
const PASSES = 8;

/** Coordinates along the leading principal components of the responses (POD coefficients). All seeds share them. */
export const pca: Representation = {
  describe: "coordinates along the leading principal components of the responses (POD coefficients)",
  rowsCalled: "principal coordinates",
  parameter: wholeNumber({ from: 1, default: 20, help: "number of components" }),
  async fit({ responses, parameter = 0, onProgress }) {
    const columns = fieldSize(responses);
    const most = Math.min(responses.samples - 1, columns);
    if (parameter > most)
      throw new OptionError(
        `pca:${parameter}: ${responses.samples} responses of ${columns} numbers have at most ${most} components`,
      );
    const fits = Math.floor(MOST_BYTES / (8 * columns));
    if (parameter > fits)
      throw new OptionError(
        `pca:${parameter}: components of ${columns} numbers each would take ${((8 * parameter * columns) / 1e9).toFixed(1)} GB, ` +
          `more than the ${MOST_BYTES / 1e9} GB that a file of bins may hold: ` +
          (fits > 0 ? `take pca:${fits} or fewer` : "thin the grid with a slice of --responses"),
      );
    const random = stream(0, "pca");
    const { mean, components, variances, totalVariance } = await principalComponents(
      { rows: responses.samples, columns, pass: () => blocksOf(responses) },
      parameter,
      () => normal(random),
      (passes) => onProgress?.(Math.min(1, passes / PASSES)),
    );
    return {
      mean: { values: mean, shape: responses.shape },
      components: { values: components, shape: [parameter, ...responses.shape] },
      variances: { values: variances, shape: [parameter] },
      total_variance: { values: Float64Array.of(totalVariance), shape: [] },
    };
  },
  rows({ responses }, { mean, components }) {
    const size = fieldSize(responses);
    const count = components.shape[0];
    return mappedFields(responses, [count], (values, result) => {
      for (let k = 0; k < count; k++) {
        let sum = 0;
        for (let c = 0, at = k * size; c < size; c++, at++)
          sum += (values[c] - mean.values[c]) * components.values[at];
        result[k] = sum;
      }
    });
  },
  notes(_, { variances, total_variance: total }) {
    const held = variances.values.reduce((a, b) => a + b, 0) / total.values[0];
    const shown = (100 * Math.min(1, held)).toFixed(1);
    const count = variances.values.length;
    const what = count === 1 ? "The principal component holds" : `The ${count} principal components hold`;
    return [`${what} ${shown} % of the variance of the responses.`];
  },
};
