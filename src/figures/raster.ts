import { Resvg } from "@resvg/resvg-js";
import { FACES, fontFile } from "./font-files.js";

const CSS_PIXELS_AN_INCH = 96;
const INCHES_A_METRE = 1 / 0.0254;

export interface RasterOptions {
  /** Pixels an inch at the size of print. Default 300, as journals ask; 192 suits a web page. */
  readonly dpi?: number;
}

/** A figure as PNG that states its resolution, so that LaTeX and word processors place it in its true size. */
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
  const chunk = new DataView(new ArrayBuffer(21));
  chunk.setUint32(0, 9);
  [..."pHYs"].forEach((sign, i) => {
    chunk.setUint8(4 + i, sign.charCodeAt(0));
  });
  const pixelsAMetre = Math.round(dpi * INCHES_A_METRE);
  chunk.setUint32(8, pixelsAMetre);
  chunk.setUint32(12, pixelsAMetre);
  chunk.setUint8(16, 1); // the unit is the metre
  chunk.setUint32(17, crc32(new Uint8Array(chunk.buffer, 4, 13)));
  const whole = new Uint8Array(png.length + 21);
  whole.set(png.subarray(0, headerEnd));
  whole.set(new Uint8Array(chunk.buffer), headerEnd);
  whole.set(png.subarray(headerEnd), headerEnd + 21);
  return whole;
}

/** CRC-32 of PNG's annex D, bit by bit: there are 13 bytes. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
