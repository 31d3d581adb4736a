import { FormatError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import type { ByteSource } from "./byte-source.js";
import {
  codeOf,
  type ElementType,
  elementSize,
  elementTypeOf,
  encode,
  type NdArray,
  type RowArray,
  typeOfValues,
  type Values,
} from "./ndarray.js";
import { readPickle } from "./pickle.js";
import { isArray } from "./pickle-objects.js";
import { columnMajor, plainElements, rowMajor, stridedArray } from "./strided.js";

/** An NPY file, read by rows. */
export type NpyArray = RowArray;

interface Header {
  /** Undefined where the elements are no plain numbers. */
  readonly dtype?: ElementType;
  /** NumPy's description of the elements, as it stands in the file: `'<f4'`, `'|O'`. */
  readonly description: string;
  readonly littleEndian: boolean;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  /** Where the data begin. */
  readonly start: number;
}

/** Bytes of the longest header of version 1; NumPy itself refuses more than 10,000 (numpy.lib.format). */
const LONGEST_HEADER = 0xffff;
/** NumPy's limit. */
const MOST_AXES = 64;

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // \x93NUMPY

/** Whether bytes begin like an NPY file. */
export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/** Opens an NPY file of version 1, 2 or 3 (numpy.lib.format). Rows are read on demand. */
export async function openNpy(source: ByteSource): Promise<NpyArray> {
  const header = await readHeader(source);
  const { shape, start } = header;
  const dtype = numberType(header, source.name);
  const strides = (header.fortran ? columnMajor : rowMajor)(shape, elementSize(dtype));
  return stridedArray(source, {
    shape,
    strides,
    offset: start,
    elements: plainElements(dtype, header.littleEndian),
  });
}

/** Bytes from which the shape of an array can be read: its header. */
export const NPY_HEADER_BYTES = 12 + LONGEST_HEADER;

/** Shape and type of an array by the first bytes of its NPY file; `isObjects` where it is a pickle of Python objects. */
export async function readNpyShape(
  start: ByteSource,
): Promise<
  { readonly shape: readonly number[]; readonly dtype: ElementType } | { readonly isObjects: true }
> {
  const header = await readHeader(start);
  if (isObjects(header)) return { isObjects: true };
  return { shape: header.shape, dtype: numberType(header, start.name) };
}

/**
 * The arrays within an array of Python objects (`dtype=object`), by their places in it. It is a pickle, which our own
 * reader reads: nothing is executed. What is no array of numbers is passed over.
 */
export async function readNpyObjects(source: ByteSource): Promise<ReadonlyMap<number, NdArray>> {
  const header = await readHeader(source);
  if (!isObjects(header)) throw new FormatError(`${source.name} is no array of Python objects`);
  const pickle = await source.read(header.start, source.size - header.start);
  const value = readPickle(pickle, source.name);
  const items = Array.isArray(value) ? value : [value];
  return new Map(items.flatMap((item, place): [number, NdArray][] => (isArray(item) ? [[place, item]] : [])));
}

/** The whole array of an NPY file. */
export async function readNpy(source: ByteSource): Promise<NdArray> {
  const { shape, rows, dtype, read } = await openNpy(source);
  return { shape, dtype, values: await read(0, rows) };
}

/** The bytes of an NPY file of version 1. */
export function writeNpy(values: Values, shape: readonly number[] = [values.length]): Uint8Array {
  if (elements(shape) !== values.length) {
    throw new RangeError(`${values.length} values do not fill ${shape.join("x")}`);
  }
  const dtype = typeOfValues(values);
  const order = elementSize(dtype) === 1 ? "|" : "<";
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const text = `{'descr': '${order}${codeOf(dtype)}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const start = Math.ceil((10 + text.length + 1) / 64) * 64; // data begin at a multiple of 64
  const bytes = new Uint8Array(start + values.byteLength);
  bytes.set([...MAGIC, 1, 0, (start - 10) & 0xff, (start - 10) >> 8]);
  bytes.set(new TextEncoder().encode(`${text.padEnd(start - 11)}\n`), 10);
  bytes.set(encode(values), start);
  return bytes;
}

async function readHeader(source: ByteSource): Promise<Header> {
  const opening = await source.read(0, Math.min(12, source.size));
  if (opening.length < 10 || !isNpy(opening)) throw new FormatError(`${source.name} is not an NPY file`);
  const version = opening[6];
  if (version < 1 || version > 3) throw new FormatError(`${source.name}: unknown NPY version ${version}`);
  const wide = version > 1;
  if (wide && opening.length < 12)
    throw new FormatError(`${source.name} is truncated: its header is cut off`);
  const view = new DataView(opening.buffer, opening.byteOffset);
  const start = wide ? 12 : 10;
  const length = wide ? view.getUint32(8, true) : view.getUint16(8, true);
  if (length > LONGEST_HEADER)
    throw new FormatError(`${source.name}: an NPY header of ${length} bytes is too long`);
  const text = new TextDecoder().decode(await source.read(start, length));
  return { ...parseHeader(text, source.name), start: start + length };
}

/** The header is a Python dict literal of three known keys: three patterns read it, nothing is evaluated. */
function parseHeader(text: string, name: string): Omit<Header, "start"> {
  const descr = /'descr'\s*:\s*'([<>|=]?)([a-zA-Z]\d*)'/.exec(text);
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(text);
  const shape = /'shape'\s*:\s*\(([\d\s,L]*)\)/.exec(text);
  if (!fortran || !shape) throw new FormatError(`${name}: cannot read the NPY header ${text.trim()}`);
  const description = /'descr'\s*:\s*('[^']*'|\[.*\])/.exec(text)?.[1] ?? "none";
  const lengths = shape[1].split(/[\s,L]+/).flatMap((part) => (part === "" ? [] : [Number(part)]));
  if (lengths.length > MOST_AXES || ![...lengths, elements(lengths)].every(Number.isSafeInteger))
    throw new FormatError(`${name} has an impossible shape, (${shape[1].trim()})`);
  return {
    dtype: descr ? elementTypeOf(descr[2]) : undefined,
    description,
    littleEndian: descr?.[1] !== ">",
    fortran: fortran[1] === "True",
    shape: lengths,
  };
}

/** The type of an array of numbers; any other is refused. */
function numberType({ dtype, description }: Header, name: string): ElementType {
  if (dtype) return dtype;
  throw new FormatError(
    `${name} holds ${kindOf(description)}: only booleans, integers and floats of 16, 32 or 64 bits can be read`,
  );
}

function isObjects({ description }: Header): boolean {
  return /^'\|?O'$/.test(description);
}

/** What cannot be read, in words. */
function kindOf(descr: string): string {
  if (descr.startsWith("[")) return `compounds of ${descr}`;
  if (descr.includes("O'")) return "Python objects";
  const [, code, size] = /([a-zA-Z])(\d*)'$/.exec(descr) ?? [];
  if (code === "c") return "complex numbers";
  if (code === "f") return `${8 * Number(size)}-bit floats`;
  if (code === "S" || code === "U") return "strings";
  return `elements of type ${descr}`;
}
