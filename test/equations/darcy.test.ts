import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DARCY_DEFAULTS,
  type DarcyVariant,
  darcyCoordinates,
  darcyMatrix,
  darcySampler,
  darcyShapes,
  darcySolver,
} from "../../src/equations/darcy.js";
import { cellCentres, drawPermeability } from "../../src/equations/darcy-coefficient.js";
import { withRing } from "../../src/numerics/five-point.js";
import { stream } from "../../src/random/stream.js";

const VARIANTS: readonly DarcyVariant[] = ["steady", "pdebench-like"];

const constant = (grid: number, value: number) => new Float64Array(grid * grid).fill(value);
const mean = (values: Float64Array) => values.reduce((a, b) => a + b, 0) / values.length;
const uniformFlow = (grid: number, variant: DarcyVariant = "steady") =>
  darcySolver(constant(grid, 1), grid, variant)(constant(grid, 1));

/** The average of the four cells around x = i / grid, y = j / grid. */
function atCorner(u: Float64Array, grid: number, i: number, j: number): number {
  const k = i * grid + j;
  return (u[k] + u[k - 1] + u[k - grid] + u[k - grid - 1]) / 4;
}

const onGrid = (grid: number, f: (x: number, y: number) => number) => {
  const centres = cellCentres(grid);
  return Float64Array.from({ length: grid * grid }, (_, k) =>
    f(centres[Math.floor(k / grid)], centres[k % grid]),
  );
};

const anyFlow = fc.record({
  grid: fc.constantFrom(8, 11, 16, 24),
  seed: fc.integer({ min: 0, max: 1e6 }),
  variant: fc.constantFrom(...VARIANTS),
});

describe("the Darcy solver with constant permeability", () => {
  it.each([
    [64, 0.03517737],
    [128, 0.03515254],
  ])("has the known mean on %i cells a side", (grid, expected) => {
    expect(mean(uniformFlow(grid))).toBeCloseTo(expected, 8);
  });

  it("has the known mean and maximum with zero half a cell outside", () => {
    const u = uniformFlow(128, "pdebench-like");
    expect(mean(u)).toBeCloseTo(0.03624837, 8);
    expect(Math.max(...u)).toBeCloseTo(0.07481579, 8);
  });

  it("comes to the series solution with order 2", () => {
    const [coarse, fine] = [32, 64].map((grid) => {
      const u = uniformFlow(grid);
      return [mean(u), atCorner(u, grid, grid / 2, grid / 2), atCorner(u, grid, grid / 4, grid / 4)];
    });
    [0.03514425373904, 0.07367135328151, 0.04528615810947].forEach((exact, k) => {
      const ratio = (coarse[k] - exact) / (fine[k] - exact);
      expect(ratio).toBeGreaterThan(3.8);
      expect(ratio).toBeLessThan(4.2);
      expect(Math.abs((4 * fine[k] - coarse[k]) / 3 - exact)).toBeLessThan(1e-6);
    });
  });

  it("comes to it with order 1 only where zero lies outside", () => {
    const [coarse, fine] = [64, 128].map(
      (grid) => mean(uniformFlow(grid, "pdebench-like")) - 0.03514425373904,
    );
    expect(coarse / fine).toBeGreaterThan(1.8);
    expect(coarse / fine).toBeLessThan(2.2);
  });
});

describe("the Darcy solver", () => {
  it("has order 2 for sin(pi x) sin(pi y) under a permeability 1 + x + y", () => {
    const { sin, cos, PI } = Math;
    const error = (grid: number) => {
      const permeability = onGrid(grid, (x, y) => 1 + x + y);
      const source = onGrid(
        grid,
        (x, y) =>
          PI *
          (2 * PI * (1 + x + y) * sin(PI * x) * sin(PI * y) -
            cos(PI * x) * sin(PI * y) -
            sin(PI * x) * cos(PI * y)),
      );
      const exact = onGrid(grid, (x, y) => sin(PI * x) * sin(PI * y));
      const u = darcySolver(permeability, grid, "steady")(source);
      return u.reduce((most, value, k) => Math.max(most, Math.abs(value - exact[k])), 0);
    };
    const errors = [32, 64, 128].map(error);
    expect(errors[2]).toBeLessThan(2e-4);
    for (const k of [1, 2]) {
      const order = Math.log2(errors[k - 1] / errors[k]);
      expect(order).toBeGreaterThan(1.9);
      expect(order).toBeLessThan(2.1);
    }
  });

  it("lets out through the boundary just what the source brings, and pressure is positive", () => {
    fc.assert(
      fc.property(anyFlow, ({ grid, seed, variant }) => {
        const permeability = drawPermeability(stream(seed, "flow"), grid);
        const pressure = darcySolver(permeability, grid, variant)(constant(grid, 2.5));
        const u = withRing(pressure, grid);
        const { down, right, stride } = darcyMatrix(permeability, grid, variant);
        let outflow = 0;
        for (let j = 1; j <= grid; j++) {
          outflow += down[j] * u[stride + j] + down[grid * stride + j] * u[grid * stride + j];
          outflow += right[j * stride] * u[j * stride + 1] + right[j * stride + grid] * u[j * stride + grid];
        }
        expect(outflow).toBeCloseTo(2.5, 8);
        expect(Math.min(...pressure)).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });

  it("turns with the permeability, and does less work where permeability grows", () => {
    fc.assert(
      fc.property(anyFlow, fc.nat(), ({ grid, seed, variant }, where) => {
        const permeability = drawPermeability(stream(seed, "flow"), grid);
        const transpose = (values: Float64Array) =>
          values.map((_, k) => values[(k % grid) * grid + Math.floor(k / grid)]);
        const u = darcySolver(permeability, grid, variant)(constant(grid, 1));
        const turned = darcySolver(transpose(permeability), grid, variant)(constant(grid, 1));
        const expected = transpose(u);
        expect(Math.max(...turned.map((value, k) => Math.abs(value - expected[k])))).toBeLessThan(1e-9);
        permeability[where % permeability.length] *= 3;
        expect(mean(darcySolver(permeability, grid, variant)(constant(grid, 1)))).toBeLessThan(mean(u));
      }),
      { numRuns: 40 },
    );
  });

  it("joins two media by the harmonic mean, or the arithmetic one, and walls over half a cell", () => {
    const permeability = constant(8, 1).fill(0.1, 32);
    const { down, right, stride } = darcyMatrix(permeability, 8, "steady");
    expect(down[4 * stride + 1]).toBeCloseTo(2 / 11, 15);
    expect(darcyMatrix(permeability, 8, "pdebench-like").down[4 * stride + 1]).toBeCloseTo(0.55, 15);
    expect(right[stride]).toBe(2);
    expect(right[8 * stride]).toBeCloseTo(0.2, 15);
  });
});

describe("Darcy samples", () => {
  it("are linear in beta in the steady variant and affine in the other, with the same input", () => {
    const sample = (beta: number, variant: DarcyVariant) =>
      darcySampler({ grid: 24, beta, variant })(stream(4, "beta"));
    const difference = (variant: DarcyVariant, low: number, high: number) => {
      const [a, b] = [sample(low, variant).response, sample(high, variant).response];
      return a.map((value, k) => b[k] - value);
    };
    const one = sample(1, "steady").response;
    sample(7, "steady").response.forEach((value, k) => {
      expect(value).toBeCloseTo(7 * one[k], 5);
    });
    const step = difference("pdebench-like", 1, 2);
    difference("pdebench-like", 2, 4).forEach((value, k) => {
      expect(value).toBeCloseTo(2 * step[k], 5);
    });
    expect(sample(1, "pdebench-like").input).toEqual(sample(1, "steady").input);
  });

  it("have two permeabilities and the shapes and coordinates that are promised", () => {
    const grid = 32;
    const { input, response } = darcySampler({ grid })(stream(1, "sample", 0));
    expect([...new Set(input)].sort()).toEqual([Math.fround(0.1), 1]);
    expect(darcyShapes({ grid })).toEqual({ input: [32, 32], response: [32, 32] });
    expect([input.length, response.length]).toEqual([1024, 1024]);
    const { x, y } = darcyCoordinates({ grid });
    expect([x[0], x[31], y.length]).toEqual([0.5 / 32, 31.5 / 32, 32]);
  });

  it.each([64, 96, 128])("have about the same pressure on %i cells a side", (grid) => {
    const { response } = darcySampler({ ...DARCY_DEFAULTS, grid })(stream(1, "sample", 0));
    const fine = darcySampler({ grid: 192 })(stream(1, "sample", 0)).response;
    const ratio = mean(Float64Array.from(response)) / mean(Float64Array.from(fine));
    expect(Math.abs(ratio - 1)).toBeLessThan(0.02);
  });

  it("refuse parameters that make no sense", () => {
    expect(() => darcySampler({ grid: 7 })).toThrow("grid 7 is not");
    expect(() => darcySampler({ grid: 64.5 })).toThrow("grid 64.5 is not");
    expect(() => darcySampler({ beta: 0 })).toThrow("beta 0 is not");
    expect(() => darcySampler({ variant: "wet" as DarcyVariant })).toThrow('no variant "wet"');
  });
});
