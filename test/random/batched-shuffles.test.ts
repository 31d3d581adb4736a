import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchedShuffles } from "../../src/random/batched-shuffles.js";
import { shuffle } from "../../src/random/permutation.js";
import { stream } from "../../src/random/stream.js";

describe("batches of shuffled lists", () => {
  it("are in the order in which the stream of seed, name and pass shuffles them, batch by batch", () => {
    const list = fc.record({
      values: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 150 }),
      seed: fc.maxSafeNat(),
      name: fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 4 }),
      batch: fc.integer({ min: 1, max: 40 }),
    });
    const several = fc.array(list, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        several,
        fc.nat({ max: 10 ** 6 }),
        fc.integer({ min: 1, max: 5 }),
        (given, first, batches) => {
          const lists = given.map((one) => ({ ...one, values: Int32Array.from(one.values) }));
          const width = Math.max(...lists.map(({ batch }) => batch));
          const take = batchedShuffles(lists, { batches, width });
          for (const from of [first, first + batches, 0]) {
            const { values: found, lengths } = take(from);
            for (let b = 0; b < batches; b++)
              lists.forEach(({ values, seed, name, batch }, i) => {
                const ofPass = Math.ceil(values.length / batch);
                const pass = Math.floor((from + b) / ofPass);
                const order = shuffle(stream(seed, ...name, pass), values.slice());
                const start = ((from + b) % ofPass) * batch;
                const taken = order.subarray(start, start + batch);
                const place = b * lists.length + i;
                expect(lengths[place]).toBe(taken.length);
                const filled = Array.from({ length: width }, (_, k) => taken[k] ?? taken[0]);
                expect([...found.subarray(place * width, (place + 1) * width)]).toEqual(filled);
              });
          }
        },
      ),
    );
  });

  it("draw again where a word falls into the incomplete last run", () => {
    // One word in 200,000 does at this length; with this seed one of them.
    const values = Int32Array.from({ length: 40_000 }, (_, i) => i);
    const take = batchedShuffles([{ values, seed: 8, name: ["long"], batch: 40_000 }], {
      batches: 1,
      width: 40_000,
    });
    expect(take(0).values).toEqual(shuffle(stream(8, "long", 0), values.slice()));
  });
});
