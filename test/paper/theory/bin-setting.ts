import { runOptions } from "../../../src/federation/run-options.js";
import type { BinSetting } from "../../../src/paper/theory/setting.js";
import type { SolutionBins } from "../../../src/partition/bins.js";
import { stream } from "../../../src/random/stream.js";

const SIZES = [90, 70, 50, 40, 30, 20];

/** Six bins of unequal sizes with centroids in the plane: enough for partitions and transport. */
export function binSetting(seed = 7): BinSetting {
  const binOfSample = Int32Array.from(SIZES.flatMap((size, bin) => new Array<number>(size).fill(bin)));
  const random = stream(seed, "centroids");
  const bins: SolutionBins = {
    bins: SIZES.length,
    shape: [2],
    mean: new Float64Array(2),
    scale: 1,
    centroids: Float64Array.from({ length: 2 * SIZES.length }, () => random.uniform()),
    binOfSample,
    distances: new Float64Array(binOfSample.length),
    quantisationError: 0,
    iterations: 1,
    inertia: 0,
    converged: true,
  };
  const options = runOptions({
    task: "antiderivative",
    alpha: 1,
    seed,
    train: binOfSample.length,
    test: 10,
    minSize: 8,
  });
  return { options, data: { bins } };
}
