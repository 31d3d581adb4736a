import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shuffle } from "../../src/random/permutation.js";
import { shuffledLists } from "../../src/random/shuffled-lists.js";
import { stream } from "../../src/random/stream.js";

describe("lists that are shuffled over and over", () => {
  it("come out as the stream of seed, name and number shuffles them one by one", () => {
    const list = fc.record({
      values: fc.array(fc.integer(), { maxLength: 150 }).map((values) => Int32Array.from(values)),
      seed: fc.maxSafeNat(),
      name: fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), fc.nat(), (lists, number) => {
        const found = shuffledLists(lists);
        for (const [i, { values, seed, name }] of lists.entries())
          for (const next of [number, number + 1]) {
            found.shuffle(i, next);
            const expected = shuffle(stream(seed, ...name, next), values.slice());
            expect(found.values.subarray(found.starts[i], found.starts[i] + values.length)).toEqual(expected);
          }
      }),
    );
  });

  it("draw again where a word falls into the incomplete last run", () => {
    // One word in 200,000 does at this length; with this seed one of them.
    const values = Int32Array.from({ length: 40_000 }, (_, i) => i);
    const found = shuffledLists([{ values, seed: 8, name: ["long"] }]);
    found.shuffle(0, 0);
    expect(found.values).toEqual(shuffle(stream(8, "long", 0), values.slice()));
  });
});
