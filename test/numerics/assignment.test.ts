import fc from "fast-check";
import munkres from "munkres";
import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors.js";
import { assignment } from "../../src/numerics/assignment.js";
import { costMatrix } from "../../src/numerics/cost-matrix.js";
import { transportDistance } from "../../src/numerics/transport.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

/** Square matrices; those of small whole numbers have many optimal matchings. */
const square = (least: number) =>
  fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()).chain(([n, whole]) =>
    fc
      .array(whole ? fc.integer({ min: least, max: 3 }) : fc.double({ min: least, max: 9, noNaN: true }), {
        minLength: n * n,
        maxLength: n * n,
      })
      .map((costs) => ({ n, costs })),
  );

const byMunkres = (costs: ArrayLike<number>, n: number) => {
  const rows = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => costs[i * n + j]));
  return munkres(rows).reduce((sum, [i, j]) => sum + rows[i][j], 0);
};

describe("assignment", () => {
  it("finds the total that Munkres' algorithm finds, by a permutation that attains it", () => {
    fc.assert(
      fc.property(square(-5), ({ n, costs }) => {
        const { total, columnOfRow } = assignment(costs, n);
        expect(Math.abs(total - byMunkres(costs, n))).toBeLessThan(1e-12 * n);
        expect([...columnOfRow].sort((a, b) => a - b)).toEqual(
          Array.from({ length: n }, (_, index) => index),
        );
        expect(columnOfRow.reduce((sum, j, i) => sum + costs[i * n + j], 0)).toBe(total);
      }),
      { numRuns: 500 },
    );
  });

  it("is n times the transport between unit masses", () => {
    fc.assert(
      fc.property(square(0), ({ n, costs }) => {
        const ones = new Array<number>(n).fill(1);
        expect(assignment(costs, n).total).toBeCloseTo(
          n * transportDistance(ones, ones, costMatrix(costs, n)),
          10,
        );
      }),
    );
  });

  it("matches two hundred points in the plane as Munkres' algorithm and transport do", () => {
    const n = 200;
    const random = stream(1, "assignment");
    const place = () => Array.from({ length: n }, () => [normal(random), normal(random)]);
    const [sources, targets] = [place(), place()];
    const costs = Float64Array.from({ length: n * n }, (_, at) => {
      const [a, b] = [sources[Math.floor(at / n)], targets[at % n]];
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    });
    const { total } = assignment(costs, n);
    expect(total).toBeCloseTo(byMunkres(costs, n), 9);
    // Unit masses make almost every step of the transport degenerate; it has to end all the same.
    const ones = new Array<number>(n).fill(1);
    expect(n * transportDistance(ones, ones, costMatrix(costs, n))).toBeCloseTo(total, 9);
  });

  it("sorts both sides of points on a line", () => {
    const a = [5, 1, 9, 3];
    const b = [4, 4.5, 0, 20];
    const costs = a.flatMap((x) => b.map((y) => Math.abs(x - y)));
    expect(assignment(costs, 4).total).toBe(1 + 1 + 0.5 + 11);
  });

  it("refuses costs that are missing or not finite", () => {
    expect(() => assignment([1, 2, 3], 2)).toThrow("4 costs, not 3");
    expect(() => assignment([1, 2, Infinity, 3], 2)).toThrow("row 1, column 0 is Infinity");
    expect(() => assignment([NaN], 1)).toThrow(DataError);
  });
});
