import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { places } from "../../src/studies/places.js";

describe("places", () => {
  it("are for so many at a time, who come in turn", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 10 }),
        async (count, stays) => {
          const take = places(count);
          const came: number[] = [];
          let [here, most] = [0, 0];
          const visit = async (milliseconds: number, who: number) => {
            const leave = await take();
            came.push(who);
            most = Math.max(most, ++here);
            await pause(milliseconds);
            here--;
            leave();
            leave(); // is leaving once
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
