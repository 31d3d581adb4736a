import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Lifetime, memoryPlan } from "../../../../src/engine/cuda/plan/memory/memory-plan.js";

const lives = fc
  .array(fc.record({ size: fc.integer({ min: 1, max: 5000 }), first: fc.nat(40), length: fc.nat(10) }), {
    maxLength: 60,
  })
  .map((all) =>
    all.map(({ size, first, length }, buffer) => ({ buffer, size, first, last: first + length })),
  );

const atOnce = (a: Lifetime, b: Lifetime) => a.first <= b.last && b.first <= a.last;
const aligned = (size: number) => Math.ceil(size / 64) * 64;

describe("a memory plan", () => {
  it("keeps buffers that live at the same time apart, aligned to 256 bytes", () => {
    fc.assert(
      fc.property(lives, (all) => {
        const { offsets, size } = memoryPlan(all);
        for (const a of all) {
          const start = offsets.get(a.buffer)!;
          expect(start % 64).toBe(0);
          expect(start + a.size).toBeLessThanOrEqual(size);
          for (const b of all) {
            if (a === b || !atOnce(a, b)) continue;
            const other = offsets.get(b.buffer)!;
            expect(start + a.size <= other || other + b.size <= start).toBe(true);
          }
        }
      }),
    );
  });

  it("takes as much as lives at once, where lives follow one another", () => {
    const chain = Array.from({ length: 20 }, (_, buffer) => ({
      buffer,
      size: 1000,
      first: buffer,
      last: buffer + 1,
    }));
    expect(memoryPlan(chain).size).toBe(2 * aligned(1000));
  });

  it("needs nothing for nothing", () => {
    expect(memoryPlan([])).toEqual({ offsets: new Map(), size: 0 });
  });
});
