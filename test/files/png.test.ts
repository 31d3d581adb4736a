import { inflateSync } from "node:zlib";
import { Resvg } from "@resvg/resvg-js";
import { describe, expect, it } from "vitest";
import { encodePng, pngChunk } from "../../src/files/png.js";

const PALETTE = Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30);

describe("encodePng", () => {
  it("is read by a decoder with every pixel in its place and colour", () => {
    const pixels = Uint8Array.of(0, 1, 2, 3, 3, 0);
    const png = Buffer.from(encodePng({ width: 3, height: 2, pixels, palette: PALETTE })).toString("base64");
    const image = `<image width="3" height="2" href="data:image/png;base64,${png}"/>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2">${image}</svg>`;
    const shown = new Resvg(svg).render().pixels;
    const expected = Array.from(pixels).flatMap((i) => [...PALETTE.slice(3 * i, 3 * i + 3), 255]);
    expect(Array.from(shown)).toEqual(expected);
  });

  it("starts each row with filter 0 and ends with an empty chunk whose checksum is known", () => {
    const png = Buffer.from(
      encodePng({ width: 2, height: 2, pixels: Uint8Array.of(1, 2, 3, 0), palette: PALETTE }),
    );
    const at = png.indexOf("IDAT");
    expect(Array.from(inflateSync(png.subarray(at + 4)))).toEqual([0, 1, 2, 0, 3, 0]);
    expect(png.subarray(-12).toString("hex")).toBe("0000000049454e44ae426082");
  });

  it("refuses pixels that do not fill the picture", () => {
    const image = { width: 2, height: 2, pixels: new Uint8Array(3), palette: PALETTE };
    expect(() => encodePng(image)).toThrow("3 pixels do not fill 2 x 2");
  });
});

describe("pngChunk", () => {
  it("has length, type, data and checksum", () => {
    // pHYs of 11811 pixels a metre, with the checksum that zlib.crc32 gives.
    const data = Buffer.from("00002e2300002e2301", "hex");
    const chunk = Buffer.from(pngChunk("pHYs", data)).toString("hex");
    expect(chunk).toBe("000000097048597300002e2300002e230178a53f76");
  });
});
