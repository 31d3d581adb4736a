import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../../src/datasets/import/imported-file.js";
import { writeHdf5 } from "../../../src/files/hdf5-writer.js";
import { counting, golden, importFolder } from "./imported.js";

const { path, imported } = importFolder();
const CONTIGUOUS = golden("dam-break-contiguous.h5");
const damBreak = (file: string, more: Partial<ImportOptions> = {}) =>
  imported({ format: "pdebench-dam-break", paths: [file], train: 4, test: 2, ...more });

describe("PDEBench's radial dam break", () => {
  it.each(["contiguous", "compressed"])("is imported, first frame to last, from a %s file", async (kind) => {
    const { attributes, shapes, rows, attributesOf } = await damBreak(golden(`dam-break-${kind}.h5`));
    expect(shapes).toMatchObject({ "/train/inputs": [4, 1, 8, 8], "/test/responses": [2, 1, 8, 8] });
    for (const half of ["train", "test"]) {
      rows[`/${half}/source`].forEach(([sample], row) => {
        expect(rows[`/${half}/inputs`][row]).toEqual(counting(10000 * sample, 64));
        expect(rows[`/${half}/responses`][row]).toEqual(counting(10000 * sample + 4 * 64, 64));
        expect(rows[`/${half}/conditions/dam_radius`][row]).toEqual([0.3 + sample / 16]);
      });
    }
    expect(attributesOf["/train/source"].names).toEqual(
      rows["/train/source"].map(([sample]) => `000${sample}`),
    );
    expect(rows["/coordinates/x"].flat()).toEqual(counting(0, 8).map((i) => -2.1875 + 0.625 * i));
    expect(attributes).toMatchObject({
      task: "dam-break",
      origin: "imported from PDEBench",
      input_frames: [0],
      target_frame: 4,
      input_times: [0],
      target_time: 1,
    });
  });

  it("takes other frames, several as channels, on a coarser grid", async () => {
    const options = { inputFrames: 3, targetFrame: 3, grid: 2 };
    const { shapes, rows, attributes } = await damBreak(CONTIGUOUS, options);
    expect(shapes).toMatchObject({ "/train/inputs": [4, 3, 2, 2], "/train/responses": [4, 1, 2, 2] });
    const start = 10000 * rows["/test/source"][1][0];
    const kept = (frame: number) => [0, 4, 32, 36].map((at) => start + 64 * frame + at);
    expect(rows["/test/inputs"][1]).toEqual([0, 1, 2].flatMap(kept));
    expect(rows["/test/responses"][1]).toEqual(kept(3));
    expect(attributes).toMatchObject({
      input_frames: [0, 1, 2],
      target_frame: 3,
      target_time: 0.75,
      input_channels: ["height, frame 0", "height, frame 1", "height, frame 2"],
    });
    const { rows: later } = await damBreak(CONTIGUOUS, { inputFrame: 2 });
    expect(later["/train/inputs"][0][0]).toBe(10000 * later["/train/source"][0][0] + 128);
  });

  it("is refused with what was expected and what was found", async () => {
    const darcy = golden("darcy-contiguous.hdf5");
    await expect(damBreak(darcy)).rejects.toThrow(
      /expected groups 0000, 0001, ..., found nu, tensor, x-coordinate, y-coordinate$/,
    );
    await expect(damBreak(CONTIGUOUS, { targetFrame: 5 })).rejects.toThrow(
      /0000\/data has frames 0 to 4: choose an earlier --target-frame than 5$/,
    );
    await expect(damBreak(CONTIGUOUS, { inputFrames: 3, targetFrame: 2 })).rejects.toThrow(
      "the target frame, 2, does not lie after input frame 2",
    );
    await expect(damBreak(CONTIGUOUS, { inputFrames: 3, inputFrame: 2 })).rejects.toThrow("give either");
    await expect(damBreak(CONTIGUOUS, { inputFrames: 0 })).rejects.toThrow("from 1 on");
  });

  it("is refused when a group lacks its data or has another shape", async () => {
    const grid = (group: string) => ({
      [`/${group}/grid/x`]: { shape: [2], values: Float32Array.of(0, 1) },
      [`/${group}/grid/y`]: { shape: [2], values: Float32Array.of(0, 1) },
      [`/${group}/grid/t`]: { shape: [3], values: Float32Array.of(0, 1, 2) },
    });
    const data = (frames: number) => ({
      shape: [frames, 2, 2, 1],
      values: new Float32Array(frames * 4).map((_, i) => i),
    });
    const first = { ...grid("0000"), "/0000/data": data(3) };
    await writeHdf5(path("short.h5"), { datasets: { ...first, ...grid("0001"), "/0001/data": data(2) } });
    await expect(damBreak(path("short.h5"), { train: 1, test: 1 })).rejects.toThrow(
      /0001\/data: expected an array \(3, 2, 2, 1\), found \(2, 2, 2, 1\)$/,
    );
    await writeHdf5(path("lacking.h5"), { datasets: { ...first, ...grid("0001") } });
    await expect(damBreak(path("lacking.h5"), { train: 1, test: 1 })).rejects.toThrow(
      /lacking.h5 has no dataset \/0001\/data; it has/,
    );
  });
});
