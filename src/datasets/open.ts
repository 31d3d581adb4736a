import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { DataError, FormatError } from "../errors.js";
import { type DiskFile, openFile } from "../files/disk.js";
import { isHdf5, refuseForeign } from "../files/file-kinds.js";
import { openHdf5 } from "../files/hdf5.js";
import { type NamedShape, nameList } from "../files/name-list.js";
import { encode, type RowArray, toFloats } from "../files/ndarray.js";
import { isNpy, openNpy } from "../files/npy.js";
import { openNpz, shapesOf } from "../files/npz.js";
import { isZip } from "../files/zip.js";
import { elements } from "../numerics/shape.js";
import {
  type ArrayAxes,
  type AxisEnd,
  labelledChannels,
  type StoredArray,
  sampleInWords,
  withSamplesFirst,
} from "./array-axes.js";
import { type Fields, fieldSize } from "./fields.js";

/** A dataset on disk, opened for reading by rows. */
export interface OpenData {
  /** Name of the file, without its folder. */
  readonly name: string;
  readonly responses: Fields;
  readonly inputs?: Fields;
  /** What the two are called in the file; inputs in a file of their own, by its path from the data's folder. */
  readonly responsesName?: string;
  readonly inputsName?: string;
  /** Other arrays of the file, if the names were guessed: the user should be told. */
  readonly passedOver?: readonly string[];
  /** Inputs that the partition names, in a file that is missing. */
  readonly missingInputs?: string;
  /** The axes that were given, here or in the partition; empty if the file leaves no choice. */
  readonly axes: ArrayAxes;
  /** How the arrays were read, in one line. */
  readonly reading: string;
  /** The responses, hashed as they are read: SHA-256 of their bytes in C order, once all rows have passed. */
  hashedResponses(): { readonly fields: Fields; sha256(): string };
  close(): Promise<void>;
}

export interface DataNames extends ArrayAxes {
  /** Dataset of an HDF5 file or array of an NPZ archive; by default those that our own and DeepXDE's files have. */
  readonly responses?: string;
  /** Likewise for the inputs; for a NPY file of responses, another NPY file. */
  readonly inputs?: string;
}

/** Names and axes as a partition's file has them. */
export interface NotedNames {
  readonly responses?: string | null;
  readonly inputs?: string | null;
  readonly sample_axis?: AxisEnd;
  readonly channels?: AxisEnd;
}

interface Opened {
  readonly arrays: { readonly responses: StoredArray; readonly inputs?: StoredArray };
  readonly names: DataNames & Pick<OpenData, "passedOver" | "missingInputs">;
  close(): void | Promise<void>;
}

const RESPONSE_NAMES = ["train/responses", "responses", "y_train"];
const INPUT_NAMES = ["train/inputs", "inputs", "X_train0", "x_train", "X_train"];
/** Numbers that are read at once where nothing but their hash is wanted. */
const SLICE_NUMBERS = 1 << 21;

/**
 * Opens labelled data: an HDF5, NPZ or NPY file, recognised by its first bytes. Names `noted` by a partition of such
 * data take precedence over the usual ones, if the file has them.
 */
export async function openData(
  path: string,
  names: DataNames = {},
  noted: NotedNames = {},
): Promise<OpenData> {
  const opened = await openArrays(path, names, noted);
  try {
    const { arrays } = opened;
    const axes = {
      sampleAxis: names.sampleAxis ?? noted.sample_axis,
      channels: names.channels ?? noted.channels,
    };
    const responses = fieldsOf(arrays.responses, `the responses of ${path}`, axes);
    const inputs = arrays.inputs && fieldsOf(arrays.inputs, `the inputs of ${path}`, axes);
    if (inputs && inputs.samples !== responses.samples) throw contradiction(path, arrays);
    const data = {
      name: basename(path),
      responses,
      inputs,
      responsesName: opened.names.responses,
      inputsName: opened.names.inputs,
      passedOver: opened.names.passedOver,
      missingInputs: opened.names.missingInputs,
      axes,
      hashedResponses: () => hashed(responses),
      close: async () => opened.close(),
    };
    return { ...data, reading: readingOf(data, arrays) };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** How arrays were read: `u.npz: inputs a: 2 channels on 64 x 64; responses u: 64 x 64 (400 samples)`. */
function readingOf(data: Omit<OpenData, "reading">, arrays: Opened["arrays"]): string {
  const { name, responses, inputs, responsesName, inputsName, axes } = data;
  const words = (what: string, called: string | undefined, fields: Fields, array: StoredArray) =>
    `${what}${called === undefined ? "" : ` ${called}`}: ` +
    sampleInWords(
      fields.shape,
      axes.channels ?? (axes.sampleAxis === "last" ? undefined : labelledChannels(array)),
    );
  const read = [
    inputs ? words("inputs", inputsName, inputs, arrays.inputs!) : "no inputs",
    words("responses", responsesName, responses, arrays.responses),
  ];
  const along = axes.sampleAxis === "last" ? ", along the last axis" : "";
  return `${name}: ${read.join("; ")} (${responses.samples} samples${along})`;
}

/** Inputs and responses that differ in their number; said with the axis along which they would agree. */
function contradiction(path: string, { responses, inputs }: Opened["arrays"]): DataError {
  const [u, a] = [responses.shape, inputs!.shape];
  const known = `${path} has ${u[0]} responses but ${a[0]} inputs, of ${u.join(" x ")} and ${a.join(" x ")} values`;
  if (u.length < 2 || u.at(-1) !== a.at(-1)) return new DataError(known);
  return new DataError(
    `${known}: if samples lie along the last axis (${u.at(-1)} of each), add --sample-axis last`,
  );
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
      const found = choose(archive.names, names, noted);
      if (!found) throw unnamed(path, await shapesOf(archive.names, archive.array));
      const responses = await archive.array(found.responses);
      const inputs = found.inputs === undefined ? undefined : await archive.array(found.inputs);
      return { arrays: { responses, inputs }, names: found, close: () => file.close() };
    }
    if (isNpy(start)) {
      if (names.responses !== undefined)
        throw new FormatError(`${path} is a single array without a name: leave out --responses`);
      return await npyArrays(path, file, names, noted);
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

/** A NPY file of responses, with the inputs in another one: named, or noted before and still there. */
async function npyArrays(path: string, file: DiskFile, names: DataNames, noted: NotedNames): Promise<Opened> {
  const before = noted.inputs ? join(dirname(path), noted.inputs) : undefined;
  const inputsPath = names.inputs ?? (before !== undefined && existsSync(before) ? before : undefined);
  const responses = await openNpy(file);
  const other = inputsPath === undefined ? undefined : await openNpyFile(inputsPath);
  return {
    arrays: { responses, inputs: other?.array },
    names: {
      inputs: inputsPath && relative(dirname(path), inputsPath).split(sep).join("/"),
      missingInputs: inputsPath === undefined ? (noted.inputs ?? undefined) : undefined,
    },
    close: async () => void (await Promise.all([file.close(), other?.close()])),
  };
}

async function hdf5Arrays(path: string, names: DataNames, noted: NotedNames): Promise<Opened> {
  const file = await openHdf5(path);
  try {
    const present = file.list().map(({ path: name, shape }) => ({ name, shape }));
    const found = choose(
      present.map(({ name }) => name),
      names,
      noted,
    );
    if (!found) throw unnamed(path, present);
    const responses = file.dataset(found.responses);
    const inputs = found.inputs === undefined ? undefined : file.dataset(found.inputs);
    return { arrays: { responses, inputs }, names: found, close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The names asked for, or those noted before, or the usual ones; undefined where the file has none of them. */
function choose(
  present: readonly string[],
  asked: DataNames,
  noted: NotedNames,
): { responses: string; inputs?: string; passedOver?: readonly string[] } | undefined {
  const known = (name?: string | null) => (name ? present.find((one) => isSameName(one, name)) : undefined);
  const usual = (candidates: readonly string[]) => candidates.map(known).find((name) => name !== undefined);
  const named = (name?: string) => known(name) ?? name; // the reader refuses what is not there
  const before = known(noted.responses);
  if (before !== undefined && (asked.responses === undefined || isSameName(asked.responses, before)))
    return { responses: before, inputs: named(asked.inputs) ?? known(noted.inputs) };
  const responses =
    named(asked.responses) ?? usual(RESPONSE_NAMES) ?? (present.length === 1 ? present[0] : undefined);
  if (responses === undefined) return undefined;
  const inputs = named(asked.inputs) ?? (asked.responses === undefined ? usual(INPUT_NAMES) : undefined);
  const rest = present.filter((name) => name !== responses && name !== inputs);
  const isOwn = isSameName(responses, RESPONSE_NAMES[0]); // of a layout that leaves no choice
  const passedOver = asked.responses !== undefined || isOwn || rest.length === 0 ? undefined : rest;
  return { responses, inputs, passedOver };
}

function unnamed(path: string, present: readonly NamedShape[]): FormatError {
  return new FormatError(
    `name the responses of ${path} with --responses: it has ${nameList(present, "no array")}`,
  );
}

/** Whether two names are one dataset: `y`, `/y` and `//y` are. */
function isSameName(a: string, b: string): boolean {
  const [one, other] = [a, b].map((name) => name.split("/").filter(Boolean).join("/"));
  return one === other;
}

function fieldsOf(stored: StoredArray, what: string, { sampleAxis }: ArrayAxes): Fields {
  if (stored.shape.length === 0)
    throw new DataError(`${what} are a single number: they need an axis of samples`);
  if (elements(stored.shape) === 0)
    throw new DataError(`${what} are empty: their shape is ${stored.shape.join(" x ")}`);
  const array: RowArray = withSamplesFirst(stored, what, sampleAxis);
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
