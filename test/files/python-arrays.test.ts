import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ByteSource } from "../../src/files/byte-source.js";
import { openHdf5 } from "../../src/files/hdf5.js";
import { openMat5 } from "../../src/files/mat5.js";
import type { NamedArrays } from "../../src/files/name-list.js";
import { openNetcdf3 } from "../../src/files/netcdf3.js";
import { openNpy } from "../../src/files/npy.js";
import { openNpz } from "../../src/files/npz.js";
import { openTorch } from "../../src/files/torch.js";
import { expectAsRead, filesOf } from "./foreign-arrays.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const SCRIPT = join(import.meta.dirname, "../../scripts/golden/foreign_arrays.py");
const MODULES = ["numpy", "scipy", "torch", "h5py", "hdf5plugin", "netCDF4"];
const hasModules = spawnSync(PYTHON, ["-c", `import ${MODULES.join(", ")}`]).status === 0;
const SEEDS = [1, 2, 3];

const npy = async (source: ByteSource): Promise<NamedArrays> => {
  const only = await openNpy(source);
  return { list: () => [{ name: "", shape: only.shape, dtype: only.dtype }], array: async () => only };
};
const npz = async (source: ByteSource): Promise<NamedArrays> => {
  const archive = await openNpz(source);
  const list = await archive.list();
  return { list: () => list, array: archive.array };
};

describe.skipIf(!hasModules)("files that Python writes at random are read as Python reads them", () => {
  const folder = mkdtempSync(join(tmpdir(), "python-arrays-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(SEEDS)("seed %i", async (seed) => {
    const own = join(folder, String(seed));
    const ran = spawnSync(PYTHON, ["-W", "ignore", SCRIPT, own, String(seed)], { encoding: "utf8" });
    expect(ran.stderr).toBe("");
    const readers: [RegExp, (source: ByteSource) => Promise<NamedArrays>, number][] = [
      [/^v5.*\.mat$/, openMat5, 4],
      [/\.pt$/, openTorch, 9],
      [/^(classic|one).*\.nc$/, openNetcdf3, 4],
      [/\.npy$/, npy, 2],
      [/^deepxde\.npz$/, npz, 1],
    ];
    for (const [ending, open, count] of readers) {
      const names = filesOf(own, ending);
      expect(names).toHaveLength(count);
      for (const name of names) await expectAsRead(own, name, open);
    }
    for (const name of ["netcdf-4.nc", "v73.mat"]) {
      const file = await openHdf5(join(own, name));
      const slash = name === "v73.mat" ? "" : "/";
      const list = file.list().map(({ path, ...rest }) => ({ name: path.slice(slash.length), ...rest }));
      const array = async (named: string) => file.dataset(`${slash}${named}`);
      await expectAsRead(own, name, async () => ({ list: () => list, array }));
      file.close();
    }
  });
});
