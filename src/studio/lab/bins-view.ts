import { inDescribedOrder } from "../../datasets/axis-order.js";
import { binNotes } from "../../partition/bin-quality.js";
import { centroidField, type SolutionBins } from "../../partition/bins.js";
import type { BinsView, LabData } from "./lab.js";

/** Bins as the page shows them: centroids in the units of the data, their axes in the order of the description. */
export function binsView(
  found: SolutionBins,
  { description, responseOrder }: Pick<LabData, "description" | "responseOrder">,
): BinsView {
  const { bins, binOfSample, distances, mean, quality, quantisationError, notes = [] } = found;
  const sizes = new Array<number>(bins).fill(0);
  for (const bin of binOfSample) sizes[bin]++;
  const centroids = new Float64Array(bins * mean.length);
  const shape = description.responses.axes.map(({ length }) => length);
  for (let bin = 0; bin < bins; bin++)
    centroids.set(inDescribedOrder(centroidField(found, bin), shape, responseOrder), bin * mean.length);
  return {
    bins,
    binOfSample,
    sizes,
    centroids,
    distances,
    explainedVariance: quality!.explainedVariance,
    quantisationError,
    notes: [...notes, ...binNotes(quality!)],
  };
}
