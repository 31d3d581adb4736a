import type { Repair } from "./record.js";

/**
 * Brings every client up to the minimum size by moving samples one at a time, and logs every move.
 *
 * The smallest client receives from the largest one; of the donor's bins the one is taken that leaves the two
 * clients' histograms closest (in L1) to the histograms that were drawn for them. Ties go to the lowest client
 * and bin. It always ends: with at least `clients * minimum` samples the largest client is above the minimum
 * whenever another is below it, and every move lessens the total shortage by one.
 */
export function repairMinimumSize(
  clientOfSample: Int32Array,
  binOfSample: Int32Array,
  target: readonly Float64Array[],
  minimum: number,
): { readonly clientOfSample: Int32Array; readonly repairs: readonly Repair[] } {
  const clients = target.length;
  const bins = target[0].length;
  if (clientOfSample.length < clients * minimum) {
    throw new RangeError(`${clientOfSample.length} samples cannot give ${clients} clients ${minimum} each`);
  }
  const repaired = clientOfSample.slice();
  const held = Array.from({ length: clients }, () => Array.from({ length: bins }, () => [] as number[]));
  const sizes = new Array<number>(clients).fill(0);
  repaired.forEach((client, sample) => {
    held[client][binOfSample[sample]].push(sample);
    sizes[client]++;
  });

  const repairs: Repair[] = [];
  for (;;) {
    const to = indexOfExtreme(sizes, (a, b) => a < b);
    if (sizes[to] >= minimum) return { clientOfSample: repaired, repairs };
    const from = indexOfExtreme(sizes, (a, b) => a > b);
    const bin = leastDisturbingBin(held[from], held[to], sizes[from], sizes[to], target[from], target[to]);
    const sample = held[from][bin].pop()!;
    held[to][bin].push(sample);
    sizes[from]--;
    sizes[to]++;
    repaired[sample] = to;
    repairs.push({ sample, bin, from, to });
  }
}

function leastDisturbingBin(
  donor: readonly (readonly number[])[],
  receiver: readonly (readonly number[])[],
  donorSize: number,
  receiverSize: number,
  donorTarget: Float64Array,
  receiverTarget: Float64Array,
): number {
  let best = -1;
  let bestError = Infinity;
  donor.forEach((samples, candidate) => {
    if (samples.length === 0) return;
    let error = 0;
    for (let bin = 0; bin < donor.length; bin++) {
      const moved = bin === candidate ? 1 : 0;
      error += Math.abs((donor[bin].length - moved) / (donorSize - 1) - donorTarget[bin]);
      error += Math.abs((receiver[bin].length + moved) / (receiverSize + 1) - receiverTarget[bin]);
    }
    if (error < bestError) {
      bestError = error;
      best = candidate;
    }
  });
  return best;
}

/** Index of the first element that comes before all others. */
function indexOfExtreme(values: readonly number[], before: (a: number, b: number) => boolean): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (before(values[i], values[best])) best = i;
  return best;
}
