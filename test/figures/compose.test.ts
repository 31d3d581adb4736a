import { describe, expect, it } from "vitest";
import { heading } from "../../src/figures/compose.js";

const text = (title: string, width?: number) => heading({ letter: "a", title }, 10, width);

describe("a panel's heading", () => {
  it("is as wide as its title where there is room", () => {
    expect(text("Burgers", 200).width).toBe(text("Burgers").width);
  });

  it("is set smaller, then shortened in the middle, so that it stays within the panel", () => {
    const long =
      "Antiderivative, reference α = 10, train 500, local steps 1, client state reset, repair largest";
    expect(text(long).width).toBeGreaterThan(500);
    for (const width of [400, 300, 120]) {
      const drawn = text(long, width);
      expect(drawn.width).toBeLessThanOrEqual(width);
      const shown = drawn.element.textContent ?? "";
      expect(shown.includes("…")).toBe(width < 400);
      expect(shown).toMatch(/^aAnti.*est$/);
    }
  });
});
