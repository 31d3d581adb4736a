import { FormatError } from "../errors.js";
import { toNumbers } from "../files/ndarray.js";
import type { NpzArchive } from "../files/npz.js";
import type { BinModel } from "../partition/bins.js";

/** The bin model among the arrays of a partition. */
export async function binModelOf(archive: NpzArchive, name: string): Promise<BinModel> {
  const missing = ["centroids", "mean", "scale"].find((array) => !archive.names.includes(array));
  if (missing)
    throw new FormatError(
      `${name} has no array "${missing}": it does not come from a partition of this tool`,
    );
  const [centroids, mean, scale] = await Promise.all(
    ["centroids", "mean", "scale"].map(async (array) => {
      const opened = await archive.array(array);
      return { shape: opened.shape, values: toNumbers(await opened.read(0, opened.rows)) };
    }),
  );
  const [bins, ...shape] = centroids.shape;
  if (mean.shape.join() !== shape.join() || scale.values.length !== 1) {
    throw new FormatError(
      `${name} has centroids of ${shape.join(" x ")} values but a mean field of ${mean.shape.join(" x ")}`,
    );
  }
  return { bins, shape, mean: mean.values, scale: scale.values[0], centroids: centroids.values };
}
