import { Resvg } from "@resvg/resvg-js";
import { pngChunk } from "../files/png.js";
import { FACES, fontFile } from "./font-files.js";

const CSS_PIXELS_AN_INCH = 96;
const INCHES_A_METRE = 1 / 0.0254;

/** Options of `toPng`. */
export interface RasterOptions {
  /** Pixels per inch at print size. Default 300, as journals ask. Use 192 for a web page. */
  readonly dpi?: number;
}

/**
 * Renders a figure as PNG. The file states its resolution, so that LaTeX and word processors place it at print size.
 */
export function toPng(svg: string, { dpi = 300 }: RasterOptions = {}): Uint8Array {
  const image = new Resvg(svg, {
    font: {
      loadSystemFonts: false,
      fontFiles: FACES.map(fontFile), // no others are loaded
      defaultFontFamily: "Inter",
      sansSerifFamily: "Inter",
    },
    fitTo: { mode: "zoom", value: dpi / CSS_PIXELS_AN_INCH },
  });
  return withResolution(image.render().asPng(), dpi);
}

/** Inserts a pHYs chunk after the header (PNG specification, 11.3.4.3). */
function withResolution(png: Uint8Array, dpi: number): Uint8Array {
  const headerEnd = 8 + 25;
  const resolution = new DataView(new ArrayBuffer(9));
  const pixelsAMetre = Math.round(dpi * INCHES_A_METRE);
  resolution.setUint32(0, pixelsAMetre);
  resolution.setUint32(4, pixelsAMetre);
  resolution.setUint8(8, 1); // the unit is the metre
  const chunk = pngChunk("pHYs", new Uint8Array(resolution.buffer));
  const whole = new Uint8Array(png.length + chunk.length);
  whole.set(png.subarray(0, headerEnd));
  whole.set(chunk, headerEnd);
  whole.set(png.subarray(headerEnd), headerEnd + chunk.length);
  return whole;
}
