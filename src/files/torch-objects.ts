import { FormatError } from "../errors.js";
import type { NdArray } from "./ndarray.js";
import type { PickledObject, PickleExtension, PickleValue } from "./pickle.js";
import { type Callable, describe, isArray, isKnown } from "./pickle-objects.js";

/** A storage of a pickle: bytes outside of it, which tensors share. */
export interface Storage extends PickledObject {
  readonly className: "torch storage";
  readonly key: string;
  /** The class that the pickle gives it, `FloatStorage`; `UntypedStorage` has no type of its own. */
  readonly kind: string;
  readonly count: number;
}

export interface Tensor extends PickledObject {
  readonly className: "torch.Tensor";
  readonly storage: Storage;
  /** Name of its type, as in torch.float32. */
  readonly type: string;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  /** What its storage does not show: PyTorch computes it when it is read. */
  readonly lazy?: string;
}

const MOST_AXES = 64;
const MOST_DEPTH = 64;
/** Objects that are looked at: a few bytes of a pickle can name the same list again and again. */
const MOST_OBJECTS = 1e5;

/** Types of the classes of storages. */
const STORAGE_TYPES: Readonly<Record<string, string>> = {
  BoolStorage: "bool",
  ByteStorage: "uint8",
  CharStorage: "int8",
  ShortStorage: "int16",
  IntStorage: "int32",
  LongStorage: "int64",
  HalfStorage: "float16",
  BFloat16Storage: "bfloat16",
  FloatStorage: "float32",
  DoubleStorage: "float64",
  ComplexFloatStorage: "complex64",
  ComplexDoubleStorage: "complex128",
};
export const UNTYPED = "UntypedStorage";
/** Functions that rebuild tensors, and objects that say something about them. */
const REBUILD = "torch._utils._rebuild_tensor";
const ADMITTED: ReadonlySet<string> = new Set([
  ...[`${REBUILD}`, `${REBUILD}_v2`, `${REBUILD}_v3`, "torch._utils._rebuild_parameter"],
  ...["torch.Size", "torch.device"],
]);
const TYPE_NAME = /^(bool|u?int(8|16|32|64)|b?float16|float(32|64|8_\w+)|complex(32|64|128))$/;

/** Bytes of a storage; undefined where its class does not say. */
export function storageBytes({ kind, count }: Storage): number | undefined {
  const type = STORAGE_TYPES[kind];
  if (kind === UNTYPED) return count;
  if (type === undefined) return undefined;
  const bits = /\d+$/.exec(type);
  return count * (bits ? Number(bits[0]) / 8 : 1);
}

/** What PyTorch adds to a pickle. Storages are noted in `storages` where it is given. */
export function torchObjects(name: string, storages?: Map<string, Storage>): PickleExtension {
  return {
    admit: (module, callable) => {
      const isStorage = /^torch(\.cuda|\.storage)?$/.test(module) && /^\w*Storage$/.test(callable);
      const isType = module === "torch" && TYPE_NAME.test(callable);
      if (isStorage || isType || ADMITTED.has(`${module}.${callable}`) || isKnown(module, callable)) return;
      throw new FormatError(
        `${name} names ${module}.${callable}, which is not run here: only tensors in dicts, lists and tuples are read; ` +
          "load the file in Python if you trust it, and torch.save its tensors in a dict",
      );
    },
    call: ({ className }, parameters) => {
      if (className.startsWith(REBUILD)) return tensorOf(className, parameters, name);
      if (className === "torch._utils._rebuild_parameter") return parameters[0];
      if (className === "torch.Size") return Array.isArray(parameters[0]) ? parameters[0] : [];
      return undefined;
    },
    persistent: (id) => {
      const storage = storageOf(id, name);
      storages?.set(storage.key, storage);
      return storage;
    },
  };
}

/** `("storage", class, key, location, count)`; the legacy format adds a view, which nothing has written for years. */
function storageOf(id: PickleValue, name: string): Storage {
  const [what, kind, key, , count, view = null] = Array.isArray(id) ? id : [];
  const callable = (kind as Callable | undefined)?.callable;
  const isStorage = what === "storage" && typeof callable === "string" && callable.endsWith("Storage");
  if (!isStorage || typeof key !== "string" || !isCount(count) || view !== null)
    throw new FormatError(`${name} is damaged: an object outside its pickle is no storage`);
  return { className: "torch storage", key, kind: callable, count };
}

/** `_rebuild_tensor_v2(storage, offset, size, strides, requires_grad, hooks, metadata)`; version 3 has a type before it. */
function tensorOf(rebuild: string, parameters: readonly PickleValue[], name: string): Tensor {
  const [storage, offset, shape, strides, , , ...rest] = parameters;
  const [typed, metadata] = rebuild.endsWith("_v3") ? rest : [undefined, rest[0]];
  const isStorage = storage !== null && typeof storage === "object" && "key" in storage && "kind" in storage;
  if (
    !isStorage ||
    !isCount(offset) ||
    !isCounts(shape) ||
    !isCounts(strides) ||
    shape.length !== strides.length
  )
    throw new FormatError(`${name} is damaged: a tensor without storage, shape or strides`);
  const { kind } = storage as Storage;
  const type = rebuild.endsWith("_v3")
    ? (typed as Callable | null | undefined)?.callable
    : STORAGE_TYPES[kind];
  const marks = metadata instanceof Map ? ["conj", "neg"].filter((mark) => metadata.get(mark) === true) : [];
  return {
    className: "torch.Tensor",
    storage: storage as Storage,
    type: type ?? kind,
    offset,
    shape,
    strides,
    lazy: marks[0] && (marks[0] === "neg" ? "negated" : "conjugated"),
  };
}

function isCount(value: PickleValue): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isCounts(value: PickleValue): value is number[] {
  return Array.isArray(value) && value.length <= MOST_AXES && value.every(isCount);
}

/** All tensors within dicts, lists and tuples, and the numbers and text beside them. */
export function namedTensors(
  root: PickleValue,
  file: string,
): { tensors: Map<string, Tensor | NdArray>; attributes: Record<string, number | string | number[]> } {
  const tensors = new Map<string, Tensor | NdArray>();
  const attributes: Record<string, number | string | number[]> = {};
  let objects = 0;
  const visit = (value: PickleValue, name: string, depth: number): void => {
    if (++objects > MOST_OBJECTS || depth > MOST_DEPTH)
      throw new FormatError(`${file} holds too many objects within each other`);
    const inside = name === "" ? "" : `${name}/`;
    if (value instanceof Map)
      for (const [key, item] of value) visit(item, `${inside}${keyOf(key)}`, depth + 1);
    else if (isTensor(value) || isArray(value)) tensors.set(name, value);
    else if (typeof value === "number" || typeof value === "string") attributes[name] = value;
    else if (typeof value === "boolean") attributes[name] = Number(value);
    else if (Array.isArray(value)) {
      if (value.length > 0 && value.every((item) => typeof item === "number")) attributes[name] = [...value];
      else for (const [index, item] of value.entries()) visit(item, `${inside}${index}`, depth + 1);
    }
  };
  visit(root, "", 0);
  return { tensors, attributes };
}

function isTensor(value: PickleValue): value is Tensor {
  return typeof value === "object" && value !== null && "strides" in value;
}

function keyOf(key: PickleValue): string {
  return typeof key === "object" ? describe(key) : String(key);
}
