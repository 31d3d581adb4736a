import { type Hdf5File, openHdf5 } from "../../src/files/hdf5.js";

/** Opens a file for a piece of work, and closes it. */
export async function using<T>(path: string, work: (file: Hdf5File) => Promise<T> | T): Promise<T> {
  const file = await openHdf5(path);
  try {
    return await work(file);
  } finally {
    file.close();
  }
}
