import { Resvg } from "@resvg/resvg-js";
import { describe, expect, it } from "vitest";
import { clientBinHeatmap } from "../../src/figures/partitions/client-bin-heatmap.js";
import { toPng } from "../../src/figures/raster.js";
import { sampleCounts } from "./sample-counts.js";

const figure = clientBinHeatmap({ panels: [{ label: "α = 1", counts: sampleCounts(10, 10, 800, 1) }] });
const [, height, width] = figure.match(/height="(\d+)".* width="(\d+)"/)!.map(Number);

function header(png: Uint8Array) {
  const view = new DataView(png.buffer, png.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Pixels of a PNG, by way of an SVG that shows it: the tests need no decoder of their own. */
function pixels(png: Uint8Array): Uint8Array {
  const { width, height } = header(png);
  const data = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  const size = `width="${width}" height="${height}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image href="${data}" ${size}/></svg>`;
  return new Resvg(svg).render().pixels;
}

/** How many pixels are darker than mid-grey. */
function dark(png: Uint8Array): number {
  const values = pixels(png);
  let count = 0;
  for (let i = 0; i < values.length; i += 4) if (values[i + 3] > 128 && values[i + 1] < 128) count++;
  return count;
}

const line = (text: string, style = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="30"><text y="20" ${style}>${text}</text></svg>`;

describe("toPng", () => {
  it.each([96, 192, 300])("has the size of the figure at %i dpi, and says the resolution", (dpi) => {
    const png = toPng(figure, { dpi });
    expect(Math.abs(header(png).width - (width * dpi) / 96)).toBeLessThanOrEqual(1);
    expect(Math.abs(header(png).height - (height * dpi) / 96)).toBeLessThanOrEqual(1);
    const at = Buffer.from(png).indexOf("pHYs");
    expect(new DataView(png.buffer, png.byteOffset).getUint32(at + 4)).toBe(Math.round(dpi / 0.0254));
  });

  it("shows the figure: white ground, coloured cells, dark text", () => {
    const values = pixels(toPng(figure, { dpi: 96 }));
    const colors = new Set<number>();
    for (let i = 0; i < values.length; i += 4)
      colors.add((values[i] << 16) | (values[i + 1] << 8) | values[i + 2]);
    expect(Array.from(values.slice(0, 4))).toEqual([255, 255, 255, 255]);
    expect(colors.size).toBeGreaterThan(100);
  });

  it("sets any family in the shipped font, as no other is loaded", () => {
    const inter = toPng(line("solution bin", 'font-family="Inter"'));
    expect(dark(inter)).toBeGreaterThan(100);
    expect(toPng(line("solution bin", 'font-family="Inter, Helvetica, Arial, sans-serif"'))).toEqual(inter);
    expect(toPng(line("solution bin", 'font-family="sans-serif"'))).toEqual(inter);
  });

  it("has the italic, the semi-bold and the semi-bold italic face", () => {
    const styles = ["", 'font-style="italic"', 'font-weight="600"', 'font-weight="600" font-style="italic"'];
    const images = styles.map((style) =>
      Buffer.from(toPng(line("α = bin", `font-family="Inter" ${style}`))).toString("hex"),
    );
    expect(new Set(images).size).toBe(4);
  });

  it("writes a chunk whose checksum is right", () => {
    const png = Buffer.from(toPng(line("x"), { dpi: 300 }));
    // pHYs of 11811 pixels a metre, with the checksum that zlib.crc32 gives.
    expect(png.subarray(33, 54).toString("hex")).toBe("000000097048597300002e2300002e230178a53f76");
  });
});
