import { createHash } from "node:crypto";
import { basename } from "node:path";
import { DataError, FormatError } from "../errors.js";
import { openFile } from "../files/disk.js";
import { elements, encode, type RowArray, toFloats } from "../files/element-type.js";
import { isHdf5, refuseForeign } from "../files/file-kinds.js";
import { openHdf5 } from "../files/hdf5.js";
import { isNpy, openNpy } from "../files/npy.js";
import { openNpz } from "../files/npz.js";
import { isZip } from "../files/zip.js";
import { type Fields, fieldSize } from "./fields.js";

/** A dataset on disk, opened for reading by rows. */
export interface OpenData {
  /** Name of the file, without its folder. */
  readonly name: string;
  readonly responses: Fields;
  readonly inputs?: Fields;
  /** What the two are called in the file. */
  readonly responsesName?: string;
  readonly inputsName?: string;
  /** What else the file has, where the names were neither asked for nor known: someone should be told. */
  readonly passedOver?: readonly string[];
  /** The responses, hashed as they are read: SHA-256 of their bytes in C order, once all rows have passed. */
  hashedResponses(): { readonly fields: Fields; sha256(): string };
  close(): Promise<void>;
}

export interface DataNames {
  /** Dataset of an HDF5 file or array of an NPZ archive; by default those that our own and DeepXDE's files have. */
  readonly responses?: string;
  /** Likewise for the inputs; for a NPY file of responses, another NPY file. */
  readonly inputs?: string;
}

/** Names as a partition's file has them. */
export interface NotedNames {
  readonly responses?: string | null;
  readonly inputs?: string | null;
}

interface Opened {
  readonly arrays: { readonly responses: RowArray; readonly inputs?: RowArray };
  readonly names: DataNames & Pick<OpenData, "passedOver">;
  close(): void | Promise<void>;
}

const RESPONSE_NAMES = ["train/responses", "responses", "y_train"];
const INPUT_NAMES = ["train/inputs", "inputs", "X_train0"];
/** Numbers that are read at once where nothing but their hash is wanted. */
const SLICE_NUMBERS = 1 << 21;

/**
 * Opens labelled data: an HDF5 file, a NPZ archive or a NPY file, told apart by their first bytes. Names that were
 * `noted` before, by a partition of such data, go before the usual ones where the file has them.
 */
export async function openData(
  path: string,
  names: DataNames = {},
  noted: NotedNames = {},
): Promise<OpenData> {
  const opened = await openArrays(path, names, noted);
  try {
    const { arrays } = opened;
    const responses = fieldsOf(arrays.responses, `responses of ${path}`);
    const inputs = arrays.inputs && fieldsOf(arrays.inputs, `inputs of ${path}`);
    if (inputs && inputs.samples !== responses.samples) {
      throw new DataError(`${path} has ${responses.samples} responses but ${inputs.samples} inputs`);
    }
    return {
      name: basename(path),
      responses,
      inputs,
      responsesName: opened.names.responses,
      inputsName: opened.names.inputs,
      passedOver: opened.names.passedOver,
      hashedResponses: () => hashed(responses),
      close: async () => opened.close(),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openArrays(path: string, names: DataNames, noted: NotedNames): Promise<Opened> {
  const file = await openFile(path);
  try {
    await refuseForeign(file);
    if ((await isHdf5(file)) || /\.(h5|hdf5|nc)$/i.test(path)) {
      await file.close();
      return await hdf5Arrays(path, names, noted);
    }
    const start = await file.read(0, Math.min(8, file.size));
    if (isZip(start)) {
      const archive = await openNpz(file);
      const found = choose(path, archive.names, names, noted);
      const responses = await archive.array(found.responses);
      const inputs = found.inputs === undefined ? undefined : await archive.array(found.inputs);
      return { arrays: { responses, inputs }, names: found, close: () => file.close() };
    }
    if (isNpy(start)) {
      if (names.responses !== undefined)
        throw new FormatError(`${path} is a single array without a name: leave out --responses`);
      const responses = await openNpy(file);
      const other = names.inputs === undefined ? undefined : await openNpyFile(names.inputs);
      const arrays = { responses, inputs: other?.array };
      const inputs = names.inputs && basename(names.inputs);
      return {
        arrays,
        names: { inputs },
        close: async () => void (await Promise.all([file.close(), other?.close()])),
      };
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new FormatError(`${path} is neither HDF5 nor NPY nor NPZ`);
}

/** Opens a file of one array; it is closed again where it is none. */
async function openNpyFile(path: string): Promise<{ readonly array: RowArray; close(): Promise<void> }> {
  const file = await openFile(path);
  try {
    await refuseForeign(file);
    return { array: await openNpy(file), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function hdf5Arrays(path: string, names: DataNames, noted: NotedNames): Promise<Opened> {
  const file = await openHdf5(path);
  try {
    const found = choose(
      path,
      file.list().map((dataset) => dataset.path),
      names,
      noted,
    );
    const responses = file.dataset(found.responses);
    const inputs = found.inputs === undefined ? undefined : file.dataset(found.inputs);
    return { arrays: { responses, inputs }, names: found, close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The names asked for, or those noted before, or the usual ones where the file has them. */
function choose(
  path: string,
  present: readonly string[],
  asked: DataNames,
  noted: NotedNames,
): { responses: string; inputs?: string; passedOver?: readonly string[] } {
  const known = (name?: string | null) => present.find((one) => one === name);
  const again = asked.responses === undefined ? known(noted.responses) : undefined;
  if (again !== undefined) return { responses: again, inputs: asked.inputs ?? known(noted.inputs) };
  const usual = (candidates: readonly string[]) =>
    candidates
      .map((candidate) => present.find((name) => name.replace(/^\//, "") === candidate))
      .find((name) => name !== undefined);
  const responses =
    asked.responses ?? usual(RESPONSE_NAMES) ?? (present.length === 1 ? present[0] : undefined);
  if (responses === undefined) {
    throw new FormatError(
      `name the responses of ${path} with --responses: it has ${present.join(", ") || "no array"}`,
    );
  }
  const inputs = asked.inputs ?? (asked.responses === undefined ? usual(INPUT_NAMES) : undefined);
  const rest = present.filter((name) => name !== responses && name !== inputs);
  const isOwn = responses.replace(/^\//, "") === RESPONSE_NAMES[0]; // of a layout that leaves no choice
  const passedOver = asked.responses !== undefined || isOwn || rest.length === 0 ? undefined : rest;
  return { responses, inputs, passedOver };
}

function fieldsOf(array: RowArray, what: string): Fields {
  if (array.shape.length === 0)
    throw new DataError(`the ${what} are a single number: one response a row is needed`);
  if (elements(array.shape) === 0)
    throw new DataError(`the ${what} are empty: their shape is ${array.shape.join(" x ")}`);
  return {
    samples: array.shape[0],
    shape: array.shape.slice(1),
    dtype: array.dtype === "float32" || array.dtype === "float16" ? "float32" : "float64",
    read: async (start, end) => toFloats(await array.read(start, end)),
  };
}

/** SHA-256 of the responses of opened data, which are read for it: what a partition notes of its data. */
export async function responsesSha256(data: OpenData): Promise<string> {
  const { fields, sha256 } = data.hashedResponses();
  const step = Math.max(1, Math.floor(SLICE_NUMBERS / fieldSize(fields)));
  for (let start = 0; start < fields.samples; start += step)
    await fields.read(start, Math.min(start + step, fields.samples));
  return sha256();
}

function hashed(fields: Fields): { fields: Fields; sha256(): string } {
  const hash = createHash("sha256");
  let next = 0; // rows may be read a second time; each is hashed when it first passes
  return {
    fields: {
      ...fields,
      read: async (start, end) => {
        const values = await fields.read(start, end);
        if (start === next) {
          hash.update(encode(values));
          next = end;
        }
        return values;
      },
    },
    sha256: () => {
      if (next !== fields.samples) throw new Error(`${next} of ${fields.samples} rows were read in order`);
      return hash.digest("hex");
    },
  };
}
