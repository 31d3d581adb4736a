import { countTable } from "../../partition/assignment.js";
import { binCost } from "../../partition/bins.js";
import type { MeasuredPartition } from "../../pipeline/measured-partition.js";
import type { SplitView } from "./lab.js";

/** A measured partition as the page shows it. */
export function splitView(measured: MeasuredPartition, milliseconds: number): SplitView {
  const { partition, bins, diagnostics } = measured;
  const [received, given] = [0, 1].map(() => new Array<number>(partition.clients).fill(0));
  for (const { from, to } of partition.repairs) {
    received[to]++;
    given[from]++;
  }
  return {
    clients: partition.clients,
    bins: partition.bins,
    ...(partition.clientNames && { clientNames: partition.clientNames }),
    ...(partition.alpha !== undefined && { alpha: partition.alpha }),
    clientOfSample: partition.clientOfSample,
    counts: countTable(partition),
    cost: binCost(bins),
    distances: diagnostics.distances,
    metrics: diagnostics.metrics,
    minSize: partition.minSize,
    received,
    given,
    notes: diagnostics.notes,
    milliseconds,
  };
}
