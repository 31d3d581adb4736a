import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { DataError } from "../../src/errors.js";
import { EXPORTS, type ExportName } from "../../src/exchange/exports.js";
import { readPartition } from "../../src/exchange/foreign-partition.js";
import { readCounts } from "../../src/exchange/statistics.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { type Assignment, countTable, indicesOfClients } from "../../src/partition/assignment.js";

/** The golden exports; `UPDATE_GOLDEN=1` writes them anew, scripts/check-exports.py loads them in Python. */
const GOLDEN = new URL("../golden/exports/", import.meta.url).pathname;
const NAMES: Record<ExportName, string> = {
  npz: "partition.npz",
  csv: "partition.csv",
  fedscale: "fedscale.csv",
  "niid-bench": "niid-bench.pkl",
  flower: "flower",
  fedlab: "fedlab",
  fedml: "fedml",
  "fl-bench": "fl-bench",
};

const assignment: Assignment = {
  clients: 3,
  bins: 4,
  clientOfSample: Int32Array.from({ length: 300 }, (_, i) => (i < 2 ? 2 : (i * 7 + (i >> 3)) % 2)),
  binOfSample: Int32Array.from({ length: 300 }, (_, i) => (i * i) % 3),
};

const samples = assignment.clientOfSample.length;
const columns = {
  input: fieldsInMemory(
    Float64Array.from({ length: samples }, (_, i) => i / 4),
    samples,
    [1],
  ),
  response: fieldsInMemory(
    Float32Array.from({ length: samples * 6 }, (_, i) => i / 8),
    samples,
    [3, 2],
  ),
};

/** Two samples that no client holds. */
const test = {
  input: fieldsInMemory(Float64Array.of(7, 8), 2, [1]),
  response: fieldsInMemory(
    Float32Array.from({ length: 12 }, (_, i) => -i),
    2,
    [3, 2],
  ),
};

const rowsOf = (bytes: Uint8Array) => parquetReadObjects({ file: bytes.slice().buffer });

async function exported(name: ExportName, from: Assignment): Promise<Map<string, Uint8Array>> {
  const format = EXPORTS[name];
  const coordinates = { x: Float64Array.of(0, 0.5, 1), t: Float64Array.of(0, 1) };
  const context = { description: "A small partition.", facts: { alpha: 0.5 }, columns, test, coordinates };
  const files = format.files(from, context);
  const path = (file: string): string => (format.output === "file" ? NAMES[name] : join(NAMES[name], file));
  return new Map(
    await Promise.all(files.map(async (file) => [path(file.path), await file.bytes()] as const)),
  );
}

const names = Object.keys(EXPORTS) as ExportName[];

describe("exports of a partition", () => {
  if (process.env.UPDATE_GOLDEN) rmSync(GOLDEN, { recursive: true, force: true });

  it.each(names)("as %s are byte for byte the golden files", async (name) => {
    const files = await exported(name, assignment);
    if (process.env.UPDATE_GOLDEN) {
      const json = {
        partition_id_to_indices: { ...indicesOfClients(assignment) },
        client_of_sample: [...assignment.clientOfSample],
        bin_of_sample: [...assignment.binOfSample],
        counts: countTable(assignment),
      };
      for (const [path, bytes] of files) {
        mkdirSync(dirname(join(GOLDEN, path)), { recursive: true });
        writeFileSync(join(GOLDEN, path), bytes);
      }
      writeFileSync(join(GOLDEN, "partition.json"), `${JSON.stringify(json)}\n`);
    }
    for (const [path, bytes] of files) {
      expect(Buffer.from(bytes).equals(readFileSync(join(GOLDEN, path))), path).toBe(true);
    }
    if (EXPORTS[name].output === "folder") {
      const there = readdirSync(join(GOLDEN, NAMES[name]), { recursive: true, withFileTypes: true });
      expect(there.filter((entry) => entry.isFile())).toHaveLength(files.size);
    }
  });

  it.each(names)("as %s come with Python that names the path, quotes escaped", (name) => {
    const python = EXPORTS[name].python('out/a "b"');
    expect(python).toContain('out/a \\"b\\"');
    expect(python.split("\n").length).toBeLessThanOrEqual(6);
  });

  it.each(names)("as %s own every top-level entry of their folder, and no other", async (name) => {
    const format = EXPORTS[name];
    if (format.output === "file") return expect(format.files(assignment)).toHaveLength(1);
    const entries = format.files(assignment).map(({ path }) => path.split("/")[0]);
    expect(entries.every((entry) => format.mine?.(entry))).toBe(true);
    expect(format.mine?.("thesis.tex")).toBe(false);
  });

  const readable = {
    npz: "",
    csv: "",
    "niid-bench": "",
    fedscale: "",
    fedlab: "client_dict.pkl",
    fedml: "net_dataidx_map.txt",
    "fl-bench": "partition.pkl",
  };
  it.each(Object.entries(readable))("as %s are read back as the same partition", async (name, inner) => {
    const partitions = fc
      .record({
        clients: fc.integer({ min: 1, max: 12 }),
        bins: fc.integer({ min: 1, max: 5 }),
        more: fc.nat(60),
      })
      .chain(({ clients, bins, more }) =>
        fc.record({
          clients: fc.constant(clients),
          bins: fc.constant(bins),
          clientOfSample: fc
            .array(fc.nat(clients - 1), { minLength: more, maxLength: more })
            .map((rest) => Int32Array.from([...Array(clients).keys(), ...rest])),
          binOfSample: fc.int32Array({
            min: 0,
            max: bins - 1,
            minLength: clients + more,
            maxLength: clients + more,
          }),
        }),
      );
    await fc.assert(
      fc.asyncProperty(partitions, async (partition) => {
        const files = EXPORTS[name as ExportName].files(partition);
        const file = files.find(({ path }) => inner === "" || path === inner)!;
        const back = await readPartition(bytesInMemory(await file.bytes(), file.path), {
          samples: partition.clientOfSample.length,
        });
        expect(back.clientOfSample).toEqual(partition.clientOfSample);
        expect(back.clientNames).toHaveLength(partition.clients);
        if (back.binOfSample) expect(back.binOfSample).toEqual(partition.binOfSample);
      }),
      { numRuns: 40 },
    );
  });

  it("as fedlab hold a report that is read back as the count table", async () => {
    const report = EXPORTS.fedlab.files(assignment)[1];
    const table = await readCounts(bytesInMemory(await report.bytes(), report.path));
    expect(table.counts).toEqual(countTable(assignment));
  });

  it("as flower hold the rows of every client, fields included, and those of the test", async () => {
    const files = await exported("flower", assignment);
    const rows = await rowsOf(files.get("flower/train/client-00002.parquet")!);
    expect(rows).toEqual([
      {
        index: 0n,
        client_id: 2n,
        solution_bin: 0n,
        input: [0],
        response: [
          [0, 0.125],
          [0.25, 0.375],
          [0.5, 0.625],
        ],
      },
      {
        index: 1n,
        client_id: 2n,
        solution_bin: 1n,
        input: [0.25],
        response: [
          [0.75, 0.875],
          [1, 1.125],
          [1.25, 1.375],
        ],
      },
    ]);
    const tested = await rowsOf(files.get("flower/test/test.parquet")!);
    expect(tested.map(({ index, client_id, input }) => [index, client_id, input])).toEqual([
      [0n, -1n, [7]],
      [1n, -1n, [8]],
    ]);
    const card = new TextDecoder().decode(files.get("flower/README.md"));
    expect(parse(card.split("---\n")[1])).toMatchObject({
      configs: [{ data_files: [{ split: "train", path: "train/*.parquet" }, { split: "test" }] }],
      dataset_info: {
        features: [
          { name: "index" },
          { name: "client_id" },
          { name: "solution_bin" },
          { name: "input", sequence: "float64", length: 1 },
          { name: "response", dtype: { array2_d: { shape: [3, 2], dtype: "float32" } } },
        ],
      },
    });
  });

  it("as flower are in the precision that was asked for, and work for a client without samples", async () => {
    const files = EXPORTS.flower.files({ ...assignment, clients: 4 }, { columns, dtype: "float32" });
    const file = (name: string) => files.find(({ path }) => path === name)!.bytes();
    expect(await rowsOf(await file("train/client-00003.parquet"))).toEqual([]);
    expect(new TextDecoder().decode(await file("README.md"))).not.toMatch(/float64/);
    expect((await file("train/client-00002.parquet")).length).toBeLessThan(2000);
  });

  it("as fedml are refused for a client without samples, which its files cannot express", async () => {
    const [map] = EXPORTS.fedml.files({ ...assignment, clients: 4 });
    await expect(map.bytes()).rejects.toThrow(DataError);
    await expect(map.bytes()).rejects.toThrow(/client 3 has no samples/);
  });
});

describe("samples without a client", () => {
  const partial: Assignment = {
    ...assignment,
    clientOfSample: assignment.clientOfSample.map((client, sample) => (sample % 7 === 3 ? -1 : client)),
  };

  it.each(["npz", "csv", "niid-bench"] as const)("stay without one in %s", async (name) => {
    const [[file, bytes]] = [...(await exported(name, partial))];
    const read = await readPartition(bytesInMemory(bytes, file), { samples, partial: true });
    expect(read.clientOfSample).toEqual(partial.clientOfSample);
    expect(read.clientNames).toEqual(["0", "1", "2"]);
    await expect(readPartition(bytesInMemory(bytes, file), { samples })).rejects.toThrow(DataError);
  });

  it("are refused by FedScale, where a row is a sample", async () => {
    await expect(exported("fedscale", partial)).rejects.toThrow(/43 of 300 have none: take another format/);
  });
});
