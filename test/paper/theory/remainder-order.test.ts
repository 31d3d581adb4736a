import { describe, expect, it } from "vitest";
import { geometricRates, logSlope, remainderOrder } from "../../../src/paper/theory/remainder-order.js";

describe("the order of a remainder", () => {
  const rates = geometricRates(0.1, 3);

  it("is the slope of its logarithm over that of the learning rate", () => {
    expect(rates).toHaveLength(7);
    expect(rates[2]).toBeCloseTo(0.01, 15);
    expect(
      logSlope(
        rates,
        rates.map((rate) => 7 * rate ** 3),
      ),
    ).toBeCloseTo(3, 12);
  });

  it("is taken where rates are small and remainders above round-off", () => {
    const remainders = rates.map((rate) => ({
      rate,
      size: rate > 0.02 ? 100 : rate < 5e-4 ? 1e-20 : rate ** 2,
      floor: 1e-16,
    }));
    const order = remainderOrder(remainders, 0.02);
    expect(order?.slope).toBeCloseTo(2, 12);
    expect(order?.rates).toHaveLength(3);
    expect(order?.localSlopes.map((slope) => slope.toFixed(6))).toEqual(["2.000000", "2.000000"]);
  });

  it("is not told by fewer than three remainders", () => {
    expect(
      remainderOrder(
        rates.map((rate) => ({ rate, size: rate, floor: 0 })),
        2e-4,
      ),
    ).toBeUndefined();
  });
});
