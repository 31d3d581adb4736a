import { fileBytes, openFile } from "./disk.js";
import { refuseForeign } from "./file-kinds.js";
import { type Hdf5File, hdf5File } from "./hdf5/hdf5-file.js";
import { loadLibrary, NODE_LIBRARY, openLibraryFile } from "./hdf5-on-disk.js";

export type { Attributes, AttributeValue, Hdf5Dataset, Hdf5File } from "./hdf5/hdf5-file.js";

/** Opens an HDF5 file of any size for reading. */
export async function openHdf5(path: string): Promise<Hdf5File> {
  const source = await openFile(path); // a missing file or missing permission is said in our words
  const { size } = source;
  try {
    await refuseForeign(source);
  } finally {
    await source.close();
  }
  await loadLibrary();
  const file = openLibraryFile(path, "r");
  return hdf5File({ name: path, size, file, ...fileBytes(path, size) }, NODE_LIBRARY);
}
