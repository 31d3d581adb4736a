import { tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { readPartition } from "../../src/exchange/foreign-partition.js";
import { huggingFaceTable, isHuggingFace } from "../../src/exchange/hugging-face.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { fixedShapeParquet } from "../../src/files/parquet-fields.js";

/** Arrow as `save_to_disk` writes it: a stream. */
const arrow = (columns: Record<string, number[]>) =>
  tableToIPC(tableFromArrays(columns), { format: "stream" })!;
const parquet = (columns: Record<string, number[]>) =>
  fixedShapeParquet(
    Object.entries(columns).map(([name, values]) => ({
      name,
      shape: [],
      values: BigInt64Array.from(values, BigInt),
    })),
    Object.values(columns)[0].length,
  );

const folder = (files: Record<string, Uint8Array>) =>
  Object.entries(files).map(([path, bytes]) => ({
    path,
    open: async () => ({ ...bytesInMemory(bytes, path), close: async () => {} }),
  }));

async function read(files: Record<string, Uint8Array>, column?: string) {
  const { csv, clients } = await huggingFaceTable(folder(files), "f", column);
  const isNamed = column !== undefined && column !== "folder";
  const source = bytesInMemory(new TextEncoder().encode(csv), "f");
  return { ...(await readPartition(source, isNamed ? { column } : {})), clients };
}

describe("a Hugging Face dataset as a partition", () => {
  it("is one of Parquet with a client column; the test split is none of it", async () => {
    const { clientOfSample, binOfSample } = await read({
      "README.md": new Uint8Array(),
      "train/client-00000.parquet": parquet({ index: [3, 0], client_id: [0, 0], solution_bin: [1, 0] }),
      "train/client-00001.parquet": parquet({ index: [1, 2], client_id: [1, 1], solution_bin: [2, 2] }),
      "test/test.parquet": parquet({ index: [0], client_id: [-1], solution_bin: [-1] }),
    });
    expect([...clientOfSample]).toEqual([0, 1, 1, 0]);
    expect([...binOfSample!]).toEqual([0, 2, 2, 1]);
  });

  it("is a folder for each client, as Flower writes them, in the order of their numbers", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 11 }, (_, k) => [
        `partition_${k}/data-00000-of-00001.arrow`,
        arrow({ index: [10 - k] }),
      ]),
    );
    const { clientOfSample, clientNames } = await read(files);
    expect([...clientOfSample]).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(clientNames).toHaveLength(11);
  });

  it("is asked about where it was split again, and its rows still name the clients of before", async () => {
    const again = {
      "0/data-00000-of-00002.arrow": arrow({ index: [0], client_id: [0] }),
      "0/data-00001-of-00002.arrow": arrow({ index: [3], client_id: [1] }),
      "1/data-00000-of-00001.arrow": arrow({ index: [1, 2], client_id: [0, 1] }),
    };
    await expect(read(again)).rejects.toThrow(
      "f: are the clients the column client_id (2), or its folders and files (2)? They disagree: say --column client_id, or --column folder",
    );
    expect([...(await read(again, "client_id")).clientOfSample]).toEqual([0, 0, 1, 1]);
    const byFolder = await read(again, "folder");
    expect([...byFolder.clientOfSample]).toEqual([0, 1, 1, 0]);
    expect(byFolder.clients).toBe("one folder or file per client");
  });

  it("has its folders as clients where no column says otherwise, and shards of one dataset are none", async () => {
    const two = { "a/x.parquet": parquet({ index: [0] }), "b/x.parquet": parquet({ index: [1] }) };
    expect((await read(two)).clientNames).toEqual(["a/x.parquet", "b/x.parquet"]);
    const shards = {
      "data-00000-of-00002.arrow": arrow({ index: [0, 1], client_id: [0, 1] }),
      "data-00001-of-00002.arrow": arrow({ index: [2, 3], client_id: [1, 0] }),
    };
    const whole = await read(shards);
    expect([...whole.clientOfSample]).toEqual([0, 1, 1, 0]);
    expect(whole.clients).toBe("the column client_id of 2 files");
  });

  it("may call its clients otherwise", async () => {
    const { clientOfSample } = await read({ "a.arrow": arrow({ index: [1, 0], site: [1, 0] }) }, "site");
    expect([...clientOfSample]).toEqual([0, 1]);
  });

  it.each([
    [
      { "partition_0/a.arrow": arrow({ x: [1] }) },
      /f\/partition_0\/a\.arrow has no column "index".*add_column/,
    ],
    [
      { "a.parquet": parquet({ index: [0], x: [1] }) },
      /f has no column "client_id" in all of its files: name .* --column/,
    ],
    [{ "a.parquet": Uint8Array.of(1, 2, 3) }, /a\.parquet cannot be read/],
    [{ "a.arrow": Uint8Array.of(1, 2, 3) }, /a\.arrow cannot be read|has no column/],
  ])("is refused in one line where it does not say its clients: %#", async (files, message) => {
    await expect(read(files as Record<string, Uint8Array>)).rejects.toThrow(FormatError);
    await expect(read(files as Record<string, Uint8Array>)).rejects.toThrow(message);
  });

  it("is known by its files", () => {
    expect(isHuggingFace(["README.md", "train/a.parquet"])).toBe(true);
    expect(isHuggingFace(["client_dict.pkl", "test/a.parquet"])).toBe(false);
  });
});
