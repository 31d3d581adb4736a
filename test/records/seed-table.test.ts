import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytesInMemory } from "../../src/files/byte-source.js";
import {
  readCsv,
  readParquet,
  UNKNOWN_OPTIONS,
  writeCsv,
  writeParquet,
} from "../../src/records/seed-table.js";
import { sampleRecord } from "./sample-records.js";

const rows = [
  sampleRecord,
  { ...sampleRecord, task: "antiderivative", viscosity: null, round: 0, seed: 2 ** 40 },
];

describe("the seed-level table", () => {
  it("comes back from Parquet to the last bit", async () => {
    expect(await readParquet(bytesInMemory(writeParquet(rows)))).toEqual(rows);
  });

  it("comes back from CSV to the last bit", () => {
    const text = writeCsv(rows);
    expect(text.split("\n")[0]).toBe(Object.keys(sampleRecord).join(","));
    expect(readCsv(text, "records.csv")).toEqual(rows);
  });

  it("does not know the options of earlier tables, which lack two columns", () => {
    const [header, row] = writeCsv([sampleRecord]).split("\n");
    const [names, cells] = [header, row].map((line) => line.split(","));
    const kept = names.flatMap((name, i) => (/^(changed|reference_alpha)$/.test(name) ? [] : [i]));
    const earlier = [names, cells].map((all) => kept.map((i) => all[i]).join(",")).join("\n");
    expect(readCsv(earlier, "records.csv")).toEqual([{ ...sampleRecord, changed: UNKNOWN_OPTIONS }]);
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
      /^r.csv is no table of seed-level records: row 1, study/,
    );
  });
});
