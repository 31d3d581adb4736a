import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { packingOf } from "../../src/files/netcdf-attributes.js";
import { isNetcdf3, openNetcdf3 } from "../../src/files/netcdf3.js";
import { expectAsRead, fileIn, filesOf, GOLDEN } from "./foreign-arrays.js";

describe("classic netCDF files", () => {
  const files = filesOf(GOLDEN, /^(classic|one).*\.nc$/);

  it("have golden files of the three formats", () => {
    expect(files).toEqual(["classic-1.nc", "classic-2.nc", "classic-5.nc", "one-record.nc"]);
    for (const name of files) expect(isNetcdf3(readFileSync(join(GOLDEN, name)))).toBe(true);
    expect(isNetcdf3(readFileSync(join(GOLDEN, "netcdf-4.nc")))).toBe(false);
  });

  it.each(files)("%s is read as SciPy or netCDF4 reads it", (name) =>
    expectAsRead(GOLDEN, name, openNetcdf3),
  );

  it("have attributes, and coordinates by the names of their dimensions", async () => {
    const file = await openNetcdf3(fileIn(GOLDEN, "classic-1.nc"));
    expect(file.attributes()).toEqual({ title: "text" });
    expect(file.attributes("packed")).toEqual({ scale_factor: 0.25, add_offset: 10, _FillValue: -999 });
    expect(file.scales("r_f4")).toEqual([undefined, "x"]);
    expect(file.scales("x")).toEqual([undefined]);
    await expect(file.array("nothing")).rejects.toThrow(
      /classic-1\.nc has no array "nothing"; it has f_i1 \(5 x 3\), /,
    );
    await expect(file.array("word")).rejects.toThrow("classic-1.nc:word holds text");
  });

  it("have as many records as the file holds where they do not say", async () => {
    const bytes = Buffer.from(readFileSync(join(GOLDEN, "one-record.nc")));
    const whole = await (await openNetcdf3(bytesInMemory(bytes))).array("u");
    bytes.writeInt32BE(-1, 4);
    const counted = await (await openNetcdf3(bytesInMemory(bytes))).array("u");
    expect(counted.shape).toEqual([5, 3]);
    expect(await counted.read(0, 5)).toEqual(await whole.read(0, 5));
  });

  it("are refused when cut, by one line each", async () => {
    const bytes = readFileSync(join(GOLDEN, "classic-2.nc"));
    for (let length = 0; length < bytes.length; length += 13) {
      const read = async () => {
        const file = await openNetcdf3(bytesInMemory(bytes.subarray(0, length), "cut.nc"));
        const found = file.list().filter(({ problem }) => !problem);
        for (const { name } of found) await (await file.array(name)).read(0, 1);
      };
      await expect(read()).rejects.toThrow(/^cut\.nc(:\w+)? is (truncated|not a classic)[^\n]*$/);
      await expect(read()).rejects.toThrow(FormatError);
    }
  });
});

describe("the attributes of a netCDF variable", () => {
  it("leave numbers alone where they say nothing", () => {
    expect(packingOf("int32", {})).toBeUndefined();
    const values = Float32Array.of(1, 2);
    const packing = packingOf("float32", {});
    expect(packing && "unpack" in packing && packing.unpack(values)).toBe(values);
  });

  it("are refused where they make no sense", () => {
    expect(packingOf("int16", { scale_factor: "0.5" })).toEqual({
      problem: "has an attribute scale_factor that is no number: 0.5",
    });
    expect(packingOf("int16", { add_offset: [1, 2] })).toEqual({
      problem: "has an attribute add_offset of 2 numbers in place of one",
    });
    expect(packingOf("int8", { _Unsigned: "true" })).toMatchObject({
      problem: expect.stringContaining("_Unsigned"),
    });
  });

  it("make whole numbers with missing values float64", () => {
    const packing = packingOf("int64", { _FillValue: [-1], missing_value: 7 });
    expect(packing).toMatchObject({ dtype: "float64" });
    expect(packing && "unpack" in packing && packing.unpack(BigInt64Array.of(3n, -1n, 7n))).toEqual(
      Float64Array.of(3, NaN, NaN),
    );
  });
});
