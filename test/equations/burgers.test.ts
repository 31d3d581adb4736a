import { describe, expect, it } from "vitest";
import { BURGERS_GRID, burgersSolver, type PeriodicFunction } from "../../src/equations/burgers.js";
import {
  drawChebyshev,
  evaluateChebyshev,
  fourierCoefficients,
  integrateChebyshev,
  sampleChebyshev,
} from "../../src/equations/chebyshev-space.js";
import { stream } from "../../src/random/stream.js";
import { coleHopf } from "./cole-hopf.js";

const WIDTH = BURGERS_GRID.length;
const SINE: PeriodicFunction = {
  spectrum: Float64Array.of(0, 0, 0, -0.5),
  values: BURGERS_GRID.map((x) => Math.sin(2 * Math.PI * x)),
};
const GOLDEN = Float64Array.of(0.3, -0.5, 0.2, 0.7, -0.4, 0.1, 0.6, -0.2, 0.5, -0.3);

const periodic = (coefficients: Float64Array, modes: number): PeriodicFunction => ({
  spectrum: fourierCoefficients(coefficients, modes),
  values: sampleChebyshev(coefficients, BURGERS_GRID),
});

const randomInput = (i: number) => drawChebyshev(stream(11, "burgers-test", i));

/** Relative L2 distance to the Cole-Hopf solution at time slice t / 100. */
function sliceError(
  response: Float64Array,
  coefficients: Float64Array,
  viscosity: number,
  t: number,
): number {
  const integral = integrateChebyshev(coefficients);
  const exact = coleHopf((y) => evaluateChebyshev(integral, y), viscosity);
  let error = 0;
  let norm = 0;
  BURGERS_GRID.forEach((x, i) => {
    const value = exact(x, t / 100);
    error += (response[i * WIDTH + t] - value) ** 2;
    norm += value ** 2;
  });
  return Math.sqrt(error / norm);
}

describe("the Cole-Hopf oracle", () => {
  it("gives the golden values for a sine", () => {
    const exact = coleHopf((y) => (1 - Math.cos(2 * Math.PI * y)) / (2 * Math.PI), 0.05);
    expect(exact(0.1, 0.5)).toBeCloseTo(0.1312094958, 9);
    expect(exact(0.25, 1)).toBeCloseTo(0.1078900971, 9);
  });
});

describe("the Burgers solver", () => {
  it.each([
    [0.1, 0.1, [0.3118372773, 0.6425114093, 0.4929952373]],
    [0.1, 0.5, [0.0701075989, 0.1289688673, 0.0825247336]],
    [0.1, 1, [0.0104097264, 0.0179142565, 0.010652545]],
    [0.05, 0.5, [0.1312094958, 0.2919159571, 0.2537182186]],
    [0.05, 1, [0.0558450512, 0.1078900971, 0.0733975896]],
    [0.01, 0.1, [0.3737813128, 0.838437318, 0.8778750613]],
    [0.01, 0.5, [0.1496433702, 0.371607124, 0.5844345724]],
    [0.01, 1, [0.0855335405, 0.21353941, 0.3288552546]],
  ])("with viscosity %d has the golden values of a sine at t = %d", (viscosity, t, expected) => {
    const response = burgersSolver(viscosity).solve(SINE);
    const found = [10, 25, 40].map((i) => response[i * WIDTH + Math.round(100 * t)]);
    for (let i = 0; i < 3; i++) expect(Math.abs(found[i] / expected[i] - 1)).toBeLessThan(1e-6);
  });

  it.each([1, 0.1, 0.05, 0.01, 0.005])(
    "with viscosity %d meets Cole-Hopf to 1e-6 although the input jumps",
    (viscosity) => {
      const solver = burgersSolver(viscosity);
      for (const coefficients of [GOLDEN, randomInput(0)]) {
        const response = solver.solve(periodic(coefficients, solver.modes));
        for (const t of [1, 2, 5, 20, 100]) {
          expect(sliceError(response, coefficients, viscosity, t)).toBeLessThan(1e-6);
        }
      }
    },
  );

  it.each([0.1, 0.01])(
    "with viscosity %d meets Cole-Hopf to 1e-6 in the hardest slices of 40 random inputs",
    (viscosity) => {
      const solver = burgersSolver(viscosity);
      let worst = 0;
      for (let i = 0; i < 40; i++) {
        const coefficients = randomInput(i);
        const response = solver.solve(periodic(coefficients, solver.modes));
        for (const t of [1, 5]) worst = Math.max(worst, sliceError(response, coefficients, viscosity, t));
      }
      expect(worst).toBeLessThan(1e-6);
      expect(worst).toBeGreaterThan(1e-9); // the oracle is not the solver
    },
  );

  it("comes closer to Cole-Hopf as the tolerance falls", () => {
    const error = (tolerance: number) => {
      const solver = burgersSolver(0.01, tolerance);
      return sliceError(solver.solve(periodic(GOLDEN, solver.modes)), GOLDEN, 0.01, 10);
    };
    const [coarse, middle, fine] = [error(1e-4), error(1e-5), error(1e-6)];
    expect(coarse).toBeGreaterThan(3 * middle);
    expect(middle).toBeGreaterThan(3 * fine);
  });

  it("keeps the mean to rounding, loses energy, and never lets the largest value grow", () => {
    const solver = burgersSolver(0.1);
    const response = solver.solve(periodic(GOLDEN, solver.modes));
    const mean = evaluateChebyshev(integrateChebyshev(GOLDEN), 1);
    let energy = Infinity;
    let largest = Math.max(...sampleChebyshev(GOLDEN, BURGERS_GRID).map(Math.abs));
    // From the third slice on less than 50 modes are left, and sums over the 100 points are integrals.
    for (let t = 3; t < WIDTH; t++) {
      const slice = BURGERS_GRID.subarray(0, 100).map((_, i) => response[i * WIDTH + t]);
      expect(slice.reduce((a, b) => a + b, 0) / 100).toBeCloseTo(mean, 13);
      const energyNow = slice.reduce((a, b) => a + b * b, 0) / 100;
      const largestNow = Math.max(...slice.map(Math.abs));
      expect(energyNow).toBeLessThan(energy);
      expect(largestNow).toBeLessThan(largest * (1 + 1e-4)); // a peak may move onto a grid point
      energy = energyNow;
      largest = largestNow;
    }
  });

  it("labels t = 0 with the input itself, and x = 1 with the value at x = 0", () => {
    const solver = burgersSolver(0.1);
    const response = solver.solve(periodic(GOLDEN, solver.modes));
    const first = BURGERS_GRID.map((_, i) => response[i * WIDTH]);
    const input = sampleChebyshev(GOLDEN, BURGERS_GRID);
    expect([...first.subarray(0, 100)]).toEqual([...input.subarray(0, 100)]);
    expect(first[100]).toBe(input[0]);
    expect(input[100]).not.toBe(input[0]);
  });

  it("gives the same bits whatever it solved before", () => {
    const solver = burgersSolver(0.05);
    const alone = solver.solve(periodic(GOLDEN, solver.modes));
    solver.solve(periodic(randomInput(1), solver.modes));
    expect(solver.solve(periodic(GOLDEN, solver.modes))).toEqual(alone);
    expect(burgersSolver(0.05).solve(periodic(GOLDEN, solver.modes))).toEqual(alone);
  });

  it("keeps a constant and moves a wave with it", () => {
    const constant = burgersSolver(0.1).solve({
      spectrum: Float64Array.of(2, 0),
      values: BURGERS_GRID.map(() => 2),
    });
    expect(constant.every((value) => Math.abs(value - 2) < 1e-14)).toBe(true);
    // Galilean invariance: with mean 1 the solution at t = 1 has gone once around.
    const moved = burgersSolver(0.1).solve({ ...SINE, spectrum: Float64Array.of(1, 0, 0, -0.5) });
    expect(moved[25 * WIDTH + 100] - 1).toBeCloseTo(0.0179142565, 7);
  });

  it.each([0, -1, 0.001, 2, Number.NaN])("refuses viscosity %d", (viscosity) => {
    expect(() => burgersSolver(viscosity)).toThrow(/viscosity .* outside 0.005 to 1/);
  });
});
