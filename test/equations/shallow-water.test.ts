import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ShallowWaterSolver, shallowWaterSolver } from "../../src/equations/shallow-water.js";
import { ritter, type SelfSimilar, stoker } from "./stoker.js";

type Direction = "rows" | "columns";

/** A channel from -width to width along rows or columns, three cells across, with a depth and velocity at the start. */
function channel(
  direction: Direction,
  cells: number,
  width: number,
  start: (x: number) => { readonly h: number; readonly u: number },
) {
  const along = direction === "rows";
  const spacing = (2 * width) / cells;
  const solver = shallowWaterSolver({ rows: along ? cells : 3, columns: along ? 3 : cells, spacing });
  const entry = (i: number, across = 1) =>
    along ? (i + 2) * solver.stride + across + 2 : (across + 2) * solver.stride + i + 2;
  const centres = Float64Array.from({ length: cells }, (_, i) => (i + 0.5) * spacing - width);
  const discharge = along ? solver.state.hu : solver.state.hv;
  centres.forEach((x, i) => {
    const { h, u } = start(x);
    for (let across = 0; across < 3; across++) {
      solver.state.h[entry(i, across)] = h;
      discharge[entry(i, across)] = h * u;
    }
  });
  return {
    solver,
    centres,
    spacing,
    depth: () => centres.map((_, i) => solver.state.h[entry(i)]),
    velocity: () => centres.map((_, i) => discharge[entry(i)] / solver.state.h[entry(i)]),
    transverse: () => centres.map((_, i) => (along ? solver.state.hv : solver.state.hu)[entry(i)]),
  };
}

const dam = (left: number, right: number) => (x: number) => ({ h: x < 0 ? left : right, u: 0 });
const distance = (a: Float64Array, b: Float64Array) =>
  a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
const nearest = (centres: Float64Array, x: number) => centres.findIndex((at) => at > x);
const exactDepth = (centres: Float64Array, time: number, at: SelfSimilar) =>
  centres.map((x) => at(x / time).h);

/** Total depth, over cells without their rings. */
function mass(solver: ShallowWaterSolver, rows: number, columns: number): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) sum += solver.state.h[(i + 2) * solver.stride + j + 2];
  }
  return sum;
}

describe("the Stoker solution", () => {
  it("has the known values for depths 2 and 1", () => {
    const { h, u, shock, fan } = stoker(2, 1);
    expect(h).toBeCloseTo(1.453840892375, 11);
    expect(u).toBeCloseTo(0.416920630975, 11);
    expect(shock).toBeCloseTo(1.335569959365, 11);
    expect(fan[0]).toBeCloseTo(-Math.SQRT2, 11);
    expect(fan[1]).toBeCloseTo(-0.78883261591, 11);
  });
});

describe("the shallow-water solver", () => {
  it.each(["rows", "columns"] as const)("meets Stoker's dam break along %s", (direction) => {
    const exact = stoker(2, 1);
    const errors = [100, 400].map((cells) => {
      const run = channel(direction, cells, 2, dam(2, 1));
      run.solver.advance(1);
      const middle = nearest(run.centres, 0.3);
      expect(run.depth()[middle]).toBeCloseTo(exact.h, 3);
      expect(run.velocity()[middle]).toBeCloseTo(exact.u, 3);
      expect(Math.max(...run.transverse().map(Math.abs))).toBe(0);
      // The shock: where depth passes the middle of its jump.
      const front = run.centres[run.depth().findIndex((h, i) => i > middle && h < (1 + exact.h) / 2)];
      expect(Math.abs(front - exact.shock)).toBeLessThan(1.5 * run.spacing);
      return distance(run.depth(), exactDepth(run.centres, 1, exact.at));
    });
    expect(errors[1]).toBeLessThan(0.002);
    expect(errors[0] / errors[1]).toBeGreaterThan(3); // order 1, as for any method at a shock
  });

  it("meets Ritter's dam break over dry ground", () => {
    const errors = [100, 400].map((cells) => {
      const run = channel("rows", cells, 2.5, dam(1, 0));
      run.solver.advance(1);
      const depth = run.depth();
      const near = nearest(run.centres, 0);
      expect(Math.abs((depth[near] + depth[near - 1]) / 2 - 4 / 9)).toBeLessThan(0.005);
      expect(Math.abs((run.velocity()[near] + run.velocity()[near - 1]) / 2 - 2 / 3)).toBeLessThan(0.01);
      expect(Math.min(...depth)).toBeGreaterThanOrEqual(0);
      return distance(depth, exactDepth(run.centres, 1, ritter(1)));
    });
    expect(errors[1]).toBeLessThan(0.001);
    expect(errors[0] / errors[1]).toBeGreaterThan(3);
  });

  it("has order 2 for a smooth wave that runs to one side", () => {
    // u = 2 (c - 1) is constant along x = x0 + (3 c - 2) t as long as these lines do not cross.
    const celerity = (x: number) => 1 + 0.1 * Math.exp(-4 * x * x);
    const time = 0.5;
    const exact = (x: number) => {
      let [low, high] = [x - 2, x];
      for (let i = 0; i < 50; i++) {
        const from = (low + high) / 2;
        if (from + (3 * celerity(from) - 2) * time < x) low = from;
        else high = from;
      }
      return celerity(low) ** 2;
    };
    const errors = [80, 160, 320].map((cells) => {
      const run = channel("columns", cells, 3, (x) => ({ h: celerity(x) ** 2, u: 2 * (celerity(x) - 1) }));
      run.solver.advance(time);
      return distance(run.depth(), run.centres.map(exact));
    });
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(1.7);
    expect(Math.log2(errors[1] / errors[2])).toBeGreaterThan(1.8);
    expect(errors[2]).toBeLessThan(5e-5);
  });

  it("carries a tangential velocity along with the water, and not with the waves", () => {
    const run = channel("rows", 200, 2, dam(2, 1));
    const { state, advance } = run.solver;
    for (let k = 0; k < state.h.length; k++) state.hv[k] = state.h[k] > 1.5 ? 0.3 * state.h[k] : 0;
    advance(1);
    const depth = run.depth();
    const tangential = run.transverse().map((hv, i) => hv / depth[i]);
    const { u } = stoker(2, 1);
    expect(tangential[nearest(run.centres, u - 0.15)]).toBeCloseTo(0.3, 2);
    expect(tangential[nearest(run.centres, u + 0.15)]).toBeCloseTo(0, 2);
  });

  it("leaves a lake at rest, to the last bit", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 100, noNaN: true }), fc.boolean(), (depth, mirror) => {
        const { state, stride, advance } = shallowWaterSolver({ rows: 9, columns: 6, spacing: 0.1, mirror });
        state.h.fill(depth);
        advance(1 / Math.sqrt(depth));
        expect(new Set(state.h)).toEqual(new Set([depth]));
        for (let i = 0; i < 9; i++) {
          for (let j = 0; j < 6; j++) {
            const k = (i + 2) * stride + j + 2;
            expect(Math.abs(state.hu[k]) + Math.abs(state.hv[k])).toBe(0);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it("keeps the water between mirrors and still ground, whatever its shape, and never below zero", () => {
    const heap = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(heap, fc.boolean(), (heights, wet) => {
        const size = 24;
        const courant = wet ? 0.45 : 0.2;
        const solver = shallowWaterSolver({ rows: size, columns: size, spacing: 0.1, mirror: true, courant });
        const { state, stride } = solver;
        if (wet) state.h.fill(0.5);
        heights.forEach((height, k) => {
          state.h[((k >> 2) + 2) * stride + (k & 3) + 2] += height;
        });
        const before = mass(solver, size, size);
        solver.advance(0.4); // a front of speed at most 2 sqrt(1.5) stays inside
        expect(Math.abs(mass(solver, size, size) - before)).toBeLessThan(1e-11);
        expect(state.h.every((h) => h >= 0)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("lets a wave out at the boundary", () => {
    const run = channel("rows", 100, 1, (x) => ({ h: 1 + 0.1 * Math.exp(-20 * x * x), u: 0 }));
    run.solver.advance(3);
    for (const h of run.depth()) expect(Math.abs(h - 1)).toBeLessThan(1e-3);
  });
});
