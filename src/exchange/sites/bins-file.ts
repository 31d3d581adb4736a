import { z } from "zod";
import { FormatError, OptionError } from "../../errors.js";
import { toNumbers } from "../../files/ndarray.js";
import { type NpzArchive, openNpz, writeNpz } from "../../files/npz.js";
import { clusterSizes } from "../../numerics/lloyd.js";
import { type BinModel, binCost, type SolutionBins } from "../../partition/bins.js";
import type { BinReach } from "../../partition/bins-elsewhere.js";
import { binModelOf } from "../bin-model.js";
import { binsSha256 } from "../partition-file.js";

/** The name and version of the layout of a file of bins. */
export const BINS_SCHEMA = "pde-dirichlet/bins/1";

/** Bytes of the description, far more than any has. */
const MOST_BYTES = 1 << 20;

const end = z.enum(["first", "last"]).optional();

/** What a file of bins says of itself: JSON in UTF-8, as the bytes of its array `about`. */
const aboutSchema = z.looseObject({
  schema: z.literal(BINS_SCHEMA),
  /** What of a response is binned. */
  representation: z.literal("field"),
  data: z.looseObject({
    name: z.string(),
    responses: z.string().nullish(),
    inputs: z.string().nullish(),
    sample_axis: end,
    channels: z.enum(["first", "last", "none"]).optional(),
    layouts: z.array(z.string()).optional(),
    window_step: z.int().optional(),
    group: z.string().optional(),
    sha256: z.string(),
    samples: z.int().positive(),
    response_shape: z.array(z.int().positive()),
  }),
  bins: z.looseObject({
    count: z.int().positive(),
    seed: z.int(),
    sha256: z.string(),
    explained_variance: z.number(),
    mean_distance: z.number(),
    farthest_distance: z.number(),
  }),
});

export type BinsAbout = z.infer<typeof aboutSchema>;

/** Bins that were fitted to public data, and what is known of that fit. */
export interface BinsFile {
  readonly model: BinModel;
  readonly about: BinsAbout;
  /** How far the fitted data lie from the centroids. */
  readonly fitted: BinReach;
}

/** The bytes of a file of bins. In single precision it is half as large; the values of `bins` must have it already. */
export function binsFileBytes(bins: SolutionBins, about: BinsAbout, single = false): Uint8Array {
  const { centroids, mean, scale, shape } = bins;
  const stored = (values: Float64Array) => (single ? Float32Array.from(values) : values);
  const cost = binCost(bins);
  return writeNpz({
    about: new TextEncoder().encode(JSON.stringify(about)),
    centroids: { values: stored(centroids), shape: [bins.bins, ...shape] },
    mean: { values: stored(mean), shape },
    scale: { values: Float64Array.of(scale), shape: [] },
    cost: { values: cost.values, shape: [bins.bins, bins.bins] },
    counts: clusterSizes(bins.binOfSample, bins.bins),
  });
}

/** The same bins with mean and centroids in single precision. */
export function inSinglePrecision({ bins, shape, mean, scale, centroids }: BinModel): BinModel {
  const rounded = (values: Float64Array) => values.map(Math.fround);
  return { bins, shape, mean: rounded(mean), scale, centroids: rounded(centroids) };
}

/** Whether an archive is a file of bins, by the array that describes it. */
export const isBinsFile = (archive: NpzArchive): boolean => archive.names.includes("about");

/** Reads a file of bins, and checks that its bins are those that it describes. */
export async function readBinsFile(archive: NpzArchive, name: string): Promise<BinsFile> {
  const about = await aboutOf(archive, name);
  const model = await binModelOf(archive, name);
  const { count, sha256, mean_distance, farthest_distance, explained_variance } = about.bins;
  const isSame =
    model.bins === count &&
    model.shape.join() === about.data.response_shape.join() &&
    (await binsSha256(model)) === sha256;
  if (!isSame)
    throw new FormatError(`${name} holds other bins than it describes: get the file of \`bins fit\` again`);
  return {
    model,
    about,
    fitted: {
      samples: about.data.samples,
      meanDistance: mean_distance,
      farthest: farthest_distance,
      explainedVariance: explained_variance,
    },
  };
}

/** Opens what must be a file of bins. */
export async function openBinsFile(source: Parameters<typeof openNpz>[0], name: string): Promise<BinsFile> {
  const refused = new OptionError(
    `${name} is not a file of bins: \`pde-dirichlet bins fit <data>\` writes one, and all sites use the same`,
  );
  if (!/\.npz$/i.test(name)) throw refused;
  const archive = await openNpz(source);
  if (!isBinsFile(archive)) throw refused;
  return readBinsFile(archive, name);
}

async function aboutOf(archive: NpzArchive, name: string): Promise<BinsAbout> {
  const array = await archive.array("about");
  const isText = array.dtype === "uint8" && array.shape.length === 1 && array.rows <= MOST_BYTES;
  let json: unknown;
  try {
    const bytes = isText ? Uint8Array.from(toNumbers(await array.read(0, array.rows))) : new Uint8Array();
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FormatError(`${name} does not describe its bins: \`about\` is not JSON in UTF-8`);
  }
  const { schema, representation } = (json ?? {}) as Record<string, unknown>;
  if (typeof schema === "string" && schema !== BINS_SCHEMA && schema.startsWith("pde-dirichlet/bins/"))
    throw new FormatError(`${name} has the layout ${schema}, but this version reads ${BINS_SCHEMA}`);
  if (schema === BINS_SCHEMA && typeof representation === "string" && representation !== "field")
    throw new FormatError(`${name} has bins of the representation "${representation}", which is not known`);
  const parsed = aboutSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  throw new FormatError(`${name} is not a file of bins: ${path.join(".") || "about"}: ${message}`);
}
