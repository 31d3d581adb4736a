import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors.js";
import { centroidCosts, costMatrix } from "../../src/numerics/cost-matrix.js";

describe("centroid costs", () => {
  it("are the Euclidean distances between centroids, with their extremes off the diagonal", () => {
    const cost = centroidCosts([0, 0, 3, 4, 0, 1], 3);
    expect(Array.from(cost.values)).toEqual([0, 5, 1, 5, 0, Math.sqrt(18), 1, Math.sqrt(18), 0]);
    expect(cost).toMatchObject({ size: 3, metric: true, smallest: 1, largest: 5 });
  });

  it("pass the metric check that given matrices undergo", () => {
    const coordinate = fc.double({ min: -1e3, max: 1e3, noNaN: true });
    fc.assert(
      fc.property(fc.array(coordinate, { minLength: 12, maxLength: 12 }), (centroids) => {
        expect(costMatrix(centroidCosts(centroids, 4).values, 4).metric).toBe(true);
      }),
    );
  });

  it("are zero for one bin and between equal centroids", () => {
    expect(centroidCosts([1, 2], 1)).toMatchObject({ metric: true, smallest: 0, largest: 0 });
    expect(centroidCosts([1, 2, 1, 2], 2)).toMatchObject({ metric: true, smallest: 0, largest: 0 });
  });

  it("refuse centroids that do not divide evenly or are not finite", () => {
    expect(() => centroidCosts([1, 2, 3], 2)).toThrow(DataError);
    expect(() => centroidCosts([], 2)).toThrow(DataError);
    expect(() => centroidCosts([1, NaN], 2)).toThrow("centroids 0 and 1");
    expect(() => centroidCosts([1e200, -1e200], 2)).toThrow("no finite distance");
  });
});

describe("a cost matrix", () => {
  it.each([
    ["a diagonal that is not zero", [1, 1, 1, 0]],
    ["costs that differ with the direction", [0, 1, 2, 0]],
    ["a detour that is cheaper", [0, 1, 3, 1, 0, 1, 3, 1, 0]],
  ])("is no metric with %s", (_, values) => {
    expect(costMatrix(values, Math.sqrt(values.length)).metric).toBe(false);
  });

  it("stays a metric when a straight line violates the triangle inequality by round-off", () => {
    const costs = [0, 0.1, 0.1 + 0.2, 0.1, 0, 0.2, 0.1 + 0.2, 0.2, 0].map((cost) =>
      cost > 0.25 ? cost + 5e-17 : cost,
    );
    expect(costMatrix(costs, 3).metric).toBe(true);
  });

  it("refuses values that are missing, negative or not finite, naming the bins", () => {
    expect(() => costMatrix([0, 1, 1], 2)).toThrow("4 values, not 3");
    expect(() => costMatrix([0, 1, -1, 0], 2)).toThrow("from bin 1 to bin 0 is -1");
    expect(() => costMatrix([0, NaN, 1, 0], 2)).toThrow(DataError);
    expect(() => costMatrix([0, Infinity, 1, 0], 2)).toThrow(DataError);
    expect(() => costMatrix([], 0)).toThrow(DataError);
  });
});
