import type { NamedShape } from "../../files/name-list.js";
import { openNpz } from "../../files/npz.js";
import { isZip } from "../../files/zip.js";
import { type ArrayFormat, arrayFile } from "./format.js";

/** Archives of `numpy.savez`. */
export const npzFormat: ArrayFormat = {
  name: "npz",
  title: "NPZ",
  matches: (_, start) => isZip(start),
  open: async (file) => {
    const archive = await openNpz(file);
    const list = () => Promise.all(archive.names.map((name) => shapeOf(name, archive.shape)));
    return arrayFile("npz", file, { list, array: archive.array });
  },
};

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
