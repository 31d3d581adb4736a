import { SHUFFLE } from "../numerics/kernels/binary.js";
import { moduleAtOnce } from "../numerics/kernels/load-kernels.js";
import { nameText } from "./stream.js";

/** Whole numbers that are shuffled for every pass through them, each time from how they were given. */
export interface DealtList {
  readonly values: Int32Array;
  /** Pass p is in the order of `shuffle(stream(seed, ...name, p), values)`. */
  readonly seed: number;
  readonly name: readonly (string | number)[];
  /** Numbers that are dealt at a time; the last ones of a pass may be fewer. */
  readonly hand: number;
}

export interface Deal {
  /** [hands, lists, width]; where a hand has fewer numbers it is filled up with its first one. */
  readonly cards: Int32Array;
  /** How many numbers the hands have, [hands, lists]. */
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
 * Deals out lists, some hands of each at a time. The same bits as one by one, ten times as fast.
 *
 * @returns the hands from a number on; the arrays are used again two deals later
 */
export function dealtLists(
  lists: readonly DealtList[],
  { hands, width }: { readonly hands: number; readonly width: number },
): (first: number) => Deal {
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
  const places = hands * lists.length;
  const pair = [0, 1].map(() => ({ cards: room(4 * places * width), lengths: room(4 * places) }));

  const memory = new WebAssembly.Memory({ initial: Math.ceil(end / PAGE) });
  const { deal } = new WebAssembly.Instance(moduleAtOnce(SHUFFLE), { env: { memory } }).exports as {
    deal: (...pointersAndWords: number[]) => void;
  };
  const words = new Uint32Array(memory.buffer);
  lists.forEach(({ values, seed, hand }, i) => {
    new Int32Array(memory.buffer, given[i], values.length).set(values);
    new Uint8Array(memory.buffer, texts[i], names[i].length).set(names[i]);
    const handsOfPass = Math.max(1, Math.ceil(values.length / hand));
    const seeds = [seed >>> 0, Math.floor(seed / 2 ** 32)];
    words.set(
      [given[i], shuffled[i], values.length, hand, handsOfPass, -1, ...seeds, texts[i], names[i].length],
      table / 4 + WORDS * i,
    );
  });
  const deals = pair.map(({ cards, lengths }) => ({
    cards: new Int32Array(memory.buffer, cards, places * width),
    lengths: new Int32Array(memory.buffer, lengths, places),
  }));
  let turn = 0;
  return (first) => {
    turn = 1 - turn;
    deal(table, lists.length, first, hands, width, pair[turn].cards, pair[turn].lengths, SCRATCH);
    return deals[turn];
  };
}
