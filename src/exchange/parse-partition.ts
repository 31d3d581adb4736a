import { z } from "zod";
import { FormatError } from "../errors.js";
import { type Assignment, countTable, READABLE_PARTITION_SCHEMAS } from "../partition/assignment.js";
import { STANDARDISATIONS } from "../partition/representation.js";

const wholeNumbers = z.array(z.int().nonnegative());
/** -1 for a sample without a client. */
const clientNumbers = z.array(z.int().min(-1));

const partitionSchema = z.looseObject({
  schema: z.enum(READABLE_PARTITION_SCHEMAS),
  data: z.looseObject({
    name: z.string(),
    responses: z.string().nullish(),
    inputs: z.string().nullish(),
    sample_axis: z.enum(["first", "last"]).optional(),
    channels: z.enum(["first", "last", "none"]).optional(),
    layouts: z.array(z.string()).optional(),
    window_step: z.int().optional(),
    group: z.string().optional(),
    sha256: z.string(),
    samples: z.int(),
  }),
  options: z.looseObject({
    clients: z.int(),
    bins: z.int(),
    /** Absent from earlier layouts, whose partitioner is the Dirichlet one. */
    partitioner: z.looseObject({ name: z.string() }).optional(),
    alpha: z.number().nullish(),
    seed: z.int(),
    min_size: z.int(),
    /** Absent for bins of the responses themselves and the distances of their centroids. */
    representation: z.string().optional(),
    standardise: z.enum(STANDARDISATIONS).optional(),
    cost: z.string().optional(),
  }),
  bins: z.looseObject({
    sha256: z.string(),
    iterations: z.number().optional(),
    seed: z.int().nullish(),
    from: z.string().nullish(),
    response_axes: z.array(z.enum(["channel", "time", "space", "point"])).optional(),
  }),
  client_names: z.array(z.string()).optional(),
  client_of_sample: clientNumbers,
  bin_of_sample: wholeNumbers,
  sizes: wholeNumbers,
  counts: z.array(wholeNumbers),
  cost: z.array(z.array(z.number())),
  repairs: z.array(z.object({ sample: z.int(), bin: z.int(), from: z.int(), to: z.int() })),
  arrays: z.string(),
});

/** The content of a partition file, as `parsePartition` returns it. */
export type PartitionFile = z.infer<typeof partitionSchema>;

/** Parses the JSON of a partition and checks that its fields agree. Throws a `FormatError` if they do not. */
export function parsePartition(text: string, name: string): PartitionFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new FormatError(`${name} is not JSON (truncated?)`);
  }
  const parsed = partitionSchema.safeParse(json);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0];
    throw new FormatError(
      `${name} is not a partition of this tool: ${path.join(".") || "the whole"}: ${message}`,
    );
  }
  const { client_of_sample, bin_of_sample, options, counts, data } = parsed.data;
  if (client_of_sample.length !== data.samples || bin_of_sample.length !== data.samples) {
    throw new FormatError(
      `${name} speaks of ${data.samples} samples but lists ${client_of_sample.length} clients and ${bin_of_sample.length} bins`,
    );
  }
  if (counts.length !== options.clients || counts.some((row) => row.length !== options.bins)) {
    throw new FormatError(
      `${name} speaks of ${options.clients} clients and ${options.bins} bins, but its counts are of ${counts.length} clients and ${counts[0]?.length ?? 0} bins`,
    );
  }
  const outside =
    client_of_sample.some((client) => client >= options.clients) ||
    bin_of_sample.some((bin) => bin >= options.bins);
  if (outside)
    throw new FormatError(
      `${name} has a client above ${options.clients - 1} or a bin above ${options.bins - 1}`,
    );
  if (JSON.stringify(countTable(assignmentOf(parsed.data))) !== JSON.stringify(counts)) {
    throw new FormatError(`${name} has counts that disagree with its clients and bins of samples`);
  }
  return parsed.data;
}

/** Returns the assignment that a partition file stores. */
export function assignmentOf(file: PartitionFile): Assignment {
  return {
    clients: file.options.clients,
    bins: file.options.bins,
    clientOfSample: Int32Array.from(file.client_of_sample),
    binOfSample: Int32Array.from(file.bin_of_sample),
  };
}
