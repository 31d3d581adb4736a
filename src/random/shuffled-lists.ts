import { SHUFFLE } from "../numerics/kernels/binary.js";
import { identityOfBytes, nameText } from "./stream.js";

/** Lists of whole numbers that are shuffled over and over, each from how it was given. */
export interface ShuffledLists {
  /** All lists end to end, each as it was shuffled last. */
  readonly values: Int32Array;
  /** Where each list begins. */
  readonly starts: readonly number[];
  /** Orders a list as `shuffle(stream(seed, ...name, number), list)` does. */
  shuffle(list: number, number: number): void;
}

const PAGE = 65536;
/** Bytes before the lists: the stub runtime's few, and scratch. */
const RESERVED = 4096;
const SCRATCH = 2048;
/** A number as text has fewer characters. */
const DIGITS = 32;

let compiled: WebAssembly.Module | undefined;

/** Lists with seed and name of the streams that shuffle them. The same bits as one by one, ten times as fast. */
export function shuffledLists(
  lists: readonly {
    readonly values: Int32Array;
    readonly seed: number;
    readonly name: readonly (string | number)[];
  }[],
): ShuffledLists {
  compiled ??= new WebAssembly.Module(Uint8Array.from(atob(SHUFFLE), (character) => character.charCodeAt(0)));
  let total = 0;
  const starts = lists.map(({ values }) => {
    total += values.length;
    return total - values.length;
  });
  const memory = new WebAssembly.Memory({ initial: Math.ceil((RESERVED + 8 * total) / PAGE) });
  const { shuffled } = new WebAssembly.Instance(compiled, { env: { memory } }).exports as {
    shuffled: (...pointersAndWords: number[]) => void;
  };
  const given = new Int32Array(memory.buffer, RESERVED, total);
  const values = new Int32Array(memory.buffer, RESERVED + 4 * total, total);
  for (const [list, start] of starts.entries()) given.set(lists[list].values, start);
  values.set(given);
  const names = lists.map(({ name }) => openName(name));
  const identity = new Uint32Array(4);
  return {
    values,
    starts,
    shuffle(list, number) {
      const { seed, values: own } = lists[list];
      if (own.length < 2) return;
      const { bytes, length } = names[list];
      const digits = `${number}`;
      for (let i = 0; i < digits.length; i++) bytes[length + i] = digits.charCodeAt(i);
      identityOfBytes(seed, bytes, length + digits.length, identity);
      const from = given.byteOffset + 4 * starts[list];
      const to = values.byteOffset + 4 * starts[list];
      shuffled(from, to, own.length, identity[0], identity[1], identity[2], identity[3], SCRATCH);
    },
  };
}

/** The bytes of a name that ends with a number, `length` of them before it, and room for its digits. */
function openName(name: readonly (string | number)[]): { bytes: Uint8Array; length: number } {
  const known = new TextEncoder().encode(nameText([...name, 0]).slice(0, -1));
  const bytes = new Uint8Array(known.length + DIGITS);
  bytes.set(known);
  return { bytes, length: known.length };
}
