import { FormatError } from "../../errors.js";
import { refuseForeign } from "../../files/file-kinds.js";
import type { Attributes } from "../../files/hdf5/hdf5-file.js";
import type { NamedShape } from "../../files/name-list.js";
import type { FileStore } from "../../files/store/file-store.js";
import type { StoredArray } from "./array-axes.js";
import { FORMATS } from "./formats.js";
import { LAYOUTS } from "./layouts.js";

/** An array of a file with what the file says of its axes. */
export interface NamedArray extends StoredArray {
  readonly attributes: Attributes;
  /** Arrays that hold the coordinates of each axis, possibly with a slice; empty where the file does not say. */
  readonly scales: readonly (string | undefined)[];
}

/** A file of arrays, whatever its format. */
export interface ArrayFile {
  readonly path: string;
  /** Name of the format, as `FORMATS` has it. */
  readonly format: string;
  /** Conventions by which its arrays were arranged, as `LAYOUTS` names them. */
  readonly layouts?: readonly string[];
  /** Attributes of the file itself. */
  readonly attributes: Attributes;
  /** Attributes of a group or of an array that need not be opened for it, where the format has groups. */
  groupAttributes?(group: string): Attributes;
  /** All arrays; without a shape where an array cannot be read. An array without a name, as in a NPY file, is called "". */
  list(): Promise<readonly NamedShape[]>;
  /** An array by its name; an unknown one is a `FormatError` that lists those there are. */
  array(name: string): Promise<NamedArray>;
  /** A list of strings by its name, where the format has such. */
  strings?(name: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Conventions that the file may be read by, if it follows them; default: all. A record names those it was read by. */
  readonly layouts?: readonly string[];
}

/** Opens a file of arrays, recognised by its first bytes, and arranges it by the conventions that it follows. */
export async function openArrayFile(
  store: FileStore,
  path: string,
  { layouts }: OpenOptions = {},
): Promise<ArrayFile> {
  if (!store.kept) return openArranged(store, path, layouts);
  const file = await store.kept(JSON.stringify([path, layouts]), () => openArranged(store, path, layouts));
  return { ...file, close: async () => {} };
}

async function openArranged(
  store: FileStore,
  path: string,
  layouts: OpenOptions["layouts"],
): Promise<ArrayFile> {
  const plain = listedOnce(await openPlain(store, path));
  try {
    let file = plain;
    for (const layout of LAYOUTS) {
      if (layouts?.includes(layout.name) === false || !(await layout.applies(file))) continue;
      const arranged = await layout.arranged(file);
      file = listedOnce({ ...arranged, layouts: [...(file.layouts ?? []), layout.name] });
    }
    return file;
  } catch (error) {
    await plain.close();
    throw error;
  }
}

/** Bytes that tell the formats apart. */
const START = 128;

async function openPlain(store: FileStore, path: string): Promise<ArrayFile> {
  const file = await store.open(path);
  try {
    await refuseForeign(file, { allArrays: true });
    const start = await file.read(0, Math.min(START, file.size));
    for (const format of FORMATS)
      if (await format.matches(file, start)) return await format.open(file, store);
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new FormatError(
    `${path} is no file of arrays that is known here: ${FORMATS.map(({ title }) => title).join(", ")}`,
  );
}

/** A file whose arrays are listed once: a large one has thousands. */
function listedOnce(file: ArrayFile): ArrayFile {
  let listed: ReturnType<ArrayFile["list"]> | undefined;
  return {
    ...file,
    list: () => {
      listed ??= file.list();
      return listed;
    },
  };
}
