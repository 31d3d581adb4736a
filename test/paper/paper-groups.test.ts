import { describe, expect, it } from "vitest";
import { paperRecords } from "../../src/paper/paper-groups.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { syntheticRecords } from "../records/synthetic-records.js";

const records = syntheticRecords({});

/** The same runs with clients that were too small repaired by the rule `closest`. */
const repaired = (more: Partial<SeedRecord> = {}) =>
  records.map((row) => ({ ...row, ...more, settings: { ...row.settings, repair: "closest" } }));

describe("runs that stand beside the paper", () => {
  it("are those with its settings", () => {
    expect(records.length).toBeGreaterThan(0);
    expect(paperRecords(records)).toEqual(records);
  });

  it("are not those with today's rule of repair, whether it was asked for or not", () => {
    expect(paperRecords(repaired())).toEqual([]);
    expect(paperRecords(repaired({ overrides: ["repair"] }))).toEqual([]);
  });

  it("are also those of the first versions, which knew no other rule", () => {
    const first = repaired({ n_min: Number.NaN, n_max: Number.NaN });
    expect(paperRecords(first)).toEqual(first);
  });
});
