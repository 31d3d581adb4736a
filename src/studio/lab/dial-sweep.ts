import { allocationHeterogeneity } from "../../diagnostics/concentration-law.js";
import { binCost } from "../../partition/bins.js";
import { drawPartition } from "../../partition/partition.js";
import type { Known } from "../../partition/partitioner.js";
import type { BinnedData } from "../../pipeline/binned-data.js";
import { solutionDistance } from "../../pipeline/target-distance.js";
import { DIAL } from "../settings.js";
import type { DialView, SplitChoice } from "./lab.js";
import { letOthers } from "./patient-threads.js";

/** Places of the dial at which D_sol is computed, four a decade. */
const PLACES = 4 * Math.round(Math.log10(DIAL.most / DIAL.least)) + 1;

/** D_sol and H_u all along the dial, for the bins and the draw of one split. Undefined as soon as nobody wants it any more. */
export async function sweepDial(
  { bins, groups }: BinnedData,
  known: Known,
  { alpha: _, ...options }: SplitChoice,
  isWanted: () => boolean,
): Promise<DialView | undefined> {
  const data = { bins: bins.bins, binOfSample: bins.binOfSample, groups, ...known };
  const cost = binCost(bins);
  const alphas = Array.from({ length: PLACES }, (_, i) =>
    Number((DIAL.least * (DIAL.most / DIAL.least) ** (i / (PLACES - 1))).toPrecision(4)),
  );
  const masses = massesOf(bins);
  const distances: number[] = [];
  const heterogeneities: number[] = [];
  for (const alpha of alphas) {
    await letOthers();
    if (!isWanted()) return undefined;
    const partition = drawPartition(data, { ...options, alpha });
    distances.push(solutionDistance(partition, cost));
    if (partition.proportions) heterogeneities.push(allocationHeterogeneity(partition.proportions, masses));
  }
  return { alphas, distances, ...(heterogeneities.length > 0 && { heterogeneities }) };
}

function massesOf({ bins, binOfSample }: BinnedData["bins"]): number[] {
  const sizes = new Array<number>(bins).fill(0);
  for (const bin of binOfSample) sizes[bin]++;
  return sizes.map((size) => size / binOfSample.length);
}
