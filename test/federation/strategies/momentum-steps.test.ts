import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { effectiveSteps } from "../../../src/federation/strategies/momentum-steps.js";

const momentum = (rho: number) => ({ name: "sgd", rate: 0.01, momentum: rho });
const ADAM = { name: "adam", rate: 0.001 };

describe("the effective number of steps", () => {
  it("is the number of steps without momentum, and with Adam", () => {
    for (const before of [0, 7]) {
      expect(effectiveSteps(5, before, momentum(0))).toBe(5);
      expect(effectiveSteps(5, before, ADAM)).toBe(5);
    }
  });

  it("is 1 + 1.5 + 1.75 = 4.25 for three steps with momentum 0.5 that start at zero", () => {
    expect(effectiveSteps(3, 0, momentum(0.5))).toBe(4.25);
  });

  it("is 13.14 for five steps with momentum 0.9 that start at zero", () => {
    // 1 + 1.9 + 2.71 + 3.439 + 4.0951
    expect(effectiveSteps(5, 0, momentum(0.9))).toBeCloseTo(13.1441, 10);
  });

  it("tends to 5 / (1 - 0.9) = 50 where momentum is kept", () => {
    // After five steps: 10 (5 - 0.9^6 - ... - 0.9^10).
    expect(effectiveSteps(5, 5, momentum(0.9))).toBeCloseTo(10 * (5 - 0.59049 * 3.68559), 10);
    expect(effectiveSteps(5, 20, momentum(0.9))).toBeLessThan(50);
    expect(effectiveSteps(5, 500, momentum(0.9))).toBeCloseTo(50, 10);
  });

  it("has the closed form (E - rho (1 - rho^E) / (1 - rho)) / (1 - rho) of Wang et al. (2020)", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (steps, rho) => {
          const closed = (steps - (rho * (1 - rho ** steps)) / (1 - rho)) / (1 - rho);
          expect(effectiveSteps(steps, 0, momentum(rho)) / closed).toBeCloseTo(1, 8);
        },
      ),
    );
  });

  it("is the way of a velocity under a gradient of 1, less what it remembers of none", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 40 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (steps, before, rho) => {
          let [velocity, way] = [0, 0];
          for (let step = 0; step < before + steps; step++) {
            velocity = rho * velocity + 1;
            if (step >= before) way += velocity;
          }
          expect(effectiveSteps(steps, before, momentum(rho)) / way).toBeCloseTo(1, 10);
        },
      ),
    );
  });
});
