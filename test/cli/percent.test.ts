import { describe, expect, it } from "vitest";
import { percent } from "../../src/cli/percent.js";

describe("per cent", () => {
  it("are written out as long as that can be read", () => {
    expect(percent(0.01234, 2)).toBe("1.23 %");
    expect(percent(1, 3)).toBe("100.000 %");
    expect(percent(47939114796143144, 3)).toBe("4.8e+18 %");
    expect(percent(Number.NaN, 2)).toBe("NaN %");
  });
});
