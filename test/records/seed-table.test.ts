import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runOptions } from "../../src/federation/run-options.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { CLIENT_COLUMNS } from "../../src/records/client-columns.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import {
  readCsv,
  readParquet,
  UNKNOWN_OPTIONS,
  writeCsv,
  writeParquet,
} from "../../src/records/seed-table.js";
import { settingsOfOptions } from "../../src/records/settings.js";
import { recordedOptions } from "../../src/studies/recorded-options.js";
import { sampleRecord } from "./sample-records.js";

const { title: _, ...untitled } = sampleRecord;
const rows: SeedRecord[] = [
  sampleRecord,
  {
    ...untitled,
    task: "my own data",
    settings: {
      clients: 3,
      task: "x",
      "data.x": 1,
      note: "",
      other: "16",
      flag: "true",
      bins: "few",
      rest: '"',
    },
    overrides: [],
    round: 0,
    seed: 2 ** 40,
  },
];

/** A row of the first layout. */
const earlierText = (row: Readonly<Record<string, string | number>> = {}) => {
  const { title: _, settings: __, overrides: ___, ...fixed } = sampleRecord;
  const cells = { ...fixed, viscosity: 0.05, clients: 20, optimizer: "sgd", changed: "", ...row };
  return `${Object.keys(cells).join(",")}\n${Object.values(cells).join(",")}\n`;
};
const earlier = (row: Readonly<Record<string, string | number>> = {}) =>
  readCsv(earlierText(row), "records.csv")[0];

const name = fc.stringMatching(/^[a-z][a-zA-Z_.]{0,8}$/);
const value = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Object.is(one, -0)),
  fc.constantFrom("true", "1e3", " 7", '"a"', "null", "NaN", "Infinity"),
);
const anyRows = fc
  .array(fc.tuple(fc.dictionary(name, value, { noNullPrototype: true }), fc.uniqueArray(name)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((all) => all.map(([settings, overrides]) => ({ ...untitled, settings, overrides })));

describe("the seed-level table", () => {
  it("comes back from Parquet to the last bit", async () => {
    expect(await readParquet(bytesInMemory(writeParquet(rows)))).toEqual(rows);
  });

  it("comes back from CSV to the last bit", () => {
    expect(readCsv(writeCsv(rows), "records.csv")).toEqual(rows);
  });

  it("keeps settings of any name and value, in both formats", async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, async (all) => {
        expect(readCsv(writeCsv(all), "records.csv")).toEqual(all);
        expect(await readParquet(bytesInMemory(writeParquet(all)))).toEqual(all);
      }),
      { numRuns: 60 },
    );
  });

  it("has a column for every setting, and for those with the name of another column one with a prefix", () => {
    const [header] = writeCsv(rows).split("\n");
    expect(header).toMatch(
      /^study,task,title,overrides,alpha,.*,run_id,viscosity,clients,optimizer,bins,tf32,width,/,
    );
    expect(header).toContain(",data.task,data.data.x,");
  });

  it("reads tables of the first layout: what they tell, and the defaults of their time", () => {
    const { settings, overrides } = earlier({
      changed: "local_steps=1 model_note=x tf32=true data=01234567",
    });
    expect(settings).toMatchObject({
      viscosity: 0.05,
      clients: 20,
      optimizer: "sgd",
      rate: 0.01,
      momentum: 0.9,
    });
    expect(settings).toMatchObject({
      local_steps: 1,
      model_note: "x",
      tf32: true,
      data: "01234567",
      batch: 64,
    });
    expect(overrides).toEqual("viscosity clients optimizer local_steps model_note tf32 data".split(" "));
    const usual = earlier({ viscosity: 0.1, clients: 10, optimizer: "adam" });
    expect(usual.overrides).toEqual([]);
    expect(usual.settings).toEqual(
      settingsOfOptions(recordedOptions(runOptions({ task: "burgers", alpha: 1, repair: "largest" })))
        .settings,
    );
  });

  it("knows by which rule partitions of the first versions were repaired", () => {
    expect(earlier().settings.repair).toBe("largest");
    expect(earlier({ n_min: "" }).settings.repair).toBe("closest");
  });

  it("does not know the settings of earlier tables that do not tell them", () => {
    const text = earlierText().replace(",changed", ",other");
    expect(readCsv(text, "records.csv")[0]).toMatchObject({
      settings: { viscosity: 0.05, clients: 20, optimizer: "sgd" },
      overrides: [UNKNOWN_OPTIONS],
    });
  });

  it("does not invent the metrics that earlier tables lack", async () => {
    const [header, row] = writeCsv([sampleRecord]).split("\n");
    const [names, cells] = [header, row].map((line) => line.split(","));
    const kept = names.flatMap((name, i) => (/^(n_min|n_max|h_q|h_w)$/.test(name) ? [] : [i]));
    const earlier = [names, cells].map((all) => kept.map((i) => all[i]).join(",")).join("\n");
    const unknown = { ...sampleRecord, n_min: NaN, n_max: NaN, h_q: NaN, h_w: NaN };
    expect(readCsv(earlier, "records.csv")).toEqual([unknown]);
    const again = await readParquet(bytesInMemory(writeParquet([unknown])));
    expect(again).toEqual([unknown]);
  });

  it("reads tables with errors of clients alone, and with nothing of clients", async () => {
    const read = async (name: string) => {
      const path = join(import.meta.dirname, "../../docs/results/records", name, "records.parquet");
      return readParquet(bytesInMemory(readFileSync(path), path));
    };
    for (const row of await read("remedies")) {
      expect(row.client_error_spread).toBeGreaterThan(0);
      for (const column of CLIENT_COLUMNS.filter((one) => !one.startsWith("client_error")))
        expect(row[column]).toBeNaN();
    }
    for (const row of await read("navier-stokes"))
      for (const column of CLIENT_COLUMNS) expect(row[column]).toBeNaN();
  });

  it("reads the published tables, which lack these metrics", async () => {
    const published = join(import.meta.dirname, "../../docs/results/records");
    for (const name of readdirSync(published)) {
      const path = join(published, name, "records.parquet");
      if (!existsSync(path)) continue;
      const rows = await readParquet(bytesInMemory(readFileSync(path), path));
      expect(rows.length).toBeGreaterThan(0);
      // Once they are published anew they have them, in whole numbers.
      expect(rows.every(({ n_min }) => Number.isNaN(n_min) || Number.isInteger(n_min))).toBe(true);
    }
  });

  it("keeps what is not a number", async () => {
    const [row] = await readParquet(bytesInMemory(writeParquet([{ ...sampleRecord, input_w1: NaN }])));
    expect(row.input_w1).toBeNaN();
    expect(readCsv(writeCsv([{ ...sampleRecord, input_w1: NaN }]), "r")[0].input_w1).toBeNaN();
  });

  it("is refused in one line when it is something else", async () => {
    const other = bytesInMemory(new TextEncoder().encode("no parquet here"), "r.parquet");
    await expect(readParquet(other)).rejects.toThrow(/^r.parquet is not a Parquet file/);
    expect(() => readCsv("task,alpha\nburgers,1\n", "r.csv")).toThrow(
      /^r.csv is not a table of seed-level records: row 1, study/,
    );
  });
});
