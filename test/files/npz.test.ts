import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { type ByteSource, bytesInMemory, readAll } from "../../src/files/byte-source.js";
import { toNumbers } from "../../src/files/ndarray.js";
import { openNpz, writeNpz } from "../../src/files/npz.js";
import { openZip } from "../../src/files/zip.js";
import { fileIn, GOLDEN } from "./foreign-arrays.js";

/** Files that NumPy wrote: scripts/golden/files.py. */
const bytesOf = (name: string): Uint8Array =>
  readFileSync(new URL(`../golden/files/${name}`, import.meta.url));
const golden = (name: string): ByteSource => bytesInMemory(bytesOf(name), name);

describe("NPZ", () => {
  it.each(["stored.npz", "deflated.npz"])("%s is read by name and by rows", async (name) => {
    const archive = await openNpz(golden(name));
    expect(archive.names).toEqual(["cube", "ids"]);
    const cube = await archive.array("cube");
    expect([...toNumbers(await cube.read(1, 2))]).toEqual([6, 7, 8, 9, 10, 11]);
    expect(await (await archive.array("ids")).read(3, 5)).toEqual(BigInt64Array.of(3n, 4n));
  });

  it("is read with zip64 fields", async () => {
    const ids = await (await openNpz(golden("zip64.npz"))).array("ids");
    expect(await ids.read(0, 2)).toEqual(BigInt64Array.of(0n, 1n));
  });

  it("names its arrays when another is asked for", async () => {
    const archive = await openNpz(golden("stored.npz"));
    await expect(archive.array("u")).rejects.toThrow(
      /stored\.npz has no array "u"; it has cube \(\d+ x \d+ x \d+\), ids \(\d+\)$/,
    );
  });

  it("reads stored rows without the rest of the file", async () => {
    const source = golden("stored.npz");
    let most = 0;
    const watched: ByteSource = {
      ...source,
      read: (offset, length) => {
        most = Math.max(most, length);
        return source.read(offset, length);
      },
    };
    const cube = await (await openNpz(watched)).array("cube");
    most = 0;
    await cube.read(0, 1);
    expect(most).toBe(24);
  });

  it("is refused when one bit of a stored array has changed, wherever it is and however little is read", async () => {
    const good = bytesOf("stored.npz");
    const whole = await openZip(bytesInMemory(good, "stored.npz"));
    const { size } = whole.get("cube.npy")!;
    const from = 30 + "cube.npy".length; // the first member, without extra fields: NumPy adds some
    const start = from + new DataView(good.buffer, good.byteOffset).getUint16(28, true);
    for (const at of [start, start + 80, start + size - 1]) {
      const damaged = good.slice();
      damaged[at] ^= 4;
      const archive = await openNpz(bytesInMemory(damaged, "damaged.npz"));
      await expect(archive.array("cube")).rejects.toThrow(
        "damaged.npz:cube.npy is damaged: its checksum is wrong",
      );
      expect((await archive.array("ids")).rows).toBe(5);
    }
  });

  it("is refused when its directory has another name, or fewer members than there are", async () => {
    const good = writeNpz({ first: Int32Array.of(1), second: Int32Array.of(2) }, { compress: false });
    const renamed = good.slice();
    renamed[Buffer.from(good).lastIndexOf("second")] = "t".charCodeAt(0);
    const archive = await openNpz(bytesInMemory(renamed, "renamed.npz"));
    await expect(archive.array("tecond")).rejects.toThrow(/renamed.npz:tecond.npy: the archive is damaged/);
    const fewer = good.slice();
    fewer[good.length - 22 + 10] = 1;
    await expect(openNpz(bytesInMemory(fewer, "fewer.npz"))).rejects.toThrow(
      "fewer.npz: the archive's directory is damaged",
    );
  });

  it("has the same bytes for the same arrays, in every time zone", () => {
    const write = () =>
      writeNpz({ a: Int32Array.of(1, 2), b: { values: new Float64Array(6), shape: [2, 3] } });
    const zone = process.env.TZ;
    const first = write();
    process.env.TZ = "Asia/Tokyo";
    expect(write()).toEqual(first);
    process.env.TZ = zone;
  });

  it("is read back as it was written", async () => {
    const archive = await openNpz(
      bytesInMemory(writeNpz({ a: { values: Float32Array.of(1, 2), shape: [2, 1] } })),
    );
    const { shape, dtype, read } = await archive.array("a");
    expect([shape, dtype, await read(0, 2)]).toEqual([[2, 1], "float32", Float32Array.of(1, 2)]);
  });

  it("is refused when truncated or when it is another file", async () => {
    for (const cut of [0, 10, 200]) {
      const source = bytesInMemory(bytesOf("stored.npz").slice(0, -1 - cut), "cut.npz");
      await expect(openNpz(source)).rejects.toThrow(FormatError);
    }
    await expect(openNpz(golden("fields.h5"))).rejects.toThrow("fields.h5 is not a zip archive");
    await expect(openNpz(bytesInMemory(new Uint8Array(0), "empty"))).rejects.toThrow(
      "empty is not a zip archive",
    );
  });

  it("is inflated by Node's zlib where that is given, and checked as well", async () => {
    const inflate = (deflated: Uint8Array, size: number) =>
      inflateRawSync(deflated, { maxOutputLength: size });
    const plain = Uint8Array.from({ length: 4099 }, (_, i) => (i * i) >> 5); // no multiple of four
    const zip = zipSync({ "a.bin": plain });
    const read = async (bytes: Uint8Array) => {
      const members = await openZip(bytesInMemory(bytes, "a.zip"), { inflate });
      return readAll(await members.get("a.bin")!.open());
    };
    expect(Buffer.compare(await read(zip), plain)).toBe(0);
    const checksum = zip.length - 22 - 51 + 16; // in the directory, which is 46 bytes and the name
    for (const at of [40, 300, checksum]) {
      const damaged = zip.slice();
      damaged[at] ^= 4;
      await expect(read(damaged)).rejects.toThrow(FormatError);
    }
  });

  it("is refused when its compressed data are damaged", async () => {
    const bytes = Uint8Array.from(bytesOf("deflated.npz"));
    const at = 60; // inside the first member's data
    for (const value of [0, 255, bytes[at] ^ 1]) {
      if (value === bytes[at]) continue;
      const damaged = bytes.slice();
      damaged[at] = value;
      const archive = await openNpz(bytesInMemory(damaged, "bad.npz"));
      await expect(archive.array("cube")).rejects.toThrow(FormatError);
    }
  });

  it.each([0, 6] as const)("shows the start of a member without the rest, at level %i", async (level) => {
    const noise = Uint8Array.from({ length: 1 << 18 }, (_, i) => (i * i * 31) >> 7);
    const source = bytesInMemory(zipSync({ "a.bin": noise }, { level }), "a.zip");
    const members = await openZip(source);
    let read = 0;
    const watched = await openZip({
      ...source,
      read: (offset, length) => {
        read += length;
        return source.read(offset, length);
      },
    });
    read = 0;
    expect(await watched.get("a.bin")!.start(100)).toEqual(noise.subarray(0, 100));
    expect(read).toBeLessThan(1 << 15);
    const { start } = members.get("a.bin")!;
    expect(Buffer.compare(await start(noise.length + 1), noise)).toBe(0);
    expect(Buffer.compare(await start(noise.length - 1), noise.subarray(0, -1))).toBe(0);
  });

  it("may have a comment after its directory", async () => {
    const zip = zipSync({ "a.txt": strToU8("hello") }, { level: 0 });
    const withComment = new Uint8Array([...zip, ...strToU8("a comment")]);
    withComment[zip.length - 2] = 9;
    const members = await openZip(bytesInMemory(withComment));
    expect([...members.keys()]).toEqual(["a.txt"]);
  });
});

describe("an NPZ archive with arrays of objects, as DeepXDE's aligned data", () => {
  const open = async (source: ByteSource) => {
    const archive = await openNpz(source);
    const list = await archive.list();
    return { list: () => list, array: archive.array };
  };

  it("gives the arrays within them by name and place", async () => {
    const expected = JSON.parse(readFileSync(join(GOLDEN, "deepxde.npz.json"), "utf8"));
    const { list, array } = await open(fileIn(GOLDEN, "deepxde.npz"));
    expect(list().map(({ name }) => name)).toEqual(["X/0", "X/1", "others", "y", "scale"]);
    for (const { name, shape, dtype, problem } of list()) {
      const { values, ...described } = expected[name];
      if (problem !== undefined) continue;
      expect({ shape, dtype }).toEqual(described);
      const { rows, read } = await array(name);
      expect([...(await read(0, rows))]).toEqual(values);
    }
    expect(
      await (await array("X/1")).readBox!([0, 1, 2].map((start) => ({ start, length: 1, step: 1 }))),
    ).toEqual(Float64Array.of(expected["X/1"].values[0 * 6 + 1 * 3 + 2]));
  });

  it("says what cannot be read", async () => {
    const { list, array } = await open(fileIn(GOLDEN, "deepxde.npz"));
    expect(list()).toContainEqual({
      name: "others",
      problem: "holds Python objects, none of which is an array of numbers",
    });
    await expect(array("X")).rejects.toThrow(/deepxde\.npz:X\.npy holds Python objects/);
    for (const name of ["X/2", "X/9", "y/0", "z"])
      await expect(array(name)).rejects.toThrow(
        `deepxde.npz has no array "${name}"; it has X/0 (6 x 4), X/1 (5 x 2 x 3), `,
      );
  });
});
