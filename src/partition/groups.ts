import { OptionError } from "../errors.js";
import type { Repair } from "./assignment.js";

/** Groups of samples that stay together, as the units that a partitioner distributes. */
export interface SampleGroups {
  /** Group of every sample, counted from 0. */
  readonly groupOfSample: Int32Array;
  readonly sizes: Int32Array;
  /** The bin that most samples of a group have; of several, that of its first sample among them. */
  readonly binOfGroup: Int32Array;
}

export function sampleGroups(groupOfSample: Int32Array, binOfSample: Int32Array): SampleGroups {
  if (groupOfSample.length !== binOfSample.length)
    throw new OptionError(
      `there are groups of ${groupOfSample.length} samples, but bins of ${binOfSample.length}`,
    );
  const count = groupOfSample.reduce((most, group) => Math.max(most, group + 1), 0);
  const sizes = new Int32Array(count);
  for (const group of groupOfSample) sizes[group]++;
  const binOfGroup = groupBins(groupOfSample, binOfSample);
  return { groupOfSample, sizes, binOfGroup };
}

/** The bin that most samples of every group have; of several, that of its first sample among them. */
export function groupBins(groupOfSample: Int32Array, binOfSample: Int32Array): Int32Array {
  const votes: Map<number, number>[] = [];
  groupOfSample.forEach((group, sample) => {
    votes[group] ??= new Map();
    const bin = binOfSample[sample];
    votes[group].set(bin, (votes[group].get(bin) ?? 0) + 1);
  });
  return Int32Array.from(votes, (found) => {
    let best = -1;
    for (const [bin, number] of found) if (best < 0 || number > found.get(best)!) best = bin;
    return best;
  });
}

/** Groups that a client needs for a minimum number of samples, whichever groups it gets. */
export function fewestGroups({ sizes }: SampleGroups, clients: number, minSize: number): number {
  const smallest = sizes.reduce((a, b) => Math.min(a, b), Infinity);
  const fewest = Math.ceil(minSize / smallest);
  if (sizes.length < clients * fewest) {
    const most = Math.floor(sizes.length / clients) * smallest;
    throw new OptionError(
      `${sizes.length} groups of ${smallest} or more samples cannot give ${clients} clients at least ${minSize} ${minSize === 1 ? "sample" : "samples"} each: ` +
        (most >= 1
          ? `take fewer clients, or a minimum size of ${most}`
          : `take at most ${sizes.length} clients`),
    );
  }
  return fewest;
}

/** Moves of groups as moves of their samples. */
export function repairsOfSamples(
  repairs: readonly Repair[],
  { groupOfSample }: SampleGroups,
  binOfSample: Int32Array,
): readonly Repair[] {
  const members = new Map<number, number[]>(repairs.map(({ sample: group }) => [group, []]));
  groupOfSample.forEach((group, sample) => {
    members.get(group)?.push(sample);
  });
  return repairs.flatMap(({ sample: group, from, to }) =>
    members.get(group)!.map((sample) => ({ sample, bin: binOfSample[sample], from, to })),
  );
}
