import { SHUFFLE } from "../numerics/kernels/binary.js";
import { moduleAtOnce } from "../numerics/kernels/load-kernels.js";
import { nameText } from "./stream.js";

/** Whole numbers that are shuffled for every pass through them, each time from the order in which they were given. */
export interface ShuffledList {
  readonly values: Int32Array;
  /** Pass p is in the order of `shuffle(stream(seed, ...name, p), values)`. */
  readonly seed: number;
  readonly name: readonly (string | number)[];
  /** Numbers of a batch; the last batch of a pass may have fewer. */
  readonly batch: number;
}

export interface ListBatches {
  /** [batches, lists, width]; where a batch has fewer numbers it is filled up with its first one. */
  readonly values: Int32Array;
  /** How many numbers the batches have, [batches, lists]. */
  readonly lengths: Int32Array;
}

const PAGE = 65536;
/** Bytes before the lists: the stub runtime's few, and scratch. */
const RESERVED = 4096;
const SCRATCH = 2048;
/** Words of a list, as assembly/shuffle.ts has them. */
const WORDS = 10;
/** A number as text has fewer characters. */
const DIGITS = 32;

/**
 * Takes batches of shuffled lists, some of each list at a time. The same bits as one by one, ten times as fast.
 *
 * @returns the batches from a number on; the arrays are used again two calls later
 */
export function batchedShuffles(
  lists: readonly ShuffledList[],
  { batches, width }: { readonly batches: number; readonly width: number },
): (first: number) => ListBatches {
  const names = lists.map(({ name }) => new TextEncoder().encode(nameText([...name, 0]).slice(0, -1)));
  let end = RESERVED;
  const room = (bytes: number) => {
    const start = end;
    end += 4 * Math.ceil(bytes / 4);
    return start;
  };
  const table = room(4 * WORDS * lists.length);
  const given = lists.map(({ values }) => room(values.byteLength));
  const shuffled = lists.map(({ values }) => room(values.byteLength));
  const texts = names.map((name) => room(name.length + DIGITS));
  const places = batches * lists.length;
  const pair = [0, 1].map(() => ({ values: room(4 * places * width), lengths: room(4 * places) }));

  const memory = new WebAssembly.Memory({ initial: Math.ceil(end / PAGE) });
  const { takeBatches } = new WebAssembly.Instance(moduleAtOnce(SHUFFLE), { env: { memory } }).exports as {
    takeBatches: (...pointersAndWords: number[]) => void;
  };
  const words = new Uint32Array(memory.buffer);
  lists.forEach(({ values, seed, batch }, i) => {
    new Int32Array(memory.buffer, given[i], values.length).set(values);
    new Uint8Array(memory.buffer, texts[i], names[i].length).set(names[i]);
    const batchesOfPass = Math.max(1, Math.ceil(values.length / batch));
    const seeds = [seed >>> 0, Math.floor(seed / 2 ** 32)];
    words.set(
      [given[i], shuffled[i], values.length, batch, batchesOfPass, -1, ...seeds, texts[i], names[i].length],
      table / 4 + WORDS * i,
    );
  });
  const taken = pair.map(({ values, lengths }) => ({
    values: new Int32Array(memory.buffer, values, places * width),
    lengths: new Int32Array(memory.buffer, lengths, places),
  }));
  let turn = 0;
  return (first) => {
    turn = 1 - turn;
    takeBatches(table, lists.length, first, batches, width, pair[turn].values, pair[turn].lengths, SCRATCH);
    return taken[turn];
  };
}
