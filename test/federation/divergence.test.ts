import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { checkConvergence } from "../../src/federation/divergence.js";

const FINE = { trainLoss: 1, localDispersion: 1 };
const check =
  (round: number, testError: number, startError: number | undefined, rounds = 100) =>
  () =>
    checkConvergence("training", { ...FINE, round, testError }, startError, { rounds });

describe("divergence", () => {
  it("is an end far above the start: Adam at a rate of 10 starts at 220 % and ends at 9610 %", () => {
    expect(check(100, 96.1, 2.2)).toThrow(
      "training diverged before round 100 (its test error is 9610 %): use a smaller learning rate",
    );
    expect(check(100, 7.57, 2.2)).toThrow("its test error is 757 %");
    expect(check(100, 3.21, 1.46)).toThrow("diverged");
    expect(check(100, 2.9, 1.46)).not.toThrow();
    expect(check(100, 24.6, undefined)).toThrow("diverged");
  });

  it("is no spike that a run comes back from, as from 1.4e6 % to 65 %", () => {
    expect(check(1, 1.4e4, 1.45)).not.toThrow();
    expect(check(50, 0.65, 1.45, 50)).not.toThrow();
    expect(check(1, 1e7, 1.45)).toThrow("its test error is 1.0e+9 %");
  });

  it("is whatever is no finite number", () => {
    for (const bad of [{ trainLoss: Number.NaN }, { localDispersion: Infinity }])
      expect(() =>
        checkConvergence("run x", { ...FINE, round: 5, testError: 1, ...bad }, 1, { rounds: 100 }),
      ).toThrow("run x diverged before round 5: use a smaller learning rate");
  });

  it.each([
    [{ name: "fedavgm", server_rate: 5 }, ", or a smaller server_rate than 5"],
    [{ name: "fedadam", server_rate: 0.1 }, ", or a smaller server_rate than 0.1"],
    [{ name: "scaffold", server_rate: 3 }, ", or a smaller server_rate than 3"],
    [{ name: "fedprox", mu: 1 }, ""],
    [undefined, ""],
  ])("may come from the server, where %j has a rate there", (strategy, more) => {
    const diverged = () =>
      checkConvergence("training", { ...FINE, round: 9, testError: 1e9 }, 1, { rounds: 9, strategy });
    expect(diverged).toThrow(new RegExp(`: use a smaller learning rate${more}$`));
  });

  it("is never said of an untrained model", () => {
    expect(check(0, 1e9, undefined)).not.toThrow();
    expect(check(0, Number.NaN, undefined)).toThrow(
      /untrained model's error is not a finite number; scale the data/,
    );
  });

  it.each(["paper", "public", "public-small", "darcy-pdebench"])(
    "is nowhere in the published records of %s",
    async (name) => {
      const file = await asyncBufferFromFile(`docs/results/records/${name}/records.parquet`);
      const rows = (await parquetReadObjects({ file })) as {
        run_id: string;
        round: bigint | number;
        test_error: number;
      }[];
      const starts = new Map(
        rows.filter(({ round }) => Number(round) === 0).map((row) => [row.run_id, row.test_error]),
      );
      expect(starts.size).toBeGreaterThan(20);
      for (const { run_id, round, test_error } of rows) {
        // As if every checkpoint were the last one, and with half the limit.
        expect(check(Number(round), 2 * test_error, starts.get(run_id), Number(round))).not.toThrow();
      }
    },
  );
});
