import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataError, FormatError } from "../../src/errors.js";
import { type ReadPartitionOptions, readPartition } from "../../src/exchange/foreign-partition.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";
import { type Picklable, writePickle } from "../../src/files/pickle-writer.js";

/** One partition in the files of many tools: scripts/golden/foreign.py. */
const golden = (name: string) =>
  bytesInMemory(readFileSync(new URL(`../golden/foreign/${name}`, import.meta.url)), name);
const clientOfSample = Int32Array.of(0, 1, 1, 0, 1, 1, 2, 2, 2, 0);
const binOfSample = Int32Array.of(0, 1, 1, 0, 2, 2, 0, 1, 2, 0);

const text = (content: string, name = "p.txt") => bytesInMemory(new TextEncoder().encode(content), name);
const json = (value: unknown) => text(JSON.stringify(value), "p.json");
const pickle = (value: Picklable) => bytesInMemory(writePickle(value), "p.pkl");

describe("a partition that others made", () => {
  it.each([
    ["FedLab's client_dict", "fedlab.pkl"],
    ["NIID-Bench's net_dataidx_map", "niid-bench-map.pkl"],
    ["the tuple that NIID-Bench's partition_data returns", "niid-bench-tuple.pkl"],
    ["an object array of index arrays", "object-array.pkl"],
    ["FL-bench's partition.pkl", "fl-bench.pkl"],
    ["{client: [indices]} JSON", "map.json"],
    ["a list of lists in JSON", "lists.json"],
    ["a NumPy vector", "column.npy"],
    ["one number a line", "column.txt"],
    ["an NPZ archive with client_id", "column.npz"],
    ["FedScale's CSV", "fedscale.csv"],
    ["FedML's net_dataidx_map.txt", "net_dataidx_map.txt"],
  ])("is read from %s", async (_, name) => {
    const partition = await readPartition(golden(name), { samples: 10 });
    expect(partition).toEqual({ clientOfSample, clientNames: ["0", "1", "2"] });
  });

  it.each(["column.csv", "column.tsv", "shuffled.csv"])("is read with its bins from %s", async (name) => {
    expect(await readPartition(golden(name))).toEqual({
      clientOfSample,
      binOfSample,
      clientNames: ["0", "1", "2"],
    });
  });

  it("is read from our own JSON, empty clients kept", async () => {
    const own = {
      schema: "pde-dirichlet/partition/1",
      partition_id_to_indices: { 0: [0, 2], 1: [], 2: [1] },
      client_of_sample: [0, 2, 0],
      bin_of_sample: [1, 0, 1],
    };
    expect(await readPartition(json(own))).toEqual({
      clientOfSample: Int32Array.of(0, 2, 0),
      binOfSample: Int32Array.of(1, 0, 1),
      clientNames: ["0", "1", "2"],
    });
  });

  it("keeps empty clients that the sizes of an NPZ tell of", async () => {
    const arrays = { client_of_sample: Int32Array.of(0, 2), sizes: Int32Array.of(1, 0, 1, 0) };
    const partition = await readPartition(bytesInMemory(writeNpz(arrays)));
    expect(partition.clientNames).toEqual(["0", "1", "2", "3"]);
  });

  it("numbers its clients in numerical or natural order", async () => {
    const names = async (value: unknown) => (await readPartition(json(value))).clientNames;
    expect(await names({ 10: [0], 9: [1], 100: [2] })).toEqual(["9", "10", "100"]);
    expect(await names({ site10: [0], site9: [1], lab: [2] })).toEqual(["lab", "site9", "site10"]);
    const column = await readPartition(text("party\nsite10\nsite9\nsite10\n"));
    expect(column).toEqual({ clientOfSample: Int32Array.of(1, 0, 1), clientNames: ["site9", "site10"] });
  });

  it("is read in the order of pandas' index, and of a column called index before that", async () => {
    const clients = async (csv: string) => [...(await readPartition(text(csv))).clientOfSample];
    expect(await clients(",client\n1,0\n2,0\n0,1\n")).toEqual([1, 0, 0]);
    expect(await clients(",index,client\n0,1,0\n1,2,0\n2,0,1\n")).toEqual([1, 0, 0]);
    expect(await clients("client,\n0,\n1,\n")).toEqual([0, 1]);
  });

  it("is read from what NumPy's savetxt writes, and with numbers that float64 does not hold", async () => {
    const two = await readPartition(text("2.000000000000000000e+00\n0.000000000000000000e+00\n"));
    expect(two).toEqual({ clientOfSample: Int32Array.of(1, 0), clientNames: ["0", "2"] });
    const long = await readPartition(text("user\n12345678901234567890\n12345678901234567891\n"));
    expect(long.clientNames).toHaveLength(2);
  });

  it("is taken from the column or key that is asked for", async () => {
    const read = (source: string, options: ReadPartitionOptions) => readPartition(text(source), options);
    expect((await read("a,b\n0,1\n1,0\n", { column: "b" })).clientOfSample).toEqual(Int32Array.of(1, 0));
    await expect(read("a,b\n0,1\n", { column: "c" })).rejects.toThrow('p.txt has no column "c"; it has a, b');
    await expect(read("a,b\n0,1\n", {})).rejects.toThrow("which column is the client?");
    const npz = bytesInMemory(writeNpz({ a: Int32Array.of(0, 1), b: Int32Array.of(1, 0) }), "p.npz");
    expect((await readPartition(npz, { key: "b" })).clientOfSample).toEqual(Int32Array.of(1, 0));
    await expect(readPartition(npz, { key: "c" })).rejects.toThrow('p.npz has no "c"; it has a, b');
    await expect(readPartition(json({ split: [[0], [1]] }), { key: "split" })).resolves.toBeDefined();
  });

  it("may have its clients as floats that are whole", async () => {
    const npy = bytesInMemory(writeNpy(Float64Array.of(2, 0, 2)), "p.npy");
    expect(await readPartition(npy)).toEqual({
      clientOfSample: Int32Array.of(1, 0, 1),
      clientNames: ["0", "2"],
    });
  });

  it("asks for a key where several arrays could be the client", async () => {
    const column = Int32Array.of(0, 1, 0, 1);
    const npz = (...names: string[]) =>
      bytesInMemory(writeNpz(Object.fromEntries(names.map((name) => [name, column]))), "p.npz");
    const message = (names: string) =>
      `p.npz: which one is the client? Each of ${names} could be: name one by`;
    await expect(readPartition(npz("first", "second"))).rejects.toThrow(message("first, second"));
    await expect(readPartition(npz("client", "client_id"))).rejects.toThrow(message("client_id, client"));
    expect((await readPartition(npz("first", "second"), { key: "second" })).clientNames).toEqual(["0", "1"]);
  });

  it.each([
    ["an index that two clients hold", { 0: [0, 1], 1: [1] }, "p.json: sample 1 is held by clients 0 and 1"],
    [
      "an index twice at one client",
      { 0: [0, 0, 1, 1] },
      "p.json: sample 0 is held twice by client 0 (2 samples",
    ],
    ["a negative index", { 0: [0, 1], a: [-1] }, "p.json: client a holds sample -1"],
    [
      "an index beyond the dataset",
      { 0: [0, 1, 2, 3], 1: [4, 5] },
      "client 1 holds sample 4, but the dataset has 4",
    ],
    ["an absurd index", { 0: [0, 1, 2], 1: [2 ** 40] }, `client 1 holds sample ${2 ** 40}`],
    ["a sample that nobody holds", { 0: [0], 1: [3] }, "no client holds sample 1 (2 of 4 samples have none)"],
    ["an end that nobody holds", { 0: [0], 1: [1, 2] }, "no client holds sample 3"],
    ["an index that is not whole", { 0: [0, 1.5] }, "index of client 0 is 1.5, not a whole number"],
    ["no samples at all", { 0: [], 1: [] }, "no client holds any sample"],
  ])("is refused for %s", async (_, value, message) => {
    await expect(readPartition(json(value), { samples: 4 })).rejects.toThrow(message);
    await expect(readPartition(json(value), { samples: 4 })).rejects.toThrow(DataError);
  });

  it("without a number of samples ends at its largest index", async () => {
    expect((await readPartition(json([[0, 2], [1]]))).clientOfSample).toHaveLength(3);
    await expect(readPartition(json([[0], [2 ** 40]]))).rejects.toThrow("no client holds sample 1");
  });

  it.each([
    ["a client of 0.5", "0\n0.5\n1\n", "sample 1 has client 0.5, which is not a whole number"],
    ["client -1", "0\n-1\n1\n", "sample 1 has client -1"],
    ["an empty cell", "client_id,x\n0,1\n,2\n1,3\n", "sample 1 has no client"],
    ["another length than the dataset's", "0\n1\n", "names the client of 2 samples, but the dataset has 3"],
    ["nothing but a header", "client_id\n", "no client holds any sample"],
    ["an index twice", "index,client_id\n0,1\n0,2\n", "column index: sample 0 is held twice"],
    ["bin -1", "client_id,bin\n0,1\n1,-1\n1,0\n", "bin of sample 1 is -1"],
    ["an absurd bin", "client_id,bin\n0,1\n1,99999999999\n1,0\n", "bin of sample 1 is 99999999999"],
  ])("is refused for a column with %s", async (_, content, message) => {
    await expect(readPartition(text(content), { samples: 3 })).rejects.toThrow(message);
  });

  it.each([
    [
      "floats",
      bytesInMemory(writeNpy(Float64Array.of(0, 1.5)), "p.npy"),
      "expected whole numbers, found 1.5",
    ],
    ["a matrix", bytesInMemory(writeNpy(new Int32Array(4), [2, 2]), "p.npy"), "found an array of 2x2"],
    ["a JSON string", json("hello"), "p.json"],
    [
      "a dict of something else",
      json({ alpha: 0.1, name: "x" }),
      "holds no partition that is known: a dict with alpha",
    ],
    ["FL-bench's dict with other values", json({ data_indices: [{ train: ["a"] }] }), "holds no partition"],
    ["a pickled string", pickle("hello"), "holds no partition that is known: string hello"],
    ["truncated JSON", text('{"0": [1, 2', "p.json"), "p.json is not valid JSON (truncated?)"],
    ["nothing", text(""), "p.txt is empty"],
    ["HDF5", bytesInMemory(Uint8Array.of(0x89, 0x48, 0x44, 0x46), "p.h5"), "p.h5 is an HDF5 file"],
  ])("is refused for %s", async (_, source, message) => {
    await expect(readPartition(source)).rejects.toThrow(message);
  });

  it("is refused when a pickle is truncated", async () => {
    const bytes = readFileSync(new URL("../golden/foreign/fedlab.pkl", import.meta.url));
    await expect(readPartition(bytesInMemory(bytes.subarray(0, 60), "p.pkl"))).rejects.toThrow(FormatError);
  });

  it("covers every sample once, whatever lists of indices are given, or is refused", async () => {
    const lists = fc.array(fc.array(fc.integer({ min: -1, max: 8 }), { maxLength: 5 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(lists, async (groups) => {
        const all = groups.flat().sort((a, b) => a - b);
        const exact = all.length > 0 && all.every((sample, i) => sample === i);
        const result = await readPartition(json(Object.fromEntries(groups.entries()))).catch(
          (error) => error,
        );
        if (!exact) {
          expect(result).toBeInstanceOf(DataError);
          return;
        }
        groups.forEach((group, client) => {
          for (const sample of group) expect(result.clientOfSample[sample]).toBe(client);
        });
      }),
      { numRuns: 300 },
    );
  });

  it("is refused where several clients share one list, before it is copied for each", async () => {
    const bytes = Buffer.from("\x80\x02}(K\x00](K\x00K\x01eq\x00K\x01h\x00u.", "latin1");
    await expect(readPartition(bytesInMemory(bytes, "x.pkl"))).rejects.toThrow(
      "x.pkl: one list of samples is held by several clients",
    );
  });
});
