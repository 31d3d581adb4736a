import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../../src/datasets/import/imported-file.js";
import { scaledPressure, scaledVelocity } from "../../../src/equations/seismic-scaling.js";
import { writeNpy } from "../../../src/files/npy.js";
import { golden, importFolder } from "./imported.js";

const { path, imported } = importFolder();
const FOLDER = golden("openfwi");
const openFwi = (paths: readonly string[], more: Partial<ImportOptions> = {}) =>
  imported({ format: "openfwi", paths, train: 5, test: 3, ...more });
const scaled: { inputs: number[][]; responses: number[][] } = JSON.parse(
  readFileSync(golden("openfwi/scaled.json"), "utf8"),
);

describe("OpenFWI's FlatVel-A", () => {
  it("is imported and scaled as NumPy scales it, from files of either type and order", async () => {
    const { attributes, shapes, rows, attributesOf } = await openFwi([FOLDER]);
    expect(shapes).toMatchObject({ "/train/inputs": [5, 5, 10, 6], "/test/responses": [3, 6, 6] });
    for (const half of ["train", "test"]) {
      rows[`/${half}/source`].forEach(([sample], row) => {
        for (const kind of ["inputs", "responses"] as const) {
          const found = rows[`/${half}/${kind}`][row];
          expect(found).toHaveLength(scaled[kind][sample].length);
          found.forEach((value, i) => {
            expect(Math.abs(value - scaled[kind][sample][i])).toBeLessThan(2e-7);
          });
        }
      });
    }
    expect(attributesOf["/train/source"].names).toEqual(
      rows["/train/source"].map(([sample]) => `data${1 + Math.floor(sample / 4)}.npy:${sample % 4}`),
    );
    expect(attributes).toMatchObject({
      task: "flat-velocity",
      origin: "imported from OpenFWI FlatVel-A",
      source_files: ["data1.npy", "model1.npy", "data2.npy", "model2.npy"],
      data_min: -26.95,
      data_max: 52.77,
      velocity_min: 1500,
      velocity_max: 4500,
      time_stride: 1,
      row_range: "all",
    });
  });

  it("is scaled by the published constants", () => {
    expect([scaledPressure(-26.95), scaledPressure(52.77)]).toEqual([-1, 1]);
    expect(scaledPressure(0)).toBeCloseTo((2 * 3.3304) / (3.3304 + 3.9847) - 1, 4);
    expect([1500, 3000, 4500].map(scaledVelocity)).toEqual([-1, 0, 1]);
  });

  it("keeps the numbers as they are, every n-th in time and of some rows, when told so", async () => {
    const options = { raw: true, timeStride: 4, rows: [1, 3] as const, train: 3, test: 1 };
    const { attributes, shapes, rows } = await openFwi([FOLDER], options);
    expect(shapes["/train/inputs"]).toEqual([3, 5, 3, 6]);
    for (const [row, [sample]] of rows["/train/source"].entries()) {
      const place = 4 * Math.floor(sample / 2) + 1 + (sample % 2); // rows 1 and 2 of each file of four
      const start = place * 300;
      const kept = [0, 1, 2, 3, 4].flatMap((shot) =>
        [0, 4, 8].flatMap((time) => [0, 1, 2, 3, 4, 5].map((x) => start + shot * 60 + time * 6 + x)),
      );
      const expected = kept.map((value) => Math.fround((value - 1200) / 46));
      expect(rows["/train/inputs"][row]).toEqual(expected);
      expect(rows["/train/responses"][row][0]).toBe(1500 + place * 360);
    }
    expect(rows["/coordinates/time"].flat()).toEqual([0, 0.004, 0.008]);
    expect(rows["/coordinates/receiver"].flat()).toEqual([0, 10, 20, 30, 40, 50]);
    expect(attributes).toMatchObject({ scaling: "none", row_range: [1, 3], time_stride: 4 });
    expect(attributes.data_min).toBeUndefined();
  });

  it("stands its sources over columns 0, 17, 34, 52 and 69 of 70 receivers", async () => {
    writeFileSync(
      path("data1.npy"),
      writeNpy(
        new Float32Array(2 * 5 * 70).map((_, i) => i),
        [2, 5, 1, 70],
      ),
    );
    writeFileSync(path("model1.npy"), writeNpy(new Float32Array(8).fill(2000), [2, 1, 2, 2]));
    const files = [path("data1.npy"), path("model1.npy")];
    const { rows } = await openFwi(files, { train: 1, test: 1 });
    expect(rows["/coordinates/source"].flat()).toEqual([0, 170, 340, 520, 690]);
  });

  it("may be more samples than an attribute can name", async () => {
    mkdirSync(path("many"));
    const count = (rows: number) => new Float32Array(rows).map((_, i) => i);
    writeFileSync(path("many/data1.npy"), writeNpy(count(5000), [5000, 1, 1, 1]));
    writeFileSync(path("many/model1.npy"), writeNpy(count(5000), [5000, 1, 1, 1]));
    const { rows, attributesOf } = await openFwi([path("many")], { train: 4990, test: 10, raw: true });
    expect(rows["/train/inputs"]).toEqual(rows["/train/source"]);
    expect(rows["/train/responses"]).toEqual(rows["/train/source"]);
    expect(attributesOf["/train/source"].names).toBeUndefined();
    expect(attributesOf["/test/source"].names).toHaveLength(10);
  });

  it("is refused with what was expected and what was found", async () => {
    const small = (shape: number[]) => writeNpy(new Float32Array(shape.reduce((a, b) => a * b, 1)), shape);
    const pair = (name: string, data: Uint8Array, model: Uint8Array): string => {
      mkdirSync(path(name));
      writeFileSync(path(`${name}/data3.npy`), data);
      writeFileSync(path(`${name}/model3.npy`), model);
      return path(name);
    };
    await expect(openFwi([golden("cylinder/bc")])).rejects.toThrow(
      /bc: expected data1.npy, model1.npy, ..., found none$/,
    );
    await expect(openFwi([golden("openfwi/data")])).rejects.toThrow(
      /data1.npy has no pair: expected a model1.npy$/,
    );
    await expect(openFwi([golden("openfwi/model")])).rejects.toThrow(
      /model1.npy has no pair: expected a data1.npy$/,
    );
    const lengths = pair("lengths", small([3, 5, 4, 6]), small([2, 1, 6, 6]));
    await expect(openFwi([lengths])).rejects.toThrow(
      /model3.npy: expected an array \(3, 1, depth, offset\), found \(2, 1, 6, 6\)$/,
    );
    const rank = pair("rank", small([3, 4, 6]), small([3, 1, 6, 6]));
    await expect(openFwi([rank])).rejects.toThrow(
      /data3.npy: expected an array \(samples, source, time, receiver\), found \(3, 4, 6\)$/,
    );
    const other = pair("other", small([3, 5, 4, 6]), small([3, 1, 6, 6]));
    await expect(openFwi([FOLDER, other])).rejects.toThrow(
      /data3.npy: expected an array \(samples, 5, 10, 6\), found \(3, 5, 4, 6\)$/,
    );
    const cut = pair("cut", small([3, 5, 4, 6]).subarray(0, 900), small([3, 1, 6, 6]));
    await expect(openFwi([cut])).rejects.toThrow(/data3.npy is truncated: 3x5x4x6 float32 needs 1568 bytes/);
    mkdirSync(path("again"));
    copyFileSync(golden("openfwi/data/data1.npy"), path("again/data1.npy"));
    await expect(openFwi([FOLDER, path("again")])).rejects.toThrow(
      /data1.npy is there twice: .* and .*again/,
    );
    await expect(openFwi([FOLDER], { rows: [2, 5] })).rejects.toThrow(
      /--rows 2:5 is not a range of the 4 rows of .*data1.npy/,
    );
    await expect(openFwi([FOLDER], { timeStride: 11 })).rejects.toThrow(
      "--time-stride 11 is not between 1 and the 10 samples of a trace",
    );
  });

  it("is refused with the place of a number that is not finite", async () => {
    const values = new Float32Array(2 * 5 * 4 * 6).map((_, i) => i);
    values[120 + 24 + 6 + 2] = Infinity;
    mkdirSync(path("infinite"));
    writeFileSync(path("infinite/data1.npy"), writeNpy(values, [2, 5, 4, 6]));
    writeFileSync(path("infinite/model1.npy"), writeNpy(new Float32Array(8), [2, 1, 2, 2]));
    await expect(openFwi([path("infinite")], { train: 2, test: 0 })).rejects.toThrow(
      "the input of sample data1.npy:1 holds Infinity at [1, 1, 2]: expected finite numbers",
    );
  });
});
