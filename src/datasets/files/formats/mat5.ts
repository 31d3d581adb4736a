import { isMat5, openMat5 } from "../../../files/mat5.js";
import { asVector, vectorShape } from "../arrays/vectors.js";
import { type ArrayFormat, arrayFile } from "./format.js";

/** MATLAB's files of version 5 to 7.2. */
export const mat5Format: ArrayFormat = {
  name: "mat5",
  title: "MATLAB 5 to 7.2",
  matches: (_, start) => isMat5(start),
  open: async (file, store) => {
    const reader = await openMat5(file, store);
    const array = async (name: string) =>
      asVector({ attributes: {}, scales: [], ...(await reader.array(name)) });
    return arrayFile("mat5", file, { list: () => reader.list().map(vectorShape), array });
  },
};
