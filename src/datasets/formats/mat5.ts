import { isMat5, openMat5 } from "../../files/mat5.js";
import { type ArrayFormat, arrayFile } from "./format.js";

/** MATLAB's files of version 5 to 7.2. */
export const mat5Format: ArrayFormat = {
  name: "mat5",
  title: "MATLAB 5 to 7.2",
  matches: (_, start) => isMat5(start),
  open: async (file) => arrayFile("mat5", file, await openMat5(file)),
};
