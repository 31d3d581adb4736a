import { describe, expect, it } from "vitest";
import { CLIENT_COLUMNS } from "../../src/records/client-columns.js";
import {
  type MeasuredRun,
  parameterDivergence,
  recordsWithoutReference,
  seedRecords,
} from "../../src/records/seed-record.js";
import { sampleRecord } from "./sample-records.js";

const { round, d_theta, test_error, reference_error, excess_error, d_loc, ...rest } = sampleRecord;
const common = Object.fromEntries(
  Object.entries(rest).filter(([name]) => !(CLIENT_COLUMNS as readonly string[]).includes(name)),
) as unknown as MeasuredRun["common"];
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

describe("measures of clients", () => {
  const [checkpoint] = run([1], 1).checkpoints;

  it("have a mean, a worst, and the standard deviation of a sample, over clients where they are known", () => {
    const clients = {
      test_error: [0.1, null, 0.4, 0.1],
      train_loss: [2, 4, 6, 8],
      update: [3, null, 5, null],
      cosine: [0.5, null, -0.5, null],
    };
    const measured = { common, checkpoints: [{ ...checkpoint, clients }] };
    const [row] = seedRecords(measured, measured);
    expect(row.client_error_mean).toBeCloseTo(0.2, 12);
    expect(row.client_error_worst).toBe(0.4);
    expect(row.client_error_spread).toBeCloseTo(Math.sqrt((0.01 + 0.04 + 0.01) / 2), 12);
    expect(row).toMatchObject({ client_loss_mean: 5, client_loss_worst: 8 });
    expect(row.client_loss_spread).toBeCloseTo(Math.sqrt(20 / 3), 12);
    expect(row).toMatchObject({ client_update_mean: 4, client_update_worst: 5 });
    expect(row.client_update_spread).toBeCloseTo(Math.SQRT2, 12);
    // The worst cosine is the smallest one.
    expect(row).toMatchObject({ client_cosine_mean: 0, client_cosine_worst: -0.5 });
    expect(row.client_cosine_spread).toBeCloseTo(Math.SQRT1_2, 12);
    expect(recordsWithoutReference(measured, NaN)[0]).toMatchObject({ client_loss_worst: 8 });
  });

  it("are not numbers where an earlier version did not measure them", () => {
    const [row] = recordsWithoutReference(run([1], 1), NaN);
    for (const column of CLIENT_COLUMNS) expect(row[column]).toBeNaN();
  });

  it("have no spread with one client, as where all samples are at one place", () => {
    const clients = { train_loss: [2], update: [null], cosine: [null] };
    const [row] = recordsWithoutReference({ common, checkpoints: [{ ...checkpoint, clients }] }, NaN);
    expect(row).toMatchObject({ client_loss_mean: 2, client_loss_worst: 2, client_loss_spread: NaN });
    expect(row).toMatchObject({ client_update_mean: NaN, client_cosine_worst: NaN });
  });
});

describe("the parameter divergence", () => {
  it("is relative to the reference and finite where that is zero", () => {
    expect(parameterDivergence(Float32Array.of(6, 8), Float32Array.of(3, 4))).toBeCloseTo(1, 12);
    expect(parameterDivergence(Float32Array.of(0, 0), Float32Array.of(0, 0))).toBe(0);
    expect(() => parameterDivergence(new Float32Array(2), new Float32Array(3))).toThrow(RangeError);
  });
});
