import { describe, expect, it } from "vitest";
import { splitsOf } from "../../src/analysis/splits.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { splitsTable } from "../../src/analysis/tables/splits-table.js";
import { splitsFigure } from "../../src/figures/partitions/splits.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { assertWellFormed } from "../figures/well-formed.js";
import { syntheticRecords } from "../records/synthetic-records.js";

const SHARED = { tasks: ["burgers"], seeds: [0, 1, 2, 3] };
const dirichlet = syntheticRecords({ ...SHARED, alphas: [100, 0.1] });

/** Runs by another partitioner, with this mean distance. */
function runsBy(partitioner: string, split: string, distance: number): SeedRecord[] {
  return syntheticRecords({
    ...SHARED,
    alphas: [1],
    settings: { partitioner, shards: Number(split.slice(-1)) || 0 },
  }).map((row) => ({
    ...row,
    ...{ alpha: NaN, split, d_sol: distance + row.seed / 100, d_sol_floor: 0.2 },
  }));
}
const others = [
  ...runsBy("shards", "shards 2", 0.9),
  ...runsBy("shards", "shards 1", 3),
  ...runsBy("iid", "iid", 0.01),
];

describe("splits of the same data", () => {
  it("are none where the paper's partitioner made all of them", () => {
    expect(splitsOf(dirichlet)).toEqual([]);
    expect(splitsFigure(reportSubject(dirichlet))).toBeUndefined();
  });

  it("go from the mildest partitioner to the severest, and from the mildest split of each", () => {
    const [{ title, splits }] = splitsOf([...others, ...dirichlet]);
    expect(title).toBe("burgers");
    expect(splits.map(({ label }) => label)).toEqual([
      "iid",
      "dirichlet, α = 100",
      "dirichlet, α = 0.1",
      "shards 2",
      "shards 1",
    ]);
    expect(splits.map(({ final }) => final.length)).toEqual([4, 4, 4, 4, 4]);
  });

  it("have a row each with means over seeds, and the floor beside D_sol", () => {
    const { columns, groups } = splitsTable(reportSubject([...dirichlet, ...others]));
    const at = (heading: string) => columns.findIndex((column) => column.heading === heading);
    const row = groups[0].find((cells) => cells[at("Split")].text === "shards 1")!;
    expect(row[at("D_sol")].values[0]).toBeCloseTo(3.015, 12);
    expect(row[at("Floor")].values[0]).toBeCloseTo(0.2, 12);
    expect(row[at("Seeds")].text).toBe("4");
    const reference = groups[0].find((cells) => cells[at("Split")].text === "dirichlet, α = 100")!;
    expect(reference[at("Excess (pp)")].text).toBe("–");
  });

  it("are drawn as the committed figure has them", async () => {
    const { svg } = splitsFigure(reportSubject([...dirichlet, ...others]))!;
    assertWellFormed(svg);
    expect(svg).toContain("shards 2");
    await expect(svg).toMatchFileSnapshot("../golden/figures/splits.svg");
  });
});
