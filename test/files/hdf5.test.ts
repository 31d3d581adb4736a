import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FileError, FormatError } from "../../src/errors.js";
import { openHdf5 } from "../../src/files/hdf5.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { using } from "./using-hdf5.js";

/** A file that h5py wrote: scripts/golden/files.py. */
const GOLDEN = new URL("../golden/files/fields.h5", import.meta.url).pathname;
const KINDS = new URL("../golden/files/kinds.h5", import.meta.url).pathname;
/** Files of other programs: scripts/golden/foreign_arrays.py. */
const ARRAYS = new URL("../golden/arrays", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "hdf5-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("HDF5 files of h5py", () => {
  it("list their datasets with shape and type", () =>
    using(GOLDEN, (file) => {
      const u = { shape: [5, 4, 2], dtype: "float32" };
      expect(file.list()).toContainEqual({ path: "/u", ...u });
      expect(file.list()).toContainEqual({ path: "/link", ...u });
      expect(file.list()).toContainEqual({ path: "/group/deep/big", shape: [3, 2], dtype: "float64" });
      expect(file.list()).toContainEqual({ path: "/flags", shape: [2], dtype: "bool" });
      const only = "only booleans, integers and floats of 16, 32 or 64 bits can be read";
      const names = { path: "/names", shape: [2], isText: true, problem: `holds strings: ${only}` };
      expect(file.list()).toContainEqual(names);
      expect(file.strings("/names")).toHaveLength(2);
      expect(file.strings("/names").every((name) => typeof name === "string" && name !== "")).toBe(true);
      expect(() => file.strings("/flags")).toThrow(/\/flags holds no list of strings/);
      expect(file.list()).toContainEqual({
        path: "/lzf",
        shape: [1000],
        dtype: "float64",
        problem: expect.stringMatching(
          /^is compressed by lzf, which cannot be read here: write it again with h5py/,
        ),
      });
    }));

  it("name what a group holds", () =>
    using(GOLDEN, (file) => {
      expect(file.children()).toEqual(expect.arrayContaining(["group", "u", "labels"]));
      expect(file.children("/group")).toEqual(["deep"]);
      expect(() => file.children("/u")).toThrow(/fields.h5 has no group \/u/);
    }));

  it("have attributes", () =>
    using(GOLDEN, (file) => {
      expect(file.attributes()).toEqual({ seed: 42, title: "héllo" });
      expect(file.attributes("/u")).toEqual({ units: "m/s", range: [0, 39] });
      expect(() => file.attributes("/nowhere")).toThrow(FormatError);
    }));

  it("are read by rows, of either byte order, compressed or not", () =>
    using(GOLDEN, async (file) => {
      expect(await file.dataset("/u").read(1, 2)).toEqual(Float32Array.of(8, 9, 10, 11, 12, 13, 14, 15));
      expect(await file.dataset("u").read(4, 5)).toHaveLength(8);
      expect(await file.dataset("/group/deep/big").read(1, 3)).toEqual(Float64Array.of(2, 3, 4, 5));
      expect(await file.dataset("/labels").read(3, 5)).toEqual(BigInt64Array.of(3n, 4n));
      expect(await file.dataset("/flags").read(0, 2)).toEqual(Uint8Array.of(1, 0));
      expect(await file.dataset("/gzip").read(998, 1000)).toEqual(Float64Array.of(998, 999));
      expect(await file.dataset("/scalar").read(0, 1)).toEqual(Float64Array.of(2.5));
      await expect(file.dataset("/u").read(0, 6)).rejects.toThrow(RangeError);
    }));

  it("say what they have when a path is wrong, and what cannot be read", () =>
    using(GOLDEN, async (file) => {
      expect(() => file.dataset("/v")).toThrow(
        /fields.h5 has no dataset \/v; it has \/complex \(2\), .*\/link \(5 x 4 x 2\).*, \.\.\. and 1 more$/,
      );
      expect(() => file.dataset("/group")).toThrow(/has no dataset \/group; it has/);
      expect(() => file.dataset("/broken")).toThrow(/has no dataset \/broken/);
      expect(() => file.dataset("/names")).toThrow(
        /holds strings: only booleans, integers and floats of 16, 32 or 64 bits/,
      );
      expect(() => file.dataset("/complex")).toThrow(/holds complex numbers/);
      expect(() => file.dataset("/empty")).toThrow(/is empty/);
      expect(() => file.dataset("/lzf")).toThrow(
        /fields\.h5:\/lzf is compressed by lzf, .*: new\.create_dataset\(name, data=old\[name\]\[\.\.\.\], compression="gzip"\)$/,
      );
    }));

  it("may hold halves, of either byte order", () =>
    using(KINDS, async (file) => {
      const halves = [1, 2, -1.5, 0.5, 2 ** -24, 65504];
      for (const path of ["/half", "/half-big"]) {
        const { dtype, shape, read } = file.dataset(path);
        expect({ dtype, shape }).toEqual({ dtype: "float16", shape: [2, 3] });
        expect(await read(0, 2)).toEqual(Float32Array.from(halves));
        expect(await read(1, 2)).toEqual(Float32Array.from(halves.slice(3)));
      }
      expect(await file.dataset("/half-scalar").read(0, 1)).toEqual(Float32Array.of(2.5));
      expect(file.list()).toContainEqual({ path: "/half", shape: [2, 3], dtype: "float16" });
    }));

  it.each([
    ["complex", "complex numbers"],
    ["compound", "compounds of a, b"],
    ["names", "strings"],
    ["fixed", "strings"],
    ["long", "128-bit floats"],
    ["ragged", "lists of different lengths"],
    ["colour", "an enumeration of BLUE, RED"],
    ["references", "references"],
    ["opaque", "elements of an unknown type"],
    ["vectors", "arrays within its elements"],
  ])("say what they hold where it cannot be read: %s", (name, kind) =>
    using(KINDS, (file) => {
      expect(() => file.dataset(`/${name}`)).toThrow(`kinds.h5:/${name} holds ${kind}: only booleans, `);
    }),
  );

  it("are refused when missing, foreign, truncated or a folder", async () => {
    const bytes = readFileSync(GOLDEN);
    const write = (name: string, content: Uint8Array | string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    await expect(openHdf5(write("foreign.h5", "not HDF5 at all"))).rejects.toThrow(
      /foreign.h5 is not an HDF5 file$/,
    );
    await expect(openHdf5(write("none.h5", ""))).rejects.toThrow(/none.h5 is not an HDF5 file$/);
    const cut = write("cut.h5", bytes.subarray(0, bytes.length - 1000));
    await expect(openHdf5(cut)).rejects.toThrow(
      `is truncated: it has ${bytes.length - 1000} of ${bytes.length} bytes`,
    );
    await expect(openHdf5(join(folder, "missing.h5"))).rejects.toThrow(FileError);
    await expect(openHdf5(folder)).rejects.toThrow(FileError);
  });

  it("are refused in one line when their directory is damaged", async () => {
    const bytes = readFileSync(GOLDEN);
    for (let at = bytes.indexOf("SNOD"); at >= 0; at = bytes.indexOf("SNOD")) bytes.write("GONE", at);
    const damaged = join(folder, "damaged.h5");
    writeFileSync(damaged, bytes);
    await using(damaged, (file) => {
      expect(() => file.list()).toThrow(/^.*damaged.h5: HDF5 says "[^"\n]+"$/);
      expect(() => file.list()).toThrow(FormatError);
    });
  });
});

describe("HDF5 filters", () => {
  it("say so where numbers are none that their size suggests, as bfloat16 is no half", () =>
    using(join(ARRAYS, "numbers.h5"), async (file) => {
      const refused = file.list().flatMap(({ path, problem }) => (problem === undefined ? [] : [path]));
      expect(refused).toEqual(["/bfloat16", "/bias", "/twelve"]);
      expect(() => file.dataset("/bfloat16")).toThrow('write them again with astype("float32")');
      expect(() => file.dataset("/bias")).toThrow(
        "numbers.h5:/bias holds floats of 32 bits in another format",
      );
      expect(() => file.dataset("/twelve")).toThrow("/twelve holds integers of 12 bits in 2 bytes");
      const counted = Array.from({ length: 20 }, (_, i) => i);
      for (const path of ["/half", "/usual"])
        expect([...(await file.dataset(path).read(0, 4))]).toEqual(counted);
    }));

  it("that come as plugins are named when files are listed and opened, before anything is read", () =>
    using(join(ARRAYS, "filters.h5"), async (file) => {
      const how =
        "repack it with gzip where that filter is installed (h5repack -f GZIP=4, or h5py after import hdf5plugin)";
      for (const [path, filter] of [
        ["/blosc", "blosc"],
        ["/zstd", "HDF5 zstd filter"],
      ]) {
        const problem = `is compressed by ${filter}, which cannot be read here: ${how}`;
        expect(file.list()).toContainEqual({ path, shape: [64], dtype: "float64", problem });
        expect(() => file.dataset(path)).toThrow(`filters.h5:${path} ${problem}`);
      }
      expect(await file.dataset("/scaleoffset").read(3, 5)).toEqual(BigInt64Array.of(3n, 4n));
    }));
});

describe("boxes of HDF5 datasets", () => {
  const range = (start: number, length: number, step = 1) => ({ start, length, step });

  it("are read by hyperslabs, with steps", () =>
    using(GOLDEN, async (file) => {
      const u = file.dataset("/u"); // 5 x 4 x 2, counted on
      expect(await u.readBox!([range(1, 2, 3), range(0, 2, 2), range(1, 1)])).toEqual(
        Float32Array.of(9, 13, 33, 37),
      );
      expect(await u.readBox!([range(4, 1), range(3, 1), range(0, 2)])).toEqual(Float32Array.of(38, 39));
      expect(await u.readBox!([range(0, 0), range(0, 4), range(0, 2)])).toEqual(new Float32Array(0));
      expect(await file.dataset("/gzip").readBox!([range(3, 3, 400)])).toEqual(Float64Array.of(3, 403, 803));
      expect(await file.dataset("/scalar").readBox!([])).toEqual(Float64Array.of(2.5));
      await expect(u.readBox!([range(0, 2), range(0, 2)])).rejects.toThrow(RangeError);
      await expect(u.readBox!([range(3, 2, 3), range(0, 1), range(0, 1)])).rejects.toThrow(RangeError);
    }));

  it("are read in halves", () =>
    using(KINDS, async (file) => {
      const half = file.dataset("/half");
      expect(await half.readBox!([range(0, 2), range(2, 1)])).toEqual(Float32Array.of(-1.5, 65504));
    }));

  it("pass through the library in pieces where they are large, even within one row", async () => {
    const path = join(folder, "large.h5");
    const shape = [2, 3, 1_700_000];
    const values = Float32Array.from({ length: 2 * 3 * 1_700_000 }, (_, i) => i);
    await writeHdf5(path, { datasets: { "/u": { shape, values } } });
    await using(path, async (file) => {
      const u = file.dataset("/u");
      const equal = (a: ArrayLike<unknown>, b: Float32Array) =>
        a.length === b.length && b.every((value, i) => value === a[i]);
      expect(equal(await u.read(0, 2), values)).toBe(true);
      const odd = await u.readBox!([range(1, 1), range(0, 3), range(1, 850_000, 2)]);
      expect(odd).toHaveLength(3 * 850_000);
      expect([odd[0], odd[850_000], odd[2_549_999]]).toEqual([5_100_001, 6_800_001, 10_199_999]);
    });
  });
});

describe("netCDF-4 files", () => {
  const NETCDF = join(ARRAYS, "netcdf-4.nc");

  it("are read as netCDF4 reads them: unpacked, NaN where values are missing, without empty dimensions", () =>
    using(NETCDF, async (file) => {
      const expected = JSON.parse(readFileSync(`${NETCDF}.json`, "utf8"));
      expect(
        file
          .list()
          .map(({ path }) => path.slice(1))
          .sort(),
      ).toEqual(Object.keys(expected).sort());
      for (const { path, shape, dtype, problem } of file.list()) {
        const { values, ...described } = expected[path.slice(1)];
        expect({ shape, dtype, problem }).toEqual({ ...described, problem: undefined });
        const dataset = file.dataset(path);
        expect(Array.from((await dataset.read(0, dataset.rows)) as Float64Array)).toEqual(values.map(Number));
      }
      expect(
        await file.dataset("/packed").readBox!([
          { start: 1, length: 1, step: 1 },
          { start: 2, length: 1, step: 1 },
        ]),
      ).toEqual(Float64Array.of(NaN));
    }));

  it("name coordinates only where there are some", () =>
    using(NETCDF, (file) => {
      expect(file.dataset("/f_f4").scales()).toEqual([[], ["/x"]]);
    }));

  it("are refused where an attribute makes no sense", async () => {
    const path = join(folder, "text.nc");
    const dataset = { shape: [2], values: Int32Array.of(1, 2), attributes: { scale_factor: "half" } };
    await writeHdf5(path, { datasets: { "/u": dataset } });
    await using(path, (file) => {
      expect(() => file.dataset("/u")).toThrow(
        /text\.nc:\/u has an attribute scale_factor that is no number: half$/,
      );
    });
  });
});

describe("MATLAB files of version 7.3", () => {
  it("are read behind their 512 bytes of text", () =>
    using(join(ARRAYS, "v73.mat"), async (file) => {
      const expected = JSON.parse(readFileSync(join(ARRAYS, "v73.mat.json"), "utf8"))["/u"];
      expect(file.list()).toEqual([{ path: "/u", shape: [3, 4, 5], dtype: "float64" }]);
      const u = file.dataset("/u");
      expect(u.attributes).toEqual({ MATLAB_class: "double" });
      expect([...(await u.read(0, 3))]).toEqual(expected.values);
    }));
});

describe("HDF5 files with a user block", () => {
  it("are read, as MATLAB writes them", () =>
    using(join(GOLDEN, "../user-block.h5"), async (file) => {
      expect(file.list()).toEqual([{ path: "/responses", shape: [12, 5], dtype: "float64" }]);
      expect(await file.dataset("/responses").read(11, 12)).toEqual(Float64Array.of(55, 56, 57, 58, 59));
    }));
});

describe("HDF5 files that name other files", () => {
  const LINKS = join(GOLDEN, "../links.h5");
  const allowed = async (work: () => Promise<unknown>) => {
    process.env.PDE_DIRICHLET_EXTERNAL_FILES = "1";
    try {
      await work();
    } finally {
      delete process.env.PDE_DIRICHLET_EXTERNAL_FILES;
    }
  };

  it("are not followed, by a link, by external storage or by a virtual dataset", () =>
    using(LINKS, async (file) => {
      expect(() => file.dataset("/link")).toThrow(
        /links.h5:\/link is a link into another file, fields.h5: copy the data .* PDE_DIRICHLET_EXTERNAL_FILES=1/,
      );
      expect(() => file.dataset("/link")).toThrow(FormatError);
      expect(() => file.dataset("/virtual")).toThrow(
        /links.h5:\/virtual takes its data from another file, fields.h5: copy the data .*=1 if you trust it$/,
      );
      await expect(file.dataset("/stored").read(0, 8)).rejects.toThrow(
        /links.h5:\/stored takes its data from another file, .*package.json: copy the data/,
      );
      await expect(file.dataset("/stored").read(0, 8)).rejects.toThrow(FormatError);
    }));

  it("can be read as far as they hold data themselves", () =>
    using(LINKS, async (file) => {
      const names = file.list().map(({ path }) => path);
      expect(names).toEqual(["/missing", "/responses", "/stored", "/unwritten", "/virtual", "/link"]);
      expect(file.list().at(-1)).toEqual({
        path: "/link",
        shape: [],
        problem: expect.stringMatching(
          /^is a link into another file, fields\.h5: copy the data into the file/,
        ),
      });
      expect(await file.dataset("/responses").read(0, 1)).toEqual(Float64Array.of(0, 1, 2, 3, 4));
      expect(() => file.dataset("/there")).toThrow(FormatError); // a cycle of soft links
      expect(file.children("/group")).toEqual(["itself"]);
    }));

  it("are followed where that is allowed", () =>
    allowed(() =>
      using(LINKS, async (file) => {
        const row = Float32Array.of(8, 9, 10, 11, 12, 13, 14, 15);
        expect(await file.dataset("/link").read(1, 2)).toEqual(Float64Array.of(2, 3));
        expect(await file.dataset("/virtual").read(1, 2)).toEqual(row);
        expect(await file.dataset("/stored").read(0, 1)).toHaveLength(8);
        expect(() => file.dataset("/missing")).toThrow(/another file, nowhere.h5, which is missing$/);
      }),
    ));

  it("must hold what they claim: fill values of gigabytes are refused", () =>
    using(LINKS, (file) => {
      expect(() => file.dataset("/unwritten")).toThrow(
        /unwritten claims 6711 MB in a file of 12 kB: most of it was never written$/,
      );
    }));
});

describe("HDF5 files of our own", () => {
  it("are read back with groups, attributes and axes", async () => {
    const path = join(folder, "own.h5");
    await writeHdf5(path, {
      attributes: { task: "burgers", seed: 42, viscosity: 0.1, sizes: [800, 500], names: ["a", "é"] },
      datasets: {
        "/x": { shape: [3], values: Float64Array.of(0, 0.5, 1) },
        "/train/solution": {
          shape: [2, 3],
          values: Float32Array.of(1, 2, 3, 4, 5, 6),
          axes: ["sample", "/x"],
          attributes: { units: "m/s" },
        },
        "/train/labels": { shape: [2], values: Int32Array.of(7, -7), compression: 4 },
        "/none": { shape: [0, 3], values: new Float64Array(0) },
      },
    });
    await using(path, async (file) => {
      const attributes = { task: "burgers", seed: 42, viscosity: 0.1, sizes: [800, 500], names: ["a", "é"] };
      expect(file.attributes()).toEqual(attributes);
      expect(await file.dataset("/train/solution").read(1, 2)).toEqual(Float32Array.of(4, 5, 6));
      expect(file.attributes("/train/solution")).toEqual({ units: "m/s", DIMENSION_LABELS: ["sample", "x"] });
      expect(file.attributes("/x")).toMatchObject({ CLASS: "DIMENSION_SCALE", NAME: "x" });
      expect(await file.dataset("/train/labels").read(0, 2)).toEqual(Int32Array.of(7, -7));
      expect(file.dataset("/none").shape).toEqual([0, 3]);
    });
  });

  it("may be written by rows larger than what is in memory at once, and read whole", async () => {
    const path = join(folder, "rows.h5");
    const [rows, width] = [48, 1 << 18]; // 48 MiB, in pieces of 16
    const asked: number[] = [];
    await writeHdf5(path, {
      datasets: {
        "/u": {
          shape: [rows, width],
          values: {
            dtype: "float32",
            rows: async (start, end) => {
              asked.push(end - start);
              return new Float32Array((end - start) * width).map((_, i) => start + Math.floor(i / width));
            },
          },
        },
      },
    });
    expect(asked).toEqual([16, 16, 16]);
    await using(path, async (file) => {
      const all = await file.dataset("/u").read(0, rows);
      for (let row = 0; row < rows; row++)
        expect([all[row * width], all[(row + 1) * width - 1]]).toEqual([row, row]);
    });
  });

  it("may lie deep, under names with blanks and letters of all kinds", async () => {
    const deep = join(folder, "a".repeat(120), "b".repeat(120), "c d é ü 数");
    mkdirSync(deep, { recursive: true });
    await writeHdf5(join(deep, "x.h5"), { datasets: { "/u": { shape: [1], values: Float64Array.of(3) } } });
    expect(await using(join(deep, "x.h5"), (file) => file.dataset("/u").read(0, 1))).toEqual(
      Float64Array.of(3),
    );
  });

  it("have the same bytes for the same contents, whenever they are written", async () => {
    const write = async (name: string): Promise<Buffer> => {
      await writeHdf5(join(folder, name), {
        attributes: { seed: 1, task: "burgers" },
        datasets: {
          "/x": { shape: [2], values: Float64Array.of(0, 1) },
          "/g/u": {
            shape: [1, 2],
            values: Float64Array.of(2, 3),
            axes: ["sample", "/x"],
            attributes: { units: "m" },
          },
          "/rows": {
            shape: [3],
            values: { dtype: "int32", rows: (start, end) => new Int32Array(end - start) },
          },
        },
      });
      return readFileSync(join(folder, name));
    };
    const first = await write("first.h5");
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await write("second.h5")).equals(first)).toBe(true);
    expect(Date.now()).toBeGreaterThan(1.7e12);
  });

  it("can be opened again and again: every one is closed", async () => {
    const path = join(folder, "again.h5");
    for (let i = 0; i < 300; i++) {
      await writeHdf5(path, { datasets: { "/u": { shape: [1], values: Float64Array.of(i) } } });
      expect(await using(path, (file) => file.dataset("/u").read(0, 1))).toEqual(Float64Array.of(i));
    }
  });

  it("are refused where values do not fill their shape or the folder is missing", async () => {
    const datasets = { "/u": { shape: [2, 2], values: new Float64Array(3) } };
    await expect(writeHdf5(join(folder, "bad.h5"), { datasets })).rejects.toThrow(RangeError);
    await expect(writeHdf5(join(folder, "no", "bad.h5"), { datasets })).rejects.toThrow(FormatError);
  });
});
