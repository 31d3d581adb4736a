import { createRequire } from "node:module";
import { Resvg } from "@resvg/resvg-js";
import { describe, expect, it } from "vitest";
import { verbatim } from "../../src/analysis/notation.js";
import { shortened, textLine, textWidth } from "../../src/figures/typography.js";

const font = createRequire(import.meta.url).resolve(
  "@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf",
);

/** Width that the font itself gives, between two bars whose own width is taken off. */
function measured(text: string): number {
  const width = (content: string) => {
    const text = `<text x="10" y="150" font-family="Inter" font-size="100">${content}</text>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="300">${text}</svg>`;
    return new Resvg(svg, { font: { loadSystemFonts: false, fontFiles: [font] } }).innerBBox()!.width;
  };
  return width(`|${text}|`) - width("||");
}

describe("textWidth", () => {
  it.each(["0123456789", "within-client proportion", "Sample-count CV", "α = 0.01", "diffusion-reaction"])(
    "knows the width of %j in Inter to within 3 %",
    (text) => {
      expect(textWidth(text, 100) / measured(text)).toBeGreaterThan(0.97);
      expect(textWidth(text, 100) / measured(text)).toBeLessThan(1.03);
    },
  );

  it("grows in proportion to the size, and a subscript is narrower than plain text", () => {
    expect(textWidth("samples", 20)).toBeCloseTo(2 * textWidth("samples", 10), 10);
    expect(textWidth("D_sol", 10)).toBeLessThan(textWidth("Dsol", 10));
  });
});

describe("shortened", () => {
  const name = verbatim("1D_Advection_Sols_beta0.4_of_some_length.hdf5");

  it("leaves out the middle of what is too long, so that it keeps its room", () => {
    expect(shortened(name, 1000, 10)).toBe(name);
    for (const room of [200, 120, 60]) {
      const short = shortened(name, room, 10);
      expect(textWidth(short, 10)).toBeLessThanOrEqual(room);
      expect(textWidth(short, 10)).toBeGreaterThan(room - 15);
      expect(short).toMatch(/^`1D_.*`…`.*df5`$/);
    }
  });

  it("keeps text as text on both sides", () => {
    const drawn = textLine(shortened(`${name}, D_sol`, 150, 10), { x: 0, y: 0, size: 10 });
    expect(drawn.textContent).toMatch(/^1D_Adv\w+….*, Dsol$/);
    expect([...drawn.querySelectorAll("tspan")].map((part) => part.textContent)).toEqual(["D", "sol"]);
  });
});

describe("textLine", () => {
  it("goes on after the wider of a subscript and the superscript over it", () => {
    const advances = (text: string) =>
      [...textLine(text, { x: 0, y: 0, size: 10 }).querySelectorAll("tspan")].map((part) =>
        Number(part.getAttribute("dx") ?? 0),
      );
    const [sub, raised] = [textWidth("_min", 7.2) - textWidth("_", 7.2), textWidth("2", 7.2)];
    const [, , back, onward] = advances("c_min^2 and");
    expect(back).toBeCloseTo(-sub, 10);
    expect(onward).toBeCloseTo(sub - raised, 10);
    expect(advances("H_g^norm of")[3]).toBe(0);
  });
});
