import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../../src/datasets/import/imported-file.js";
import { type Hdf5Contents, writeHdf5 } from "../../../src/files/hdf5-writer.js";
import { counting, golden, importFolder } from "./imported.js";

const { path, imported } = importFolder();
const darcy = (file: string, more: Partial<ImportOptions> = {}) =>
  imported({ format: "pdebench-darcy", paths: [file], train: 7, test: 3, ...more });

/** A file of PDEBench's layout with something else in the place of some datasets. */
async function written(name: string, changed: Hdf5Contents["datasets"]): Promise<string> {
  const zeros = (...shape: number[]) => ({
    shape,
    values: new Float32Array(shape.reduce((a, b) => a * b, 1)),
  });
  const usual = {
    "/tensor": zeros(4, 1, 6, 6),
    "/nu": zeros(4, 6, 6),
    "/x-coordinate": zeros(6),
    "/y-coordinate": zeros(6),
  };
  await writeHdf5(path(name), { datasets: { ...usual, ...changed } });
  return path(name);
}

describe("PDEBench's Darcy flow", () => {
  it.each(["darcy-contiguous.hdf5", "darcy-compressed.hdf5"])("is imported from %s", async (name) => {
    const { attributes, shapes, types, rows } = await darcy(golden(name));
    expect(shapes).toMatchObject({
      "/train/inputs": [7, 8, 8],
      "/train/responses": [7, 8, 8],
      "/test/inputs": [3, 8, 8],
      "/test/responses": [3, 8, 8],
    });
    expect(types).toMatchObject({ "/train/inputs": "float32", "/train/source": "int32" });
    for (const half of ["train", "test"]) {
      rows[`/${half}/source`].forEach(([sample], row) => {
        expect(rows[`/${half}/inputs`][row]).toEqual(counting(64 * sample, 64));
        expect(rows[`/${half}/responses`][row]).toEqual(counting(64 * sample, 64).map((value) => -value / 4));
      });
    }
    expect(rows["/coordinates/x"].flat()).toEqual(counting(0, 8).map((i) => (i + 0.5) / 8));
    expect(attributes).toMatchObject({
      format: "pde-dirichlet/dataset/1",
      task: "darcy",
      origin: "imported from PDEBench",
      source_files: [name],
      source_samples: 12,
      beta: 0.1,
      seed: 1,
      input_channels: ["permeability"],
      response_channels: ["pressure"],
    });
  });

  it("keeps every second point on half the grid, coordinates too", async () => {
    const { shapes, rows, attributes } = await darcy(golden("darcy-contiguous.hdf5"), { grid: 4 });
    expect(shapes["/train/inputs"]).toEqual([7, 4, 4]);
    const [sample] = rows["/train/source"][0];
    const kept = [0, 2, 4, 6].flatMap((x) => [0, 2, 4, 6].map((y) => 64 * sample + 8 * x + y));
    expect(rows["/train/inputs"][0]).toEqual(kept);
    expect(rows["/train/responses"][0]).toEqual(kept.map((value) => -value / 4));
    expect(rows["/coordinates/y"].flat()).toEqual([0.0625, 0.3125, 0.5625, 0.8125]);
    expect(attributes.source_grid).toEqual([8, 8]);
  });

  it("names its axes", async () => {
    const { attributesOf } = await darcy(golden("darcy-contiguous.hdf5"));
    expect(attributesOf["/train/inputs"].DIMENSION_LABELS).toEqual(["sample", "x", "y"]);
  });

  it("is refused with what was expected and what was found", async () => {
    const zeros = (...shape: number[]) => ({
      shape,
      values: new Float32Array(shape.reduce((a, b) => a * b, 1)),
    });
    const other = golden("dam-break-contiguous.h5");
    await expect(darcy(other)).rejects.toThrow(/has no dataset \/nu; it has \/0000\/data/);
    await expect(darcy(await written("rank.h5", { "/nu": zeros(4, 36) }))).rejects.toThrow(
      /rank.h5:\/nu: expected an array \(samples, x, y\), found \(4, 36\)$/,
    );
    await expect(darcy(await written("pair.h5", { "/tensor": zeros(3, 1, 6, 6) }))).rejects.toThrow(
      /pair.h5:\/tensor: expected an array \(4, 1, 6, 6\), found \(3, 1, 6, 6\)$/,
    );
    await expect(darcy(await written("axis.h5", { "/x-coordinate": zeros(5) }))).rejects.toThrow(
      /axis.h5:\/x-coordinate: expected an array \(6\), found \(5\)$/,
    );
    await expect(darcy(golden("darcy-contiguous.hdf5"), { grid: 3 })).rejects.toThrow(
      /--grid 3 does not divide the 8 points of .*: take one of 8, 4, 2, 1$/,
    );
    await expect(darcy(golden("darcy-contiguous.hdf5"), { train: 10 })).rejects.toThrow(
      "10 training and 3 test samples are 13, but there are 12",
    );
    await expect(darcy(other, { paths: [other, other] })).rejects.toThrow("reads one file, not 2");
  });

  it("is refused when the file is cut short or foreign", async () => {
    writeFileSync(path("diary.h5"), "Dear diary,\nthis is no HDF5.\n");
    await expect(darcy(path("diary.h5"))).rejects.toThrow(/diary.h5 is not an HDF5 file$/);
    const bytes = readFileSync(golden("darcy-contiguous.hdf5"));
    writeFileSync(path("cut.h5"), bytes.subarray(0, bytes.length - 1000));
    await expect(darcy(path("cut.h5"))).rejects.toThrow(
      `is truncated: it has ${bytes.length - 1000} of ${bytes.length} bytes`,
    );
  });

  it("is refused with the place of a number that is not finite", async () => {
    const values = new Float32Array(4 * 36).map((_, i) => i);
    values[2 * 36 + 3 * 6 + 4] = NaN;
    const file = await written("nan.h5", { "/nu": { shape: [4, 6, 6], values } });
    await expect(darcy(file, { train: 3, test: 1 })).rejects.toThrow(
      "the input of sample 2 of nan.h5 holds NaN at [3, 4]: expected finite numbers",
    );
  });
});
