import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Dataset, FileData } from "../../src/datasets/dataset.js";
import { openArrayFile } from "../../src/datasets/files/array-file.js";
import type { FileChoice } from "../../src/datasets/files/file-data.js";
import {
  describeFile,
  openDataset,
  readFileData,
  readingInWords,
} from "../../src/datasets/files/labelled-file.js";
import { type DataNames, openData } from "../../src/datasets/files/open.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { DISK } from "../../src/files/store/disk.js";
import { counting, numbers, type Plain } from "./arrays/oracle.js";

/** Files of scripts/golden/layouts.py; each array counts upwards in the order in which it is to be read. */
const golden = (name: string) => new URL(`../golden/layouts/${name}`, import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "layouts-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Wanted {
  readonly reading: string;
  readonly layouts?: readonly string[];
  readonly inputs: Plain;
  readonly responses: Plain;
  readonly coordinates?: Readonly<Record<string, readonly number[]>>;
  readonly parameters?: FileData["parameters"];
  readonly attributes?: Readonly<Record<string, readonly number[]>>;
  readonly labels?: readonly string[];
}

/** Part of a counting array: `pick` turns a place of the part into a place of the array. */
const part = (
  shape: readonly number[],
  from: readonly number[],
  pick: (place: readonly number[]) => number[],
  plus = 0,
): Plain => ({
  shape,
  at: (place) => plus + counting(from).at(pick(place)),
});

/** Both halves of a dataset one after the other, as the samples lie in a file without halves. */
async function whole(data: FileData, which: "inputs" | "responses"): Promise<number[]> {
  const { train, test } = await readFileData(data);
  const all = async ({ [which]: fields }: typeof train) => [...(await fields.read(0, fields.samples))];
  return [...(await all(train)), ...(await all(test))];
}

const linear = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.fround(from + ((to - from) * i) / (count - 1)));

const CASES: readonly (readonly [string, string, FileChoice, Wanted])[] = [
  [
    "MATLAB v7.3, whose axes are reversed in the file",
    "matlab.mat",
    { responses: "u[..., -1]", inputs: "a" },
    {
      reading:
        "matlab.mat: inputs a: 1 channel on 4 x 3; responses u[..., -1]: 1 channel on 4 x 3 (10 training and 2 test samples: the last fifth); grid points evenly from 0 to 1",
      layouts: ["matlab"],
      inputs: counting([12, 4, 3]),
      responses: part([12, 4, 3], [12, 4, 3, 5], (place) => [...place, 4]),
      attributes: { nu: Array.from({ length: 12 }, (_, i) => i / 10) },
    },
  ],
  [
    "windows of a MATLAB trajectory, whose axis of time is told by t",
    "matlab.mat",
    { responses: "u", window: "2:1" },
    {
      reading:
        "matlab.mat: inputs u[:, :, :, t:t+2]: 2 channels on 4 x 3; responses u[:, :, :, t+2]: 1 channel on 4 x 3 (27 training and 9 test samples: the last fifth, 3 windows of each of 12 trajectories, kept together); grid points evenly from 0 to 1",
      layouts: ["matlab"],
      inputs: part([36, 2, 4, 3], [12, 4, 3, 5], ([i, c, x, y]) => [Math.floor(i / 3), x, y, (i % 3) + c]),
      responses: part([36, 4, 3], [12, 4, 3, 5], ([i, x, y]) => [Math.floor(i / 3), x, y, (i % 3) + 2]),
      labels: ["t", "t+1"],
      attributes: { nu: Array.from({ length: 36 }, (_, i) => Math.floor(i / 3) / 10) },
    },
  ],
  [
    "PDEBench in one dimension, first frame to trajectory",
    "pdebench-1d.hdf5",
    { inputs: "tensor[:, 0]", responses: "tensor" },
    {
      reading:
        "pdebench-1d.hdf5: inputs tensor[:, 0]: 1 channel on 8 points; responses tensor: 1 channel on 4 x 8 (t, x) (4 training and 1 test samples: the last fifth)",
      layouts: ["pdebench"],
      inputs: part([5, 8], [5, 4, 8], ([i, x]) => [i, 0, x]),
      responses: counting([5, 4, 8]),
      coordinates: { t: [0, 0.5, 1, 1.5], x: linear(0.0625, 0.9375, 8) },
      parameters: { beta: 0.4 },
    },
  ],
  [
    "every second frame and point of PDEBench, with its coordinates",
    "pdebench-1d.hdf5",
    { inputs: "tensor[:, 0, ::2]", responses: "tensor[:, 1::2, ::2]" },
    {
      reading:
        "pdebench-1d.hdf5: inputs tensor[:, 0, ::2]: 1 channel on 4 points; responses tensor[:, 1::2, ::2]: 1 channel on 2 x 4 (t, x) (4 training and 1 test samples: the last fifth)",
      layouts: ["pdebench"],
      inputs: part([5, 4], [5, 4, 8], ([i, x]) => [i, 0, 2 * x]),
      responses: part([5, 2, 4], [5, 4, 8], ([i, t, x]) => [i, 1 + 2 * t, 2 * x]),
      coordinates: { t: [0.5, 1.5], x: [0.0625, 0.3125, 0.5625, 0.8125] },
      parameters: { beta: 0.4 },
    },
  ],
  [
    "fields of PDEBench's CFD as channels",
    "pdebench-cfd.hdf5",
    {
      inputs: ["density[:, 0]", "Vx[:, 0]"],
      responses: "density[:, -1], pressure[:, -1], Vx[:, -1], Vy[:, -1]",
    },
    {
      reading:
        "pdebench-cfd.hdf5: inputs density[:, 0], Vx[:, 0]: 2 channels on 8 x 8 (x, y); responses density[:, -1], pressure[:, -1], Vx[:, -1], Vy[:, -1]: 4 channels on 8 x 8 (x, y) (2 training and 1 test samples: the last fifth)",
      layouts: ["pdebench"],
      inputs: {
        shape: [3, 2, 8, 8],
        at: ([i, c, x, y]) => 20000 * c + counting([3, 4, 8, 8]).at([i, 0, x, y]),
      },
      responses: {
        shape: [3, 4, 8, 8],
        at: ([i, c, x, y]) => 10000 * c + counting([3, 4, 8, 8]).at([i, 3, x, y]),
      },
      coordinates: {
        x: Array.from({ length: 8 }, (_, i) => i / 8),
        y: Array.from({ length: 8 }, (_, i) => (i + 1) / 8),
      },
      parameters: { M: 0.1, eta: 1e-8, zeta: 1e-8 },
      labels: ["density", "Vx"],
    },
  ],
  [
    "PDEBench's incompressible flow, its force as channels beside the first frame",
    "pdebench-ns.h5",
    { inputs: ["velocity[:, 0]", "force"], responses: "velocity[:, -1]" },
    {
      reading:
        "pdebench-ns.h5: inputs velocity[:, 0], force: 4 channels on 8 x 9 (x, y); responses velocity[:, -1]: 2 channels on 8 x 9 (x, y) (3 training and 1 test samples: the last fifth); grid points evenly from 0 to 1",
      layouts: ["pdebench"],
      inputs: {
        shape: [4, 4, 8, 9],
        at: ([i, c, x, y]) =>
          c < 2
            ? counting([4, 5, 8, 9, 2]).at([i, 0, x, y, c])
            : 20000 + counting([4, 8, 9, 2]).at([i, x, y, c - 2]),
      },
      responses: {
        shape: [4, 2, 8, 9],
        at: ([i, c, x, y]) => counting([4, 5, 8, 9, 2]).at([i, 4, x, y, c]),
      },
      labels: ["velocity 0", "velocity 1", "force 0", "force 1"],
    },
  ],
  [
    "a group a sample, as PDEBench's diffusion-reaction",
    "pdebench-groups.h5",
    { inputs: "*/data[:, 0]", responses: "*/data[:, 1:]" },
    {
      reading:
        "pdebench-groups.h5: inputs */data[:, 0]: 2 channels on 8 points; responses */data[:, 1:]: 2 channels on 4 x 8 (t, x) (3 training and 1 test samples: the last fifth)",
      layouts: ["groups"],
      inputs: { shape: [4, 2, 8], at: ([i, c, x]) => 1000 * i + counting([5, 8, 2]).at([0, x, c]) },
      responses: {
        shape: [4, 2, 4, 8],
        at: ([i, c, t, x]) => 1000 * i + counting([5, 8, 2]).at([t + 1, x, c]),
      },
      coordinates: { t: [0.25, 0.5, 0.75, 1], x: linear(-1, 1, 8) },
    },
  ],
  [
    "a group a sample, in the order of their numbers",
    "helmholtz.h5",
    { inputs: "*/a", responses: "*/u" },
    {
      reading:
        "helmholtz.h5: inputs */a: 1 channel on 8 x 8; responses */u: 1 channel on 8 x 8 (10 training and 2 test samples: the last fifth); grid points evenly from 0 to 1",
      layouts: ["groups"],
      inputs: { shape: [12, 8, 8], at: ([i, x, y]) => 100 * i + 8 * x + y },
      responses: { shape: [12, 8, 8], at: ([i, x, y]) => 100 * i + 0.5 + 8 * x + y },
      attributes: { bc: Array.from({ length: 12 }, (_, i) => i) },
    },
  ],
  [
    "The Well: scalars, vectors and fields that lack axes as channels, a matrix as responses",
    "the-well.hdf5",
    {
      inputs:
        "t0_fields/buoyancy[:, t], t1_fields/velocity[:, t], t0_fields/profile[:, t], t0_fields/depth[:, t]",
      responses: "t2_fields/stress[:, t+1]",
    },
    {
      reading:
        "the-well.hdf5: inputs t0_fields/buoyancy[:, t], t1_fields/velocity[:, t], t0_fields/profile[:, t], t0_fields/depth[:, t]: 5 channels on 8 x 9 (x, y); responses t2_fields/stress[:, t+1]: 4 channels on 8 x 9 (x, y) (6 training and 3 test samples: the last fifth, 3 windows of each of 3 trajectories, kept together)",
      layouts: ["the-well"],
      inputs: {
        shape: [9, 5, 8, 9],
        at: ([window, c, x, y]) => {
          const [i, t] = [Math.floor(window / 3), window % 3];
          if (c === 0) return counting([3, 4, 8, 9]).at([i, t, x, y]);
          if (c < 3) return counting([3, 4, 8, 9, 2]).at([i, t, x, y, c - 1]);
          return c === 3 ? counting([3, 9]).at([i, y]) : counting([8, 9]).at([x, y]);
        },
      },
      responses: part([9, 4, 8, 9], [3, 4, 8, 9, 4], ([i, c, x, y]) => [
        Math.floor(i / 3),
        (i % 3) + 1,
        x,
        y,
        c,
      ]),
      coordinates: { x: [0, 1, 2, 3, 4, 5, 6, 7], y: [-4, -3, -2, -1, 0, 1, 2, 3, 4] },
      parameters: { Re: 250 },
      attributes: { forcing: [0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 2.5, 2.5, 2.5] },
      labels: [
        "t0_fields/buoyancy",
        "t1_fields/velocity 0",
        "t1_fields/velocity 1",
        "t0_fields/profile",
        "t0_fields/depth",
      ],
    },
  ],
  [
    "netCDF-4 of PDEgym, whose dimensions have names alone",
    "pdegym.nc",
    { responses: "velocity", window: "2:1" },
    {
      reading:
        "pdegym.nc: inputs velocity[:, t:t+2]: 4 channels on 8 x 8 (x, y); responses velocity[:, t+2]: 2 channels on 8 x 8 (x, y) (4 training and 1 test samples: the last fifth, 1 window of each of 5 trajectories, kept together); grid points evenly from 0 to 1",
      inputs: part([5, 4, 8, 8], [5, 3, 2, 8, 8], ([i, c, x, y]) => [i, Math.floor(c / 2), c % 2, x, y]),
      responses: part([5, 2, 8, 8], [5, 3, 2, 8, 8], ([i, c, x, y]) => [i, 2, c, x, y]),
      labels: ["0 t", "1 t", "0 t+1", "1 t+1"],
    },
  ],
  [
    "PDEArena, with a group for each half",
    "pdearena.h5",
    { inputs: "train/u[:, t], train/vx[:, t]", responses: "train/u[:, t+2]" },
    {
      reading:
        "pdearena.h5: inputs train/u[:, t], train/vx[:, t]: 2 channels on 8 x 8; responses train/u[:, t+2]: 1 channel on 8 x 8 (5 training and 2 test samples, 1 window of each of 5 trajectories, kept together); grid points evenly from 0 to 1",
      // Samples of the test half count from 0 on again.
      inputs: {
        shape: [7, 2, 8, 8],
        at: ([i, c, x, y]) => 10000 * c + counting([5, 3, 8, 8]).at([i % 5, 0, x, y]),
      },
      responses: { shape: [7, 8, 8], at: ([i, x, y]) => counting([5, 3, 8, 8]).at([i % 5, 2, x, y]) },
      attributes: { buo_y: [0, 0.1, 0.2, 0.3, 0.4, 0, 0.1] },
      labels: ["train/u", "train/vx"],
    },
  ],
];

describe("the layouts of public data", () => {
  it.each(CASES)("read %s", async (_, file, choice, wanted) => {
    const data = await describeFile(golden(file), choice);
    expect(await readingInWords(data)).toBe(wanted.reading);
    expect(data.layouts).toEqual(wanted.layouts);
    expect(data.parameters).toEqual(wanted.parameters ?? {});
    for (const which of ["inputs", "responses"] as const) {
      expect(data[which]!.axes.map(({ length }) => length)).toEqual(wanted[which].shape.slice(1));
      expect(await whole(data, which)).toEqual(numbers(wanted[which]));
    }
    const labels = data.inputs!.axes.find(({ kind }) => kind === "channel")?.labels;
    expect(labels).toEqual(wanted.labels);
    const dataset: Dataset = await openDataset(data);
    try {
      const found = Object.entries(dataset.coordinates).map(([key, { values }]) => [key, [...values]]);
      expect(Object.fromEntries(found)).toEqual(wanted.coordinates ?? {});
      const [train, test] = [await dataset.attributes("train"), await dataset.attributes("test")];
      const columns = Object.keys(train).map((name) => [name, [...train[name], ...test[name]]]);
      expect(Object.fromEntries(columns)).toEqual(wanted.attributes ?? {});
    } finally {
      await dataset.close();
    }
    // A partition reads the same responses, and so does whoever repeats what it noted.
    const opened = await openData(golden(file), choice as DataNames);
    const { responsesName: responses, inputsName: inputs, axes, choice: more } = opened;
    const again = await openData(
      golden(file),
      {},
      JSON.parse(JSON.stringify({ responses, inputs, ...axes, ...more })),
    );
    try {
      const { samples } = opened.responses;
      expect(again.reading).toBe(opened.reading);
      expect(again.groups).toEqual(opened.groups);
      expect(await again.responses.read(0, samples)).toEqual(await opened.responses.read(0, samples));
      expect(await again.inputs!.read(0, samples)).toEqual(await opened.inputs!.read(0, samples));
    } finally {
      await opened.close();
      await again.close();
    }
  });

  it.each<[string, string, FileChoice, string]>([
    [
      "text of MATLAB",
      "matlab.mat",
      { inputs: "a", responses: "note" },
      "holds no numbers but MATLAB's char",
    ],
    ["an empty array of MATLAB", "matlab.mat", { inputs: "a", responses: "nothing" }, "is empty"],
    ["what is in cells", "matlab.mat", { inputs: "a", responses: "/cells" }, "holds references"],
    [
      "an array that groups do not have",
      "helmholtz.h5",
      { inputs: "*/a", responses: "*/v" },
      'has no array "*/v"; it has */a',
    ],
  ])("refuse %s", async (_, file, choice, message) => {
    await expect(describeFile(golden(file), choice)).rejects.toThrow(message);
  });

  it("list no contents of MATLAB's cells", async () => {
    const file = await openArrayFile(DISK, golden("matlab.mat"));
    expect((await file.list()).map(({ name }) => name).sort()).toEqual(
      ["/a", "/cells", "/note", "/nothing", "/nu", "/t", "/u"].sort(),
    );
    await file.close();
  });

  it("leave the arrays of a file as they are stored where the user or an old record wants that", async () => {
    const stored = { responses: "u", inputs: "a", sampleAxis: "last" } as const;
    const plain = await openData(golden("matlab.mat"), { ...stored, layout: "plain" });
    // Noted by a version that knew no layouts: axes of the file, samples last, the others in MATLAB's order.
    const noted = { responses: "/u", inputs: "/a", sample_axis: "last" as const };
    const old = await openData(golden("matlab.mat"), {}, noted);
    const other = await openData(golden("matlab.mat"), { responses: "a" }, noted);
    const arranged = await openData(golden("matlab.mat"), { responses: "u", inputs: "a" });
    try {
      expect(old.choice).toEqual({});
      const all = await arranged.responses.read(0, 12);
      expect([...all]).toEqual(numbers(counting([12, 4, 3, 5])));
      expect(await old.responses.read(0, 12)).toEqual(all);
      expect(await plain.responses.read(0, 12)).toEqual(all);
      expect(other.responses.samples).toBe(12);
    } finally {
      for (const one of [plain, old, other, arranged]) await one.close();
    }
    await expect(openData(golden("matlab.mat"), { responses: "u", layout: "plain" })).rejects.toThrow(
      "were saved by MATLAB: 5 x 3 x 4 x 12 in the file",
    );
  });

  it("ask for the axis of samples where both ends of MATLAB's arrays may hold them", async () => {
    const saved = async (name: string, shape: readonly number[]) => {
      const values = Float64Array.from(numbers(counting(shape)));
      const dataset = { shape: [...shape].reverse(), values, attributes: { MATLAB_class: "double" } };
      await writeHdf5(join(folder, name), { datasets: { "/a": dataset, "/u": dataset } });
      return join(folder, name);
    };
    for (const [name, shape] of [
      ["longer.mat", [8, 9, 30]],
      ["square.mat", [9, 9, 5]],
      ["cube.mat", [9, 9, 9]],
    ] as const)
      await expect(describeFile(await saved(name, shape), {})).rejects.toThrow(
        `--sample-axis first for ${shape[0]} samples or --sample-axis last for ${shape[2]}`,
      );
    expect(await describeFile(await saved("clear.mat", [30, 9, 8]), {})).toMatchObject({
      train: 24,
      test: 6,
    });
    const last = await describeFile(join(folder, "square.mat"), { sampleAxis: "last" });
    expect([last.train, last.test]).toEqual([4, 1]);
  });

  it("say which group differs, and read what all groups share", async () => {
    const path = join(folder, "groups.h5");
    const numbersOf = (shape: readonly number[]) => ({
      shape,
      values: Float64Array.from(numbers(counting(shape))),
    });
    const datasets = Object.fromEntries(
      [0, 1, 2].flatMap((i) => [
        [`/s${i}/u`, numbersOf([9, i === 2 ? 8 : 9])],
        [`/s${i}/a`, numbersOf([9])],
        [
          `/s${i}/grid/x`,
          { shape: [9], values: Float64Array.from({ length: 9 }, (_, k) => k + (i === 1 ? 1 : 0)) },
        ],
      ]),
    );
    await writeHdf5(path, { datasets });
    await expect(describeFile(path, { inputs: "*/a", responses: "*/u" })).rejects.toThrow(
      "*/u is 9 x 9 in group s0 but 9 x 8 in group s2: samples have one shape",
    );
    const data = await describeFile(path, { inputs: "*/a", responses: "*/a" });
    await expect(openDataset(data)).rejects.toThrow("grid/x differs between the groups s0 and s1");
  });

  it("are found in files whose other arrays cannot be read", async () => {
    const file = await openArrayFile(DISK, new URL("../golden/arrays/filters.h5", import.meta.url).pathname);
    expect((await file.list()).length).toBeGreaterThan(1);
    await file.close();
  });
});
