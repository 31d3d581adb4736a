import { wholeNumber } from "../../options/option.js";
import { allocate } from "../allocate.js";
import { DEFAULT_BINS } from "../bins.js";
import { ALPHA } from "../partition-options.js";
import type { Partitioner } from "../partitioner.js";
import type { Units } from "../units.js";

/** The paper's draw over clusters of the inputs: heterogeneity of inputs, whatever it does to solutions. */
export const inputBins: Partitioner = {
  describe: "split clusters of the inputs, not of the solutions, among the clients by Dirichlet shares",
  options: {
    alpha: ALPHA,
    input_bins: wholeNumber({ from: 1, default: DEFAULT_BINS, help: "clusters of the inputs" }),
  },
  wants: ({ input_bins }) => ({ inputBins: Number(input_bins) }),
  draw(units, { clients, seed, values }, { inputBins: binOfInput }) {
    const bins = Number(values.input_bins);
    const { clientOfSample, order, proportions } = allocate(binOfInput!, {
      clients,
      bins,
      alpha: Number(values.alpha),
      seed,
    });
    return {
      clientOfUnit: clientOfSample,
      order,
      target: expectedHistograms(units, binOfInput!, proportions),
    };
  },
};

/** The histogram over solution bins that a client can expect of its shares of the clusters of inputs. */
function expectedHistograms(
  { bins, binOfUnit, sizes }: Units,
  binOfInput: Int32Array,
  proportions: readonly Float64Array[],
): readonly Float64Array[] {
  // Samples of every cluster and bin, counted once for all clients.
  const counts = Array.from(proportions[0], () => new Float64Array(bins));
  binOfUnit.forEach((bin, unit) => {
    counts[binOfInput[unit]][bin] += sizes[unit];
  });
  return proportions.map((shares) => {
    const expected = new Float64Array(bins);
    counts.forEach((row, cluster) => {
      for (let bin = 0; bin < bins; bin++) expected[bin] += shares[cluster] * row[bin];
    });
    const total = expected.reduce((a, b) => a + b, 0);
    return total > 0 ? expected.map((mass) => mass / total) : expected.fill(1 / bins);
  });
}
