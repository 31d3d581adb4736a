import { stream } from "../../src/random/stream.js";

/** How many times the usual number of cases are tried: `PDE_DIRICHLET_FUZZ=10 npx vitest run test/fuzz`. */
export const EFFORT = Math.max(1, Number(process.env.PDE_DIRICHLET_FUZZ ?? 1));

/** One way to damage a file: its bytes afterwards, and the way in words. */
export interface Damage {
  readonly bytes: Uint8Array;
  readonly what: string;
}

/** What discs, transfers and editors do to files. The same number gives the same damage of the same bytes. */
export function damaged(good: Uint8Array, number: number): Damage {
  const random = stream(number, "damage");
  const below = (limit: number) => Math.floor(random.uniform() * limit);
  const at = below(good.length);
  const bytes = good.slice();
  const kind = below(7);
  if (kind === 0) {
    const length = 1 + below(Math.min(64, good.length));
    for (let i = at; i < Math.min(at + length, good.length); i++) bytes[i] = below(256);
    return { bytes, what: `${length} random bytes from ${at} on` };
  }
  if (kind === 1) return { bytes: good.slice(0, at), what: `cut at ${at}` };
  if (kind === 2) {
    bytes.fill(0, at, at + 512);
    return { bytes, what: `zeros from ${at} on` };
  }
  if (kind === 3) {
    const end = Math.min(good.length, at + 1 + below(40));
    return {
      bytes: Uint8Array.from([...good.subarray(0, at), ...good.subarray(end)]),
      what: `bytes ${at} to ${end} are missing`,
    };
  }
  if (kind === 4) {
    // A digit is the smallest change that a text survives.
    const digits = [...good.keys()].filter((i) => good[i] >= 0x30 && good[i] <= 0x39);
    const place = digits[below(digits.length)] ?? at;
    bytes[place] = 0x30 + ((good[place] - 0x30 + 1 + below(9)) % 10);
    return { bytes, what: `another digit at ${place}` };
  }
  bytes[at] ^= 1 << below(8);
  return { bytes, what: `one bit at ${at}` };
}
