import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataOrder } from "../../src/federation/data-order.js";

const samplesOf = (count: number) => Int32Array.from({ length: count }, (_, i) => 3 * i + 1);

describe("dataOrder", () => {
  it("shows every sample once in a pass, in batches of which only the last is short", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 70 }), (count, batch) => {
        const samples = samplesOf(count);
        const order = dataOrder(samples, { seed: 1, client: 2, batch });
        const batches = Math.ceil(count / Math.min(batch, count));
        for (const pass of [0, 1]) {
          const seen = Array.from({ length: batches }, (_, i) => [...order(pass * batches + i)]);
          expect(seen.flat().sort((a, b) => a - b)).toEqual([...samples]);
          for (const full of seen.slice(0, -1)) expect(full.length).toBe(Math.min(batch, count));
        }
      }),
    );
  });

  it("shuffles anew in every pass and for every client", () => {
    const order = dataOrder(samplesOf(64), { seed: 1, client: 0, batch: 64 });
    const other = dataOrder(samplesOf(64), { seed: 1, client: 1, batch: 64 });
    expect([...order(0)]).not.toEqual([...order(1)]);
    expect([...order(0)]).not.toEqual([...other(0)]);
  });

  it("gives a step the same batch whichever steps were asked for before", () => {
    const options = { seed: 5, client: 3, batch: 16 };
    const straight = dataOrder(samplesOf(50), options);
    for (let step = 0; step < 9; step++) straight(step);
    expect([...dataOrder(samplesOf(50), options)(9)]).toEqual([...straight(9)]);
  });
});
