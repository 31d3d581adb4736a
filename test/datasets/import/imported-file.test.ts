import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ImportOptions, importToFile } from "../../../src/datasets/import/imported-file.js";
import { golden, importFolder } from "./imported.js";

const { path, imported } = importFolder();
const DARCY = {
  format: "pdebench-darcy",
  paths: [golden("darcy-compressed.hdf5")],
  train: 6,
  test: 2,
} as const;

async function bytes(options: ImportOptions): Promise<Buffer> {
  await importToFile(options, path("bytes.h5"), { force: true });
  return readFileSync(path("bytes.h5"));
}

describe("an imported file", () => {
  it("has the same bytes for the same seed and other samples for another", async () => {
    const first = await bytes({ ...DARCY, seed: 5 });
    expect((await bytes({ ...DARCY, seed: 5 })).equals(first)).toBe(true);
    const sources = async (seed: number) => (await imported({ ...DARCY, seed })).rows["/train/source"];
    expect(await sources(6)).not.toEqual(await sources(5));
  });

  it("says what it is, where it comes from and who made it", async () => {
    const result = await importToFile({ ...DARCY, seed: 5 }, path("told.h5"));
    expect(result).toEqual({
      file: path("told.h5"),
      task: "darcy",
      origin: "imported from PDEBench",
      seed: 5,
      train: 6,
      test: 2,
      available: 12,
      inputShape: [8, 8],
      responseShape: [8, 8],
    });
    expect((await imported({ ...DARCY, seed: 5 })).attributes).toMatchObject({
      imported_by: expect.stringMatching(/^pde-dirichlet \d/),
      equation: expect.stringContaining("beta"),
    });
  });

  it("may have training samples alone", async () => {
    const { shapes } = await imported({ ...DARCY, train: 12, test: 0 });
    expect(shapes).toMatchObject({
      "/train/inputs": [12, 8, 8],
      "/test/inputs": [0, 8, 8],
      "/test/source": [0],
    });
  });

  it("reports its progress, one input or response after another", async () => {
    const reports: number[] = [];
    const onProgress = (done: number, total: number) => reports.push(total - done);
    await importToFile({ ...DARCY, seed: 1 }, path("progress.h5"), { onProgress });
    expect(reports).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it("takes the paper's sample counts unless told otherwise", async () => {
    const counts = { train: undefined, test: undefined, seed: 0 };
    await expect(bytes({ ...DARCY, ...counts })).rejects.toThrow("800 training and 200 test samples");
    const cylinder = { format: "cfdbench-cylinder", paths: [golden("cylinder/prop.zip")] } as const;
    await expect(bytes({ ...cylinder, ...counts })).rejects.toThrow("80 training and 20 test samples");
  });

  it("is refused with an option of another format, and leaves nothing behind", async () => {
    const before = readdirSync(path("."));
    const options = { ...DARCY, seed: 1, timeStride: 2 };
    await expect(importToFile(options, path("none.h5"))).rejects.toThrow(
      "pdebench-darcy has no option --time-stride; it has --grid",
    );
    expect(readdirSync(path("."))).toEqual(before);
  });
});
