import { OptionError } from "../errors.js";
import { groupBins, type SampleGroups, sampleGroups } from "./groups.js";
import type { AttributeValues, GivenClients, Known } from "./partitioner.js";

/** What a partitioner distributes: samples, or groups of samples that stay together. */
export interface Units {
  readonly count: number;
  /** Number of samples of every unit, and of all. */
  readonly sizes: Int32Array;
  readonly samples: number;
  /** Number of solution bins, and the bin of every unit. */
  readonly bins: number;
  readonly binOfUnit: Int32Array;
  /** Where units are groups. */
  readonly groups?: SampleGroups;
}

/** The units of samples with known bins; every sample is one unless there are groups. */
export function unitsOf(binOfSample: Int32Array, bins: number, groupOfSample?: Int32Array): Units {
  const samples = binOfSample.length;
  if (!groupOfSample)
    return { count: samples, sizes: new Int32Array(samples).fill(1), samples, bins, binOfUnit: binOfSample };
  const groups = sampleGroups(groupOfSample, binOfSample);
  const { sizes, binOfGroup } = groups;
  return { count: sizes.length, sizes, samples, bins, binOfUnit: binOfGroup, groups };
}

/** What is known of samples, as values of their units. A group must have one value, but for its bin of inputs. */
export function ofUnits({ attribute, inputBins, clients }: Known, { groups }: Units): Known {
  if (!groups) return { attribute, inputBins, clients };
  const { groupOfSample } = groups;
  return {
    attribute: attribute && oneValue(attribute, groups, "the attribute"),
    inputBins: inputBins && groupBins(groupOfSample, inputBins),
    clients: clients && {
      ...clients,
      clientOfSample: Int32Array.from(oneValue(clients.clientOfSample, groups, "the client")),
    },
  };
}

function oneValue<T extends AttributeValues | GivenClients["clientOfSample"]>(
  values: T,
  { groupOfSample, sizes }: SampleGroups,
  what: string,
): T {
  const first = new Int32Array(sizes.length).fill(-1);
  for (let sample = 0; sample < groupOfSample.length; sample++) {
    const group = groupOfSample[sample];
    if (first[group] < 0) first[group] = sample;
    else if (values[sample] !== values[first[group]])
      throw new OptionError(
        `samples ${first[group]} and ${sample} are of one group and stay together, but ${what} of one is ` +
          `${values[first[group]]} and of the other ${values[sample]} (--group none splits groups)`,
      );
  }
  return Array.from(first, (sample) => values[sample]) as unknown as T;
}

/** Units as lists by a number that each has, such as its bin. */
export function listed(numberOfUnit: Int32Array, count: number): number[][] {
  const lists = Array.from({ length: count }, () => [] as number[]);
  numberOfUnit.forEach((number, unit) => {
    if (number >= 0) lists[number].push(unit);
  });
  return lists;
}

/** Share of samples of every bin. */
export function binMasses({ bins, binOfUnit, sizes, samples }: Units): Float64Array {
  const masses = new Float64Array(bins);
  binOfUnit.forEach((bin, unit) => {
    masses[bin] += sizes[unit];
  });
  return masses.map((mass) => mass / samples);
}
