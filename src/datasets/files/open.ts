import { createHash } from "node:crypto";
import { encode } from "../../files/ndarray.js";
import { DISK } from "../../files/store/disk.js";
import { type Fields, fieldSize } from "../fields.js";
import { type DataNames, type NotedNames, type OpenedData, openedData } from "./opened-data.js";

export { type DataNames, groupsInWords, type NotedChoice, type NotedNames } from "./opened-data.js";

/** A dataset on disk, opened for reading by rows. */
export interface OpenData extends OpenedData {
  /** The responses, hashed as they are read: SHA-256 of their bytes in C order, for which rows are read that did not pass. */
  hashedResponses(): { readonly fields: Fields; sha256(): Promise<string> };
}

/** Numbers that are read at once where nothing but their hash is wanted. */
const SLICE_NUMBERS = 1 << 21;

/**
 * Opens labelled data of a file of any kind, or of several. What a partition of such data has `noted` is repeated, unless
 * other arrays are asked for.
 */
export async function openData(path: string, names?: DataNames, noted?: NotedNames): Promise<OpenData> {
  const data = await openedData(DISK, path, names, noted);
  return { ...data, hashedResponses: () => hashed(data.responses) };
}

/** SHA-256 of the responses of opened data, which are read for it: what a partition notes of its data. */
export const responsesSha256 = (data: OpenData): Promise<string> => fieldsSha256(data.responses);

/** The same of any fields. */
export const fieldsSha256 = (all: Fields): Promise<string> => hashed(all).sha256();

function hashed(fields: Fields): { fields: Fields; sha256(): Promise<string> } {
  const hash = createHash("sha256");
  let next = 0; // rows may be read a second time; each is hashed when it first passes
  let digest: string | undefined;
  const read: Fields["read"] = async (start, end) => {
    const values = await fields.read(start, end);
    if (start === next) {
      hash.update(encode(values));
      next = end;
    }
    return values;
  };
  const step = Math.max(1, Math.floor(SLICE_NUMBERS / fieldSize(fields)));
  return {
    fields: { ...fields, read },
    sha256: async () => {
      while (next < fields.samples) await read(next, Math.min(next + step, fields.samples));
      digest ??= hash.digest("hex");
      return digest;
    },
  };
}
