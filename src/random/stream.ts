import { philoxInPlace } from "./philox.js";

/** The generator's name and version in every record; a change of any drawn bit changes it. */
export const RANDOM_ALGORITHM = "philox4x32-10/named-streams-1";

/** A sequence of random numbers with a name. Draws advance it; nothing else does. */
export interface Stream {
  /** A whole number, uniform in [0, 2^32). */
  uint32(): number;
  /** Uniform in (0, 1), never 0 or 1, with 53 bits. */
  uniform(): number;
  /** A whole number, uniform in [0, bound), for bounds up to 2^32. */
  below(bound: number): number;
}

/**
 * The stream of this seed and name: `stream(42, "counts", bin)`. Two different names give independent streams,
 * the same name gives the same bits on every machine.
 *
 * The 128-bit identity of a stream is the CBC-MAC of its name under Philox keyed by the seed: half of it becomes
 * the key, the other half the upper words of the counter.
 */
export function stream(seed: number, ...name: readonly (string | number)[]): Stream {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError(`a seed is a whole number from 0 on, not ${seed}`);
  const [key0, key1, upper0, upper1] = streamIdentity(seed, nameText(name));
  let block = 0;
  const words = new Uint32Array(4);
  let used = 4;

  function uint32(): number {
    if (used === 4) {
      words[0] = block;
      words[1] = block / 4294967296;
      words[2] = upper0;
      words[3] = upper1;
      philoxInPlace(words, key0, key1);
      block += 1;
      used = 0;
    }
    return words[used++];
  }

  return {
    uint32,
    uniform() {
      const high = uint32() >>> 5;
      const low = uint32() >>> 6;
      return (high * 67108864 + low + 0.5) / 9007199254740992;
    },
    below(bound) {
      for (;;) {
        // The remainder by a division: exact for whole numbers up to 2^32, and several times faster than `%`.
        const word = uint32();
        const start = Math.floor(word / bound) * bound;
        if (start + bound <= 4294967296) return word - start; // else the incomplete last run: no modulo bias
      }
    },
  };
}

/** A name as the text that identifies its stream. */
export function nameText(name: readonly (string | number)[]): string {
  // The separator cannot occur in a number and is escaped in a string, so that ("a", "b") is not ("a/b").
  let text = "";
  for (const part of name) {
    if (text !== "") text += "/";
    text += typeof part === "number" ? `#${part}` : JSON.stringify(part);
  }
  return text;
}

const UTF8 = new TextEncoder();

/** Key and upper words of the counter of a stream. */
function streamIdentity(seed: number, text: string): Uint32Array {
  const bytes = UTF8.encode(text);
  const state = new Uint32Array(4);
  const key0 = seed >>> 0;
  const key1 = Math.floor(seed / 4294967296);
  for (let at = 0; at <= bytes.length; at += 16) {
    // Little-endian words; one bit behind the text ends it, zeros fill up the last block.
    const end = Math.min(at + 16, bytes.length);
    for (let i = at; i < end; i++) state[(i >> 2) & 3] ^= bytes[i] << (8 * (i & 3));
    if (end < at + 16) state[(end >> 2) & 3] ^= 0x80 << (8 * (end & 3));
    philoxInPlace(state, key0, key1);
  }
  return state;
}
