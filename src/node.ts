// What needs Node: files, threads and pictures. Everything else is in the package's main entry.
export { generateInThreads } from "./datasets/generate-threads.js";
export { generateToFile } from "./datasets/generated-file.js";
export { type OpenData, openData } from "./datasets/open.js";
export { toPng } from "./figures/raster.js";
export { openFile, writeFolder, writeOutputs } from "./files/disk.js";
export { openHdf5 } from "./files/hdf5.js";
export { writeHdf5 } from "./files/hdf5-writer.js";
export { nodeThreads } from "./numerics/kernels/node-threads.js";
