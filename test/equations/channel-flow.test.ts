import { beforeAll, describe, expect, it } from "vitest";
import { type Channel, channel } from "../../src/equations/channel-flow.js";
import { VELOCITIES } from "../../src/equations/lattice-boltzmann.js";

/**
 * The benchmark flow around a cylinder of Schaefer and Turek (1996), "DFG 2D": a channel of 2.2 x 0.41, circle of
 * diameter 0.1 around (0.2, 0.2), parabolic inflow. `cells` a diameter, a multiple of 10; `speed` is the mean velocity in cells a step.
 */
function benchmark(cells: number, reynolds: number, speed: number) {
  const height = 4.1 * cells;
  const flow = channel({
    width: 22 * cells,
    height,
    circle: { x: 2 * cells, y: 2 * cells, radius: cells / 2 },
    inlet: (y) => (6 * y * (height - y)) / (height * height),
  });
  flow.lattice.start(() => [0, 0, 0]);
  let steps = 0;
  return {
    ...flow,
    step() {
      const ramp = Math.min(1, (steps++ * speed) / (4 * cells));
      flow.lattice.step((speed * cells) / reynolds, speed * ramp * ramp * (3 - 2 * ramp));
    },
    coefficients: () => flow.force().map((force) => (2 * force) / (speed * speed * cells)),
  };
}

/** Pressure at the surface where it meets the line through the middle, up- or downstream: extrapolated linearly. */
function surfacePressure({ lattice, solid }: Channel, cells: number, downstream: 1 | -1): number {
  const surface = (2 + downstream / 2) * cells - 0.5; // in coordinates of nodes
  const y = 2 * cells;
  const pressure = (x: number) => (lattice.moments(x, y)[0] + lattice.moments(x, y - 1)[0]) / 6;
  let x = Math.round(surface);
  while (solid(x, y)) x += downstream;
  const slope = (pressure(x + downstream) - pressure(x)) * downstream;
  return pressure(x) + (surface - x) * slope;
}

/** What a box of cells around the circle loses in momentum each step, by what moves across its faces. */
function momentumBalance({ lattice }: Channel, from: number, to: number): readonly [number, number] {
  const inside = (x: number, y: number) => x >= from && x < to && y >= from && y < to;
  const lost = [0, 0];
  for (let y = from - 1; y <= to; y++) {
    for (let x = from - 1; x <= to; x++) {
      VELOCITIES.forEach(([cx, cy], direction) => {
        const change = Number(inside(x + cx, y + cy)) - Number(inside(x, y));
        const f = change * lattice.population({ x, y, direction });
        lost[0] += cx * f;
        lost[1] += cy * f;
      });
    }
  }
  return [lost[0], lost[1]];
}

describe("steady flow past a circle in a channel, at Re = 20", () => {
  const [cells, speed] = [20, 0.06];
  const flow = benchmark(cells, 20, speed);
  beforeAll(() => {
    for (let step = 0; step < (20 * cells) / speed; step++) flow.step();
  }, 60_000);

  it("has the published drag and lift", () => {
    const [drag, lift] = flow.coefficients();
    expect(Math.abs(drag / 5.57953523384 - 1)).toBeLessThan(0.01);
    expect(Math.abs(lift / 0.010618948146 - 1)).toBeLessThan(0.05);
  });

  it("has the published pressure drop", () => {
    const drop = surfacePressure(flow, cells, -1) - surfacePressure(flow, cells, 1);
    const scale = (0.2 / speed) ** 2; // the benchmark's mean velocity is 0.2, its density 1
    expect(Math.abs((drop * scale) / 0.11752016697 - 1)).toBeLessThan(0.01);
  });

  it("takes as much momentum out of a box around the circle as the force on it says", () => {
    const balance = momentumBalance(flow, cells, 3 * cells);
    const force = flow.force();
    expect(balance[0] / force[0]).toBeCloseTo(1, 4);
    expect(balance[1] / force[1]).toBeCloseTo(1, 2);
  });

  it("passes the same volume through every section", () => {
    for (const x of [0, 20, 39, 60, 200, 439]) {
      let flux = 0;
      for (let y = 0; y < flow.lattice.height; y++) flux += flow.lattice.moments(x, y)[1];
      expect(flux / flow.lattice.height / speed).toBeCloseTo(1, 2);
    }
  });
});

describe("flow past a circle in a channel, at Re = 100", () => {
  it("sheds vortices with the published frequency, drag and lift, but for a coarse lattice's errors", () => {
    const [cells, speed] = [20, 0.1];
    const flow = benchmark(cells, 100, speed);
    const drags: number[] = [];
    const lifts: number[] = [];
    const last = Math.round((50 * cells) / speed);
    for (let step = 0; step < last; step++) {
      flow.step();
      if (step < 0.7 * last) continue;
      const [drag, lift] = flow.coefficients();
      drags.push(drag);
      lifts.push(lift);
    }
    const upward: number[] = [];
    for (let i = 1; i < lifts.length; i++) if (lifts[i - 1] < 0 && lifts[i] >= 0) upward.push(i);
    const period = (upward[upward.length - 1] - upward[0]) / (upward.length - 1);
    expect(Math.abs(cells / speed / period / 0.301841 - 1)).toBeLessThan(0.04);
    expect(Math.abs(Math.max(...drags) / 3.227393 - 1)).toBeLessThan(0.04);
    expect(Math.abs((Math.max(...lifts) - Math.min(...lifts)) / 2.007871 - 1)).toBeLessThan(0.15);
  }, 60_000);
});
