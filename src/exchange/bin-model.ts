import { FormatError } from "../errors.js";
import { toNumbers } from "../files/ndarray.js";
import type { NpzArchive } from "../files/npz.js";
import { centroidCosts } from "../numerics/cost-matrix.js";
import type { BinModel } from "../partition/bins.js";
import type { FittedRepresentation } from "../partition/representation.js";
import type { PartitionFile } from "./parse-partition.js";

/** How arrays are called that a representation keeps, and the one with the shape of the responses. */
export const REPRESENTATION_PREFIX = "representation_";
export const RESPONSE_SHAPE = "response_shape";

/** The bin model among the arrays of a partition; its JSON names representation and cost, where there are some. */
export async function binModelOf(
  archive: NpzArchive,
  name: string,
  file?: Pick<PartitionFile, "options" | "bins">,
): Promise<BinModel> {
  const missing = ["centroids", "mean", "scale"].find((array) => !archive.names.includes(array));
  if (missing)
    throw new FormatError(
      `${name} has no array "${missing}": it does not come from a partition of this tool`,
    );
  const [centroids, mean, scale] = await Promise.all(
    ["centroids", "mean", "scale"].map((array) => numbersOf(archive, array)),
  );
  const [bins, ...shape] = centroids.shape;
  if (mean.shape.join() !== shape.join() || scale.values.length !== 1) {
    throw new FormatError(
      `${name} has centroids of ${shape.join(" x ")} values but a mean field of ${mean.shape.join(" x ")}`,
    );
  }
  const representation = await representationOf(archive, name, file);
  const cost = file?.options.cost;
  if (
    !file &&
    archive.names.includes("cost") &&
    !isCentroidCost(await numbersOf(archive, "cost"), centroids.values)
  )
    throw new FormatError(`${name} has bins with another cost: name the .json file beside it`);
  return {
    ...{ bins, shape, mean: mean.values, scale: scale.values[0], centroids: centroids.values },
    ...(representation && { representation }),
    ...(cost !== undefined && {
      cost: { name: cost, values: (await numbersOf(archive, "cost")).values },
    }),
  };
}

/** Whether costs are the distances of centroids, but for rounding. */
function isCentroidCost({ values }: { readonly values: Float64Array }, centroids: Float64Array): boolean {
  const usual = centroidCosts(centroids, Math.sqrt(values.length));
  return values.every((value, i) => Math.abs(value - usual.values[i]) <= 1e-9 * usual.largest);
}

async function numbersOf(archive: NpzArchive, array: string) {
  const opened = await archive.array(array);
  return { shape: opened.shape, values: toNumbers(await opened.read(0, opened.rows)) };
}

/** The representation that bins are of; undefined for the responses themselves. */
async function representationOf(
  archive: NpzArchive,
  name: string,
  file?: Pick<PartitionFile, "options" | "bins">,
): Promise<FittedRepresentation | undefined> {
  const kept = archive.names.filter((array) => array.startsWith(REPRESENTATION_PREFIX));
  if (kept.length > 0 && !file)
    throw new FormatError(`${name} has bins of another representation: name the .json file beside it`);
  const { representation, standardise } = file?.options ?? {};
  if (representation === undefined) return undefined;
  const found = await Promise.all(
    kept.map(
      async (array) => [array.slice(REPRESENTATION_PREFIX.length), await numbersOf(archive, array)] as const,
    ),
  );
  const { [RESPONSE_SHAPE]: responseShape, ...arrays } = Object.fromEntries(found);
  if (!responseShape)
    throw new FormatError(
      `${name} has no array "${REPRESENTATION_PREFIX}${RESPONSE_SHAPE}" of ${representation}`,
    );
  const axes = file?.bins.response_axes;
  return {
    name: representation,
    ...(standardise && { standardise }),
    responseShape: [...responseShape.values],
    ...(axes && { axes }),
    arrays,
  };
}
