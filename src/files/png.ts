import { zlibSync } from "fflate";
import { crc32 } from "./crc32.js";

/** A picture of up to 256 colours, one byte a pixel. */
export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** Which colour each pixel has, row by row from the top. */
  readonly pixels: Uint8Array;
  /** Red, green and blue of each colour, from 0 to 255, one after another. */
  readonly palette: Uint8Array;
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const INDEXED = 3; // the colour type whose pixels are places in a palette

/** A picture as PNG (https://www.w3.org/TR/png-3/): header, palette, pixels without filters, end. */
export function encodePng({ width, height, pixels, palette }: IndexedImage): Uint8Array {
  if (pixels.length !== width * height)
    throw new RangeError(`${pixels.length} pixels do not fill ${width} x ${height}`);
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, 8); // bits a pixel
  header.setUint8(9, INDEXED);
  const rows = new Uint8Array(height * (width + 1)); // each row starts with its filter: 0, none
  for (let row = 0; row < height; row++)
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  return joined([
    Uint8Array.from(SIGNATURE),
    pngChunk("IHDR", new Uint8Array(header.buffer)),
    pngChunk("PLTE", palette),
    pngChunk("IDAT", zlibSync(rows)),
    pngChunk("IEND", new Uint8Array(0)),
  ]);
}

/** A chunk of a PNG file: length, type, data, checksum. */
export function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(data.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) chunk[4 + i] = type.charCodeAt(i);
  chunk.set(data, 8);
  view.setUint32(data.length + 8, crc32(chunk.subarray(4, data.length + 8)));
  return chunk;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
