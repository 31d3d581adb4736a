import { describe, expect, it } from "vitest";
import { darcyMatrix, darcySampler, darcySolver } from "../../src/equations/darcy.js";
import { drawPermeability } from "../../src/equations/darcy-coefficient.js";
import { decay, drawInitialPressure, OBSERVATION_TIME } from "../../src/equations/darcy-transient.js";
import { emptyField, multiply, withoutRing, withRing } from "../../src/numerics/five-point.js";
import { symmetricEigen } from "../../src/numerics/symmetric-eigen.js";
import { stream } from "../../src/random/stream.js";

const norm = (values: ArrayLike<number>) =>
  Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));

describe("what is left of an initial pressure", () => {
  it("is an eigenmode times the exponential of its eigenvalue", () => {
    const grid = 32;
    const solve = darcySolver(new Float64Array(grid * grid).fill(0.1), grid, "pdebench-like");
    const angle = (m: number, i: number) => (Math.PI * m * (i + 1)) / (grid + 1);
    const start = Float64Array.from(
      { length: grid * grid },
      (_, k) => Math.sin(angle(1, Math.floor(k / grid))) * Math.sin(angle(2, k % grid)),
    );
    const rate = 0.1 * 4 * grid * grid * (Math.sin(angle(1, 0) / 2) ** 2 + Math.sin(angle(2, 0) / 2) ** 2);
    const factor = Math.exp(-rate * OBSERVATION_TIME);
    decay(start, solve).forEach((value, k) => {
      expect(Math.abs(value - factor * start[k])).toBeLessThan(1e-8 * factor);
    });
  });

  it("is what all eigenvectors of the matrix give", () => {
    const grid = 10;
    const cells = grid * grid;
    const random = stream(2, "decay");
    const permeability = drawPermeability(random, grid);
    const start = drawInitialPressure(random, grid);
    const matrix = darcyMatrix(permeability, grid, "pdebench-like");
    const dense = new Float64Array(cells * cells);
    for (let k = 0; k < cells; k++) {
      const unit = new Float64Array(cells);
      unit[k] = cells; // 1 over the area of a cell
      const column = emptyField(grid);
      multiply(matrix, withRing(unit, grid), column);
      dense.set(withoutRing(column, grid), k * cells);
    }
    const { values, vectors } = symmetricEigen(dense, cells);
    const expected = new Float64Array(cells);
    for (let m = 0; m < cells; m++) {
      const q = vectors.subarray(m * cells, (m + 1) * cells);
      const part =
        Math.exp(-values[m] * OBSERVATION_TIME) * q.reduce((sum, value, k) => sum + value * start[k], 0);
      for (let k = 0; k < cells; k++) expected[k] += part * q[k];
    }
    const found = decay(start, darcySolver(permeability, grid, "pdebench-like"));
    expect(norm(found.map((value, k) => value - expected[k]))).toBeLessThan(1e-7 * norm(expected));
  });

  it("is about a seventh of all pressure for beta = 1, and a tenth of that for beta = 10", () => {
    const share = (beta: number) => {
      let left = 0;
      let all = 0;
      for (let i = 0; i < 60; i++) {
        const [whole, steady] = [beta, 1e9].map(
          (source) =>
            darcySampler({ grid: 16, beta: source, variant: "pdebench-like" })(stream(6, "leftover", i))
              .response,
        );
        // For a huge source the initial state does not count.
        left += norm(whole.map((value, k) => value - (beta / 1e9) * steady[k])) ** 2;
        all += norm(whole) ** 2;
      }
      return Math.sqrt(left / all);
    };
    const one = share(1);
    expect(one).toBeGreaterThan(0.1);
    expect(one).toBeLessThan(0.2);
    const ratio = one / share(10);
    expect(ratio).toBeGreaterThan(7);
    expect(ratio).toBeLessThan(10);
  });
});

describe("the initial pressure", () => {
  it("keeps within its relative size of an offset from 0.1 to 10, at times cut to a rectangle", () => {
    let cut = 0;
    for (let i = 0; i < 200; i++) {
      const pressure = drawInitialPressure(stream(3, "initial", i), 16);
      expect(Math.min(...pressure)).toBeGreaterThan(0.05);
      expect(Math.max(...pressure)).toBeLessThan(15);
      const values = new Map<number, number>();
      for (const value of pressure) values.set(value, (values.get(value) ?? 0) + 1);
      if (Math.max(...values.values()) > 20) cut++;
    }
    expect(cut).toBeGreaterThan(70);
    expect(cut).toBeLessThan(130);
  });
});
