/** What can be pickled: whole numbers, strings, lists, dicts (maps), and int64 NumPy arrays (Int32Array). */
export type Picklable =
  | number
  | string
  | Int32Array
  | readonly Picklable[]
  | { readonly tuple: readonly Picklable[] }
  | ReadonlyMap<number | string, Picklable>;

/**
 * A pickle of protocol 2, which every Python 3 reads. Arrays are written as the call `numpy.array([...], "<i8")`,
 * a name that NumPy 1 and 2 share (their internal reconstructors do not), and load writable.
 */
export function writePickle(value: Picklable): Uint8Array {
  const out: number[] = [0x80, 2];
  write(value, out);
  out.push(code("."));
  return Uint8Array.from(out);
}

const code = (letter: string): number => letter.charCodeAt(0);

function write(value: Picklable, out: number[]): void {
  if (typeof value === "number") writeWhole(value, out);
  else if (typeof value === "string") writeString(value, out);
  else if (value instanceof Int32Array) writeArray(value, out);
  else if (value instanceof Map) {
    out.push(code("}"), code("("));
    for (const [key, item] of value) {
      write(key, out);
      write(item, out);
    }
    out.push(code("u"));
  } else if ("tuple" in value) {
    out.push(code("("));
    for (const item of value.tuple) write(item, out);
    out.push(code("t"));
  } else {
    writeList(value as readonly Picklable[], out);
  }
}

function writeList(items: Iterable<Picklable>, out: number[]): void {
  out.push(code("]"), code("("));
  for (const item of items) write(item, out);
  out.push(code("e"));
}

function writeWhole(value: number, out: number[]): void {
  if (!Number.isInteger(value) || value !== (value | 0))
    throw new RangeError(`${value} is no 32-bit whole number`);
  if (value >= 0 && value < 0x100) out.push(code("K"), value);
  else if (value >= 0 && value < 0x10000) out.push(code("M"), value & 0xff, value >> 8);
  else out.push(code("J"), ...littleEndian(value));
}

function writeString(text: string, out: number[]): void {
  const bytes = new TextEncoder().encode(text);
  out.push(code("X"), ...littleEndian(bytes.length), ...bytes);
}

function writeArray(values: Int32Array, out: number[]): void {
  for (const letter of "cnumpy\narray\n(") out.push(code(letter));
  writeList(values, out);
  writeString("<i8", out);
  out.push(code("t"), code("R"));
}

function littleEndian(value: number): number[] {
  return [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, (value >>> 24) & 0xff];
}
