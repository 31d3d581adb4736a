import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataPaths } from "../../src/datasets/files/data-paths.js";
import type { FileChoice } from "../../src/datasets/files/file-data.js";
import {
  describeFile,
  openDataset,
  readFileData,
  readingInWords,
} from "../../src/datasets/files/labelled-file.js";
import { openData } from "../../src/datasets/files/open.js";
import { openArrayFiles } from "../../src/datasets/files/several-files.js";
import { DataError, FileError, OptionError } from "../../src/errors.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";
import { DISK } from "../../src/files/store/disk.js";
import { agrees, counting, numbers, type Plain } from "./arrays/oracle.js";

const folder = mkdtempSync(join(tmpdir(), "choosing-"));
const path = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const filled = (shape: readonly number[], plus = 0) => ({
  shape,
  values: Float64Array.from(numbers(counting(shape)), (value) => value + plus),
});
const equal = (found: unknown, wanted: unknown) => expect(found).toEqual(wanted);

beforeAll(async () => {
  const u = filled([10, 6, 9, 12]);
  writeFileSync(
    path("u.npz"),
    writeNpz({
      u,
      v: filled([10, 5, 9, 12]),
      w: filled([10, 6, 9, 11]),
      few: filled([9, 6, 9, 12]),
      a: filled([10, 9, 12]),
      nu: Float64Array.from({ length: 10 }, (_, i) => Math.floor(i / 4)),
      "p, [Pa]": filled([10, 9]),
    }),
  );
  writeFileSync(path("u.npy"), writeNpy(u.values, u.shape));
  writeFileSync(path("a.npy"), writeNpy(filled([10, 9, 12]).values, [10, 9, 12]));
  const part = (count: number, plus: number, points = 9) => ({
    attributes: { nu: 0.1 * count, title: "parts", seed: 3 },
    datasets: {
      "/u": filled([count, points, 12], plus),
      "/a": filled([count, 12], plus),
      "/x": { shape: [12], values: Float64Array.from({ length: 12 }, (_, i) => i) },
      "/history": filled([7, count]),
    },
  });
  await writeHdf5(path("part-2.h5"), part(4, 0));
  await writeHdf5(path("part-10.h5"), part(6, 1000));
  await writeHdf5(path("odd.h5"), part(4, 0, 8));
  const shifted = part(4, 0);
  await writeHdf5(path("shifted.h5"), {
    ...shifted,
    datasets: { ...shifted.datasets, "/x": { shape: [12], values: new Float64Array(12) } },
  });
  for (const [name, count] of [
    ["last-1.h5", 4],
    ["last-2.h5", 6],
  ] as const)
    await writeHdf5(path(name), { datasets: { "/u": filled([9, 12, count]), "/a": filled([12, count]) } });
  writeFileSync(path("._part-3.h5"), "left behind by another system");
});

/** What a choice of arrays gives, or why not. */
const described = async (file: string, choice: FileChoice) => {
  const data = await describeFile(path(file), choice);
  return { data, reading: await readingInWords(data) };
};

describe("a choice that cannot be", () => {
  const u = (inputs: string, responses = inputs) => ({ inputs, responses });
  const cases: readonly [string, string, FileChoice, abstract new (...args: never[]) => Error, string][] = [
    [
      "a place out of range",
      "u.npz",
      u("u[:, 6]"),
      OptionError,
      '"u[:, 6]": 6 is beyond axis 1, which has 6 places (the array is 10 x 6 x 9 x 12)',
    ],
    ["a negative place out of range", "u.npz", u("u[:, -7]"), OptionError, "-7 is beyond axis 1"],
    [
      "a range that ends too late",
      "u.npz",
      u("u[:, 0:7]"),
      OptionError,
      "0:7 is no range of axis 1, which has 6 places",
    ],
    ["an empty range", "u.npz", u("u[:, 3:3]"), OptionError, "3:3 is no range of axis 1"],
    [
      "a range that ends before it starts",
      "u.npz",
      u("u[:, -1:2]"),
      OptionError,
      "-1:2 is no range of axis 1",
    ],
    [
      "too many entries",
      "u.npz",
      u("u[0, 0, 0, 0, 0]"),
      OptionError,
      "has 5 entries, but the array has 4 axes: 10 x 6 x 9 x 12",
    ],
    ["an unknown array", "u.npz", u("q[:, 0]"), OptionError, "it has u (10 x 6 x 9 x 12)"],
    ["no closing bracket", "u.npz", u("u["), OptionError, '"u[" has no ] at its end'],
    ["text after the bracket", "u.npz", u("u[0]x"), OptionError, "has no ] at its end"],
    ["a letter that is no frame", "u.npz", u("u[a]"), OptionError, "a is neither a whole number nor t"],
    ["a fraction", "u.npz", u("u[:, 1.5]"), OptionError, "1.5 is neither a whole number nor t"],
    [
      "nothing in the brackets",
      "u.npz",
      u("u[]"),
      OptionError,
      "nothing between two commas: write : for all",
    ],
    ["a step of 0", "u.npz", u("u[::0]"), OptionError, "the step of ::0 is a whole number from 1 on"],
    ["a step backwards", "u.npz", u("u[::-1]"), OptionError, "the step of ::-1 is a whole number from 1 on"],
    [
      "a step in other writing",
      "u.npz",
      u("u[::0x2]"),
      OptionError,
      "the step of ::0x2 is a whole number from 1 on",
    ],
    ["four places in a range", "u.npz", u("u[0:1:2:3]"), OptionError, "0:1:2:3 is no slice"],
    ["two times ...", "u.npz", u("u[..., 0, ...]"), OptionError, "more than one ..."],
    ["a comma too many", "u.npz", u("u,"), OptionError, "names no array"],
    [
      "t along the samples",
      "u.npz",
      u("u[t]"),
      OptionError,
      "the frame t cannot run along the axis of samples",
    ],
    ["t along two axes", "u.npz", u("u[:, t, t]"), OptionError, "t can run along one axis only"],
    ["a window of one end", "u.npz", u("u[:, t:]"), OptionError, "a window goes from one frame to another"],
    [
      "a window from a number to a frame",
      "u.npz",
      u("u[:, 0:t]"),
      OptionError,
      "a window goes from one frame to another",
    ],
    ["an empty window", "u.npz", u("u[:, t+2:t]"), OptionError, "the window is empty"],
    [
      "a window without end",
      "u.npz",
      u("u[:, t:t+99999999999999999999]"),
      OptionError,
      "longer than the 6 frames that there are",
    ],
    [
      "a window that does not fit",
      "u.npz",
      u("u[:, t:t+4]", "u[:, t+6]"),
      DataError,
      "has 6 frames: a window from t to t+6 does not fit",
    ],
    [
      "trajectories of different lengths",
      "u.npz",
      u("u[:, t]", "v[:, t+1]"),
      DataError,
      "u runs over 6 frames, but v over 5",
    ],
    [
      "trajectories of different number",
      "u.npz",
      u("u[:, t]", "few[:, t+1]"),
      DataError,
      "u has 10 trajectories, but few 9",
    ],
    [
      "channels of different shapes",
      "u.npz",
      u("a", "u[:, 0], w[:, 0]"),
      DataError,
      "u is 10 x 9 x 12 and w is 10 x 9 x 11",
    ],
    [
      "a step without windows",
      "u.npz",
      { ...u("a", "u[:, 0]"), windowStep: 2 },
      OptionError,
      "--window-step needs windows",
    ],
    [
      "a step of half a frame",
      "u.npz",
      { ...u("u[:, t]", "u[:, t+1]"), windowStep: 0.5 },
      OptionError,
      "--window-step is a whole number of frames from 1 on, not 0.5",
    ],
    [
      "a window of unknown time",
      "u.npz",
      { responses: "u", window: "2:1" },
      OptionError,
      "which axis of u of",
    ],
    [
      "a window of nothing",
      "u.npz",
      { responses: "u", window: "0:1" },
      OptionError,
      '--window "0:1" is no window',
    ],
    [
      "a window and a slice",
      "u.npz",
      { responses: "u[:, 0]", window: "2:1" },
      OptionError,
      "has a slice: leave out --window, or the slice",
    ],
    ["a window of no trajectory", "u.npz", { responses: "nu", window: "2:1" }, OptionError, "nu of"],
    ["an unknown group", "u.npz", { ...u("a", "u[:, 0]"), group: "re" }, OptionError, "--group re:"],
    [
      "trajectories without windows",
      "u.npz",
      { ...u("a", "u[:, 0]"), group: "trajectory" },
      OptionError,
      "has only nu",
    ],
    [
      "a test range that cuts a group",
      "u.npz",
      { ...u("a", "u[:, 0]"), group: "nu", test: "6:10" },
      OptionError,
      "test samples 6 to 9 cut group 1, which has training samples too",
    ],
    [
      "a test half that leaves no group",
      "u.npz",
      { ...u("a", "u[:, 0]"), group: "nu", test: "0.8" },
      OptionError,
      "would take all 3 groups: none is left for training",
    ],
    ["files of other shapes", "part-2.h5,odd.h5", {}, DataError, "/u is 4 x 9 x 12 in"],
    [
      "files whose samples lie last",
      "last-1.h5,last-2.h5",
      {},
      DataError,
      "add --sample-axis last if samples lie along the last axis",
    ],
    ["files on different grids", "part-2.h5,shifted.h5", {}, DataError, "x differs between"],
    ["a file named twice", "part-2.h5,./part-2.h5", {}, OptionError, "part-2.h5 is named twice"],
    ["a pattern without a match", "none-*.h5", {}, FileError, "no file matches"],
    ["a pattern in a folder", "no*/part.h5", {}, OptionError, "only the name of a file may hold * and ?"],
    ["two files of inputs", "u.npy", { inputs: "a.npy, b.npy" }, OptionError, "name one file of inputs"],
  ];
  it.each(cases)("is refused in one line: %s", async (_, file, choice, type, message) => {
    const files = file
      .split(",")
      .map((one) => path(one))
      .join(",");
    const refused = (async () => readFileData(await describeFile(files, choice)))();
    const error = await refused.then(
      () => undefined,
      (found: Error) => found,
    );
    expect(error?.message).toContain(message);
    expect(error).toBeInstanceOf(type);
    expect(error?.message).not.toContain("\n");
  });

  it("tells what is wrong with a list of files", () => {
    expect(() => dataPaths(DISK, "a.h5,,b.h5")).toThrow('"a.h5,,b.h5" has nothing between two commas');
    expect(() => dataPaths(DISK, `${path("part-*.h5")},${path("part-2.h5")}`)).toThrow("is named twice");
  });
});

describe("several files", () => {
  it("are put in the order of their numbers, hidden ones left out", () => {
    expect(dataPaths(DISK, path("part-*.h5"))).toEqual([path("part-2.h5"), path("part-10.h5")]);
    expect(() => dataPaths(DISK, path("??part-*.h5"))).toThrow("no file matches");
    expect(dataPaths(DISK, path(".*.h5"))).toEqual([path("._part-3.h5")]);
  });

  it("are one dataset, with the file and what differs between files as columns", async () => {
    const { data, reading } = await described("part-*.h5", { test: "2", group: "none" });
    expect(reading).toContain("part-2.h5 and 1 more file: inputs a: 1 channel on 12 points; responses u:");
    expect(data.origin).toBe("from part-2.h5 and 1 more file");
    expect([data.train, data.test, data.title]).toEqual([8, 2, "parts"]);
    expect(data.files?.map(({ file }) => file)).toEqual([path("part-2.h5"), path("part-10.h5")]);
    expect(data.parameters).toEqual({});
    const { train, test, attributes } = await readFileData(data);
    const all = [
      ...numbers(counting([4, 9, 12])),
      ...numbers(counting([6, 9, 12])).map((value) => value + 1000),
    ];
    expect([...(await train.responses.read(0, 8)), ...(await test.responses.read(0, 2))]).toEqual(all);
    expect(await attributes("train")).toEqual({
      file: Float64Array.of(0, 0, 0, 0, 1, 1, 1, 1),
      nu: Float64Array.of(
        0.4,
        0.4,
        0.4,
        0.4,
        0.6000000000000001,
        0.6000000000000001,
        0.6000000000000001,
        0.6000000000000001,
      ),
    });
  });

  it("keep the samples of a file together", async () => {
    const { data } = await described("part-*.h5", { group: "file" });
    expect(data.testing).toMatchObject({ range: [4, 10] });
    const dataset = await openDataset(data);
    expect([await dataset.groups?.("train"), await dataset.groups?.("test")]).toEqual([
      Int32Array.of(0, 0, 0, 0),
      Int32Array.of(0, 0, 0, 0, 0, 0),
    ]);
    await dataset.close();
  });

  it("are joined along the axis of samples, at either end, whatever part is read", async () => {
    const joined = (
      shapes: readonly (readonly number[])[],
      axis: number,
      plus: readonly number[],
    ): Plain => ({
      shape: shapes[0].map((length, i) =>
        i === axis ? shapes.reduce((sum, shape) => sum + shape[i], 0) : length,
      ),
      at: (place) => {
        let [file, rest] = [0, place[axis]];
        while (rest >= shapes[file][axis]) rest -= shapes[file++][axis];
        return plus[file] + counting(shapes[file]).at(place.map((index, i) => (i === axis ? rest : index)));
      },
    });
    const first = await openArrayFiles(DISK, path("part-*.h5"));
    await agrees(
      await first.array("/u"),
      joined(
        [
          [4, 9, 12],
          [6, 9, 12],
        ],
        0,
        [0, 1000],
      ),
      equal,
    );
    const u = await first.array("/u");
    const box = [
      { start: 1, length: 3, step: 3 },
      { start: 8, length: 1, step: 1 },
      { start: 0, length: 4, step: 3 },
    ];
    const wanted = joined(
      [
        [4, 9, 12],
        [6, 9, 12],
      ],
      0,
      [0, 1000],
    );
    expect([...(await u.readBox!(box))]).toEqual(
      numbers({ shape: [3, 1, 4], at: ([i, , x]) => wanted.at([1 + 3 * i, 8, 3 * x]) }),
    );
    await first.close();
    const last = await openArrayFiles(DISK, path("last-*.h5"), { sampleAxis: "last" });
    await agrees(
      await last.array("/u"),
      joined(
        [
          [9, 12, 4],
          [9, 12, 6],
        ],
        2,
        [0, 0],
      ),
      equal,
    );
    await last.close();
  });

  it("may differ in an array that nobody asks for", async () => {
    const file = await openArrayFiles(DISK, path("part-*.h5"));
    expect((await file.list()).find(({ name }) => name === "/history")).toMatchObject({
      problem: expect.stringContaining("is 7 x 4 in"),
    });
    await file.close();
  });

  it("may be NPY files, whose inputs are others, and say if one of them has changed", async () => {
    for (const i of [1, 2]) {
      writeFileSync(path(`ru-${i}.npy`), writeNpy(filled([5, 12], 100 * i).values, [5, 12]));
      writeFileSync(path(`ra-${i}.npy`), writeNpy(filled([5, 12], 1000 * i).values, [5, 12]));
    }
    const { data } = await described("ru-*.npy", { inputs: path("ra-*.npy") });
    const { train } = await readFileData(data);
    expect((await train.inputs.read(5, 6))[0]).toBe(2000);
    const opened = await openData(path("ru-*.npy"), { inputs: path("ra-*.npy") });
    expect(opened.inputsName).toBe("ra-*.npy");
    const again = await openData(path("ru-*.npy"), {}, { responses: null, inputs: opened.inputsName });
    expect(again.missingInputs).toBeUndefined();
    expect(await again.inputs!.read(0, 10)).toEqual(await opened.inputs!.read(0, 10));
    await opened.close();
    await again.close();
    writeFileSync(path("ra-2.npy"), writeNpy(filled([5, 12], 7).values, [5, 12]));
    await expect(readFileData(data)).rejects.toThrow("has changed since the run was planned");
  });
});

describe("a choice of arrays", () => {
  it("knows an array whose name has brackets and commas", async () => {
    const { data } = await described("u.npz", { inputs: "p, [Pa]", responses: "a" });
    expect(data.attributes).toEqual({ nu: "nu" });
    const { train } = await readFileData(data);
    expect([...(await train.inputs.read(0, 8))]).toEqual(numbers(counting([8, 9])));
  });

  it("finds channels that lie last beside arrays that were stacked as channels", async () => {
    const flow = { velocity: filled([6, 4, 16, 12, 2]), force: filled([6, 16, 12, 2], 9) };
    writeFileSync(path("flow.npz"), writeNpz(flow));
    const choice = { inputs: "velocity[:, t], force", responses: "velocity[:, t+1]" };
    const { reading, data } = await described("flow.npz", choice);
    expect(reading).toContain("4 channels on 16 x 12; responses velocity[:, t+1]: 2 channels on 16 x 12");
    expect(data).toEqual((await described("flow.npz", { ...choice, channels: "last" })).data);
  });

  it("cuts a NPY file, by slices or windows", async () => {
    const { data } = await described("u.npy", { inputs: "[:, t:t+2]", responses: "[:, t+2]", test: "8" });
    expect([data.train, data.test, data.inputs?.array, data.responses?.array]).toEqual([
      32,
      8,
      "[:, t:t+2]",
      "[:, t+2]",
    ]);
    const opened = await openData(path("u.npy"), { responses: "[:, -1]" });
    expect([...(await opened.responses.read(9, 10))]).toEqual(numbers(counting([10, 6, 9, 12])).slice(-108));
    await opened.close();
    writeFileSync(path("line.npy"), writeNpy(filled([4, 6]).values, [4, 6]));
    const line = await openData(path("line.npy"), { window: "2:1", windowStep: 2 });
    expect([line.responses.samples, line.choice, line.inputsName]).toEqual([
      8,
      { window_step: 2 },
      "[:, t:t+2]",
    ]);
    const again = await openData(
      path("line.npy"),
      {},
      {
        responses: line.responsesName,
        inputs: line.inputsName,
        ...line.choice,
      },
    );
    expect([...(await again.inputs!.read(0, 2))]).toEqual([0, 1, 2, 3]);
    expect([...(await again.responses.read(0, 2))]).toEqual([2, 4]);
    await line.close();
    await again.close();
  });

  it("finds the axis of time of windows: the odd one beside a square, first or last", async () => {
    writeFileSync(
      path("square.npz"),
      writeNpz({ late: filled([10, 9, 9, 5]), early: filled([10, 5, 9, 9]), cube: filled([10, 9, 9, 9]) }),
    );
    for (const [responses, wanted] of [
      ["late", "late[:, :, :, t+2]"],
      ["early", "early[:, t+2]"],
    ] as const) {
      const { data } = await described("square.npz", { responses, window: "2:1" });
      expect([data.responses?.array, data.windows]).toEqual([wanted, 3]);
    }
    await expect(described("square.npz", { responses: "cube", window: "2:1" })).rejects.toThrow(
      "which axis of cube of",
    );
  });

  it("takes no training data for tests where only some of several arrays have a test half", async () => {
    writeFileSync(
      path("halves.npz"),
      writeNpz({
        u_train: filled([10, 9]),
        v_train: filled([10, 9]),
        u_test: filled([4, 9]),
        a_train: filled([10, 9]),
        a_test: filled([4, 9]),
      }),
    );
    await expect(
      described("halves.npz", { inputs: "a_train", responses: "u_train, v_train" }),
    ).rejects.toThrow("has a_test but no u_test, v_test");
  });

  it("takes test samples of another layout than those for training", async () => {
    const { values } = filled([8, 9, 10]);
    writeFileSync(path("first.npz"), writeNpz({ a: filled([30, 9, 8]), u: filled([30, 9, 8]) }));
    const reversed = { shape: [8, 9, 10], values, attributes: { MATLAB_class: "double" } };
    await writeHdf5(path("second.mat"), { datasets: { "/a": reversed, "/u": reversed } });
    const { data } = await described("first.npz", { test: path("second.mat") });
    expect([data.train, data.test, data.layouts]).toEqual([30, 10, ["matlab"]]);
    const { test } = await readFileData(data);
    expect([...(await test.responses.read(0, 1))]).toEqual(
      numbers({ shape: [9, 8], at: ([y, x]) => counting([8, 9, 10]).at([x, y, 0]) }),
    );
  });

  it("puts windows of a trajectory into one half, and says so", async () => {
    const choice = { inputs: "u[:, t:t+2], a", responses: "u[:, t+3]", windowStep: 2 } as const;
    const { data, reading } = await described("u.npz", choice);
    expect(reading).toContain("inputs u[:, t:t+2], a: 3 channels on 9 x 12");
    expect([data.windows, data.windowStep, data.group, data.testing]).toEqual([
      2,
      2,
      "trajectory",
      { range: [16, 20], chosen: "the last fifth" },
    ]);
    const dataset = await openDataset(data);
    expect(await dataset.groups?.("train")).toEqual(Int32Array.from({ length: 16 }, (_, i) => i >> 1));
    expect(await dataset.groups?.("test")).toEqual(Int32Array.of(0, 0, 1, 1));
    const { inputs } = await dataset.read("test");
    const u = counting([10, 6, 9, 12]);
    expect([...(await inputs.read(3, 4))]).toEqual(
      numbers({
        shape: [3, 9, 12],
        at: ([c, x, y]) => (c === 2 ? counting([10, 9, 12]).at([9, x, y]) : u.at([9, 2 + c, x, y])),
      }),
    );
    await dataset.close();
    const ungrouped = await described("u.npz", { ...choice, group: "none", test: "3" });
    expect([ungrouped.data.test, ungrouped.data.group]).toEqual([3, undefined]);
    const whole = await described("u.npz", { ...choice, test: "3" });
    expect(whole.data.test).toBe(4);
  });
});
