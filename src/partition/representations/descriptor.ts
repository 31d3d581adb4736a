import { type Fields, fieldSize } from "../../datasets/fields.js";
import type { SampleArray } from "../../datasets/sample-arrays.js";
import type { NumberArray, Representation, Standardisation } from "../representation.js";
import { blocksOf } from "../represented-rows.js";

/** Share of the variance of an array from which on one column decides the bins. */
const DOMINANT = 0.95;

/**
 * Arrays with a few numbers for each sample, such as drag or POD coefficients. They mean the same for all samples also where
 * each has a mesh of its own.
 */
export const descriptor: Representation = {
  describe: "arrays of the data with a row for each sample, such as drag or POD coefficients",
  rowsCalled: "descriptors",
  readsArrays: true,
  async fit({ arrays = [], standardise = "arrays" }) {
    const parts: NumberArray[] = [];
    for (const array of arrays) parts.push(await columnVariances(array));
    const variances = Float64Array.from(parts.flatMap(({ values }) => [...values]));
    const scales = parts.flatMap(({ values }) => scalesOf(values, standardise));
    return {
      scales: { values: Float64Array.from(scales), shape: [scales.length] },
      variances: { values: variances, shape: [variances.length] },
    };
  },
  rows: ({ arrays = [] }, { scales }) => joined(arrays, scales.values),
  notes({ arrays = [], standardise = "arrays" }, { variances }) {
    const width = variances.values.length;
    const names = arrays.map(({ name }) => name).join(", ");
    const found = [
      `Bins are those of ${names} (${width === 1 ? "1 number" : `${width} numbers`} a sample)${SCALED[standardise](arrays.length, width)}.`,
    ];
    if (standardise === "columns") return found;
    let from = 0;
    for (const { name, fields } of arrays) {
      const own = variances.values.subarray(from, from + fieldSize(fields));
      from += own.length;
      const total = own.reduce((a, b) => a + b, 0);
      const largest = own.indexOf(own.reduce((a, b) => Math.max(a, b), 0));
      if (own.length > 1 && own[largest] > DOMINANT * total)
        found.push(
          `Column ${largest} holds ${((100 * own[largest]) / total).toFixed(1)} % of the variance of ${name}, and decides its bins: ` +
            "if its columns have different units, take --standardise columns.",
        );
    }
    return found;
  },
};

const SCALED: Readonly<Record<Standardisation, (arrays: number, columns: number) => string>> = {
  arrays: (arrays) => (arrays > 1 ? ", each array scaled to the same variance" : ""),
  columns: (_, columns) => (columns > 1 ? ", each column scaled to the same variance" : ""),
  none: (arrays) => (arrays > 1 ? ", not scaled against each other" : ""),
};

/** What each column is divided by; 1 where nothing varies. */
function scalesOf(variances: Float64Array, standardise: Standardisation): number[] {
  const root = (variance: number) => (variance > 0 ? Math.sqrt(variance) : 1);
  if (standardise === "columns") return Array.from(variances, root);
  const whole = standardise === "none" ? 1 : root(variances.reduce((a, b) => a + b, 0));
  return Array.from(variances, () => whole);
}

/** Variance of every column about its mean. */
async function columnVariances({ name, fields }: SampleArray): Promise<NumberArray> {
  const size = fieldSize(fields);
  const [mean, squares] = [new Float64Array(size), new Float64Array(size)];
  let rows = 0;
  for await (const { values, count } of blocksOf(fields, { what: `the values of ${name}` }))
    for (let row = 0; row < count; row++) {
      rows++;
      // Welford (1962): no digits are lost however large the mean is.
      for (let c = 0, at = row * size; c < size; c++, at++) {
        const before = values[at] - mean[c];
        mean[c] += before / rows;
        squares[c] += before * (values[at] - mean[c]);
      }
    }
  return { values: squares.map((square) => square / rows), shape: [size] };
}

/** Rows of several arrays side by side, each column over its scale. */
function joined(arrays: readonly SampleArray[], scales: Float64Array): Fields {
  const sizes = arrays.map(({ fields }) => fieldSize(fields));
  const width = sizes.reduce((a, b) => a + b, 0);
  return {
    samples: arrays[0].fields.samples,
    shape: [width],
    dtype: "float64",
    read: async (start, end) => {
      const result = new Float64Array((end - start) * width);
      let first = 0;
      for (const [i, { name, fields }] of arrays.entries()) {
        for await (const block of blocksOf(fields, { what: `the values of ${name}`, from: start, to: end }))
          for (let row = 0; row < block.count; row++)
            for (let c = 0; c < sizes[i]; c++)
              result[(block.start - start + row) * width + first + c] =
                block.values[row * sizes[i] + c] / scales[first + c];
        first += sizes[i];
      }
      return result;
    },
  };
}
