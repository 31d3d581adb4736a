import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataOrder } from "../../src/federation/data-order.js";
import { miniBatches } from "../../src/federation/rounds/mini-batches.js";

/** Owners whose clients have these many samples. */
const ownersOf = (sizes: readonly (readonly number[])[], batch: number) =>
  sizes.map((ofRun, run) => {
    let next = 0;
    const clientIndices = ofRun.map((size) => Int32Array.from({ length: size }, () => next++));
    return { clientIndices, options: { seed: 7 + run, batch }, offset: 1000 * run };
  });

describe("the batches of a round", () => {
  it("are those of every client's data order, filled up with weight zero", () => {
    const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 2 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 20 }), fc.nat({ max: 50 }), (counts, batch, from) => {
        const owners = ownersOf(counts, batch);
        const rows = Math.min(batch, Math.max(...counts.flat()));
        const steps = 3;
        const batches = miniBatches(owners, { steps, rows });
        const clients = owners.flatMap(({ clientIndices, options, offset }) =>
          clientIndices.map((samples, client) => ({
            order: dataOrder(samples, { ...options, client }),
            offset,
          })),
        );
        for (let round = from; round < from + 5; round++) {
          const { indices, weights } = batches(round);
          for (let step = 0; step < steps; step++)
            clients.forEach(({ order, offset }, client) => {
              const at = (step * clients.length + client) * rows;
              const expected = [...order(round * steps + step)].map((sample) => sample + offset);
              const filled = Array.from({ length: rows }, (_, i) => expected[i] ?? expected[0]);
              expect([...indices.subarray(at, at + rows)]).toEqual(filled);
              const own = filled.map((_, i) => Math.fround(i < expected.length ? 1 / expected.length : 0));
              expect([...weights.subarray(at, at + rows)]).toEqual(own);
            });
        }
      }),
    );
  });

  it("do not touch those of the round before, which may be in use", () => {
    const batches = miniBatches(ownersOf([[30, 11]], 8), { steps: 2, rows: 8 });
    const first = batches(0);
    const kept = structuredClone(first);
    batches(1);
    expect(first).toEqual(kept);
  });
});
