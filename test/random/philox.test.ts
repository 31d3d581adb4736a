import { describe, expect, it } from "vitest";
import { philox, type Words } from "../../src/random/philox.js";

/** Counter, key and result of Philox4x32-10 in Random123's own file of known answers, tests/kat_vectors. */
const KNOWN_ANSWERS = [
  "00000000 00000000 00000000 00000000  00000000 00000000  6627e8d5 e169c58d bc57ac4c 9b00dbd8",
  "ffffffff ffffffff ffffffff ffffffff  ffffffff ffffffff  408f276d 41c83b0e a20bc7c6 6d5451fd",
  "243f6a88 85a308d3 13198a2e 03707344  a4093822 299f31d0  d16cfe09 94fdcceb 5001e420 24126ea1",
];

describe("philox", () => {
  it.each(KNOWN_ANSWERS)("gives the published answer for %s", (line) => {
    const words = line.split(/ +/).map((word) => Number.parseInt(word, 16));
    expect(philox(words.slice(0, 4) as unknown as Words, words[4], words[5])).toEqual(words.slice(6));
  });

  it("maps neighbouring counters and keys far apart", () => {
    const ones = (words: Words, others: Words) =>
      words.reduce(
        (sum, word, i) => sum + ((word ^ others[i]) >>> 0).toString(2).replaceAll("0", "").length,
        0,
      );
    const base = philox([0, 0, 0, 0], 0, 0);
    for (const other of [philox([1, 0, 0, 0], 0, 0), philox([0, 0, 0, 1], 0, 0), philox([0, 0, 0, 0], 0, 1)])
      expect(Math.abs(ones(base, other) - 64)).toBeLessThan(34); // six standard deviations of 128 fair bits
  });
});
