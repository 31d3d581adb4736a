import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { FileError, FormatError } from "../../src/errors.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { openFile } from "../../src/files/disk.js";
import { isHdf5, refuseForeign } from "../../src/files/file-kinds.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";
import { writeSafetensors } from "../../src/files/safetensors.js";

const array = (name: string) => readFileSync(new URL(`../golden/arrays/${name}`, import.meta.url));
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
    ["x.feather", Buffer.from("FEA1\0\0\0\0"), /an Arrow file/],
    ["x.grib", Buffer.from("GRIB\0\0\0\0"), /a GRIB file.*to_netcdf/],
    ["x.vtk", Buffer.from("# vtk DataFile Version 3.0\n"), /a VTK file.*meshio/],
    ["x.vtu", Buffer.from('<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid">'), /a VTK file/],
    ["four.mat", array("v4.mat"), /a MATLAB file of version 4.*'-v7'.*scipy\.io\.loadmat/],
    ["x.zip", zipSync({ "u.zarr/.zgroup": new Uint8Array(2) }), /a Zarr archive.*xarray\.open_zarr/],
    [
      "x.safetensors",
      writeSafetensors({ tensors: { a: { shape: [1], values: Int32Array.of(7) } }, metadata: {} }),
      /a safetensors file.*load_file/,
    ],
    ["x.parquet", Buffer.from("PAR1\0\0\0\0PAR1"), /a Parquet file/],
  ])("is named with the way out: %s", async (name, bytes, message) => {
    await expect(refuseForeign(bytesInMemory(bytes, name))).rejects.toThrow(message);
    await expect(refuseForeign(bytesInMemory(bytes, name))).rejects.toThrow(FormatError);
    await expect(refuseForeign(bytesInMemory(bytes, name))).rejects.toThrow(`${name} is a`);
  });

  it.each(["v5-plain.mat", "bare.pt", "bare-legacy.pt", "classic-1.nc", "classic-5.nc", "v73.mat"])(
    "is left to who reads all kinds of arrays: %s",
    async (name) => {
      const source = bytesInMemory(array(name), name);
      await expect(refuseForeign(source, { allArrays: true })).resolves.toBeUndefined();
      if (name !== "v73.mat") await expect(refuseForeign(source)).rejects.toThrow(/which is not read here/);
    },
  );

  it.each([
    ["old.pkl", golden("protocol-0.pkl"), /a pickle file.*pickle\.load if you trust it.*numpy\.savez/],
    ["one.pkl", golden("protocol-1.pkl"), /a pickle file/],
    ["numpy.pkl", golden("numpy-1.pkl"), /a pickle file/],
    ["new.pkl", golden("protocol-5.pkl"), /a pickle file/],
    ["x.csv", Buffer.from("x,y\n0.5,1e-3\n"), /a text file of numbers, such as CSV.*numpy\.loadtxt/],
    ["x.tsv", Buffer.from("# heading\r\n-1\t2.5\t.5\r\n"), /a text file of numbers/],
    ["x.txt", Buffer.from("1.000000000000000000e+00 2.0e+00\n3 4\n"), /a text file of numbers/],
    ["wide.csv", Buffer.from(`${Array.from({ length: 500 }, (_, i) => i / 7).join(",")}\n`), /a text file/],
  ])("is left to who reads documents, and named to who reads arrays: %s", async (name, bytes, message) => {
    const source = bytesInMemory(bytes, name);
    await expect(refuseForeign(source)).resolves.toBeUndefined();
    await expect(refuseForeign(source, { allArrays: true })).rejects.toThrow(message);
  });

  it.each([
    ["a diary", "Dear diary,\nthis is no array.\n"],
    ["JSON", '{"0": [1, 2]}\n'],
    ["nothing", ""],
  ])("is unknown for %s", async (_, text) => {
    const source = bytesInMemory(Buffer.from(text), "x");
    await expect(refuseForeign(source, { allArrays: true })).resolves.toBeUndefined();
  });

  it("is a Zarr folder where it has Zarr's metadata, and else no file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zarr-"));
    await expect(openFile(folder)).rejects.toThrow(/ is not a file$/);
    writeFileSync(join(folder, "zarr.json"), "{}");
    await expect(openFile(folder)).rejects.toThrow(
      / is a Zarr folder, .* xarray\.open_zarr .* numpy\.savez$/,
    );
    await expect(openFile(folder)).rejects.toThrow(FileError);
    rmSync(folder, { recursive: true });
  });

  it("is left to its reader where it is one of ours, or unknown", async () => {
    for (const bytes of [npz, writeNpy(new Float64Array(3)), golden("user-block.h5"), Buffer.from("0,1\n")])
      await expect(refuseForeign(bytesInMemory(bytes))).resolves.toBeUndefined();
  });
});
