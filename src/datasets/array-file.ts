import { FormatError } from "../errors.js";
import { openFile } from "../files/disk.js";
import { isHdf5, refuseForeign } from "../files/file-kinds.js";
import { type Attributes, type Hdf5File, openHdf5 } from "../files/hdf5.js";
import type { NamedShape } from "../files/name-list.js";
import { isNpy, openNpy } from "../files/npy.js";
import { openNpz } from "../files/npz.js";
import { isZip } from "../files/zip.js";
import type { StoredArray } from "./array-axes.js";

/** An array of a file with what the file says of its axes. */
export interface NamedArray extends StoredArray {
  readonly attributes: Attributes;
  /** Arrays that hold the coordinates of each stored axis; empty where the file does not say. */
  readonly scales: readonly (string | undefined)[];
}

/** A file of arrays, whatever its format. */
export interface ArrayFile {
  readonly path: string;
  readonly format: "hdf5" | "npz" | "npy";
  /** Attributes of the file itself; only HDF5 has any. */
  readonly attributes: Attributes;
  /** All arrays; without a shape where an array cannot be read. The one array of a NPY file is called "". */
  list(): Promise<readonly NamedShape[]>;
  /** An array by its name; an unknown one is a `FormatError` that lists those there are. */
  array(name: string): Promise<NamedArray>;
  close(): Promise<void>;
}

/** Opens an HDF5, NPZ or NPY file, recognised by its first bytes. */
export async function openArrayFile(path: string): Promise<ArrayFile> {
  const file = await openFile(path);
  try {
    await refuseForeign(file);
    if ((await isHdf5(file)) || /\.(h5|hdf5|nc)$/i.test(path)) {
      await file.close();
      return hdf5File(path, await openHdf5(path));
    }
    const start = await file.read(0, Math.min(8, file.size));
    const plain = { attributes: {}, scales: [] };
    const close = () => file.close();
    if (isZip(start)) {
      const archive = await openNpz(file);
      const array = remembered(async (name: string) => ({ ...(await archive.array(name)), ...plain }));
      const shapes = () => Promise.all(archive.names.map((name) => shapeOf(name, archive.shape)));
      return { path, format: "npz", attributes: {}, list: shapes, array, close };
    }
    if (isNpy(start)) {
      const only = { ...(await openNpy(file)), ...plain };
      const list = async () => [{ name: "", shape: only.shape }];
      return { path, format: "npy", attributes: {}, list, array: async () => only, close };
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new FormatError(`${path} is neither HDF5 nor NPY nor NPZ`);
}

function hdf5File(path: string, file: Hdf5File): ArrayFile {
  try {
    return {
      path,
      format: "hdf5",
      attributes: file.attributes("/"),
      list: async () =>
        file.list().map(({ path: name, shape, dtype }) => (dtype === undefined ? { name } : { name, shape })),
      array: async (name) => {
        const dataset = file.dataset(name);
        const scales = dataset.scales().map(([first]) => first);
        return { ...dataset, scales };
      },
      close: async () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

async function shapeOf(
  name: string,
  read: (name: string) => Promise<readonly number[]>,
): Promise<NamedShape> {
  try {
    return { name, shape: await read(name) };
  } catch {
    return { name }; // an array of objects, say
  }
}

function remembered<T>(make: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name)!;
  };
}
