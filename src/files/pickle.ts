import { FormatError } from "../errors.js";
import type { NdArray } from "./ndarray.js";
import { apply, type Callable, callableOf, newObject, type PickleQuota, setState } from "./pickle-objects.js";

/** An object of a class that is not rebuilt here; it is only named. */
export interface PickledObject {
  readonly className: string;
}

/**
 * What a pickle holds. Tuples, lists and sets are arrays, dicts are maps, None is null; whole numbers beyond 2^53 are
 * bigints.
 */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | NdArray
  | PickledObject
  | PickleValue[]
  | Map<PickleValue, PickleValue>;

/** What a format that builds on pickles adds to them: classes of its own, and objects that lie outside the pickle. */
export interface PickleExtension {
  /** Sees every class or function that the pickle names, and throws where it must not be there. */
  admit(module: string, callable: string): void;
  /** What a call gives; undefined where it is Python's or NumPy's own. */
  call(callee: Callable, parameters: readonly PickleValue[]): PickleValue | undefined;
  /** The object that lies outside the pickle under an id. */
  persistent(id: PickleValue): PickleValue;
}

/** What lies on the stack. */
type Item = PickleValue | typeof MARK;

const MARK = Symbol("mark");

/** Numbers that a pickle may hold beyond those that its bytes spell out, as the numbers of a range. */
const MOST_NUMBERS = 2e6;
/** Bytes and digits of the longest integer: Python's own limit of digits (sys.int_info.default_max_str_digits). */
const MOST_DIGITS = 4300;

/** Whether bytes begin like a pickle of protocol 2 to 5; older ones have no signature. */
export function isPickle(bytes: Uint8Array): boolean {
  return bytes[0] === 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
}

/**
 * Reads a pickle of protocol 0 to 5. Nothing is imported or executed: of all callables a pickle can name, only those
 * of NumPy arrays and of Python's own containers are understood (`pickle-objects.ts`), every other object is returned
 * as its class name alone. Opcodes as in CPython's Lib/pickletools.py.
 */
export function readPickle(bytes: Uint8Array, name = "pickle"): PickleValue {
  return readPickleAt(bytes, name).value;
}

/** Reads a pickle that something else follows: what it holds, and the byte at which it ends. */
export function readPickleAt(
  bytes: Uint8Array,
  name: string,
  extension?: PickleExtension,
): { readonly value: PickleValue; readonly end: number } {
  try {
    return new Machine(bytes, name, extension).run();
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError(`${name} is not a readable pickle: ${(error as Error).message}`);
  }
}

/** The pickle machine: a stack, a memo, and one method a kind of argument. */
class Machine {
  private at = 0;
  private readonly stack: Item[] = [];
  private readonly memo = new Map<number, Item>();
  /** What objects became when their state arrived. */
  private readonly rebuilt = new Map<Item, Item>();
  private readonly view: DataView;
  private readonly quota: PickleQuota;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly name: string,
    private readonly extension?: PickleExtension,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.quota = { name, numbers: MOST_NUMBERS + bytes.length };
  }

  run(): { value: PickleValue; end: number } {
    for (;;) {
      const start = this.at;
      const opcode = String.fromCharCode(this.take(1)[0]);
      if (opcode === ".") return { value: this.pop(1)[0], end: this.at };
      if (!this.step(opcode)) {
        throw new FormatError(
          `${this.name} is not a pickle: unknown opcode ${JSON.stringify(opcode)} at byte ${start}`,
        );
      }
    }
  }

  private step(opcode: string): boolean {
    const { stack } = this;
    switch (opcode) {
      // protocol and framing
      case "\x80": {
        const version = this.take(1)[0];
        if (version > 5) throw new FormatError(`${this.name}: unknown pickle protocol ${version}`);
        return true;
      }
      case "\x95":
        return this.take(8) !== undefined;
      // constants and numbers
      case "N":
        return this.push(null);
      case "\x88":
        return this.push(true);
      case "\x89":
        return this.push(false);
      case "I": {
        const line = this.line();
        return this.push(line === "01" ? true : line === "00" ? false : integer(line));
      }
      case "L":
        return this.push(integer(this.line().replace(/L$/, "")));
      case "J":
        return this.push(this.number(4, (at) => this.view.getInt32(at, true)));
      case "K":
        return this.push(this.take(1)[0]);
      case "M":
        return this.push(this.number(2, (at) => this.view.getUint16(at, true)));
      case "\x8a":
        return this.push(twosComplement(this.take(this.take(1)[0])));
      case "\x8b":
        return this.push(twosComplement(this.take(this.uint32())));
      case "F":
        return this.push(Number(this.line()));
      case "G":
        return this.push(this.number(8, (at) => this.view.getFloat64(at, false)));
      // strings and bytes
      case "V":
        return this.push(unescaped(this.line()));
      case "X":
        return this.push(utf8(this.take(this.uint32())));
      case "\x8c":
        return this.push(utf8(this.take(this.take(1)[0])));
      case "\x8d":
        return this.push(utf8(this.take(this.uint64())));
      case "S":
        return this.push(unquote(this.line()));
      case "T":
        return this.push(latin1(this.take(this.uint32())));
      case "U":
        return this.push(latin1(this.take(this.take(1)[0])));
      case "B":
        return this.push(this.take(this.uint32()));
      case "C":
        return this.push(this.take(this.take(1)[0]));
      case "\x8e":
      case "\x96":
        return this.push(this.take(this.uint64()));
      case "\x97":
        throw new FormatError(`${this.name} keeps its arrays outside the pickle (out-of-band buffers)`);
      case "\x98":
        return true;
      // containers
      case "(":
        return this.push(MARK);
      case "]":
      case ")":
      case "\x8f":
        return this.push([]);
      case "l":
      case "t":
      case "\x91":
        return this.push(this.toMark());
      case "\x85":
      case "\x86":
      case "\x87":
        return this.push(this.pop(opcode.charCodeAt(0) - 0x84));
      case "}":
        return this.push(new Map());
      case "d": {
        const items = this.toMark();
        return this.push(new Map()) && this.setItems(items);
      }
      case "a":
        return this.append(this.pop(1));
      case "e":
      case "\x90":
        return this.append(this.toMark());
      case "s":
        return this.setItems(this.pop(2));
      case "u":
        return this.setItems(this.toMark());
      // memo and stack
      case "p":
        return this.put(Number(this.line()));
      case "q":
        return this.put(this.take(1)[0]);
      case "r":
        return this.put(this.uint32());
      case "\x94":
        return this.put(this.memo.size);
      case "g":
        return this.get(Number(this.line()));
      case "h":
        return this.get(this.take(1)[0]);
      case "j":
        return this.get(this.uint32());
      case "0":
        return this.pop(1) !== undefined;
      case "1":
        return this.toMark() !== undefined;
      case "2":
        return this.push(stack[stack.length - 1]);
      // objects
      case "c":
        return this.push(this.callable(this.line(), this.line()));
      case "\x93": {
        const [module, callable] = this.pop(2);
        return this.push(this.callable(nameIn(module), nameIn(callable)));
      }
      case "R":
      case "\x81": {
        const [callee, parameters] = this.pop(2);
        const own = this.extension?.call(callee as Callable, parameters as PickleValue[]);
        if (own !== undefined) return this.push(own);
        const make = opcode === "R" ? apply : newObject;
        return this.push(make(callee as Callable, parameters as PickleValue[], this.quota));
      }
      case "\x92": {
        const [callee] = this.pop(3);
        return this.push(newObject(callee as Callable, [], this.quota));
      }
      case "i": {
        const callee = this.callable(this.line(), this.line());
        return this.push(newObject(callee, this.toMark(), this.quota));
      }
      case "o": {
        const [callee, ...parameters] = this.toMark();
        return this.push(newObject(callee as Callable, parameters, this.quota));
      }
      case "b": {
        const [object, state] = this.pop(2);
        const built = setState(object, state, this.quota);
        if (built !== object) this.rebuilt.set(object, built);
        return this.push(built);
      }
      case "P":
        return this.push(this.persistent(this.line()));
      case "Q":
        return this.push(this.persistent(this.pop(1)[0]));
      default:
        return false;
    }
  }

  private callable(module: string, callable: string): Callable {
    this.extension?.admit(module, callable);
    return callableOf(module, callable);
  }

  private persistent(id: PickleValue): PickleValue {
    return this.extension?.persistent(id) ?? { className: "persistent object" };
  }

  private take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) {
      throw new FormatError(`${this.name} is truncated: the pickle ends at byte ${this.bytes.length}`);
    }
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  private line(): string {
    const end = this.bytes.indexOf(10, this.at);
    const text = latin1(this.take((end < 0 ? this.bytes.length : end) + 1 - this.at));
    return text.slice(0, -1).replace(/\r$/, "");
  }

  private number(size: number, get: (at: number) => number): number {
    this.take(size);
    return get(this.at - size);
  }

  private uint32(): number {
    return this.number(4, (at) => this.view.getUint32(at, true));
  }

  private uint64(): number {
    return this.number(8, (at) => Number(this.view.getBigUint64(at, true)));
  }

  private push(item: Item): true {
    this.stack.push(item);
    return true;
  }

  private pop(count: number): PickleValue[] {
    if (this.stack.length < count) throw new Error("its stack is empty");
    const items = this.stack.splice(this.stack.length - count);
    if (items.includes(MARK)) throw new Error("a mark where a value should be");
    return items as PickleValue[];
  }

  private toMark(): PickleValue[] {
    const mark = this.stack.lastIndexOf(MARK);
    if (mark < 0) throw new Error("a mark is missing");
    return this.stack.splice(mark).slice(1) as PickleValue[];
  }

  private append(items: PickleValue[]): true {
    const list = this.stack[this.stack.length - 1];
    if (Array.isArray(list)) for (const item of items) list.push(item);
    return true;
  }

  private setItems(items: PickleValue[]): true {
    const map = this.stack[this.stack.length - 1];
    if (map instanceof Map) for (let i = 0; i + 1 < items.length; i += 2) map.set(items[i], items[i + 1]);
    return true;
  }

  private put(index: number): true {
    this.memo.set(index, this.stack[this.stack.length - 1]);
    return true;
  }

  private get(index: number): true {
    if (!this.memo.has(index)) throw new Error(`nothing is memorised under ${index}`);
    const item = this.memo.get(index)!;
    return this.push(this.rebuilt.get(item) ?? item);
  }
}

const utf8 = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

function whole(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** A whole number from its digits. */
function integer(digits: string): number | bigint {
  if (digits.length > MOST_DIGITS) throw new Error(`an integer of ${digits.length} digits`);
  return whole(BigInt(digits));
}

function nameIn(value: PickleValue): string {
  if (typeof value !== "string") throw new Error("a name that is not text");
  return value;
}

function twosComplement(bytes: Uint8Array): number | bigint {
  if (bytes.length > MOST_DIGITS) throw new Error(`an integer of ${bytes.length} bytes`);
  const value = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return whole(BigInt.asIntN(8 * bytes.length, value));
}

/** A Python 2 string literal: quotes off, simple escapes undone. */
function unquote(text: string): string {
  return text
    .slice(1, -1)
    .replace(/\\(x[0-9a-fA-F]{2}|[\\'"nrt])/g, (_, mark: string) =>
      mark[0] === "x" ? String.fromCharCode(Number.parseInt(mark.slice(1), 16)) : (ESCAPES[mark] ?? mark),
    );
}

/** Python's raw-unicode-escape: letters beyond Latin-1 as \\u20ac or \\U0001f600. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/g, (_, short?: string, long?: string) =>
    String.fromCodePoint(Number.parseInt(short ?? long!, 16)),
  );
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
