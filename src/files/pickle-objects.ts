import { FormatError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import {
  decode,
  type ElementType,
  elementSize,
  elementTypeOf,
  fromColumnMajor,
  type NdArray,
} from "./ndarray.js";
import type { PickledObject, PickleValue } from "./pickle.js";

/** A class or function that a pickle names. */
export interface Callable extends PickledObject {
  readonly module: string;
  readonly callable: string;
}

/** A dtype on its way: `dtype('i8')` first, its byte order by a later state. */
interface PickledType extends PickledObject {
  readonly code: string;
  littleEndian: boolean;
}

/** What a pickle may still hold: a few bytes can ask for a range of a hundred million numbers, again and again. */
export interface PickleQuota {
  /** What error messages call the pickle. */
  readonly name: string;
  /** Numbers, letters and entries that may still be made. */
  numbers: number;
}

/** An array on its way: NumPy makes an empty one first and fills it by a later state. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function callableOf(module: string, callable: string): Callable {
  return { className: `${module}.${callable}`, module, callable };
}

/** Classes and functions of Python and NumPy that are understood here, without NumPy's old name of its core. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    ["collections", "OrderedDict", "defaultdict", "Counter"],
    ["builtins", "dict", "list", "tuple", "set", "frozenset", "range", "bytearray", "bytes"],
    ["__builtin__", "dict", "list", "tuple", "set", "frozenset", "xrange", "bytearray", "bytes"],
    ["_codecs", "encode"],
    ["numpy", "dtype", "array", "ndarray"],
    ["numpy.core.multiarray", "_reconstruct", "scalar"],
    ["numpy.core.numeric", "_frombuffer"],
  ].flatMap(([module, ...names]) => names.map((name) => `${module}.${name}`)),
);

/** Whether a class or function belongs to Python's containers or NumPy's arrays, which can be rebuilt here. */
export function isKnown(module: string, callable: string): boolean {
  return KNOWN.has(fullName(module, callable));
}

function fullName(module: string, callable: string): string {
  return `${module.replace(/^numpy\._?core\b/, "numpy.core")}.${callable}`;
}

/** What calling a known callee gives; any other becomes its name. */
export function apply(callee: Callable, parameters: PickleValue[], quota: PickleQuota): PickleValue {
  const { module, callable } = callee;
  const [first, second, third, fourth] = parameters;
  switch (fullName(module, callable)) {
    case "collections.OrderedDict":
      return mapOf(first, quota);
    case "collections.defaultdict":
      return mapOf(second, quota);
    case "collections.Counter":
    case "builtins.dict":
    case "__builtin__.dict":
      return first instanceof Map ? first : mapOf(first, quota);
    case "builtins.list":
    case "builtins.tuple":
    case "builtins.set":
    case "builtins.frozenset":
    case "__builtin__.list":
    case "__builtin__.set":
    case "__builtin__.frozenset":
      return (first as PickleValue[]) ?? [];
    case "builtins.range":
    case "__builtin__.xrange":
      return rangeOf(parameters, quota);
    case "_codecs.encode":
      return fromLatin1(first, quota);
    case "builtins.bytearray":
    case "builtins.bytes":
    case "__builtin__.bytearray":
    case "__builtin__.bytes":
      return first instanceof Uint8Array ? first : fromLatin1(first ?? "", quota);
    case "numpy.dtype":
      return typeOf(first);
    case "numpy.core.multiarray._reconstruct":
      return { shape: [], dtype: "float64", values: new Float64Array(0) } satisfies NdArray;
    case "numpy.core.numeric._frombuffer":
      return arrayOf(second, third, first, fourth === "F", quota);
    case "numpy.core.multiarray.scalar":
      return scalarOf(first, second, quota);
    case "numpy.array":
      return arrayOfList(first, second ?? "<i8", quota);
    case "copy_reg._reconstructor":
    case "copyreg._reconstructor":
      return newObject(first as Callable, [], quota);
    default:
      return { className: callee.className };
  }
}

/** `cls.__new__`: containers of Python start empty, any other object is its name. */
export function newObject(callee: Callable, parameters: PickleValue[], quota: PickleQuota): PickleValue {
  if (/^(collections|builtins|__builtin__)$/.test(callee.module)) return apply(callee, parameters, quota);
  return { className: callee.className };
}

/** `__setstate__` of arrays and dtypes; the state of anything else is passed over. */
export function setState(object: PickleValue, state: PickleValue, quota: PickleQuota): PickleValue {
  if (isType(object) && Array.isArray(state)) object.littleEndian = state[1] !== ">";
  if (isArray(object) && Array.isArray(state)) {
    const [, shape, dtype, fortran, data] = state;
    const full = arrayOf(dtype, shape, data, fortran === true, quota);
    if (!isArray(full)) return full;
    Object.assign(object as Mutable<NdArray>, full);
  }
  return object;
}

function typeOf(code: PickleValue): PickledType {
  if (typeof code !== "string") throw new Error("a NumPy type that is not text");
  return { className: "numpy.dtype", code, littleEndian: true };
}

/** Whether a value is a numeric NumPy array. */
export function isArray(value: PickleValue): value is NdArray {
  return typeof value === "object" && value !== null && "dtype" in value;
}

/** What a value is, for messages: "a list", "numpy array of float64", "torch.Tensor". */
export function describe(value: PickleValue): string {
  if (value === null) return "None";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Map) return `a dict of ${value.size}`;
  if (value instanceof Uint8Array) return "bytes";
  if (isArray(value)) return `a NumPy array of ${value.dtype} (${value.shape.join("x")})`;
  if (isNamed(value)) return `an object of ${value.className}`;
  return `${typeof value} ${String(value).slice(0, 40)}`;
}

function isNamed(value: PickleValue): value is PickledObject {
  return typeof value === "object" && value !== null && "className" in value;
}

function isType(value: PickleValue): value is PickledType {
  return isNamed(value) && "code" in value;
}

/** An array from its raw bytes; one of Python objects is the plain list of them. */
function arrayOf(
  dtype: PickleValue,
  lengths: PickleValue,
  data: PickleValue,
  fortran: boolean,
  quota: PickleQuota,
): PickleValue {
  const { name } = quota;
  if (Array.isArray(data)) return data;
  if (!isType(dtype)) throw new FormatError(`${name}: a NumPy array without a type`);
  const type = elementType(dtype);
  if (!type) return { className: `numpy array of ${dtype.code}` };
  const shape = shapeOf(lengths);
  const bytes = data instanceof Uint8Array ? data : fromLatin1(data, quota);
  if (bytes.length !== elements(shape) * elementSize(type)) {
    throw new FormatError(`${name}: a NumPy array of ${shape.join("x")} ${type} has ${bytes.length} bytes`);
  }
  spend(elements(shape), quota);
  const values = decode(bytes, type, dtype.littleEndian);
  return { shape, dtype: type, values: fortran ? fromColumnMajor(values, shape) : values };
}

function scalarOf(dtype: PickleValue, data: PickleValue, quota: PickleQuota): PickleValue {
  const one = arrayOf(dtype, [], data, false, quota);
  if (!isArray(one)) return one;
  const value = one.values[0];
  if (one.dtype === "bool") return value === 1;
  return typeof value === "bigint" && value === BigInt(Number(value)) ? Number(value) : value;
}

function arrayOfList(list: PickleValue, code: PickleValue, quota: PickleQuota): PickleValue {
  const type = elementType(typeOf(code));
  const isWhole = (item: PickleValue) => typeof item === "number" || typeof item === "bigint";
  if (Array.isArray(list)) spend(list.length, quota);
  if (type !== "int64" || !Array.isArray(list) || !list.every(isWhole)) {
    throw new FormatError(`${quota.name}: numpy.array of ${code} is not understood`);
  }
  const values = BigInt64Array.from(list as (number | bigint)[], BigInt);
  return { shape: [values.length], dtype: type, values };
}

function elementType({ code }: PickledType): ElementType | undefined {
  return elementTypeOf(code.replace(/^[<>=|]/, ""));
}

function rangeOf(parameters: PickleValue[], quota: PickleQuota): number[] {
  if (!parameters.every(Number.isSafeInteger)) throw new Error("a range without whole numbers");
  const [start, end, step] = parameters as number[];
  const length = Math.max(0, Math.ceil((end - start) / step));
  spend(length, quota);
  return Array.from({ length }, (_, i) => start + i * step);
}

/** Counts what is about to be made, and refuses what is too much before it takes any memory. */
function spend(numbers: number, quota: PickleQuota): void {
  quota.numbers -= numbers;
  if (!(quota.numbers >= 0))
    throw new FormatError(`${quota.name} holds too much for a partition: ${numbers} numbers at once`);
}

/** Numbers that take the memory and time of one entry of a map. */
const ENTRY = 10;

function mapOf(pairs: PickleValue | undefined, quota: PickleQuota): Map<PickleValue, PickleValue> {
  if (Array.isArray(pairs)) spend(ENTRY * pairs.length, quota);
  if (pairs instanceof Map) spend(ENTRY * pairs.size, quota);
  return new Map((pairs as [PickleValue, PickleValue][]) ?? []);
}

function shapeOf(lengths: PickleValue): number[] {
  if (!Array.isArray(lengths) || !lengths.every((length) => Number.isSafeInteger(length)))
    throw new Error("a NumPy array without a shape");
  return [...lengths] as number[];
}

function fromLatin1(text: PickleValue, quota: PickleQuota): Uint8Array {
  if (typeof text !== "string") throw new Error("bytes that are not text");
  spend(text.length, quota);
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
