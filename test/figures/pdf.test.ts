import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { clientBinHeatmap } from "../../src/figures/partitions/client-bin-heatmap.js";
import { toPdf } from "../../src/figures/pdf.js";
import { sampleCounts } from "./sample-counts.js";

const figure = clientBinHeatmap({
  title: "Counts < 9 & more",
  panels: [{ label: "α = 1", counts: sampleCounts(10, 10, 800, 1) }],
});

/** The document's text with its compressed streams unpacked. */
function unpacked(pdf: Uint8Array): string {
  const raw = Buffer.from(pdf).toString("latin1");
  return raw.replace(/(?<=stream\n)[\s\S]*?(?=\nendstream)/g, (stream) => {
    try {
      return inflateSync(Buffer.from(stream, "latin1")).toString("latin1");
    } catch {
      return stream;
    }
  });
}

describe("toPdf", () => {
  it("has the figure's size in print: 336 pixels are 252 points", async () => {
    const [, height, width] = figure.match(/height="(\d+)".* width="(\d+)"/)!.map(Number);
    expect(unpacked(await toPdf(figure))).toContain(`/MediaBox [0 0 ${width * 0.75} ${height * 0.75}]`);
  });

  it("keeps text as text in embedded fonts, and draws no picture", async () => {
    const pdf = unpacked(await toPdf(figure));
    const named = ["Inter-Regular", "Inter-SemiBold", "Inter-SemiBoldItalic", "/FontFile2"];
    expect(named.filter((name) => !pdf.includes(name))).toEqual([]);
    expect(pdf.match(/\bT[jJ]\b/g)!.length).toBeGreaterThan(100);
    expect(pdf.includes("/Subtype /Image")).toBe(false);
  });

  it("gives the same bytes for the same figure", async () => {
    expect(Buffer.from(await toPdf(figure)).equals(Buffer.from(await toPdf(figure)))).toBe(true);
  });

  it("refuses a figure without a size", async () => {
    await expect(toPdf('<svg xmlns="http://www.w3.org/2000/svg"/>')).rejects.toThrow("without a width");
  });
});
