import { describe, expect, it } from "vitest";
import {
  allocationHeterogeneity,
  expectedHeterogeneity,
  expectedRealisedHeterogeneity,
  impliedConcentration,
} from "../../src/diagnostics/concentration-law.js";
import { allocate } from "../../src/partition/allocate.js";
import { countTable } from "../../src/partition/assignment.js";

const SIZES = [400, 250, 150, 100, 60, 30, 10];
const TOTAL = SIZES.reduce((a, b) => a + b, 0);
const MASSES = SIZES.map((size) => size / TOTAL);
const BIN_OF_SAMPLE = Int32Array.from(SIZES.flatMap((size, bin) => new Array<number>(size).fill(bin)));
const DRAWS = 400;

describe.each([
  [2, 1],
  [10, 100],
  [10, 1],
  [10, 0.1],
  [10, 0.01],
  [20, 0.05],
])("with %i clients at alpha %f", (clients, alpha) => {
  const drawn: number[] = [];
  const realised: number[] = [];
  for (let seed = 0; seed < DRAWS; seed++) {
    const { proportions, clientOfSample } = allocate(BIN_OF_SAMPLE, {
      clients,
      bins: SIZES.length,
      alpha,
      seed,
    });
    drawn.push(allocationHeterogeneity(proportions, MASSES));
    const counts = countTable({ clients, bins: SIZES.length, clientOfSample, binOfSample: BIN_OF_SAMPLE });
    realised.push(
      allocationHeterogeneity(
        counts.map((row) => row.map((count, bin) => count / SIZES[bin])),
        MASSES,
      ),
    );
  }

  it("the mean of the drawn H_u is the exact law's within four standard errors", () => {
    expect(Math.abs(mean(drawn) - expectedHeterogeneity(clients, alpha, MASSES))).toBeLessThan(
      4 * standardError(drawn),
    );
  });

  it("the mean of the realised H_u is the Dirichlet-multinomial law's within four standard errors", () => {
    const expected = expectedRealisedHeterogeneity(clients, alpha, SIZES);
    expect(Math.abs(mean(realised) - expected)).toBeLessThan(4 * standardError(realised));
  });

  it("the implied concentration inverts that law", () => {
    expect(
      impliedConcentration(expectedRealisedHeterogeneity(clients, alpha, SIZES), clients, SIZES),
    ).toBeCloseTo(alpha, 8);
  });
});

describe("the law", () => {
  it("is (K-1)/(B(K alpha+1)) for balanced bins", () => {
    expect(expectedHeterogeneity(10, 0.1, new Array(5).fill(0.2))).toBeCloseTo(9 / (5 * 2), 14);
  });
  it("implies infinite concentration for a split more even than chance", () => {
    expect(impliedConcentration(0, 10, SIZES)).toBe(Infinity);
  });
});

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

function standardError(values: readonly number[]): number {
  const average = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance / values.length);
}
