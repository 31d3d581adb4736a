import { OptionError } from "../../errors.js";
import { type Hdf5File, openHdf5 } from "../../files/hdf5.js";
import { toFloats } from "../../files/ndarray.js";
import { expectShape } from "./expect-shape.js";
import type { PublicData } from "./public-data.js";

/** Opens the one HDF5 file that a dataset of PDEBench is; it is closed again where `describe` refuses it. */
export async function openPdebench(
  format: string,
  paths: readonly string[],
  describe: (file: Hdf5File) => Promise<PublicData>,
): Promise<PublicData> {
  if (paths.length !== 1) throw new OptionError(`${format} reads one file, not ${paths.length}`);
  const file = await openHdf5(paths[0]);
  try {
    return await describe(file);
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The coordinates of an axis, as many as the field has points. */
export async function axisOf(
  file: Hdf5File,
  path: string,
  points: number,
): Promise<Float32Array | Float64Array> {
  const axis = file.dataset(path);
  expectShape(`${file.name}:${path}`, axis.shape, [points]);
  return toFloats(await axis.read(0, points));
}
