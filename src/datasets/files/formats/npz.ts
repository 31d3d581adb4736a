import { openNpz } from "../../../files/npz.js";
import { isZip } from "../../../files/zip.js";
import { type ArrayFormat, arrayFile } from "./format.js";

/** Archives of `numpy.savez`. */
export const npzFormat: ArrayFormat = {
  name: "npz",
  title: "NPZ",
  matches: (_, start) => isZip(start),
  open: async (file, store) => arrayFile("npz", file, await openNpz(file, store)),
};
