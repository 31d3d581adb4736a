import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ALPHA_COLORS,
  alphaColor,
  contrast,
  inkOn,
  PROPORTION_STOPS,
  proportionColor,
  SERIES_STYLES,
  seriesStyles,
} from "../../src/figures/palette.js";

/** Full colour-vision deficiencies, on linear RGB: Machado, Oliveira and Fernandes, IEEE TVCG 15 (2009). */
const VISION: Record<string, number[][]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function product(matrix: readonly number[][], vector: readonly number[]): number[] {
  return matrix.map((row) => row.reduce((sum, value, i) => sum + value * vector[i], 0));
}

/** Ottosson's OKLab of a colour as someone sees it. */
function seen(color: string, vision: readonly number[][]): number[] {
  const linear = [1, 3, 5].map((at) => {
    const level = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
  });
  const light = product(vision, linear).map((level) => Math.min(1, Math.max(0, level)));
  const toCones = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ];
  const toLab = [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ];
  return product(toLab, product(toCones, light).map(Math.cbrt));
}

describe("palette", () => {
  it.each(Object.keys(VISION))("keeps any two series apart for eyes with %s vision", (name) => {
    const colors = SERIES_STYLES.map(({ color }) => seen(color, VISION[name]));
    colors.forEach((a, i) => {
      for (const b of colors.slice(i + 1))
        expect(Math.hypot(...a.map((value, k) => value - b[k]))).toBeGreaterThan(0.07);
    });
  });

  it("gives two series of one figure neither the same colour nor the same marker", () => {
    const [, burgers, , , , cylinder] = SERIES_STYLES;
    const own = [burgers, undefined, cylinder, undefined, undefined, undefined, burgers];
    const styles = seriesStyles(own); // the second with a style of its own is not to be taken for the first
    expect(new Set(styles.map((style) => style.color)).size).toBe(7);
    expect(new Set(styles.map((style) => style.symbol)).size).toBe(7);
    expect(styles[0]).toBe(burgers);
    expect(styles[2]).toBe(cylinder);
  });

  it("styles more series than it has colours for", () => {
    for (const { color } of seriesStyles(new Array(20).fill(undefined)))
      expect(color).toMatch(/^#[0-9a-f]{6}$/);
  });

  it("grows lighter from alpha 100 to alpha 0.01, also between the paper's values", () => {
    const alphas = [1e6, 100, 30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01, 1e-4];
    const lightness = alphas.map((alpha) => seen(alphaColor(alpha), VISION.normal)[0]);
    for (let i = 2; i < 10; i++) expect(lightness[i]).toBeGreaterThan(lightness[i - 1]);
    for (const alpha of [100, 10, 1, 0.1, 0.01]) expect(alphaColor(alpha)).toBe(ALPHA_COLORS[alpha]);
    expect(alphaColor(1e6)).toBe(alphaColor(100));
    expect(alphaColor(1e-4)).toBe(alphaColor(0.01));
  });

  it("grows darker with the proportion, from white to the last stop", () => {
    expect(proportionColor(0)).toBe("#ffffff");
    expect(proportionColor(1)).toBe(PROPORTION_STOPS.at(-1)!.color);
    const lightness = Array.from(
      { length: 41 },
      (_, i) => seen(proportionColor((i / 40) ** 2), VISION.normal)[0],
    );
    for (let i = 1; i < lightness.length; i++) expect(lightness[i]).toBeLessThan(lightness[i - 1]);
  });

  it("writes on every proportion's colour in legible ink, white from mid-blue on", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (proportion) => {
        const ground = proportionColor(proportion);
        expect(contrast(ground, inkOn(ground))).toBeGreaterThanOrEqual(3);
      }),
    );
  });

  it("knows that black on white has contrast 21", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 10);
  });
});
