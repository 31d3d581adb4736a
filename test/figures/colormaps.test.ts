import { describe, expect, it } from "vitest";
import {
  COLORMAPS,
  colorGradients,
  colorIndices,
  colormapOf,
  colorPalette,
  colorScale,
  MASKED,
} from "../../src/figures/colormaps.js";
import { serialize } from "../../src/figures/svg.js";

const [sequential, diverging, grey] = (["viridis", "rdbu", "black-white"] as const).map(colormapOf);

/** CIE lightness of the map's steps. */
function lightness(palette: Uint8Array): number[] {
  return Array.from({ length: palette.length / 3 - 1 }, (_, i) => {
    const [r, g, b] = Array.from(palette.subarray(3 * i, 3 * i + 3), (level) => {
      const s = level / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
  });
}

describe("colour maps", () => {
  it.each(["viridis", "inferno", "magma", "plasma", "cividis"] as const)(
    "grow ever lighter where values have one sign, at an even pace: %s",
    (name) => {
      const steps = lightness(colorPalette(colormapOf(name)));
      const tenths = Array.from({ length: 11 }, (_, i) => steps[Math.round((i * 254) / 10)]);
      const rises = tenths.slice(1).map((value, i) => value - tenths[i]);
      for (const rise of rises) {
        expect(rise).toBeGreaterThan(5);
        expect(rise).toBeLessThan(13);
      }
    },
  );

  it("darken all the way from white to black: greys", () => {
    const steps = lightness(colorPalette(colormapOf("greys")));
    expect(steps.every((value, i) => i === 0 || value <= steps[i - 1])).toBe(true);
  });

  it.each(["rdbu", "brbg", "prgn"] as const)(
    "are lightest at zero where values have both, and darken alike to both ends: %s",
    (name) => {
      const steps = lightness(colorPalette(colormapOf(name)));
      expect(steps.indexOf(Math.max(...steps))).toBe(127);
      for (let i = 0; i < 127; i += 8) expect(Math.abs(steps[i] - steps[254 - i])).toBeLessThan(15);
    },
  );

  it("have whole colours, and names of their own", () => {
    for (const { colors } of COLORMAPS) for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/);
    expect(new Set(COLORMAPS.map(({ name }) => name)).size).toBe(COLORMAPS.length);
  });

  it("have a gradient of the same colours for colour bars", () => {
    const xml = serialize(colorGradients([grey]));
    expect(xml).toContain('id="black-white-colors"');
    expect(xml.match(/stop-color="#\w+"/g)).toEqual(['stop-color="#000000"', 'stop-color="#ffffff"']);
  });
});

describe("colorScale", () => {
  it("is sequential from the least to the largest of values of one sign", () => {
    expect(colorScale([[3, 1], [2]])).toEqual({ colormap: sequential, domain: [1, 3] });
    expect(colorScale([[-3, -1]])).toEqual({ colormap: sequential, domain: [-3, -1] });
  });

  it("is symmetric about zero for values of both signs", () => {
    expect(colorScale([[-1, 4]])).toEqual({ colormap: diverging, domain: [-4, 4] });
    expect(colorScale([[-1, 4]], { map: "black-white" })).toEqual({ colormap: grey, domain: [-4, 4] });
  });

  it("clips the largest of them where asked to", () => {
    const values = Float64Array.from({ length: 100 }, (_, i) => (i % 2 ? 1 : -1) * (i + 1));
    expect(colorScale([values], { share: 0.98 }).domain).toEqual([-98, 98]);
    expect(colorScale([[0, 0, 0, 0, -5, 5]], { share: 0.5 }).domain).toEqual([-5, 5]);
  });

  it("has a scale for constants, for zeros and for what has no values", () => {
    expect(colorScale([[2, 2]])).toEqual({ colormap: sequential, domain: [1, 3] });
    expect(colorScale([[0, 0]])).toEqual({ colormap: diverging, domain: [-1, 1] });
    expect(colorScale([[Number.NaN, Number.POSITIVE_INFINITY]]).domain).toEqual([-1, 1]);
  });

  it("keeps zero in the middle of a diverging map that is asked for, whatever the values", () => {
    expect(colorScale([[1, 3]], { map: "prgn" })).toEqual({
      colormap: colormapOf("prgn"),
      domain: [-3, 3],
    });
    expect(colorScale([[-1, 3]], { map: "magma" })).toEqual({
      colormap: colormapOf("magma"),
      domain: [-1, 3],
    });
    expect(colorScale([[0, 0]], { map: "magma" }).domain).toEqual([-1, 1]);
  });

  it("spans the limits that are asked for, and refuses those that move zero out of the middle", () => {
    expect(colorScale([[-9, 9]], { limits: [0, 2] })).toEqual({ colormap: sequential, domain: [0, 2] });
    expect(colorScale([[1, 9]], { limits: [-2, 2] })).toEqual({ colormap: diverging, domain: [-2, 2] });
    expect(() => colorScale([[1, 9]], { map: "rdbu", limits: [-1, 2] })).toThrow(
      "the middle of rdbu is zero, which is not the middle of -1:2: choose limits such as -2:2, or a sequential",
    );
  });

  it("gives values their place, clipped ones an end, and NaN the colour of what is masked", () => {
    const scale = colorScale([[-1, 1]]);
    expect(Array.from(colorIndices([-9, -1, 0, 1, 9, Number.NaN], scale))).toEqual([
      0, 0, 127, 254, 254, 255,
    ]);
    const palette = colorPalette(scale.colormap);
    expect(Buffer.from(palette.slice(-3)).toString("hex")).toBe(MASKED.slice(1));
  });
});
