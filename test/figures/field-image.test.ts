import { Resvg } from "@resvg/resvg-js";
import { describe, expect, it } from "vitest";
import { colorPalette, colorScale, MASKED } from "../../src/figures/colormaps.js";
import { framed } from "../../src/figures/compose.js";
import { toPdf } from "../../src/figures/pdf.js";
import { drawFieldImage, type FieldImage } from "../../src/figures/samples/field-image.js";
import { serialize } from "../../src/figures/svg.js";

const margins = { top: 10, right: 10, bottom: 10, left: 10 };
const frame = { width: 60, height: 40, margins, labelled: { x: false, y: false } };
const field: FieldImage = {
  values: [0, 1, 2, 3, 4, Number.NaN],
  columns: 3,
  rows: 2,
  x: { label: "x", start: 0, end: 3 },
  y: { label: "y", start: 2, end: 0 },
};
const scale = colorScale([[0, 4]]);

function drawn(image: FieldImage): string {
  const inner = serialize(framed(drawFieldImage(image, scale, frame), margins, {}).element);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60">${inner}</svg>`;
}

/** Colour of the figure at a place, as resvg draws it. */
function colorAt(svg: string, x: number, y: number): string {
  const { pixels, width } = new Resvg(svg).render();
  return `#${Buffer.from(pixels.slice(4 * (y * width + x), 4 * (y * width + x) + 3)).toString("hex")}`;
}

function colorOf(value: number): string {
  const at = 3 * Math.round((value / 4) * 254);
  return `#${Buffer.from(colorPalette(scale.colormap).slice(at, at + 3)).toString("hex")}`;
}

describe("drawFieldImage", () => {
  it("fills the frame with cells of one colour each, the first at the top left", () => {
    const svg = drawn(field);
    const places = [0, 1, 2, 3, 4].map((i) => [20 + 20 * (i % 3), i < 3 ? 20 : 40]);
    expect(places.map(([x, y]) => colorAt(svg, x, y))).toEqual([0, 1, 2, 3, 4].map(colorOf));
    expect(places.map(([x, y]) => colorAt(svg, x + 7, y + 7))).toEqual([0, 1, 2, 3, 4].map(colorOf));
    expect(colorAt(svg, 60, 40)).toBe(MASKED);
    expect(colorAt(svg, 75, 30)).toBe("#000000"); // nothing is drawn beyond the frame
  });

  it("draws lines between values where they are samples of a function", () => {
    const svg = drawn({ ...field, values: [0, 2, 4, 0, 2, 4], smooth: true });
    expect(colorAt(svg, 15, 30)).toBe(colorOf(0));
    const levels = (color: string) => Array.from(Buffer.from(color.slice(1), "hex"));
    const between = levels(colorAt(svg, 30, 30));
    for (const [i, level] of levels(colorOf(1)).entries())
      expect(Math.abs(between[i] - level)).toBeLessThan(12);
  });

  it("keeps its pixels in a PDF", async () => {
    const pdf = Buffer.from(await toPdf(drawn(field))).toString("latin1");
    expect(pdf).toMatch(/\/Subtype \/Image/);
    expect(pdf).toMatch(/\/Width 180\b/);
    expect(pdf).toMatch(/\/Height 120\b/);
  });
});
