import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEPTH_ROWS, drawVelocityLayers, THINNEST_LAYER } from "../../src/equations/velocity-layers.js";
import { stream } from "../../src/random/stream.js";

const draw = (seed: number) => drawVelocityLayers(stream(seed, "layers"));

/** Rows of every layer, from the top. */
function thicknesses(velocities: Float64Array): number[] {
  const starts = [...velocities.keys()].filter((row) => row === 0 || velocities[row] !== velocities[row - 1]);
  return starts.map((start, i) => (starts[i + 1] ?? velocities.length) - start);
}

describe("velocity layers", () => {
  it("are two to five, thick enough, and faster the deeper they lie", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const velocities = draw(seed);
        expect(velocities).toHaveLength(DEPTH_ROWS);
        expect(velocities).toEqual(velocities.slice().sort());
        expect(velocities[0]).toBeGreaterThan(1500);
        expect(velocities[DEPTH_ROWS - 1]).toBeLessThan(4500);
        const layers = thicknesses(velocities);
        expect(layers.length).toBeGreaterThanOrEqual(2);
        expect(layers.length).toBeLessThanOrEqual(5);
        expect(Math.min(...layers)).toBeGreaterThanOrEqual(THINNEST_LAYER);
      }),
      { numRuns: 300 },
    );
  });

  it("come in every number equally often, with every thickness that leaves room for the others", () => {
    const maps = Array.from({ length: 4000 }, (_, seed) => thicknesses(draw(seed)));
    for (const count of [2, 3, 4, 5]) {
      const layers = maps.filter((map) => map.length === count);
      expect(Math.abs(layers.length - 1000)).toBeLessThan(4 * Math.sqrt(4000 * 0.25 * 0.75));
      const means = layers[0].map((_, i) => layers.reduce((sum, map) => sum + map[i], 0) / layers.length);
      for (const mean of means) expect(Math.abs(mean - DEPTH_ROWS / count)).toBeLessThan(2.5);
    }
    const two = maps.filter((map) => map.length === 2).map(([top]) => top);
    expect(Math.min(...two)).toBe(THINNEST_LAYER);
    expect(Math.max(...two)).toBe(DEPTH_ROWS - THINNEST_LAYER);
  });

  it("have speeds that are uniform before they are sorted", () => {
    const means = Array.from({ length: 4000 }, (_, seed) => draw(seed)).map((velocities) => {
      const speeds = [...new Set(velocities)];
      return speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length;
    });
    const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
    expect(Math.abs(mean - 3000)).toBeLessThan(4 * Math.sqrt((3000 ** 2 / 12) * 0.32 * (1 / 4000)));
  });
});
