import { type Fields, fieldsInMemory } from "../../src/datasets/fields.js";
import type { Threads } from "../../src/numerics/kernels/threads.js";
import type { PartitionerChoice } from "../../src/partition/partitioner.js";
import { PARTITIONER_NAMES, takesAlpha } from "../../src/partition/partitioners.js";
import type { MeasuredPartition } from "../../src/pipeline/measured-partition.js";
import { partitionDataset } from "../../src/pipeline/partition-dataset.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

const SAMPLES = 150;

/** Choices of every partitioner; one that needs no option of its own is covered as it is. */
const CHOICES: Readonly<Record<string, readonly Omit<PartitionerChoice, "name">[]>> = {
  by: [{ by: "beta", strictness: 0.7 }, { by: "beta" }, { by: "site" }],
  file: [{ file: "theirs.csv" }],
  "client-dirichlet": [{}, { base: "uniform", sizes: "lognormal" }],
  sizes: ["linear", "exponential", "lognormal", "dirichlet", "0.5,0.2,0.1,0.1,0.1"].map((sizes) => ({
    sizes,
  })),
  "input-bins": [{ input_bins: 4 }],
};

function noise(name: string, size: number): Fields {
  const random = stream(3, name);
  const values = Float64Array.from({ length: SAMPLES * size }, () => normal(random));
  return fieldsInMemory(values, SAMPLES, [size]);
}

/** A partition by every partitioner from data to diagnosis; threads must not matter. */
export async function everyPartitioner({
  threads,
  grouped = [false, true],
}: {
  readonly threads?: Threads;
  /** Without groups, with groups, or both. */
  readonly grouped?: readonly boolean[];
} = {}): Promise<ReadonlyMap<string, MeasuredPartition>> {
  const numbers = noise("beta", 1);
  const betas = await numbers.read(0, SAMPLES);
  const groups = Int32Array.from({ length: SAMPLES }, (_, i) => Math.floor(i / 3));
  const found = new Map<string, MeasuredPartition>();
  for (const name of PARTITIONER_NAMES)
    for (const values of CHOICES[name] ?? [{}])
      for (const isGrouped of grouped) {
        const of = (sample: number) => (isGrouped ? groups[sample] : sample);
        const attributes: Readonly<Record<string, Float64Array | readonly string[]>> = {
          beta: Float64Array.from(betas, (_, sample) => betas[of(sample)]),
          site: Array.from({ length: SAMPLES }, (_, sample) => `site ${of(sample) % 5}`),
        };
        const partitioner = { name, ...values } as PartitionerChoice;
        const measured = await partitionDataset(
          {
            responses: noise("responses", 6),
            inputs: noise("inputs", 3),
            ...(isGrouped && { groups }),
            attributes: { names: Object.keys(attributes), read: async (wanted) => attributes[wanted] },
            readClients: async () => ({
              clientOfSample: Int32Array.from({ length: SAMPLES }, (_, sample) => of(sample) % 5),
              clientNames: ["a", "b", "c", "d", "e"],
            }),
          },
          {
            ...{ clients: 5, bins: 7, seed: 11, minSize: 6, partitioner, threads },
            ...(takesAlpha(name) && { alpha: 0.2 }),
          },
        ).catch((error: Error) => error);
        const label = `${JSON.stringify(partitioner)}${isGrouped ? " of groups" : ""}`;
        if (measured instanceof Error) {
          // Sizes may be too small for a group, in a browser as in Node.
          if (!/a group of 3 samples stays together/.test(measured.message)) throw measured;
        } else found.set(label, measured);
      }
  return found;
}
