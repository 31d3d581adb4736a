import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { isHdf5, refuseForeign } from "../../src/files/file-kinds.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";

const golden = (name: string) => readFileSync(new URL(`../golden/files/${name}`, import.meta.url));
const signature = Buffer.from("\x89HDF\r\n\x1a\n", "latin1");

describe("the kind of a file", () => {
  it.each([0, 512, 1024, 2048, 1 << 16])("is HDF5 with the signature at byte %i", async (at) => {
    const bytes = Buffer.concat([Buffer.alloc(at), signature, Buffer.alloc(40)]);
    expect(await isHdf5(bytesInMemory(bytes))).toBe(true);
  });

  it.each([8, 256, 513, 1536])("is not HDF5 with the signature at byte %i", async (at) => {
    const bytes = Buffer.concat([Buffer.alloc(at), signature, Buffer.alloc(4000)]);
    expect(await isHdf5(bytesInMemory(bytes))).toBe(false);
  });

  it("is HDF5 for h5py's files, with and without a user block, and not for others", async () => {
    for (const name of ["fields.h5", "user-block.h5"])
      expect(await isHdf5(bytesInMemory(golden(name)))).toBe(true);
    for (const bytes of [new Uint8Array(0), writeNpy(new Float64Array(100)), golden("stored.npz")])
      expect(await isHdf5(bytesInMemory(bytes))).toBe(false);
  });

  const matlab = Buffer.alloc(256);
  matlab.write("MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Mon Jan  1 00:00:00 2024");
  const tar = Buffer.alloc(1024);
  tar.write("ustar", 257);
  const npz = writeNpz({ a: new Float64Array(3) });
  it.each([
    ["x.mat", matlab, /a MATLAB file of version 5 to 7\.2.*'-v7\.3'.*scipy\.io\.loadmat/],
    [
      "x.pt",
      zipSync({ "x/data.pkl": new Uint8Array(9), "x/data/0": new Uint8Array(8) }),
      /PyTorch.*torch\.load/,
    ],
    ["old.pt", Buffer.from("80028a0a6cfc9c46f9206aa850192e", "hex"), /a PyTorch file.*numpy\.savez/],
    ["x.npy.gz", gzipSync(npz), /a gzip archive.*gunzip/],
    ["x.tar", tar, /a tar archive.*tar -x/],
    ["x.bz2", Buffer.from("BZh91AY&SY"), /a bzip2 archive/],
    ["x.xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0]), /an xz archive/],
    ["x.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), /a Zstandard archive/],
    ["x.nc", Buffer.from("CDF\x02\0\0"), /a netCDF-3 file.*nccopy -k nc4/],
    ["x.parquet", Buffer.from("PAR1\0\0\0\0PAR1"), /a Parquet file/],
  ])("is named with the way out: %s", async (name, bytes, message) => {
    await expect(refuseForeign(bytesInMemory(bytes, name))).rejects.toThrow(message);
    await expect(refuseForeign(bytesInMemory(bytes, name))).rejects.toThrow(FormatError);
    await expect(refuseForeign(bytesInMemory(bytes, name))).rejects.toThrow(`${name} is a`);
  });

  it("is left to its reader where it is one of ours, or unknown", async () => {
    for (const bytes of [npz, writeNpy(new Float64Array(3)), golden("user-block.h5"), Buffer.from("0,1\n")])
      await expect(refuseForeign(bytesInMemory(bytes))).resolves.toBeUndefined();
  });
});
