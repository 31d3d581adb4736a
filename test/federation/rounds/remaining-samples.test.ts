import { describe, expect, it } from "vitest";
import {
  mostRemaining,
  remainingBatches,
  remainingSamples,
} from "../../../src/federation/rounds/remaining-samples.js";
import { runOptions } from "../../../src/federation/run-options.js";

const BATCH = 16;
const ROWS = 16;
const OFFSET = 100;
const options = runOptions({ task: "antiderivative", alpha: 1, seed: 1, strategy: { name: "scaffold" } });
const samplesOf = (count: number, from: number) => Int32Array.from({ length: count }, (_, i) => from + 3 * i);

describe("the samples that a first batch leaves out", () => {
  it.each([
    [
      [40, 37, 16, 5],
      [16, 5, 16, 5],
    ], // whole batches, the short end of a pass, all samples
    [
      [33, 32],
      [1, 16],
    ],
    [
      [7, 16],
      [7, 16],
    ],
  ])("make up all samples of clients with %j together with first batches of %j", (sizes, firsts) => {
    const clients = sizes.map((size, k) => ({ samples: samplesOf(size, 1000 * k), offset: OFFSET }));
    // Short batches are filled up with their first sample.
    const indices = Int32Array.from(
      clients.flatMap(({ samples }, k) =>
        Array.from(
          { length: ROWS },
          (_, i) => OFFSET + (i < firsts[k] ? samples[samples.length - 1 - i] : samples.at(-1)!),
        ),
      ),
    );
    const left = Math.max(...sizes.map((size) => mostRemaining(size, { batch: BATCH })));
    const batches = remainingBatches(left, ROWS, options)!;
    const found = remainingSamples(clients, { indices, rows: ROWS }, batches);
    expect(batches.rows).toBeLessThanOrEqual(ROWS);
    for (const [k, { samples }] of clients.entries()) {
      const weightOf = new Map([...samples].map((sample) => [sample + OFFSET, 0]));
      for (let i = 0; i < firsts[k]; i++) weightOf.set(indices[k * ROWS + i], found.shares[k] / firsts[k]);
      for (let batch = 0; batch < batches.batches; batch++)
        for (let i = 0; i < batches.rows; i++) {
          const at = (batch * clients.length + k) * batches.rows + i;
          expect(weightOf.has(found.indices[at])).toBe(true);
          weightOf.set(found.indices[at], weightOf.get(found.indices[at])! + found.weights[at]);
        }
      for (const weight of weightOf.values()) expect(weight).toBeCloseTo(1 / samples.length, 6);
    }
  });

  it("are none where every client takes all samples at each step", () => {
    const left = Math.max(...[3, 16].map((size) => mostRemaining(size, { batch: BATCH })));
    expect(remainingBatches(left, ROWS, options)).toEqual({ batches: 0, rows: 0 });
  });

  it("are asked for by strategies that need all samples", () => {
    const { strategy: _, ...plain } = options;
    expect(remainingBatches(20, ROWS, plain)).toBeUndefined();
  });

  it("are one batch less than a pass has", () => {
    for (let samples = 1; samples < 100; samples++)
      expect(Math.ceil(mostRemaining(samples, { batch: BATCH }) / BATCH)).toBe(
        Math.ceil(samples / BATCH) - 1,
      );
  });
});
