import { isNpy, openNpy } from "../../../files/npy.js";
import { type ArrayFormat, arrayFile } from "./format.js";

/** A single array without a name. */
export const npyFormat: ArrayFormat = {
  name: "npy",
  title: "NPY",
  matches: (_, start) => isNpy(start),
  open: async (file) => {
    const only = await openNpy(file);
    const list = () => [{ name: "", shape: only.shape, dtype: only.dtype }];
    return arrayFile("npy", file, { list, array: async () => only });
  },
};
