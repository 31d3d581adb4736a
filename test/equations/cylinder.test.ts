import { describe, expect, it } from "vitest";
import {
  CYLINDER_DEFAULTS,
  type CylinderParameters,
  cylinderCoordinates,
  cylinderFlow,
  cylinderSampler,
  cylinderShape,
  drawCylinderStart,
} from "../../src/equations/cylinder.js";
import { OptionError } from "../../src/errors.js";
import { stream } from "../../src/random/stream.js";

/** Coarse and short, so that a sample takes a moment. */
const QUICK = { grid: 24, resolution: 8, reynoldsMax: 120, startUp: 6, interval: 1, latticeSpeed: 0.1 };
const COARSE = { resolution: 14, reynoldsMax: 200, latticeSpeed: 0.1 };
const EDDY = { x: 4.2, y: 3.3, speed: 0.1 };

/** Lift over the time between, with as many values as steps. */
function lifts(reynolds: number, from: number, to: number): number[] {
  const flow = cylinderFlow(COARSE);
  flow.start({ reynolds, eddies: [EDDY] });
  flow.advanceTo(from);
  return Array.from({ length: Math.round(((to - from) * COARSE.resolution) / COARSE.latticeSpeed) }, () => {
    flow.step();
    return flow.coefficients()[1];
  });
}

describe("flow past the cylinder", () => {
  it("forgets what disturbed it at Re = 40", () => {
    const late = lifts(40, 36, 40).map(Math.abs);
    expect(Math.max(...late)).toBeLessThan(0.02);
    expect(Math.max(...late)).toBeLessThan(0.4 * Math.max(...lifts(40, 16, 20).map(Math.abs)));
  }, 60_000);

  it("sheds vortices at Re = 150, with the frequency that a channel this narrow gives", () => {
    const lift = lifts(150, 40, 60);
    expect(Math.max(...lift)).toBeGreaterThan(0.4);
    expect(Math.min(...lift)).toBeLessThan(-0.4);
    const upward = lift.flatMap((value, i) => (i > 0 && lift[i - 1] < 0 && value >= 0 ? [i] : []));
    const period = (upward[upward.length - 1] - upward[0]) / (upward.length - 1);
    const strouhal = COARSE.resolution / COARSE.latticeSpeed / period;
    expect(strouhal).toBeGreaterThan(0.21);
    expect(strouhal).toBeLessThan(0.25);
  }, 60_000);

  it("is mirrored where its start is: the phase of shedding belongs to the start", () => {
    const parameters = { ...COARSE, grid: 24 };
    const [frame, mirrored] = [1, -1].map((sign) => {
      const flow = cylinderFlow(parameters);
      flow.start({
        reynolds: 150,
        eddies: [{ x: EDDY.x, y: 3 + sign * (EDDY.y - 3), speed: sign * EDDY.speed }],
      });
      flow.advanceTo(25);
      return flow.frame();
    });
    let [asymmetry, difference] = [0, 0];
    for (let i = 0; i < 24; i++) {
      for (let j = 0; j < 24; j++) {
        const v = frame[(24 + i) * 24 + j];
        asymmetry = Math.max(asymmetry, Math.abs(v + frame[(47 - i) * 24 + j]));
        difference = Math.max(difference, Math.abs(v + mirrored[(47 - i) * 24 + j]));
      }
    }
    expect(asymmetry).toBeGreaterThan(0.1);
    expect(difference).toBeLessThan(0.01 * asymmetry);
  }, 60_000);

  it("conserves volume and is in m/s: every column of a frame carries what the inlet lets in", () => {
    const flow = cylinderFlow({ ...COARSE, grid: 64 });
    flow.start({ reynolds: 100, eddies: [EDDY] });
    flow.advanceTo(12);
    const frame = flow.frame();
    for (let j = 0; j < 64; j++) {
      let mean = 0;
      for (let i = 0; i < 64; i++) mean += frame[i * 64 + j] / 64;
      expect(Math.abs(mean / 0.5 - 1)).toBeLessThan(0.03); // u_in = 100 1e-3 / (10 0.02)
    }
  });
});

describe("samples of the cylinder", () => {
  it("are the same bits whatever was made before", () => {
    const sample = cylinderSampler(QUICK);
    const [first, second] = [stream(1, "a"), stream(1, "b")].map(sample);
    const again = cylinderSampler(QUICK)(stream(1, "b"));
    expect(again).toEqual(second);
    expect(again.input).not.toEqual(first.input);
    expect(again.response).not.toEqual(again.input);
  });

  it("have the shape and the coordinates that they say, and zeros inside the circle", () => {
    const { input, response } = cylinderSampler(QUICK)(stream(2, "shape"));
    const [channels, rows, columns] = cylinderShape(QUICK);
    const { x, y } = cylinderCoordinates(QUICK);
    expect([channels, rows, columns]).toEqual([2, y.length, x.length]);
    for (const frame of [input, response]) {
      expect(frame).toHaveLength(channels * rows * columns);
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < columns; j++) {
          const inside = Math.hypot(x[j] - 0.06, y[i] - 0.06) < 0.01;
          expect(frame[i * columns + j] === 0).toBe(inside);
        }
      }
    }
  });

  it("have Reynolds numbers of all orders in their range and weak eddies behind the cylinder", () => {
    const starts = Array.from({ length: 300 }, (_, i) => drawCylinderStart(stream(3, "start", i)));
    const { reynoldsMin, reynoldsMax, perturbation } = CYLINDER_DEFAULTS;
    const middle = Math.sqrt(reynoldsMin * reynoldsMax);
    for (const { reynolds, eddies } of starts) {
      expect(reynolds).toBeGreaterThan(reynoldsMin);
      expect(reynolds).toBeLessThan(reynoldsMax);
      for (const eddy of eddies) {
        expect(Math.abs(eddy.speed)).toBeLessThan(perturbation);
        expect(eddy.x).toBeGreaterThan(3.5);
      }
    }
    const below = starts.filter(({ reynolds }) => reynolds < middle).length;
    expect(below).toBeGreaterThan(120);
    expect(below).toBeLessThan(180);
  });

  it("are refused on lattices that cannot hold them", () => {
    const refused: Partial<CylinderParameters>[] = [
      { resolution: 10 },
      { resolution: 20.5 },
      { grid: 256 },
      { reynoldsMin: 400 },
    ];
    for (const parameters of refused) expect(() => cylinderSampler(parameters)).toThrow(OptionError);
    const supersonic = cylinderSampler({ ...QUICK, latticeSpeed: 0.7 });
    expect(() => supersonic(stream(4, "supersonic"))).toThrow(/broke up/);
  });
});
