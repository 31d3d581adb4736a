import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  damBreak,
  damBreakCoordinates,
  damBreakSampler,
  damBreakShapes,
  damDepth,
  symmetricDamBreak,
} from "../../src/equations/dam-break.js";
import { stream } from "../../src/random/stream.js";

const CHANNELS = { h: 0, hu: 1, hv: 2 } as const;

const valueAt = (u: Float64Array, grid: number, channel: keyof typeof CHANNELS, i: number, j: number) =>
  u[(CHANNELS[channel] * grid + i) * grid + j];

/** Depth along the axis y = 0, as a function of x >= 0, linear between the centres of cells. */
function alongAxis(u: Float64Array, grid: number): (x: number) => number {
  const half = grid / 2;
  const depth = (i: number) => (u[(half + i) * grid + half] + u[(half + i) * grid + half - 1]) / 2;
  return (x) => {
    const at = (x * grid) / 5 - 0.5;
    const i = Math.floor(at);
    return depth(i) + (at - i) * (depth(i + 1) - depth(i));
  };
}

/** Radial symmetry in one dimension with 2000 cells; digits that agree with those of 1000 cells. */
const RADII = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5];
const RADIAL = [
  { time: 0.25, depths: [2, 1.5135, 1.2998, 1.3512, 1, 1, 1], front: 0.826 },
  { time: 1, depths: [1.03, 0.645, 0.7687, 0.9327, 1.0732, 1.1547, 1.2073], front: 1.738 },
];

describe("the radial dam break", () => {
  it.each(RADIAL)("meets the radial solution at t = $time", ({ time, depths, front }) => {
    const errors = [64, 128, 256].map((grid) => {
      const profile = alongAxis(symmetricDamBreak(damDepth(0.5, grid), grid, time), grid);
      let found = 2; // coming from outside, where depth passes 1.1
      while (profile(found) < 1.1) found -= 0.001;
      expect(Math.abs(found - front)).toBeLessThan(5 / grid);
      return RADII.map((x, k) => Math.abs(profile(x) - depths[k]));
    });
    const [coarse, , fine] = errors.map((error) => error.slice(1).reduce((a, b) => a + b, 0));
    expect(fine).toBeLessThan(coarse / 4);
    for (const error of errors[2].slice(1)) expect(error).toBeLessThan(0.01);
    expect(errors[2][0]).toBeLessThan(0.03); // where the waves meet; known to two decimals only
  });

  it("is symmetric about both axes and both diagonals", () => {
    const grid = 48;
    const u = damBreak(damDepth(0.55, grid), grid, 1);
    const last = grid - 1;
    const at = (channel: keyof typeof CHANNELS, i: number, j: number) => valueAt(u, grid, channel, i, j);
    let worst = 0;
    for (let i = 0; i < grid; i++) {
      for (let j = 0; j < grid; j++) {
        worst = Math.max(
          worst,
          Math.abs(at("h", last - i, j) - at("h", i, j)),
          Math.abs(at("h", i, last - j) - at("h", i, j)),
          Math.abs(at("h", j, i) - at("h", i, j)),
          Math.abs(at("hu", last - i, j) + at("hu", i, j)),
          Math.abs(at("hu", i, last - j) - at("hu", i, j)),
          Math.abs(at("hv", j, i) - at("hu", i, j)),
        );
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });

  it("is the same from a quarter as from the whole", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.3, max: 0.7, noNaN: true }),
        fc.constantFrom(24, 25, 32),
        (radius, grid) => {
          const depth = damDepth(radius, grid);
          const whole = damBreak(depth, grid, 1);
          symmetricDamBreak(depth, grid, 1).forEach((value, k) => {
            expect(Math.abs(value - whole[k])).toBeLessThan(1e-12);
          });
        },
      ),
      { numRuns: 20 },
    );
  });

  it("keeps all water until t = 1, and as much as there is in the circle", () => {
    const grid = 128;
    const area = (5 / grid) ** 2;
    const excess = (h: Float64Array) => h.reduce((sum, value) => sum + (value - 1), 0) * area;
    const depth = damDepth(0.5, grid);
    const later = symmetricDamBreak(depth, grid, 1);
    expect(Math.abs(excess(later.subarray(0, grid * grid)) - excess(depth))).toBeLessThan(1e-11);
    expect(excess(depth)).toBeCloseTo(Math.PI / 4, 1);
    for (const channel of [1, 2]) {
      const momentum = later.subarray(channel * grid * grid, (channel + 1) * grid * grid);
      expect(Math.abs(momentum.reduce((a, b) => a + b, 0) * area)).toBeLessThan(1e-12);
    }
  });
});

describe("dam-break samples", () => {
  it("begin at rest with a depth of 2 in a circle of random radius", () => {
    const grid = 64;
    const sample = damBreakSampler({ grid });
    const radii = Array.from({ length: 3 }, (_, i) => {
      const { input, response } = sample(stream(5, "dam", i));
      expect(input.length).toBe(3 * grid * grid);
      expect(response.length).toBe(3 * grid * grid);
      const depth = input.subarray(0, grid * grid);
      expect(new Set(depth)).toEqual(new Set([1, 2]));
      expect(input.subarray(grid * grid).every((value) => value === 0)).toBe(true);
      return Math.sqrt((depth.filter((h) => h === 2).length * (5 / grid) ** 2) / Math.PI);
    });
    expect(new Set(radii).size).toBe(3);
    for (const radius of radii) {
      expect(radius).toBeGreaterThan(0.25);
      expect(radius).toBeLessThan(0.75);
    }
  });

  it("lie at centres of cells that are symmetric to the last bit", () => {
    const { x, y } = damBreakCoordinates({ grid: 100 });
    expect(x[0]).toBeCloseTo(-2.475, 14);
    x.forEach((value, i) => {
      expect(value).toBe(-x[99 - i]);
    });
    expect(y).toEqual(x);
    expect(damBreakShapes({ grid: 100 })).toEqual({ input: [3, 100, 100], response: [3, 100, 100] });
  });

  it("refuse parameters that make no sense", () => {
    expect(() => damBreakSampler({ grid: 4 })).toThrow("grid 4 is not");
    expect(() => damBreakSampler({ time: 0 })).toThrow("time 0 is not");
  });
});
