import { zipSync } from "fflate";
import { FormatError } from "../errors.js";
import { type ByteSource, bytesInMemory } from "./byte-source.js";
import type { InflateOptions } from "./inflate.js";
import { type NamedShape, refusedArray } from "./name-list.js";
import type { Values } from "./ndarray.js";
import { NPY_HEADER_BYTES, type NpyArray, openNpy, readNpyObjects, readNpyShape, writeNpy } from "./npy.js";
import { storedZip } from "./stored-zip.js";
import { memoryArray } from "./strided.js";
import { openZip } from "./zip.js";

/** The arrays of an NPZ archive. */
export interface NpzArchive {
  readonly names: readonly string[];
  /**
   * Opens one array; an unknown name is a `FormatError` that lists those there are. The arrays within an array of
   * objects have its name and their place: `X/0`, `X/1`.
   */
  array(name: string): Promise<NpyArray>;
  /** The shape of an array that is there, by its header alone: nothing else is inflated. */
  shape(name: string): Promise<readonly number[]>;
  /** All arrays with shape and type, those within arrays of objects among them; what cannot be read has a `problem`. */
  list(): Promise<readonly NamedShape[]>;
}

/** What `writeNpz` takes: values alone are a vector. */
export type NpzEntries = Readonly<
  Record<string, Values | { readonly values: Values; readonly shape: readonly number[] }>
>;

/** Opens a file of `numpy.savez` or `numpy.savez_compressed`. */
export async function openNpz(source: ByteSource, options: InflateOptions = {}): Promise<NpzArchive> {
  const members = await openZip(source, options);
  const names = [...members.keys()].filter((name) => name.endsWith(".npy")).map((name) => name.slice(0, -4));
  const open = async (name: string) => openNpy(await members.get(`${name}.npy`)!.open());
  const start = async (name: string) =>
    readNpyShape(bytesInMemory(await members.get(`${name}.npy`)!.start(NPY_HEADER_BYTES), source.name));
  const objects = remembered(async (name) => readNpyObjects(await members.get(`${name}.npy`)!.open()));
  const describe = async (name: string): Promise<NamedShape[]> => {
    const problem = (error: unknown): NamedShape[] => {
      if (!(error instanceof FormatError)) throw error;
      return [{ name, problem: error.message.replace(`${source.name} `, "") }];
    };
    try {
      const found = await start(name);
      if (!("isObjects" in found)) return [{ name, ...found }];
      const arrays = [...(await objects(name))];
      if (arrays.length === 0)
        return [{ name, problem: "holds Python objects, none of which is an array of numbers" }];
      return arrays.map(([place, { shape, dtype }]) => ({ name: `${name}/${place}`, shape, dtype }));
    } catch (error) {
      return problem(error);
    }
  };
  const list = async () => {
    const found: NamedShape[] = [];
    for (const name of names) found.push(...(await describe(name)));
    return found;
  };
  return {
    names,
    list,
    shape: async (name) => {
      const found = await start(name);
      if ("isObjects" in found) throw new FormatError(`${source.name}:${name} holds Python objects`);
      return found.shape;
    },
    array: async (name) => {
      if (names.includes(name)) return open(name);
      const [, whole, place] = /^(.*)\/(\d+)$/.exec(name) ?? [];
      const isWithin = whole !== undefined && names.includes(whole) && "isObjects" in (await start(whole));
      const within = isWithin ? (await objects(whole)).get(Number(place)) : undefined;
      if (within) return memoryArray(within, `${source.name}:${name}`);
      throw refusedArray(source.name, name, await list());
    },
  };
}

function remembered<T>(make: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name)!;
  };
}

/**
 * An NPZ archive, deflated unless `compress` is false (noisy float32 gains a tenth and takes long). The same arrays
 * give the same bytes: time stamps are those of 1 January 1980.
 */
export function writeNpz(entries: NpzEntries, { compress = true } = {}): Uint8Array {
  const members: Record<string, Uint8Array> = {};
  for (const [name, entry] of Object.entries(entries)) {
    members[`${name}.npy`] = ArrayBuffer.isView(entry)
      ? writeNpy(entry)
      : writeNpy(entry.values, entry.shape);
  }
  // fflate writes the local time of day, so the date is given in local time.
  return compress ? zipSync(members, { mtime: new Date(1980, 0, 1) }) : storedZip(members);
}
