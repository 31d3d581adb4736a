import { isLegacyTorch, isTorch, openTorch } from "../../../files/torch.js";
import { isZip, openZip } from "../../../files/zip.js";
import { type ArrayFormat, arrayFile } from "./format.js";

/** Files of `torch.save`: tensors in dicts and lists. Nothing in them is executed. */
export const torchFormat: ArrayFormat = {
  name: "torch",
  title: "PyTorch",
  matches: async (file, start) => {
    if (isLegacyTorch(start)) return true;
    if (!isZip(start)) return false;
    const members = await openZip(file).catch(() => undefined); // a damaged one is told by who reads it
    return members !== undefined && isTorch(members.keys());
  },
  open: async (file, store) => {
    const reader = await openTorch(file, store);
    return arrayFile("torch", file, reader, reader.attributes);
  },
};
