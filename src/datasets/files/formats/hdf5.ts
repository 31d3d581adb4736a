import { isHdf5 } from "../../../files/file-kinds.js";
import type { Hdf5File } from "../../../files/hdf5/hdf5-file.js";
import type { ArrayFile } from "../array-file.js";
import type { ArrayFormat } from "./format.js";

/** HDF5, and what is built on it: netCDF-4 and MATLAB's version 7.3. */
export const hdf5Format: ArrayFormat = {
  name: "hdf5",
  title: "HDF5",
  matches: async (file) => (await isHdf5(file)) || /\.(h5|hdf5|nc)$/i.test(file.name),
  open: async (file, store) => {
    await file.close(); // the HDF5 library opens files by their path
    return hdf5ArrayFile(file.name, await store.openHdf5(file.name));
  },
};

function hdf5ArrayFile(path: string, file: Hdf5File): ArrayFile {
  try {
    return {
      path,
      format: "hdf5",
      attributes: file.attributes("/"),
      groupAttributes: (group) => file.attributes(group),
      list: async () =>
        file.list().map(({ path: name, shape, dtype, problem, isText }) => ({
          name,
          ...(isText && shape.length === 1 && { strings: shape[0] }),
          ...(dtype !== undefined && problem === undefined && { shape, dtype }),
          ...(problem !== undefined && { problem }),
        })),
      array: async (name) => {
        const dataset = file.dataset(name);
        const scales = dataset.scales().map(([first]) => first);
        return { ...dataset, scales };
      },
      strings: async (name) => file.strings(name),
      close: async () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}
