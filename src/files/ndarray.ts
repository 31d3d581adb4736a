import { elements } from "../numerics/shape.js";

/** Element types that NPY, HDF5 and pickled NumPy arrays share, by NumPy's names. */
export type ElementType =
  | "bool"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float16"
  | "float32"
  | "float64";

/** Values in memory. Booleans come as 0 and 1 in a `Uint8Array`, float16 widened to a `Float32Array`. */
export type Values =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** An array of known shape, in C order. */
export interface NdArray {
  readonly shape: readonly number[];
  readonly dtype: ElementType;
  readonly values: Values;
}

/** Places along an axis: `length` of them from `start` on, `step` apart (1 or more). */
export interface AxisRange {
  readonly start: number;
  readonly length: number;
  readonly step: number;
}

/** An array that is read by rows, wherever it lies. */
export interface RowArray {
  readonly shape: readonly number[];
  /** Length of the first axis; a 0-d array has one row, its value. */
  readonly rows: number;
  readonly dtype: ElementType;
  /** Rows `start` to `end - 1` of the first axis, flattened in C order. */
  read(start: number, end: number): Promise<Values>;
  /** The places that a range of each axis names, in C order of the axes; reads little else of the file. */
  readBox?(box: readonly AxisRange[]): Promise<Values>;
}

const CONSTRUCTORS = {
  bool: Uint8Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** NumPy's one-letter kind and size, as in `<f4`. */
const CODES: Readonly<Record<string, ElementType>> = {
  b1: "bool",
  i1: "int8",
  u1: "uint8",
  i2: "int16",
  u2: "uint16",
  i4: "int32",
  u4: "uint32",
  i8: "int64",
  u8: "uint64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
};

/** Bytes of one element. */
export function elementSize(dtype: ElementType): number {
  return CONSTRUCTORS[dtype].BYTES_PER_ELEMENT;
}

/** The type that NumPy's code names (`f4`, `i8`), or undefined for one that is no plain number. */
export function elementTypeOf(code: string): ElementType | undefined {
  return CODES[code];
}

/** NumPy's code of a type, `f4` for float32. */
export function codeOf(dtype: ElementType): string {
  return Object.keys(CODES).find((code) => CODES[code] === dtype)!;
}

/** Whether a type holds whole numbers. */
export function isInteger(dtype: ElementType): boolean {
  return !dtype.startsWith("float");
}

/** The type of values in memory. */
export function typeOfValues(values: Values): ElementType {
  return values.constructor.name.replace(/Array$|Big/g, "").toLowerCase() as ElementType;
}

/** Values from their bytes. Swaps the bytes of big-endian values; copies where the bytes do not lie aligned. */
export function decode(bytes: Uint8Array, dtype: ElementType, littleEndian = true): Values {
  const size = elementSize(dtype);
  const owned = !littleEndian || bytes.byteOffset % size !== 0 ? new Uint8Array(bytes) : bytes;
  if (!littleEndian) swap(owned, size);
  const raw = new CONSTRUCTORS[dtype](owned.buffer as ArrayBuffer, owned.byteOffset, owned.length / size);
  return dtype === "float16" ? fromHalves(raw as Uint16Array) : raw;
}

/** Values in C order from those in Fortran order. */
export function fromColumnMajor<T extends Values>(values: T, shape: readonly number[]): T {
  if (shape.length < 2) return values;
  const ordered = values.slice() as T;
  const strides = shape.map((_, axis) => elements(shape.slice(0, axis)));
  const index = shape.map(() => 0);
  let place = 0;
  for (let i = 0; i < ordered.length; i++) {
    ordered[i] = values[place];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      place += strides[axis];
      if (++index[axis] < shape[axis]) break;
      place -= index[axis] * strides[axis];
      index[axis] = 0;
    }
  }
  return ordered;
}

function fromHalves(halves: Uint16Array): Float32Array {
  const numbers = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) numbers[i] = halfToNumber(halves[i]);
  return numbers;
}

/** The little-endian bytes of values, as a view. Every platform that Node and browsers run on is little-endian. */
export function encode(values: Values): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** Values as floating-point numbers: float32 stays float32, everything else becomes float64. */
export function toFloats(values: Values): Float32Array | Float64Array {
  return values instanceof Float32Array ? values : toNumbers(values);
}

/** Values as float64 numbers; integers beyond 2^53 lose their last bits. */
export function toNumbers(values: Values): Float64Array {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const numbers = new Float64Array(values.length);
    for (let i = 0; i < values.length; i++) numbers[i] = Number(values[i]);
    return numbers;
  }
  return values instanceof Float64Array ? values : Float64Array.from(values);
}

function swap(bytes: Uint8Array, size: number): void {
  for (let start = 0; start < bytes.length; start += size)
    for (let low = start, high = start + size - 1; low < high; low++, high--) {
      const byte = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = byte;
    }
}

/** IEEE 754 binary16. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
