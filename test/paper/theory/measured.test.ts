import { describe, expect, it } from "vitest";
import { counted, measured } from "../../../src/analysis/numbers.js";

describe("a measured number", () => {
  it.each([
    [0, "0"],
    [0.012345, "0.0123"],
    [45.678, "45.7"],
    [-3.21e-9, "−3.21 × 10⁻⁹"],
    [1.5e12, "1.50 × 10¹²"],
    [Number.NaN, "–"],
  ])("of %d reads %s", (value, text) => {
    expect(measured(value)).toBe(text);
  });

  it("is counted with its noun", () => {
    expect([1, 20, 109060].map((count) => counted(count, "pair"))).toEqual([
      "1 pair",
      "20 pairs",
      "109,060 pairs",
    ]);
  });
});
