import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { EXTERNAL_FILES } from "../../../src/files/hdf5-on-disk.js";
import { writeHdf5 } from "../../../src/files/hdf5-writer.js";
import { decode, elementSize, type Values } from "../../../src/files/ndarray.js";
import { using } from "../using-hdf5.js";
import { isPlainAsRead } from "./plain-as-read.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const hasH5py = spawnSync(PYTHON, ["-c", "import h5py, numpy"]).status === 0;
const GOLDEN = join(import.meta.dirname, "../../golden");
const folder = mkdtempSync(join(tmpdir(), "hdf5-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Which datasets of a file are plain, by name. */
const plainIn = (path: string) =>
  using(path, async (file) => {
    const found: Record<string, boolean> = {};
    for (const { path: name, problem } of file.list())
      if (problem === undefined) found[name.slice(1)] = await isPlainAsRead(file.dataset(name));
    return found;
  });

const bytes = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, i) => ((i + 1) * 2654435761 * (seed + 1)) >>> 13);

const TYPES = [
  ...(["int8", "uint8", "int16", "uint16", "int32", "uint32"] as const),
  ...(["int64", "uint64", "float32", "float64"] as const),
];
type Name = (typeof TYPES)[number];

/** A file of our own with one dataset; by rows it has chunks, of which the last may be cut. */
async function written(name: string, dtype: Name, shape: readonly number[], layout: string) {
  const path = join(folder, name);
  const [samples, ...rest] = shape;
  const size = rest.reduce((a, b) => a * b, 1);
  const all = decode(bytes(samples * size * elementSize(dtype), samples), dtype);
  const rows = (start: number, end: number) => all.slice(start * size, end * size) as Values;
  await writeHdf5(path, {
    datasets: {
      "/before": { shape: [3], values: Float64Array.of(1, 2, 3) },
      "/u": {
        shape,
        values: layout === "chunked" ? { dtype, rows } : all,
        ...(layout === "compressed" && { compression: 4 }),
      },
    },
  });
  return path;
}

describe("rows of HDF5 files that we write", () => {
  it("are found where they are contiguous or in chunks, to the bits that the library reads, for every type", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TYPES),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom("contiguous", "chunked"),
        async (dtype, shape, layout) => {
          const path = await written("any.h5", dtype, shape, layout);
          expect(await plainIn(path)).toEqual({ before: true, u: true });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("are found in several chunks, the last of which is cut", async () => {
    const path = await written("chunks.h5", "float32", [6, 1 << 20], "chunked"); // four rows of 4 MiB a chunk
    expect(await plainIn(path)).toEqual({ before: true, u: true });
  });

  it("are left to the library where they are compressed", async () => {
    const path = await written("compressed.h5", "float64", [50, 7], "compressed");
    expect((await plainIn(path)).u).toBe(false);
  });

  it("are left to the library where other files may be read", async () => {
    const path = await written("external.h5", "float64", [5, 7], "contiguous");
    process.env[EXTERNAL_FILES] = "1";
    try {
      expect((await plainIn(path)).u).toBe(false);
    } finally {
      delete process.env[EXTERNAL_FILES];
    }
  });
});

describe("rows of HDF5 files that others wrote", () => {
  const files = ["files/fields.h5", "files/kinds.h5"].concat(
    readdirSync(join(GOLDEN, "arrays"))
      .filter((name) => /(73.*\.mat|netcdf-4.*\.nc|\.h5|\.hdf5)$/.test(name))
      .map((name) => `arrays/${name}`),
  );

  it.each(files)("have the bits that the library reads: %s", async (name) => {
    const found = await plainIn(join(GOLDEN, name));
    expect(Object.keys(found).length).toBeGreaterThan(0);
  });
});

/** Writes every way of storing an array that h5py has; prints which are to be found plainly. */
const SCRIPT = `
import sys, json, os, itertools
import h5py, numpy as np
folder = sys.argv[1]
random = np.random.default_rng(1)
def numbers(dtype, shape):
    dtype = np.dtype(dtype)
    raw = random.integers(0, 256, int(np.prod(shape)) * dtype.itemsize, dtype=np.uint8) # NaNs of any kind among them
    return (raw & 1).astype(bool).reshape(shape) if dtype == bool else raw.view(dtype).reshape(shape)
TYPES = ["?"] + [order + code for code in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"] for order in "<>"]
SHAPES = [(7,), (5, 4, 3)]
OPENING = {
    "plain": {}, "user-block": dict(userblock_size=512), "long-user-block": dict(userblock_size=4096),
    "v18": dict(libver=("earliest", "v108")), "latest": dict(libver="latest"),
    "paged": dict(fs_strategy="page", fs_page_size=4096), "tracked": dict(track_order=True),
}
expected = {}
for name, options in OPENING.items():
    plain = {}
    with h5py.File(os.path.join(folder, name + ".h5"), "w", **options) as file:
        for i, (dtype, shape) in enumerate(itertools.product(TYPES, SHAPES)):
            rest = shape[1:]
            can = name not in ("latest", "paged")
            def put(key, is_plain, **how):
                key = f"{i}-{key}"
                file.create_dataset(key, data=numbers(dtype, shape), **how)
                plain[key] = is_plain
            put("contiguous", name != "paged")
            put("chunks", can, chunks=(2, *rest))
            put("one-chunk", can, chunks=shape)
            put("growing", can, chunks=(3, *rest), maxshape=(None, *rest))
            if rest and rest[-1] > 1: put("parts", False, chunks=(2, *rest[:-1], 1))
            put("gzip", False, chunks=(2, *rest), compression="gzip")
            put("checksum", False, chunks=(2, *rest), fletcher32=True)
            put("shuffle", False, chunks=(2, *rest), shuffle=True)
        can = name not in ("latest", "paged")
        many = file.create_dataset("many", data=numbers("<f4", (3000, 2)), chunks=(1, 2)) # nodes above nodes
        plain["many"] = can
        late = file.create_dataset("late", shape=(9, 2), dtype="<f8", chunks=(2, 2), fillvalue=3)
        late[0:2] = 1; late[8:9] = 2
        plain["late"] = False # chunks between were never written
        file.create_dataset("never", shape=(9, 2), dtype="<f8", fillvalue=3); plain["never"] = False
        shrunk = file.create_dataset("shrunk", data=numbers("<f8", (9, 2)), chunks=(2, 2), maxshape=(None, 2))
        shrunk.resize((5, 2)); plain["shrunk"] = can
        file["named"] = np.dtype("<f8")
        file.create_dataset("of-named", data=numbers("<f8", (9, 2)), dtype=file["named"]); plain["of-named"] = False
        told = file.create_dataset("told", data=numbers(">f8", (9, 2)))
        for k in range(40): told.attrs[f"attribute {k}"] = "x" * 50 # its header goes on elsewhere
        plain["told"] = name != "paged"
        file["group/soft"] = h5py.SoftLink("/told"); plain["group/soft"] = plain["told"]
        space = h5py.h5s.create_simple((9, 2))
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE); how.set_layout(h5py.h5d.COMPACT)
        compact = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F64LE, space, how)
        compact.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers("<f8", (9, 2))); plain["compact"] = False
        odd = h5py.h5t.IEEE_F32LE.copy(); odd.set_order(h5py.h5t.ORDER_VAX)
        vax = h5py.h5d.create(file.id, b"vax", odd, space)
        vax.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(18, dtype="<f4").reshape(9, 2)); plain["vax"] = False
        few = h5py.h5t.STD_I16LE.copy(); few.set_precision(12); few.set_offset(2)
        bits = h5py.h5d.create(file.id, b"bits", few, space)
        bits.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(18, dtype="<i2").reshape(9, 2)) # refused by all readers
    expected[name] = plain
json.dump(expected, sys.stdout)
`;

describe.skipIf(!hasH5py)("rows of HDF5 files that h5py writes", () => {
  it("are found in every layout that is meant, to the bits that the library reads", async () => {
    const ran = spawnSync(PYTHON, ["-W", "ignore", "-c", SCRIPT, folder], {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    expect(ran.stderr).toBe("");
    const expected = JSON.parse(ran.stdout) as Record<string, Record<string, boolean>>;
    for (const [name, plain] of Object.entries(expected)) {
      const found = await plainIn(join(folder, `${name}.h5`));
      expect({ [name]: found }).toEqual({ [name]: plain });
    }
  });
});
