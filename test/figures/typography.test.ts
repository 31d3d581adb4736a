import { createRequire } from "node:module";
import { Resvg } from "@resvg/resvg-js";
import { describe, expect, it } from "vitest";
import { runs, textWidth } from "../../src/figures/typography.js";

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

describe("runs", () => {
  const marked = (text: string) =>
    runs(text)
      .map((run) => (run.subscript ? `[${run.text}]` : run.italic ? `*${run.text}*` : run.text))
      .join("");

  it.each([
    ["α = 0.1", "*α* = 0.1"],
    ["D_sol = 0.45, CV = 0.31", "*D*[sol] = 0.45, CV = 0.31"],
    ["L_1 error ε_part", "*L*[1] error *ε*[part]"],
    ["CV_n", "CV[n]"],
    ["K = 100, B = 20", "*K* = 100, *B* = 20"],
    ["D_{sol, 2}", "*D*[sol, 2]"],
    ["concentration α", "concentration *α*"],
    ["a plain title of A class", "a plain title of A class"],
    ["file__name_", "file__name_"],
  ])("sets %j as %j", (text, expected) => {
    expect(marked(text)).toBe(expected);
  });

  it("sets a subscript of one letter in italics, a word or number upright", () => {
    expect(runs("H_u")[1]).toEqual({ text: "u", italic: true, subscript: true });
    expect(runs("L_1")[1]).toEqual({ text: "1", italic: false, subscript: true });
  });
});
