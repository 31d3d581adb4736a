import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DarcyVariant, darcyMatrix } from "../../src/equations/darcy.js";
import { drawPermeability } from "../../src/equations/darcy-coefficient.js";
import { conjugateGradients, dot } from "../../src/numerics/conjugate-gradients.js";
import {
  emptyField,
  multiply,
  relaxColour,
  residual,
  withoutRing,
  withRing,
} from "../../src/numerics/five-point.js";
import { coarsen, vCycle } from "../../src/numerics/multigrid.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

const VARIANTS: readonly DarcyVariant[] = ["steady", "pdebench-like"];

const anyMatrix = fc.record({
  size: fc.constantFrom(8, 9, 12, 16, 20),
  seed: fc.integer({ min: 0, max: 1e6 }),
  variant: fc.constantFrom(...VARIANTS),
});

const randomField = (size: number, seed: number, name: string) => {
  const random = stream(seed, name);
  return withRing(
    Float64Array.from({ length: size * size }, () => normal(random)),
    size,
  );
};

const randomMatrix = ({ size, seed, variant }: { size: number; seed: number; variant: DarcyVariant }) =>
  darcyMatrix(drawPermeability(stream(seed, "permeability"), size), size, variant);

describe("the five-point matrix", () => {
  it("is symmetric and positive definite", () => {
    fc.assert(
      fc.property(anyMatrix, (choice) => {
        const matrix = randomMatrix(choice);
        const [u, v] = ["u", "v"].map((name) => randomField(choice.size, choice.seed, name));
        const [au, av] = [emptyField(choice.size), emptyField(choice.size)];
        multiply(matrix, u, au);
        multiply(matrix, v, av);
        expect(Math.abs(dot(au, v) - dot(u, av))).toBeLessThan(1e-12 * Math.sqrt(dot(au, au) * dot(v, v)));
        expect(dot(au, u)).toBeGreaterThan(0);
      }),
    );
  });

  it("leaves no residual in the cells of the colour just relaxed", () => {
    const size = 9;
    const matrix = randomMatrix({ size, seed: 5, variant: "steady" });
    const u = randomField(size, 5, "u");
    const f = randomField(size, 5, "f");
    for (const parity of [0, 1]) {
      relaxColour(matrix, f, u, parity);
      const rest = emptyField(size);
      residual(matrix, f, u, rest);
      withoutRing(rest, size).forEach((value, at) => {
        const own = (Math.floor(at / size) + (at % size)) % 2 === parity;
        if (own) expect(Math.abs(value)).toBeLessThan(1e-13);
      });
      expect(Math.sqrt(dot(rest, rest))).toBeGreaterThan(0.1);
    }
  });
});

describe("the coarse matrix", () => {
  it("is that of the coarse grid for a constant coefficient, walls included", () => {
    const matrix = (size: number) => darcyMatrix(new Float64Array(size * size).fill(3), size, "steady");
    const coarse = coarsen(matrix(16));
    const expected = matrix(8);
    for (const name of ["down", "right", "diagonal"] as const) {
      coarse[name].forEach((value, k) => {
        expect(value).toBeCloseTo(expected[name][k], 13);
      });
    }
  });
});

describe("the multigrid cycle", () => {
  it("is symmetric and positive", () => {
    fc.assert(
      fc.property(anyMatrix, (choice) => {
        const cycle = vCycle(randomMatrix(choice));
        const [u, v] = ["u", "v"].map((name) => randomField(choice.size, choice.seed, name));
        const [mu, mv] = [emptyField(choice.size), emptyField(choice.size)];
        cycle(u, mu);
        cycle(v, mv);
        expect(Math.abs(dot(mu, v) - dot(u, mv))).toBeLessThan(1e-12 * Math.sqrt(dot(mu, mu) * dot(v, v)));
        expect(dot(mu, u)).toBeGreaterThan(0);
      }),
    );
  });

  it.each(VARIANTS)("makes the number of iterations nearly independent of the grid: %s", (variant) => {
    for (const size of [16, 32, 64, 96, 128]) {
      for (let seed = 0; seed < 3; seed++) {
        const matrix = randomMatrix({ size, seed, variant });
        const apply = (u: Float64Array, out: Float64Array) => multiply(matrix, u, out);
        const b = withRing(new Float64Array(size * size).fill(1), size);
        const { solution, iterations } = conjugateGradients(apply, vCycle(matrix), b);
        const rest = emptyField(size);
        residual(matrix, b, solution, rest);
        expect(Math.sqrt(dot(rest, rest) / dot(b, b))).toBeLessThan(1.01e-10);
        expect(iterations).toBeLessThanOrEqual(20);
      }
    }
  });
});
