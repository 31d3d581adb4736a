import { FormatError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import { type ByteSource, bytesInMemory, slice } from "./byte-source.js";
import { type InflateOptions, inflateZlib, inflateZlibStart, refuseBomb } from "./inflate.js";
import { type NamedArrays, type NamedShape, refusedArray } from "./name-list.js";
import { decode, type ElementType, elementSize, toNumbers, type Values } from "./ndarray.js";
import { columnMajor, type StoredElements, stridedArray } from "./strided.js";

/** Numbers in the byte order of a file. */
interface ByteOrder {
  readonly littleEndian: boolean;
  /** What error messages call the file. */
  readonly name: string;
}

/** An element of a file: its type, and where its data lie. */
interface Tag {
  readonly type: number;
  readonly start: number;
  readonly bytes: number;
  /** Where the next element begins. */
  readonly next: number;
}

/** A variable of a file: a matrix, compressed or not. */
interface Variable extends NamedShape {
  readonly dtype?: ElementType;
  /** The matrix with its tag; one that is compressed is inflated when its first byte is read. */
  open?(): ByteSource;
  /** Where the real part lies in the matrix. */
  readonly real?: Tag;
}

const HEADER_BYTES = 128;
const TAG_BYTES = 8;
/** Bytes of a matrix that hold its flags, lengths and name: MATLAB's names have 63 letters at most. */
const START_BYTES = 1 << 12;
/** Axes of an array: NumPy's limit. */
const MOST_AXES = 64;

/** Types of elements (MAT-File Format, table 1-1). */
const INT8 = 1;
const INT32 = 5;
const UINT32 = 6;
const MATRIX = 14;
const COMPRESSED = 15;
const STORAGE: Readonly<Record<number, ElementType>> = {
  1: "int8",
  2: "uint8",
  3: "int16",
  4: "uint16",
  5: "int32",
  6: "uint32",
  7: "float32",
  9: "float64",
  12: "int64",
  13: "uint64",
};

/** Classes of arrays that hold numbers (table 1-3). */
const CLASSES: Readonly<Record<number, ElementType>> = {
  6: "float64",
  7: "float32",
  8: "int8",
  9: "uint8",
  10: "int16",
  11: "uint16",
  12: "int32",
  13: "uint32",
  14: "int64",
  15: "uint64",
};
const OWN_ARRAYS = "save what it holds as arrays of their own";
/** The other classes: what they are, and the way out. */
const OTHERS: Readonly<Record<number, string>> = {
  1: `is a cell array: ${OWN_ARRAYS}`,
  2: `is a struct: ${OWN_ARRAYS}, or with save(..., '-struct', ...)`,
  3: `is an object: ${OWN_ARRAYS}`,
  4: "is text",
  5: "is a sparse matrix: save it with full(...)",
  16: "is a function handle",
  17: `is an object: ${OWN_ARRAYS}`,
  18: `is an object: ${OWN_ARRAYS}`,
};
const OPAQUE = 17;
const COMPLEX_FLAG = 0x0800;
const LOGICAL_FLAG = 0x0200;

/** Whether bytes begin like a MATLAB file of version 5 to 7.2; `start` has 128 bytes. One of version 7.3 is HDF5. */
export function isMat5(start: Uint8Array): boolean {
  const isText = new TextDecoder("latin1").decode(start.subarray(0, 10)) === "MATLAB 5.0";
  return isText || (start.length >= HEADER_BYTES && start[0] !== 0 && byteOrder(start) !== undefined);
}

/**
 * Opens a MATLAB file of version 5 to 7.2 (MathWorks, "MAT-File Format", R2023b). Arrays have MATLAB's own shapes. One
 * that is stored as it is gets read by ranges. Of a compressed one only the header is inflated, until it is read: then all
 * of it is in memory. A damaged array has a `problem`; a file without an array that can be read is refused.
 */
export async function openMat5(source: ByteSource, options: InflateOptions = {}): Promise<NamedArrays> {
  const { name } = source;
  if (source.size < HEADER_BYTES) throw new FormatError(`${name} is truncated: its header is cut off`);
  const littleEndian = byteOrder(await source.read(0, HEADER_BYTES));
  if (littleEndian === undefined) throw new FormatError(`${name} is not a MATLAB file of version 5 to 7.2`);
  const order = { littleEndian, name };
  const variables = new Map<string, Variable>();
  let damage: FormatError | undefined;
  for await (const variable of variablesOf(source, order, options)) {
    if (variable instanceof FormatError) {
      damage ??= variable;
      const { name: damaged, problem } = damagedVariable(variable, order, variables.size + 1);
      variables.set(damaged, { name: damaged, problem });
    } else if (variable.name !== "") variables.set(variable.name, variable); // MATLAB keeps objects' data under no name
  }
  const list = [...variables.values()].map(({ open: _, real: __, ...described }) => described);
  if (damage && list.every(({ shape }) => shape === undefined)) throw damage;
  return {
    list: () => list,
    array: async (wanted) => {
      const variable = variables.get(wanted);
      const { shape, dtype, real, open, problem } = variable ?? {};
      if (!shape || !dtype || !real || !open || problem !== undefined) throw refusedArray(name, wanted, list);
      const stored = storedElements(STORAGE[real.type], dtype, order, wanted);
      const strides = columnMajor(shape, stored.size);
      const layout = { shape, strides, offset: real.start, elements: stored };
      return stridedArray({ ...open(), name: `${name}:${wanted}` }, layout);
    },
  };
}

/** The variables of a file in turn, or why one cannot be read. What is cut off ends the file. */
async function* variablesOf(
  source: ByteSource,
  order: ByteOrder,
  options: InflateOptions,
): AsyncGenerator<Variable | FormatError> {
  const attempt = async (work: () => Promise<Variable>) =>
    work().catch((error) => {
      if (error instanceof FormatError) return error;
      throw error;
    });
  for (let at = HEADER_BYTES; at < source.size; ) {
    const left = source.size - at;
    if (left < TAG_BYTES)
      return yield new FormatError(`${order.name} is damaged: an element's header is cut off`);
    const tag = tagAt(await source.read(at, TAG_BYTES), 0, order);
    const size = TAG_BYTES + tag.bytes;
    const element = slice(source, at, Math.min(size, left));
    const variable = await attempt(() => readVariable(element, tag, order, options));
    if (size > left) {
      const { name } = variable instanceof FormatError ? damagedVariable(variable, order, 0) : variable;
      const called = name === "" || name === unnamed(0) ? "" : `:${name}`;
      return yield new FormatError(
        `${order.name}${called} is truncated: an element at byte ${at} has ${tag.bytes} bytes, the file ends at ${source.size}`,
      );
    }
    yield variable;
    if (tag.type !== MATRIX && tag.type !== COMPRESSED) return; // what follows is anywhere
    at += size;
  }
}

/** How a variable is listed whose name cannot be read. */
const unnamed = (number: number): string => `(variable ${number})`;

/** A variable that cannot be read, by the error that says why. */
function damagedVariable({ message }: FormatError, { name: file }: ByteOrder, number: number) {
  const [, name] = message.startsWith(`${file}:`) ? (/^(\S+) /.exec(message.slice(file.length)) ?? []) : [];
  if (name !== undefined && name.length > 1)
    return { name: name.slice(1), problem: message.slice(file.length + name.length + 1) };
  return { name: unnamed(number), problem: message.slice(file.length).replace(/^: /, "has ").trim() };
}

/** Whether numbers are little-endian, by the two letters at the end of the header; undefined where they are not there. */
function byteOrder(header: Uint8Array): boolean | undefined {
  const mark = String.fromCharCode(header[126], header[127]);
  const version = mark === "IM" ? header[125] : header[124];
  if (version !== 1) return undefined;
  return mark === "IM" ? true : mark === "MI" ? false : undefined;
}

/** A top-level element: a matrix, or a compressed one. */
async function readVariable(
  element: ByteSource,
  tag: Tag,
  order: ByteOrder,
  options: InflateOptions,
): Promise<Variable> {
  if (tag.type === MATRIX) {
    const start = await element.read(0, Math.min(START_BYTES, element.size));
    return { ...readMatrix(start, element.size, order), open: () => element };
  }
  if (tag.type !== COMPRESSED)
    throw new FormatError(
      `${order.name} is damaged: an element of type ${tag.type} where a variable should be`,
    );
  const compressed = slice(element, TAG_BYTES, element.size - TAG_BYTES);
  const start = await inflateZlibStart(compressed, START_BYTES);
  const inner = tagAt(start, 0, order);
  if (inner.type !== MATRIX)
    throw new FormatError(`${order.name} is damaged: a compressed element of type ${inner.type}`);
  const size = TAG_BYTES + inner.bytes;
  const matrix = readMatrix(start.subarray(0, Math.min(start.length, size)), size, order);
  const open = () => {
    const name = `${order.name}:${matrix.name}`;
    refuseBomb(name, compressed.size, size);
    return inflatedLater(name, size, () => inflateZlib({ ...compressed, name }, size, options));
  };
  return { ...matrix, open };
}

/** Bytes that are inflated once, when the first of them are read. */
function inflatedLater(name: string, size: number, inflate: () => Promise<Uint8Array>): ByteSource {
  let whole: Promise<ByteSource> | undefined;
  return {
    name,
    size,
    read: async (offset, length) => {
      whole ??= inflate().then((bytes) => bytesInMemory(bytes, name));
      return (await whole).read(offset, length);
    },
  };
}

/** What a matrix of `size` bytes says of itself in its first bytes. */
function readMatrix(start: Uint8Array, size: number, order: ByteOrder): Omit<Variable, "open"> {
  const flags = tagAt(start, TAG_BYTES, order, UINT32);
  const view = dataView(start);
  const [word] = whole(view, flags, order);
  const [kind, isComplex, isLogical] = [
    word & 0xff,
    (word & COMPLEX_FLAG) !== 0,
    (word & LOGICAL_FLAG) !== 0,
  ];
  if (kind === OPAQUE) {
    const label = tagAt(start, flags.next, order, INT8);
    return { name: textOf(start, label), problem: OTHERS[OPAQUE] };
  }
  const lengths = tagAt(start, flags.next, order, INT32);
  const label = tagAt(start, lengths.next, order, INT8);
  const shape = whole(view, lengths, order);
  const name = textOf(start, label);
  if (
    shape.length > MOST_AXES ||
    ![...shape, elements(shape)].every((n) => n >= 0 && Number.isSafeInteger(n))
  )
    throw new FormatError(`${order.name}:${name} has an impossible shape, (${shape.join(", ")})`);
  const dtype = isLogical && kind === 9 ? "bool" : CLASSES[kind];
  if (dtype === undefined) return { name, problem: OTHERS[kind] ?? `is of class ${kind}, which is unknown` };
  if (isComplex)
    return {
      name,
      problem: "holds complex numbers: save real(...) and imag(...) as arrays of their own",
    };
  const real = tagAt(start, label.next, order);
  const storage = STORAGE[real.type];
  if (storage === undefined)
    throw new FormatError(`${order.name}:${name} is damaged: its data are of type ${real.type}`);
  const expected = elements(shape) * elementSize(storage);
  if (real.bytes !== expected || real.start + real.bytes > size)
    throw new FormatError(
      `${order.name}:${name} is damaged: ${shape.join("x")} ${storage} needs ${expected} bytes, it has ` +
        `${Math.min(real.bytes, Math.max(0, size - real.start))}`,
    );
  return { name, shape, dtype, real };
}

/** The tag at a byte. Data of up to four bytes may lie within it: then it has its length in the upper half of its type. */
function tagAt(bytes: Uint8Array, at: number, order: ByteOrder, type?: number): Tag {
  const cut = () => new FormatError(`${order.name} is damaged: an element's header is cut off`);
  if (at + TAG_BYTES > bytes.length) throw cut();
  const view = dataView(bytes);
  const first = view.getUint32(at, order.littleEndian);
  const isSmall = first > 0xffff;
  const length = isSmall ? first >>> 16 : view.getUint32(at + 4, order.littleEndian);
  if (isSmall && length > 4)
    throw new FormatError(`${order.name} is damaged: a small element of ${length} bytes`);
  const found = isSmall ? first & 0xffff : first;
  if (type !== undefined) {
    if (found !== type)
      throw new FormatError(`${order.name} is damaged: an element of type ${found} in place of ${type}`);
    if (!isSmall && at + TAG_BYTES + length > bytes.length) throw cut();
  }
  const start = isSmall ? at + 4 : at + TAG_BYTES;
  const next = isSmall ? at + TAG_BYTES : start + Math.ceil(length / 8) * 8;
  return { type: found, start, bytes: length, next };
}

function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The 32-bit whole numbers of an element. */
function whole(view: DataView, { start, bytes }: Tag, { littleEndian }: ByteOrder): number[] {
  return Array.from({ length: Math.floor(bytes / 4) }, (_, i) => view.getInt32(start + 4 * i, littleEndian));
}

function textOf(bytes: Uint8Array, { start, bytes: length }: Tag): string {
  return new TextDecoder("latin1").decode(bytes.subarray(start, start + length)).replace(/\0+$/, "");
}

/** MATLAB stores whole numbers in the smallest type that holds them; the class of the array says what they are. */
function storedElements(
  storage: ElementType,
  dtype: ElementType,
  { littleEndian, name }: ByteOrder,
  variable: string,
): StoredElements {
  const stored = (bytes: Uint8Array) => decode(bytes, storage, littleEndian);
  const convert = (bytes: Uint8Array): Values => {
    const values = stored(bytes);
    const converted =
      dtype === "bool" ? Uint8Array.from(toNumbers(values), (v) => Number(v !== 0)) : as(values, dtype);
    if (converted === undefined)
      throw new FormatError(`${name}:${variable} is damaged: values of ${storage} in an array of ${dtype}`);
    return converted;
  };
  return { size: elementSize(storage), dtype, decode: storage === dtype ? stored : convert };
}

/** Values as another type; undefined where one of them does not survive it. */
function as(values: Values, dtype: ElementType): Values | undefined {
  if (dtype === "int64" || dtype === "uint64") {
    const BigNumbers = dtype === "int64" ? BigInt64Array : BigUint64Array;
    const numbers =
      values instanceof BigInt64Array || values instanceof BigUint64Array ? values : toNumbers(values);
    const isWhole = (value: number | bigint) => typeof value === "bigint" || Number.isSafeInteger(value);
    if (!(numbers as Float64Array).every(isWhole)) return undefined;
    const converted = new BigNumbers(numbers.length);
    for (let i = 0; i < numbers.length; i++) {
      converted[i] = BigInt(numbers[i]);
      if (converted[i] !== BigInt(numbers[i])) return undefined;
    }
    return converted;
  }
  const numbers = toNumbers(values);
  const converted = decode(new Uint8Array(numbers.length * elementSize(dtype)), dtype) as Float64Array;
  converted.set(numbers);
  const survives = (a: number, b: number) => a === b || (Number.isNaN(a) && Number.isNaN(b));
  return converted.every((value, i) => survives(value, numbers[i])) ? converted : undefined;
}
