import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { semaphore } from "../../src/studies/execution/semaphore.js";

describe("a semaphore", () => {
  it("grants so many permits at a time, first come, first served", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 10 }),
        async (count, stays) => {
          const acquire = semaphore(count);
          const came: number[] = [];
          let [here, most] = [0, 0];
          const visit = async (milliseconds: number, who: number) => {
            const release = await acquire();
            came.push(who);
            most = Math.max(most, ++here);
            await pause(milliseconds);
            here--;
            release();
            release(); // a no-op
          };
          await Promise.all(stays.map(visit));
          expect(came).toEqual([...stays.keys()]);
          expect(most).toBe(Math.min(count, stays.length));
        },
      ),
      { numRuns: 30 },
    );
  });
});
