import { FormatError } from "../errors.js";
import { type ByteSource, readAll, slice } from "./byte-source.js";
import type { InflateOptions } from "./inflate.js";
import { type NamedArrays, type NamedShape, refusedArray } from "./name-list.js";
import type { ElementType } from "./ndarray.js";
import { type PickleValue, readPickleAt } from "./pickle.js";
import { describe, isArray } from "./pickle-objects.js";
import { memoryArray, plainElements, type StoredElements, stridedArray } from "./strided.js";
import {
  namedTensors,
  type Storage,
  storageBytes,
  type Tensor,
  torchObjects,
  UNTYPED,
} from "./torch-objects.js";
import { openZip } from "./zip.js";

/** What a PyTorch file holds. */
export interface TorchFile extends NamedArrays {
  /** Numbers and text beside the tensors, by the names that tensors would have in their place. */
  readonly attributes: Readonly<Record<string, number | string | readonly number[]>>;
}

/** The bytes of storages by their keys. */
interface Contents {
  readonly root: PickleValue;
  readonly littleEndian: boolean;
  storage(key: string): Promise<ByteSource>;
}

/** PyTorch's magic number 0x1950a86a20f9469cfc6c as a pickle: how `torch.save` began before version 1.6. */
const LEGACY_MAGIC = [0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
/** Bytes of the longest pickle: tensors lie outside of it. */
const LONGEST_PICKLE = 1 << 26;
const PLAIN_TYPES: readonly string[] = [
  ...["bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"],
  ...["float16", "float32", "float64"],
];
/** Whether the members of a zip archive are those of a PyTorch file. */
export function isTorch(names: Iterable<string>): boolean {
  return [...names].some((name) => /(^|\/)data\.pkl$/.test(name));
}

/** Whether bytes begin like a PyTorch file from before version 1.6. */
export function isLegacyTorch(start: Uint8Array): boolean {
  return LEGACY_MAGIC.every((byte, i) => start[i] === byte);
}

/**
 * Opens a file of `torch.save`, a zip archive or the legacy format, that holds tensors in dicts, lists and tuples. Names
 * join the keys by `/`; a bare tensor is called "". Nothing is executed: a pickle that names anything but tensors,
 * storages, and containers of Python and NumPy is refused. Tensors are read by ranges with their strides.
 */
export async function openTorch(source: ByteSource, options: InflateOptions = {}): Promise<TorchFile> {
  const start = await source.read(0, Math.min(LEGACY_MAGIC.length, source.size));
  const contents = isLegacyTorch(start) ? await openLegacy(source) : await openArchive(source, options);
  const { tensors, attributes } = namedTensors(contents.root, source.name);
  const list = [...tensors].map(([name, value]): NamedShape => {
    const { shape } = value;
    if (isArray(value)) return { name, shape, dtype: value.dtype };
    const found = elementsOf(value, contents.littleEndian);
    return typeof found === "string" ? { name, problem: found } : { name, shape, dtype: found.dtype };
  });
  return {
    attributes,
    list: () => list,
    array: async (name) => {
      const value = tensors.get(name);
      if (value && isArray(value)) return memoryArray(value, `${source.name}:${name}`);
      const elements = value && elementsOf(value, contents.littleEndian);
      if (!value || !elements || typeof elements === "string") throw refusedArray(source.name, name, list);
      const { storage, shape, strides, offset } = value;
      const bytes = await contents.storage(storage.key);
      const size = storage.kind === UNTYPED ? storage.count : storage.count * elements.size;
      if (bytes.size < size)
        throw new FormatError(
          `${source.name}:${name} is damaged: its storage has ${bytes.size} of ${size} bytes`,
        );
      const own = slice(bytes, 0, size, name === "" ? source.name : `${source.name}:${name}`);
      return stridedArray(own, {
        shape,
        strides: strides.map((stride) => stride * elements.size),
        offset: offset * elements.size,
        elements,
      });
    },
  };
}

/** How the elements of a tensor lie in its storage, or why they cannot be read. */
function elementsOf({ type, lazy }: Tensor, littleEndian: boolean): StoredElements | string {
  if (lazy !== undefined) return `is ${lazy} when it is read: save it with .clone()`;
  if (PLAIN_TYPES.includes(type)) return plainElements(type as ElementType, littleEndian);
  if (type === "bfloat16") {
    const bits = plainElements("uint16", littleEndian);
    return { size: 2, dtype: "float32", decode: (bytes) => widened(bits.decode(bytes) as Uint16Array) };
  }
  if (type.startsWith("complex"))
    return "holds complex numbers: save .real and .imag as tensors of their own";
  return `holds ${type}: save it with .float()`;
}

/** A bfloat16 is the upper half of a float32. */
function widened(halves: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer);
}

/** The zip format: a pickle, and a member for each storage. */
async function openArchive(source: ByteSource, options: InflateOptions): Promise<Contents> {
  const members = await openZip(source, { ...options, zeroIsNoChecksum: true });
  const pickled = [...members.keys()].find((name) => isTorch([name]));
  if (pickled === undefined)
    throw new FormatError(`${source.name} is not a PyTorch file: it has no data.pkl`);
  const folder = pickled.slice(0, -"data.pkl".length);
  const order = members.get(`${folder}byteorder`);
  const byteOrder = order ? new TextDecoder().decode(await order.start(16)) : "little";
  if (byteOrder !== "little" && byteOrder !== "big")
    throw new FormatError(`${source.name} is damaged: its byte order is ${JSON.stringify(byteOrder)}`);
  const pickle = members.get(pickled)!;
  refuseLong(pickle.size, source.name);
  const { value: root } = readPickleAt(
    await readAll(await pickle.open()),
    source.name,
    torchObjects(source.name),
  );
  const opened = new Map<string, Promise<ByteSource>>(); // tensors share storages, whose checksums take time
  return {
    root,
    littleEndian: byteOrder === "little",
    storage: (key) => {
      const member = members.get(`${folder}data/${key}`);
      if (!member) throw new FormatError(`${source.name} is damaged: storage ${key} is missing`);
      if (!opened.has(key)) opened.set(key, member.open());
      return opened.get(key)!;
    },
  };
}

/**
 * The format before version 1.6: pickles of the magic number, the version, the byte order, the objects and the keys of
 * the storages, then each storage with its length before it (torch/serialization.py, `_legacy_save`).
 */
async function openLegacy(source: ByteSource): Promise<Contents> {
  const { name } = source;
  const head = await source.read(0, Math.min(LONGEST_PICKLE, source.size));
  const storages = new Map<string, Storage>();
  const objects = torchObjects(name, storages);
  let at = 0;
  const next = (): PickleValue => {
    const { value, end } = readPickleAt(head.subarray(at), name, objects);
    at += end;
    return value;
  };
  const [, version, system, root, keys] = [next(), next(), next(), next(), next()];
  if (version !== 1001)
    throw new FormatError(`${name}: unknown version ${describe(version)} of PyTorch's format`);
  const littleEndian = !(system instanceof Map && system.get("little_endian") === false);
  if (!Array.isArray(keys)) throw new FormatError(`${name} is damaged: its storages have no names`);
  const places = new Map<string, ByteSource>();
  for (const key of keys) {
    const storage = storages.get(String(key));
    const size = storage && storageBytes(storage);
    if (size === undefined) throw new FormatError(`${name} is damaged: storage ${describe(key)} has no size`);
    const count = await source.read(at, 8);
    const found = Number(new DataView(count.buffer, count.byteOffset).getBigInt64(0, littleEndian));
    if (found !== storage!.count)
      throw new FormatError(
        `${name} is damaged: a storage has ${found} elements in place of ${storage!.count}`,
      );
    if (at + 8 + size > source.size)
      throw new FormatError(
        `${name} is truncated: it ends at byte ${source.size}, but ${at + 8 + size} are needed`,
      );
    places.set(String(key), slice(source, at + 8, size));
    at += 8 + size;
  }
  const storage = async (key: string) => {
    const place = places.get(key);
    if (!place) throw new FormatError(`${name} is damaged: storage ${key} is missing`);
    return place;
  };
  return { root, littleEndian, storage };
}

function refuseLong(bytes: number, name: string): void {
  if (bytes > LONGEST_PICKLE)
    throw new FormatError(`${name} has a pickle of ${bytes} bytes: at most ${LONGEST_PICKLE} can be read`);
}
