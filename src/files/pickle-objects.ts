import { FormatError } from "../errors.js";
import {
  decode,
  type ElementType,
  elementSize,
  elements,
  elementTypeOf,
  type NdArray,
} from "./element-type.js";
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

/** An array on its way: NumPy makes an empty one first and fills it by a later state. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function callableOf(module: string, callable: string): Callable {
  return { className: `${module}.${callable}`, module, callable };
}

/** What calling a known callee gives; any other becomes its name. */
export function apply(callee: Callable, parameters: PickleValue[], name: string): PickleValue {
  const { module, callable } = callee;
  const [first, second, third, fourth] = parameters;
  switch (`${module.replace(/^numpy\._?core\b/, "numpy.core")}.${callable}`) {
    case "collections.OrderedDict":
      return new Map((first as [PickleValue, PickleValue][]) ?? []);
    case "collections.defaultdict":
      return new Map((second as Map<PickleValue, PickleValue>) ?? []);
    case "collections.Counter":
    case "builtins.dict":
    case "__builtin__.dict":
      return first instanceof Map ? first : new Map((first as [PickleValue, PickleValue][]) ?? []);
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
      return rangeOf(parameters as number[], name);
    case "_codecs.encode":
      return fromLatin1(String(first));
    case "builtins.bytearray":
    case "builtins.bytes":
    case "__builtin__.bytearray":
    case "__builtin__.bytes":
      return first instanceof Uint8Array ? first : fromLatin1(String(first ?? ""));
    case "numpy.dtype":
      return typeOf(String(first));
    case "numpy.core.multiarray._reconstruct":
      return { shape: [], dtype: "float64", values: new Float64Array(0) } satisfies NdArray;
    case "numpy.core.numeric._frombuffer":
      return arrayOf(second, third as number[], first, fourth === "F", name);
    case "numpy.core.multiarray.scalar":
      return scalarOf(first, second, name);
    case "numpy.array":
      return arrayOfList(first as PickleValue[], String(second ?? "<i8"), name);
    case "copy_reg._reconstructor":
    case "copyreg._reconstructor":
      return newObject(first as Callable, [], name);
    default:
      return { className: callee.className };
  }
}

/** `cls.__new__`: containers of Python start empty, any other object is its name. */
export function newObject(callee: Callable, parameters: PickleValue[], name: string): PickleValue {
  if (/^(collections|builtins|__builtin__)$/.test(callee.module)) return apply(callee, parameters, name);
  return { className: callee.className };
}

/** `__setstate__` of arrays and dtypes; the state of anything else is passed over. */
export function setState(object: PickleValue, state: PickleValue, name: string): PickleValue {
  if (isType(object) && Array.isArray(state)) object.littleEndian = state[1] !== ">";
  if (isArray(object) && Array.isArray(state)) {
    const [, shape, dtype, fortran, data] = state;
    const full = arrayOf(dtype, shape as number[], data, fortran === true, name);
    if (!isArray(full)) return full;
    Object.assign(object as Mutable<NdArray>, full);
  }
  return object;
}

function typeOf(code: string): PickledType {
  return { className: "numpy.dtype", code, littleEndian: true };
}

/** Whether a value is a numeric NumPy array. */
export function isArray(value: PickleValue): value is NdArray {
  return typeof value === "object" && value !== null && "shape" in value;
}

/** What a value is, for messages: "a list", "numpy array of float64", "torch.Tensor". */
export function describe(value: PickleValue): string {
  if (value === null) return "None";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Map) return `a dict of ${value.size}`;
  if (value instanceof Uint8Array) return "bytes";
  if (isArray(value)) return `a NumPy array of ${value.dtype} (${value.shape.join("x")})`;
  if (isNamed(value)) return `an object of ${value.className}`;
  return `${typeof value} ${value}`;
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
  shape: number[],
  data: PickleValue,
  fortran: boolean,
  name: string,
): PickleValue {
  if (Array.isArray(data)) return data;
  if (!isType(dtype)) throw new FormatError(`${name}: a NumPy array without a type`);
  const type = elementType(dtype);
  if (!type) return { className: `numpy array of ${dtype.code}` };
  const bytes = typeof data === "string" ? fromLatin1(data) : (data as Uint8Array);
  if (bytes.length !== elements(shape) * elementSize(type)) {
    throw new FormatError(`${name}: a NumPy array of ${shape.join("x")} ${type} has ${bytes.length} bytes`);
  }
  if (fortran && shape.length > 1) return { className: "numpy array in Fortran order" };
  return { shape, dtype: type, values: decode(bytes, type, dtype.littleEndian) };
}

function scalarOf(dtype: PickleValue, data: PickleValue, name: string): PickleValue {
  const one = arrayOf(dtype, [], typeof data === "string" ? fromLatin1(data) : data, false, name);
  if (!isArray(one)) return one;
  const value = one.values[0];
  if (one.dtype === "bool") return value === 1;
  return typeof value === "bigint" && value === BigInt(Number(value)) ? Number(value) : value;
}

function arrayOfList(list: PickleValue[], code: string, name: string): PickleValue {
  const type = elementTypeOf(code.replace(/^[<>=|]/, ""));
  if (type !== "int64" || !list.every((item) => typeof item === "number" || typeof item === "bigint")) {
    throw new FormatError(`${name}: numpy.array of ${code} is not understood`);
  }
  const values = BigInt64Array.from(list as (number | bigint)[], BigInt);
  return { shape: [values.length], dtype: type, values };
}

function elementType({ code }: PickledType): ElementType | undefined {
  return elementTypeOf(code.replace(/^[<>=|]/, ""));
}

function rangeOf([start, end, step]: number[], name: string): number[] {
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (!(length < 1e8)) throw new FormatError(`${name}: a range of ${length} numbers`);
  return Array.from({ length }, (_, i) => start + i * step);
}

function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
