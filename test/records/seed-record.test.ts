import { describe, expect, it } from "vitest";
import { type MeasuredRun, parameterDivergence, seedRecords } from "../../src/records/seed-record.js";
import { sampleRecord } from "./sample-records.js";

const { round, d_theta, test_error, reference_error, excess_error, d_loc, ...common } = sampleRecord;
const run = (errors: readonly number[], scale: number): MeasuredRun => ({
  common,
  checkpoints: errors.map((error, index) => ({
    round: [0, 1, 5][index],
    test_error: error,
    d_loc: index / 10,
    parameters: Float32Array.of(3, 4 * (index === 0 ? 1 : scale)),
  })),
});

describe("seed-level records", () => {
  it("pair every checkpoint with the reference's of the same round", () => {
    const rows = seedRecords(run([1, 0.5, 0.3], 2), run([1, 0.4, 0.32], 1));
    expect(rows.map((row) => row.round)).toEqual([0, 1, 5]);
    expect(rows.map((row) => row.reference_error)).toEqual([1, 0.4, 0.32]);
    expect(rows[0]).toMatchObject({ d_theta: 0, excess_error: 0, d_loc: 0 });
    expect(rows[1].excess_error).toBeCloseTo(10, 12);
    expect(rows[2].excess_error).toBeCloseTo(-2, 12);
    expect(rows[2].d_theta).toBeCloseTo(4 / 5, 12);
    expect(rows[2]).toMatchObject({ ...common, reference_alpha: common.alpha });
  });

  it("leave out rounds that the reference does not have", () => {
    expect(seedRecords(run([1, 0.5, 0.3], 2), run([1, 0.4], 1)).map((row) => row.round)).toEqual([0, 1]);
  });

  it("are zero against themselves", () => {
    const same = run([1, 0.5], 2);
    for (const row of seedRecords(same, same)) expect(row).toMatchObject({ d_theta: 0, excess_error: 0 });
  });
});

describe("the parameter divergence", () => {
  it("is relative to the reference and finite where that is zero", () => {
    expect(parameterDivergence(Float32Array.of(6, 8), Float32Array.of(3, 4))).toBeCloseTo(1, 12);
    expect(parameterDivergence(Float32Array.of(0, 0), Float32Array.of(0, 0))).toBe(0);
    expect(() => parameterDivergence(new Float32Array(2), new Float32Array(3))).toThrow(RangeError);
  });
});
