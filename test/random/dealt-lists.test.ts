import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dealtLists } from "../../src/random/dealt-lists.js";
import { shuffle } from "../../src/random/permutation.js";
import { stream } from "../../src/random/stream.js";

describe("lists that are dealt out", () => {
  it("are in the order in which the stream of seed, name and pass shuffles them, hand by hand", () => {
    const list = fc.record({
      values: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 150 }),
      seed: fc.maxSafeNat(),
      name: fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 4 }),
      hand: fc.integer({ min: 1, max: 40 }),
    });
    const several = fc.array(list, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        several,
        fc.nat({ max: 10 ** 6 }),
        fc.integer({ min: 1, max: 5 }),
        (given, first, hands) => {
          const lists = given.map((one) => ({ ...one, values: Int32Array.from(one.values) }));
          const width = Math.max(...lists.map(({ hand }) => hand));
          const deal = dealtLists(lists, { hands, width });
          for (const from of [first, first + hands, 0]) {
            const { cards, lengths } = deal(from);
            for (let h = 0; h < hands; h++)
              lists.forEach(({ values, seed, name, hand }, i) => {
                const ofPass = Math.ceil(values.length / hand);
                const pass = Math.floor((from + h) / ofPass);
                const order = shuffle(stream(seed, ...name, pass), values.slice());
                const start = ((from + h) % ofPass) * hand;
                const dealt = order.subarray(start, start + hand);
                const place = h * lists.length + i;
                expect(lengths[place]).toBe(dealt.length);
                const filled = Array.from({ length: width }, (_, k) => dealt[k] ?? dealt[0]);
                expect([...cards.subarray(place * width, (place + 1) * width)]).toEqual(filled);
              });
          }
        },
      ),
    );
  });

  it("draw again where a word falls into the incomplete last run", () => {
    // One word in 200,000 does at this length; with this seed one of them.
    const values = Int32Array.from({ length: 40_000 }, (_, i) => i);
    const deal = dealtLists([{ values, seed: 8, name: ["long"], hand: 40_000 }], { hands: 1, width: 40_000 });
    expect(deal(0).cards).toEqual(shuffle(stream(8, "long", 0), values.slice()));
  });
});
