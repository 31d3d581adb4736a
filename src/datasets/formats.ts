import type { ArrayFormat } from "./formats/format.js";
import { hdf5Format } from "./formats/hdf5.js";
import { npyFormat } from "./formats/npy.js";
import { npzFormat } from "./formats/npz.js";

/** Every kind of file that is read, in the order in which they are recognised. */
export const FORMATS: readonly ArrayFormat[] = [hdf5Format, npzFormat, npyFormat];
