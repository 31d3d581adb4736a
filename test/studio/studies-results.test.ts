import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportSubject } from "../../src/analysis/subject.js";
import { axisTable } from "../../src/analysis/tables/axis-table.js";
import { excessTable } from "../../src/analysis/tables/excess-table.js";
import { rowsOf } from "../../src/analysis/tables/table.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import type { MeasuredRun, SeedRecord } from "../../src/records/seed-record.js";
import { readParquet } from "../../src/records/seed-table.js";
import {
  alongsOf,
  checkpointsOf,
  chosenAlong,
} from "../../src/studio/page/views/studies/results/comparisons.js";
import { facetsOf } from "../../src/studio/page/views/studies/results/facets.js";
import { levelCurve } from "../../src/studio/page/views/studies/results/level-curves.js";
import { levelSummaries } from "../../src/studio/page/views/studies/results/level-summaries.js";
import { MEASURES, measuresOf } from "../../src/studio/page/views/studies/results/measures.js";
import { resultTable } from "../../src/studio/page/views/studies/results/result-table.js";
import {
  extended,
  type LiveRun,
  liveRecords,
} from "../../src/studio/page/views/studies/runs/live-records.js";
import { filterOf, filterText, passes, toggled } from "../../src/studio/study/run-filter.js";
import type { FollowedRun, SentMeasurements } from "../../src/studio/study/study-events.js";

const RECORDS = join(import.meta.dirname, "../../docs/results/records");
const recordsOf = (name: string): Promise<SeedRecord[]> =>
  readParquet(bytesInMemory(readFileSync(join(RECORDS, name, "records.parquet")), name));
const measureOf = (name: string) => MEASURES.find((measure) => measure.name === name)!;

describe("results of a study in the page", () => {
  it("are those of the report's table along a setting, level by level", async () => {
    const records = await recordsOf("remedies");
    const [axis] = reportSubject(records).axes;
    const table = axisTable(axis);
    const at = (csv: string) => table.columns.findIndex((column) => column.csv[0] === csv);
    const expected = new Map(
      rowsOf(table).map((row) => [
        `${row[at("level")].values[0]} ${row[at("alpha")].values[0]}`,
        [row[at("test_error_percent")].values, row[at("difference")].values],
      ]),
    );
    const panels = chosenAlong(alongsOf(records), "")!.panels();
    const found = panels.flatMap((panel) =>
      levelSummaries(panel, measureOf("test_error"), "last").map(({ level, summary, change }) => {
        const of = (one: typeof change) =>
          one ? [one.mean, one.sd, one.low, one.high, one.seeds] : [null, null, null, null, null];
        return [`${level.label} ${level.alpha}`, [of(summary), of(change)]] as const;
      }),
    );
    expect(found).toHaveLength(33);
    expect(new Map(found)).toEqual(expected);
  });

  it("of the excess over the reference are those of the report's table along the concentration", async () => {
    const records = (await recordsOf("paper")).filter((record) =>
      passes(filterOf("clients=10;optimizer=adam;viscosity=0.1,"), record),
    );
    const rows = rowsOf(excessTable(reportSubject(records)));
    const along = chosenAlong(alongsOf(records), "alpha")!;
    const texts = along.panels().flatMap((panel) =>
      levelSummaries(panel, measureOf("excess_error"), "last")
        .filter(({ level }) => level.alpha < 100)
        .map(({ summary }) => summary!.mean),
    );
    const stated = rows.flatMap((row) =>
      row.flatMap(({ values }) => values).filter((value) => typeof value === "number"),
    );
    expect(texts).toHaveLength(12);
    for (const mean of texts) expect(stated).toContain(mean);
  });

  it("can be compared along the concentration, the split and every setting that varies", async () => {
    const names = async (study: string) => alongsOf(await recordsOf(study)).map(({ name }) => name);
    expect(await names("paper")).toEqual(["alpha", "clients", "optimizer", "viscosity", "data"]);
    expect(await names("remedies")).toEqual(["alpha", "strategy"]);
    expect(await names("partitioners")).toEqual(["alpha", "split", "partitioner", "data"]);
  });

  it("name the usual runs by their data alone, and others by how they differ", async () => {
    const [along] = alongsOf(await recordsOf("paper"));
    expect(along.panels().map(({ title }) => title)).toEqual([
      "Antiderivative",
      "Antiderivative, momentum SGD",
      "Antiderivative, 20 clients",
      "Burgers",
      "Burgers, viscosity 0.01",
      "Burgers, viscosity 0.05",
      "Burgers, momentum SGD",
      "Burgers, 20 clients",
      "Diffusion-reaction",
      "Diffusion-reaction, momentum SGD",
      "Diffusion-reaction, 20 clients",
    ]);
  });

  it("are given at every checkpoint in the table where all are asked for", async () => {
    const records = (await recordsOf("remedies")).filter(({ seed }) => seed < 50);
    const along = chosenAlong(alongsOf(records), "strategy")!;
    const [measures, rounds] = [measuresOf(records), checkpointsOf(records)];
    const table = (checkpoint: number | "last" | "all") =>
      resultTable(along, along.panels(), measures, measures[0], checkpoint);
    expect(rowsOf(table("last"))).toHaveLength(33);
    expect(rowsOf(table("all"))).toHaveLength(33 * rounds.length);
    expect(rowsOf(table(10)).every((row) => row[2].values[0] === 10)).toBe(true);
    for (const row of rowsOf(table("last"))) {
      const values = row.flatMap((cell) => cell.values);
      expect(values).toHaveLength(table("last").columns.flatMap(({ csv }) => csv).length);
    }
  });

  it("have intervals over rounds from four seeds on, and single seeds before", async () => {
    const records = await recordsOf("paper");
    const level = (some: readonly SeedRecord[]) => alongsOf(some)[0].panels()[0].levels[4];
    const five = levelCurve(level(records), measureOf("test_error"));
    expect(five.points).toHaveLength(10);
    expect(five.points.every(({ low, seeds }) => low !== null && seeds === 5)).toBe(true);
    expect(five.seeds).toEqual([]);
    const two = levelCurve(level(records.filter(({ seed }) => seed < 2)), measureOf("test_error"));
    expect(two.points.every(({ low, seeds }) => low === null && seeds === 2)).toBe(true);
    expect(two.seeds).toHaveLength(20);
  });

  it("of a thousand checkpoints are thinned along the axis, the first and the last kept", async () => {
    const [row] = await recordsOf("paper");
    const rows = Array.from({ length: 1001 }, (_, round) => ({ ...row, round, test_error: 1 / (1 + round) }));
    const { points } = levelCurve({ label: "", alpha: 1, rows, last: 1000 }, measureOf("test_error"));
    expect(points.length).toBeLessThanOrEqual(161);
    expect(points.length).toBeGreaterThan(90);
    expect([points[0].round, points.at(-1)!.round]).toEqual([0, 1000]);
    for (const { round, mean } of points) expect(mean).toBeCloseTo(100 / (1 + round), 12);
  });
});

describe("the filter of runs", () => {
  it("is read and written in the address, with every sign that a value may have", () => {
    const filter = new Map([
      ["task", ["burgers", "a;b,c=d%"]],
      ["local", ["branch.*, trunk", ""]],
    ]);
    expect(filterOf(filterText(filter))).toEqual(filter);
    expect(filterText(filterOf("task=burgers;alpha=0.1,0.01"))).toBe("task=burgers;alpha=0.1,0.01");
    expect(filterOf("")).toEqual(new Map());
    expect(filterOf("nonsense;%E0=%A")).toEqual(new Map([["%E0", ["%A"]]]));
  });

  it("takes values of one setting as alternatives, and settings together", async () => {
    const records = await recordsOf("paper");
    const some = records.filter((record) => passes(filterOf("task=burgers;alpha=0.1,0.01;seed=42"), record));
    expect(new Set(some.map(({ task, seed }) => `${task} ${seed}`))).toEqual(new Set(["burgers 42"]));
    expect(new Set(some.map(({ alpha }) => alpha))).toEqual(new Set([0.1, 0.01]));
    expect(toggled(toggled(new Map(), "task", "burgers"), "task", "burgers").get("task")).toEqual([]);
  });

  it("is offered for what varies, with the number of runs beside every value, and not for what follows from it", async () => {
    const records = await recordsOf("paper");
    const facets = facetsOf(records, new Map());
    expect(facets.map(({ name }) => name)).toEqual([
      ...["task", "alpha", "seed", "clients", "optimizer", "viscosity"],
    ]);
    const runs = new Set(records.map(({ run_id }) => run_id)).size;
    for (const { values } of facets) expect(values.reduce((sum, { runs: own }) => sum + own, 0)).toBe(runs);
    const burgers = facetsOf(records, filterOf("task=burgers"));
    expect(burgers.find(({ name }) => name === "alpha")!.values.map((one) => [one.label, one.runs])).toEqual([
      ...[100, 10, 1, 0.1, 0.01].map((alpha) => [String(alpha), 25]),
    ]);
    expect(burgers[0].values.map((one) => [one.label, one.runs])).toEqual([
      ["Antiderivative", 75],
      ["Burgers", 125],
      ["Diffusion-reaction", 75],
    ]);
    const strategies = facetsOf(await recordsOf("remedies"), new Map());
    expect(strategies.map(({ name }) => name)).toEqual(["strategy", "alpha", "seed"]);
    expect(strategies[0].values.map(({ label }) => label).slice(0, 3)).toEqual([
      "FedAvg",
      "FedProx",
      "SCAFFOLD",
    ]);
  });
});

describe("runs that the table does not have", () => {
  const sent = (id: string, errors: readonly number[], from = 0): SentMeasurements => ({
    id,
    common: {
      run_id: id,
      alpha: id === "near" ? 100 : 0.1,
      seed: 1,
      settings: {},
      overrides: [],
      d_sol: null,
    } as never,
    from,
    checkpoints: errors.map((test_error, i) => ({ round: from + i, test_error, d_loc: 0 })),
  });
  const runs = new Map(
    ["near", "far"].map((id) => [id, { id, reference: "near", referenceAlpha: 100 } as FollowedRun]),
  );

  it("are compared with their reference as far as that has come", () => {
    const live = new Map<string, LiveRun>([
      ["near", extended(undefined, sent("near", [1, 0.5]))!],
      ["far", extended(undefined, sent("far", [1, 0.75, 0.7]))!],
    ]);
    const rows = liveRecords(live, runs, []).filter(({ run_id }) => run_id === "far");
    expect(rows.map(({ round, excess_error }) => [round, excess_error])).toEqual([
      [0, 0],
      [1, 25],
      [2, NaN],
    ]);
    expect(rows.every(({ reference_alpha, d_sol }) => reference_alpha === 100 && Number.isNaN(d_sol))).toBe(
      true,
    );
  });

  it("are compared with a reference of the table, and give way to their own rows of it", () => {
    const live = new Map([["far", extended(undefined, sent("far", [1, 0.75]))!]]);
    const near = new Map([["near", extended(undefined, sent("near", [1, 0.5]))!]]);
    const table = liveRecords(near, runs, []);
    expect(liveRecords(live, runs, table).map(({ excess_error }) => excess_error)).toEqual([0, 25]);
    const own = { ...table[0], run_id: "far" };
    expect(liveRecords(live, runs, [...table, own])).toEqual([]);
  });

  it("keep what was sent before, go on, and begin again where the journal was cut", () => {
    const first = extended(undefined, sent("far", [1, 0.8]))!;
    const more = extended(first, { ...sent("far", [0.7], 2), common: undefined })!;
    expect(more.checkpoints.map(({ test_error }) => test_error)).toEqual([1, 0.8, 0.7]);
    expect(more.common).toBe(first.common);
    const again = extended(more, sent("far", [0.9], 1))!;
    expect(again.checkpoints.map(({ test_error }) => test_error)).toEqual([1, 0.9]);
    expect(extended(undefined, { id: "x", from: 0, checkpoints: [] })).toBeUndefined();
    expect((first.common as MeasuredRun["common"]).d_sol).toBeNaN();
  });
});
