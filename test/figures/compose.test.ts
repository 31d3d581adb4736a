import { describe, expect, it } from "vitest";
import { caption, grid, heading, stack } from "../../src/figures/compose.js";

const text = (title: string, width?: number) => heading({ letter: "a", title }, 10, width);

describe("a panel's heading", () => {
  it("is as wide as its title where there is room", () => {
    expect(text("Burgers", 200).width).toBe(text("Burgers").width);
  });

  const long =
    "Antiderivative, reference α = 10, train 500, local steps 1, client state reset, repair largest";

  it("is set smaller, then in two lines, then shortened in the middle, so that it stays within the panel", () => {
    expect(text(long).width).toBeGreaterThan(500);
    for (const width of [400, 300, 120]) {
      const drawn = text(long, width);
      expect(drawn.width).toBeLessThanOrEqual(width);
      const shown = drawn.element.textContent ?? "";
      expect(shown.includes("…")).toBe(width === 120);
      expect(shown).toMatch(/^aAnti.*est$/);
    }
  });

  it("is cut after the comma that leaves the shortest lines", () => {
    const lines = [...text(long, 300).element.querySelectorAll("text")].map((line) => line.textContent);
    expect(lines).toEqual([
      "a",
      "Antiderivative, reference α = 10, train 500,",
      "local steps 1, client state reset, repair largest",
    ]);
    const word = text("A".repeat(80), 120).element;
    expect(word.querySelectorAll("text")).toHaveLength(2); // the letter, and one line without a comma
  });
});

describe("panels whose headings have one line and two", () => {
  it("have their plots level in a row", () => {
    const panel = (title: string) => stack([heading({ letter: "a", title }, 10, 200), caption("plot")], 3);
    const long = "Antiderivative, participation 10, FedProx, μ = 0.1, proximal decoupled";
    const panels = [panel("Burgers"), panel(long)];
    expect(panels[1].height).toBeGreaterThan(panels[0].height);
    const shiftOf = (align: "top" | "bottom") =>
      [...grid(panels, 2, { x: 8, y: 14 }, align).element.querySelectorAll("g")].flatMap(
        (one) => /translate\([^,]+,\s*([\d.]+)\)/.exec(one.getAttribute("transform") ?? "")?.[1] ?? [],
      );
    const difference = panels[1].height - panels[0].height;
    expect(shiftOf("bottom").map(Number)).toContainEqual(expect.closeTo(difference, 1));
    expect(shiftOf("top").map(Number)).not.toContainEqual(expect.closeTo(difference, 1));
  });
});
