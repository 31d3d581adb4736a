import type { ArrayFormat } from "./formats/format.js";
import { hdf5Format } from "./formats/hdf5.js";
import { mat5Format } from "./formats/mat5.js";
import { netcdf3Format } from "./formats/netcdf3.js";
import { npyFormat } from "./formats/npy.js";
import { npzFormat } from "./formats/npz.js";
import { torchFormat } from "./formats/torch.js";

/** Every kind of file that is read, in the order in which they are recognised. */
export const FORMATS: readonly ArrayFormat[] = [
  mat5Format,
  netcdf3Format,
  hdf5Format,
  torchFormat,
  npzFormat,
  npyFormat,
];
