import { isNetcdf3, openNetcdf3 } from "../../../files/netcdf3.js";
import { type ArrayFormat, arrayFile } from "./format.js";

/** Classic netCDF; netCDF-4 is HDF5. */
export const netcdf3Format: ArrayFormat = {
  name: "netcdf3",
  title: "classic netCDF",
  matches: (_, start) => isNetcdf3(start),
  open: async (file) => {
    const reader = await openNetcdf3(file);
    const array = async (name: string) => ({
      ...(await reader.array(name)),
      attributes: reader.attributes(name),
      scales: reader.scales(name),
    });
    return arrayFile("netcdf3", file, { list: () => reader.list(), array }, reader.attributes());
  },
};
