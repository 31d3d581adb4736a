import { FormatError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import { type ByteSource, bytesInMemory } from "./byte-source.js";
import {
  type AxisRange,
  decode,
  type ElementType,
  elementSize,
  encode,
  type NdArray,
  type RowArray,
  typeOfValues,
  type Values,
} from "./ndarray.js";
import { notePlainRows, type PlainRows } from "./plain/plain-rows.js";

/** How elements lie in a file, and what they become in memory. */
export interface StoredElements {
  /** Bytes of one element in the file: 1, 2, 4 or 8. */
  readonly size: number;
  /** Type of the array. */
  readonly dtype: ElementType;
  /** Values from the bytes of whole elements. */
  decode(bytes: Uint8Array): Values;
}

/** Where the elements of an array lie in a file. */
export interface StridedLayout {
  readonly shape: readonly number[];
  /** Bytes between neighbours along each axis, 0 or more; 0 repeats one element along the axis. */
  readonly strides: readonly number[];
  /** Byte of the first element. */
  readonly offset: number;
  readonly elements: StoredElements;
}

/** An axis of a box on its way from the file to C order. */
interface Axis {
  readonly length: number;
  /** Bytes between neighbours in the file. */
  readonly stride: number;
  /** Distance of neighbours in the result, in elements. */
  readonly out: number;
}

/** Bytes between runs that one read takes along: a read of its own costs about as much as so many bytes. */
const GAP_BYTES = 1 << 16;
/** Bytes of the file that one read takes at most, unless they are the result as it is. */
const WINDOW_BYTES = 1 << 22;
/** Reads at a time. */
const IN_FLIGHT = 4;
/** Bytes up to which an array may repeat what a file holds, by strides of 0 or overlapping windows. */
const SMALL_BYTES = 1 << 26;
const MOST_GROWTH = 1000;

/** Elements of one of our types, as they are. */
export function plainElements(dtype: ElementType, littleEndian = true): StoredElements {
  return { size: elementSize(dtype), dtype, decode: (bytes) => decode(bytes, dtype, littleEndian) };
}

/** Strides of an array whose last axis varies fastest, for elements of `size` bytes. */
export function rowMajor(shape: readonly number[], size: number): number[] {
  return shape.map((_, axis) => elements(shape.slice(axis + 1)) * size);
}

/** Strides of an array whose first axis varies fastest, as Fortran and MATLAB have it. */
export function columnMajor(shape: readonly number[], size: number): number[] {
  return shape.map((_, axis) => elements(shape.slice(0, axis)) * size);
}

/**
 * An array in a file at any strides: C order, Fortran order, a view into a larger array. It reads the contiguous runs of
 * what is asked for, neighbouring ones together, through windows of a few megabytes.
 */
export function stridedArray(source: ByteSource, layout: StridedLayout): RowArray {
  checkLayout(source, layout);
  const { shape, elements: stored } = layout;
  const rows = shape[0] ?? 1;
  const readBox = async (box: readonly AxisRange[]) => {
    checkBox(shape, box, source.name);
    return gather(source, layout, box);
  };
  const read = async (start: number, end: number) => {
    if (start < 0 || end > rows || start > end)
      throw new RangeError(`rows ${start} to ${end} of ${rows} in ${source.name}`);
    const box = wholeBox(shape);
    if (shape.length > 0) box[0] = { start, length: end - start, step: 1 };
    return shape.length === 0 && start === end ? stored.decode(new Uint8Array(0)) : readBox(box);
  };
  notePlainRows(read, () => plainRows(source, layout));
  return { shape, rows, dtype: stored.dtype, readBox, read };
}

/** The rows of an array where each lies in one piece, in C order. */
function plainRows({ fill }: ByteSource, layout: StridedLayout): PlainRows | undefined {
  const { shape, strides, offset, elements: stored } = layout;
  const expected = rowMajor(shape, stored.size);
  const isWhole = shape.every(
    (length, axis) => axis === 0 || length === 1 || strides[axis] === expected[axis],
  );
  if (!fill || shape.length === 0 || !isWhole) return undefined;
  return {
    bytes: elements(shape.slice(1)) * stored.size,
    at: (row) => offset + row * strides[0],
    fill,
    decode: stored.decode,
  };
}

/** An array that is in memory, read as one of a file. */
export function memoryArray({ shape, dtype, values }: NdArray, name: string): RowArray {
  const kept = plainElements(typeOfValues(values)); // float16 is widened in memory
  const layout = { shape, strides: rowMajor(shape, kept.size), offset: 0, elements: { ...kept, dtype } };
  return stridedArray(bytesInMemory(encode(values), name), layout);
}

/** The box that covers all of an array. */
export function wholeBox(shape: readonly number[]): AxisRange[] {
  return shape.map((length) => ({ start: 0, length, step: 1 }));
}

/** Throws a `RangeError` where a box does not lie within an array. */
export function checkBox(shape: readonly number[], box: readonly AxisRange[], name: string): void {
  const fits = ({ start, length, step }: AxisRange, axis: number) =>
    [start, length, step].every(Number.isSafeInteger) &&
    start >= 0 &&
    length >= 0 &&
    step >= 1 &&
    (length === 0 ? start <= shape[axis] : start + (length - 1) * step < shape[axis]);
  if (box.length !== shape.length || !box.every(fits)) {
    const shown = box.map(({ start, length, step }) => `${length} from ${start} by ${step}`).join(", ");
    throw new RangeError(`a box of ${shown || "no axes"} in ${shape.join("x")} of ${name}`);
  }
}

/** Refuses a layout that leaves the file, and one that repeats the file more often than anybody means. */
function checkLayout(source: ByteSource, { shape, strides, offset, elements: stored }: StridedLayout): void {
  const whole =
    [...shape, ...strides, offset].every((value) => Number.isSafeInteger(value) && value >= 0) &&
    strides.every((stride) => stride % wordBytes(stored.size) === 0);
  const count = elements(shape);
  if (!whole || strides.length !== shape.length || !Number.isSafeInteger(count * stored.size))
    throw new FormatError(
      `${source.name} has an impossible layout: shape (${shape.join(", ")}), strides (${strides.join(", ")})`,
    );
  if (count === 0) return;
  const axes = shape.map((length, axis) => ({ length, stride: strides[axis] }));
  const end = offset + span(axes, stored.size);
  if (!(end <= source.size))
    throw new FormatError(
      `${source.name} is truncated: ${shape.join("x")} ${stored.dtype} needs ${end} bytes, it has ${source.size}`,
    );
  if (count * stored.size > Math.max(SMALL_BYTES, MOST_GROWTH * source.size))
    throw new FormatError(
      `${source.name} claims ${Math.round((count * stored.size) / 1e6)} MB in ${Math.ceil(source.size / 1e3)} kB: ` +
        `its strides (${strides.join(", ")}) repeat the same elements`,
    );
}

/** Bytes from the first to the last element that axes reach. */
function span(axes: readonly Pick<Axis, "length" | "stride">[], size: number): number {
  return axes.reduce((sum, { length, stride }) => sum + (length - 1) * stride, size);
}

async function gather(source: ByteSource, layout: StridedLayout, box: readonly AxisRange[]): Promise<Values> {
  const { size, decode: decodeAll } = layout.elements;
  const lengths = box.map(({ length }) => length);
  const count = elements(lengths);
  if (count === 0) return decodeAll(new Uint8Array(0));
  const begin = box.reduce((at, { start }, axis) => at + start * layout.strides[axis], layout.offset);
  const axes = fileOrder(box, layout.strides);
  const isPlain = axes.length === 0 || (axes.length === 1 && axes[0].stride === size && axes[0].out === 1);
  if (isPlain) return decodeAll(await source.read(begin, count * size));
  const result = new Uint8Array(count * size);
  const windows = windowsOf(axes, size);
  // Each of these reads a window, places it and takes the next; they share one list.
  const worker = async () => {
    for (const window of windows) {
      const part = await source.read(begin + window.from, span(window.axes, size));
      scatter(part, result, window, size);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return decodeAll(result);
}

/** The axes of a box in the order in which the file has them, slowest first; axes that run on into each other are one. */
function fileOrder(box: readonly AxisRange[], strides: readonly number[]): Axis[] {
  const outs = rowMajor(
    box.map(({ length }) => length),
    1,
  );
  const axes = box
    .map(({ length, step }, axis) => ({ length, stride: strides[axis] * step, out: outs[axis] }))
    .filter(({ length }) => length > 1)
    .sort((a, b) => b.stride - a.stride || b.out - a.out);
  const merged: Axis[] = [];
  for (const axis of axes) {
    const outer = merged.at(-1);
    const runsOn =
      outer && outer.stride === axis.stride * axis.length && outer.out === axis.out * axis.length;
    if (runsOn) merged[merged.length - 1] = { ...axis, length: outer.length * axis.length };
    else merged.push(axis);
  }
  return merged;
}

/** Part of a box that one read covers: `axes` from byte `from` of the box to element `to` of the result. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly axes: readonly Axis[];
}

/**
 * Cuts a box into windows. A window takes the fastest axes whole, as long as gaps are small and it does not grow too
 * large, then as many places of the next axis as it has room for.
 */
function* windowsOf(axes: readonly Axis[], size: number): Generator<Window> {
  let split = axes.length - 1;
  let places = 1;
  for (; split >= 0; split--) {
    const inner = span(axes.slice(split + 1), size);
    const { length, stride } = axes[split];
    const isNear = stride - inner <= GAP_BYTES;
    const fitting = stride === 0 ? length : Math.floor((WINDOW_BYTES - inner) / stride) + 1;
    places = isNear ? Math.max(1, Math.min(length, fitting)) : 1;
    if (places < length) break;
  }
  const whole = axes.slice(split + 1);
  function* along(axis: number, from: number, to: number): Generator<Window> {
    if (axis > split) return yield { from, to, axes: whole };
    const { length, stride, out } = axes[axis];
    if (axis < split || places === 1) {
      for (let at = 0; at < length; at++) yield* along(axis + 1, from + at * stride, to + at * out);
      return;
    }
    for (let at = 0; at < length; at += places) {
      const own = { length: Math.min(places, length - at), stride, out };
      yield { from: from + at * stride, to: to + at * out, axes: [own, ...whole] };
    }
  }
  yield* along(0, 0, 0);
}

type Words = Uint8Array | Uint16Array | Uint32Array;

const WORDS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;

/** Bytes of the words that elements are copied by: elements of 8 bytes are two words. */
function wordBytes(size: number): 1 | 2 | 4 {
  return Math.min(4, size) as 1 | 2 | 4;
}

/**
 * Copies the elements of a window to their places in the result. The axes that run fastest in the file and in the result
 * are copied by tiles, so that neither side leaves the cache between neighbours.
 */
function scatter(part: Uint8Array, result: Uint8Array, { to, axes }: Window, size: number): void {
  const bytes = wordBytes(size);
  const aligned = part.byteOffset % bytes === 0 ? part : new Uint8Array(part);
  const from = wordsOf(aligned, bytes);
  const target = wordsOf(result, bytes);
  const words = size / bytes;
  // Both in words from here on; an axis of one place stands in where there is but one axis.
  const all = axes.map(({ length, stride, out }) => ({ length, stride: stride / bytes, out: out * words }));
  const fast = all.pop() ?? { length: 1, stride: words, out: words };
  const near = all.reduce((best, { out }, i) => (out < all[best].out ? i : best), 0);
  const [other] = fast.stride === words && fast.out === words ? [] : all.splice(near, 1);
  const copy = (axis: number, source: number, place: number): void => {
    if (axis === all.length) copyTiles(from, source, target, place, fast, other ?? ONE, words);
    else
      for (let i = 0; i < all[axis].length; i++)
        copy(axis + 1, source + i * all[axis].stride, place + i * all[axis].out);
  };
  copy(0, 0, to * words);
}

const ONE: Axis = { length: 1, stride: 0, out: 0 };
/** Places of each axis in a tile. */
const TILE = 32;

function wordsOf(bytes: Uint8Array, size: 1 | 2 | 4): Words {
  return new WORDS[size](bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length / size);
}

/** Copies the elements of two axes; places are counted in words. */
function copyTiles(
  from: Words,
  source: number,
  target: Words,
  place: number,
  a: Axis,
  b: Axis,
  words: number,
): void {
  if (a.stride === words && a.out === words) {
    target.set(from.subarray(source, source + a.length * words), place);
    return;
  }
  for (let i = 0; i < a.length; i += TILE)
    for (let j = 0; j < b.length; j += TILE) {
      const last = Math.min(b.length, j + TILE);
      for (let row = i; row < Math.min(a.length, i + TILE); row++) {
        let at = source + row * a.stride + j * b.stride;
        let to = place + row * a.out + j * b.out;
        for (let column = j; column < last; column++, at += b.stride, to += b.out) {
          target[to] = from[at];
          if (words === 2) target[to + 1] = from[at + 1];
        }
      }
    }
}
