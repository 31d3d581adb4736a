import { philox, type Words } from "./philox.js";

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
  const [key0, key1, upper0, upper1] = identity(seed, name);
  let block = 0;
  let words: Words = [0, 0, 0, 0];
  let used = 4;

  function uint32(): number {
    if (used === 4) {
      words = philox([block >>> 0, Math.floor(block / 4294967296), upper0, upper1], key0, key1);
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
      const limit = 4294967296 - (4294967296 % bound); // reject the incomplete last run: no modulo bias
      for (;;) {
        const word = uint32();
        if (word < limit) return word % bound;
      }
    },
  };
}

function identity(seed: number, name: readonly (string | number)[]): Words {
  // The separator cannot occur in a number and is escaped in a string, so that ("a", "b") is not ("a/b").
  const text = name.map((part) => (typeof part === "number" ? `#${part}` : JSON.stringify(part))).join("/");
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil((bytes.length + 1) / 16) * 16);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  const key0 = seed >>> 0;
  const key1 = Math.floor(seed / 4294967296);
  let state: Words = [0, 0, 0, 0];
  for (let at = 0; at < padded.length; at += 16) {
    state = philox(
      [
        (state[0] ^ view.getUint32(at, true)) >>> 0,
        (state[1] ^ view.getUint32(at + 4, true)) >>> 0,
        (state[2] ^ view.getUint32(at + 8, true)) >>> 0,
        (state[3] ^ view.getUint32(at + 12, true)) >>> 0,
      ],
      key0,
      key1,
    );
  }
  return state;
}
