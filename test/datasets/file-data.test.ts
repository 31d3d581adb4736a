import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type FileData, fieldSizeOf, shapesOf } from "../../src/datasets/dataset.js";
import type { Fields } from "../../src/datasets/fields.js";
import {
  describeData,
  describeFile,
  type FileChoice,
  readFileData,
  readingInWords,
} from "../../src/datasets/files/labelled-file.js";
import { generateToFile } from "../../src/datasets/generated-file.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";

const GOLDEN = join(import.meta.dirname, "../golden/own-data");
const golden = (name: string) => join(GOLDEN, name);

const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-own-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);

/** Numbers that say where they lie, as those of scripts/golden/own_data.py. */
const numbered = (...shape: number[]) => ({
  shape,
  values: Float32Array.from({ length: shape.reduce((product, length) => product * length, 1) }, (_, i) => i),
});

function npz(name: string, arrays: Readonly<Record<string, ReturnType<typeof numbered>>>): string {
  writeFileSync(path(name), writeNpz(arrays));
  return path(name);
}

const all = async (fields: Fields) => [...(await fields.read(0, fields.samples))];
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** How a file is read. */
const reading = async (file: string, choice: FileChoice = {}) =>
  readingInWords(await describeFile(file, choice));

describe("2-D Navier-Stokes in an NPZ file", () => {
  it("is read under its own name, with its own channels and the last fifth for testing", async () => {
    const data = await describeFile(golden("ns.npz"));
    expect(data).toMatchObject({ task: "ns", title: "ns", train: 8, test: 2, parameters: {}, seed: 0 });
    expect(data.origin).toBe("from ns.npz");
    expect(data).toEqual(plain(data));
    expect(await readingInWords(data)).toBe(
      "ns.npz: inputs a: 2 channels on 9 x 8; responses u: 1 channel on 9 x 8 " +
        "(8 training and 2 test samples: the last fifth); grid points evenly from 0 to 1",
    );
    const { train, test, description } = await readFileData(data);
    expect([train.inputs.samples, ...train.inputs.shape]).toEqual([8, 2, 9, 8]);
    expect([test.responses.samples, ...test.responses.shape]).toEqual([2, 9, 8]);
    expect((await all(test.inputs))[0]).toBe(8 * 2 * 72);
    expect([description.inputs.label, description.responses.label]).toEqual(["input", "response"]);
  });

  it("is the same with channels last and in Fortran order", async () => {
    const plainData = await readFileData(await describeFile(golden("ns.npz")));
    const fortran = await readFileData(await describeFile(golden("ns-fortran.npz")));
    expect(await all(fortran.train.inputs)).toEqual(await all(plainData.train.inputs));
    const last = await describeFile(golden("ns-channels-last.npz"));
    expect(last.channels).toBe("last");
    expect(await readingInWords(last)).toContain(
      "inputs a: 2 channels on 9 x 8; responses u: 1 channel on 9 x 8 (",
    );
    const { train } = await readFileData(last);
    expect([train.inputs.shape, train.responses.shape]).toEqual([
      [2, 9, 8],
      [1, 9, 8],
    ]);
    expect((await all(train.inputs)).slice(0, 3)).toEqual([0, 2, 4]); // every second number is of channel 0
  });

  it("gives models its channels, grid and points", async () => {
    const { description, coordinates } = await describeData(await describeFile(golden("ns.npz")));
    const { inputs, responses, points } = shapesOf(description, coordinates);
    expect({ inputs, responses }).toEqual({
      inputs: { channels: 2, grid: [9, 8] },
      responses: { channels: 1, grid: [9, 8] },
    });
    expect([points.dimensions, points.values.length]).toEqual([2, 144]);
    expect([...points.values.subarray(2 * 8, 2 * 8 + 4)]).toEqual([0.125, 0, 0.125, Math.fround(1 / 7)]);
  });
});

describe("1-D advection in an HDF5 file", () => {
  it("has the labels, units and coordinates of the file, and its parameters", async () => {
    const data = await describeFile(golden("advection.hdf5"));
    const { description, coordinates } = await describeData(data);
    expect(description.parameters).toEqual({ beta: 0.4 });
    expect(description.inputs).toMatchObject({ label: "initial state" });
    expect(description.responses).toEqual({
      label: "final state",
      unit: "m/s",
      axes: [{ kind: "space", name: "x", length: 16, unit: "m", coordinates: "x" }],
    });
    const { points } = shapesOf(description, coordinates);
    expect(points.dimensions).toBe(1);
    expect(points.values[8]).toBeCloseTo((8 / 15) ** 2, 6);
    expect(await readingInWords(data)).toBe(
      "advection.hdf5: inputs inputs: 1 channel on 16 points; responses outputs: 1 channel on 16 points " +
        "(8 training and 2 test samples: the last fifth)",
    );
  });

  it("takes names, labels and units of the user instead", async () => {
    const data = await describeFile(golden("advection.hdf5"), {
      name: "Advection 1D",
      title: "Advection",
      inputLabel: "u at t = 0",
      responseLabel: "u at t = 2",
      responseUnit: "km/h",
    });
    expect([data.task, data.title]).toEqual(["advection-1d", "Advection"]);
    expect(data.inputs).toMatchObject({ label: "u at t = 0" });
    expect(data.responses).toMatchObject({ label: "u at t = 2", unit: "km/h" });
  });
});

describe("an HDF5 file with dimension scales", () => {
  it("says what its axes are, in any place", async () => {
    const data = await describeFile(golden("scales.h5"));
    expect(data).toMatchObject({
      task: "my-wave",
      title: "Waves in a tube",
      origin: "own solver, version 3",
      seed: 7,
      parameters: { speed: 340 },
      train: 6,
      test: 2,
    });
    expect(data.responses!.axes).toEqual([
      { kind: "channel", name: "component", length: 3, labels: ["u", "v", "w"] },
      { kind: "space", name: "x", length: 8, coordinates: "x" },
      { kind: "time", name: "t", length: 10, unit: "s", coordinates: "t" },
    ]);
    expect(await readingInWords(data)).toBe(
      "scales.h5: inputs: 1 channel on 8 x 10 (x, t); responses: 3 channels on 8 x 10 (x, t) " +
        "(6 training and 2 test samples)",
    );
    const { train, test, coordinates, attributes } = await readFileData(data);
    expect([...coordinates.x.values.subarray(0, 2)]).toEqual([-1, -1 + 2 / 7]);
    expect([train.responses.shape, test.responses.samples]).toEqual([[3, 8, 10], 2]);
    expect((await all(train.responses)).slice(0, 2)).toEqual([0, 3]);
    expect([...(await attributes("train")).reynolds]).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...(await attributes("test")).reynolds]).toEqual([100, 101]);
  });
});

describe("values on a list of points", () => {
  it("come with DeepXDE's points and test samples", async () => {
    const data = await describeFile(golden("triple.npz"));
    expect(await readingInWords(data)).toBe(
      "triple.npz: inputs X_train0: 1 channel on 20 points; responses y_train: 1 channel on 12 points " +
        "(8 training and 3 test samples)",
    );
    expect(data.responses!.axes).toEqual([
      { kind: "point", name: "point", length: 12, coordinates: "point" },
    ]);
    const { description, coordinates, test } = await readFileData(data);
    const { points, inputs } = shapesOf(description, coordinates);
    expect([points.dimensions, points.values.length, inputs.grid]).toEqual([2, 24, [20]]);
    expect([...points.values]).toEqual([...Float32Array.from(coordinates.point.values)]);
    expect(test.responses.samples).toBe(3);
  });

  it("may have several channels, on either side", async () => {
    const file = npz("mesh.npz", {
      inputs: numbered(6, 4),
      responses: numbered(6, 30, 9),
      points: numbered(30, 3),
    });
    const { description, coordinates } = await describeData(await describeFile(file));
    const { responses, points } = shapesOf(description, coordinates);
    expect([responses, points.dimensions]).toEqual([{ channels: 9, grid: [30] }, 3]);
  });
});

describe("a volume", () => {
  it("is asked for, since its last axis may be time", async () => {
    await expect(describeFile(golden("volume.npz"))).rejects.toThrow(
      /volume\.npz holds channels\? A sample of the inputs, 8 x 8 x 8, may be .* or one field on 8 x 8 x 8: say first, last or none with --channels/,
    );
    const data = await describeFile(golden("volume.npz"), { channels: "none" });
    expect(await readingInWords(data)).toContain("inputs x: 1 channel on 8 x 8 x 8 (x, y, z);");
    const { description, coordinates, train } = await readFileData(data);
    expect(shapesOf(description, coordinates).points.dimensions).toBe(3);
    expect([fieldSizeOf(description.inputs), train.inputs.shape]).toEqual([
      { channels: 1, grid: [8, 8, 8] },
      [8, 8, 8],
    ]);
  });

  it("is told by its coordinates, or by the names of its axes", async () => {
    const arrays = { inputs: numbered(5, 8, 8, 10), outputs: numbered(5, 8, 8, 10) };
    const told = npz("told.npz", { ...arrays, x: numbered(8), y: numbered(8), t: numbered(10) });
    const data = await describeFile(told);
    expect(data.responses!.axes.map(({ name, kind }) => [name, kind])).toEqual([
      ["x", "space"],
      ["y", "space"],
      ["t", "time"],
    ]);
    const silent = npz("silent.npz", arrays);
    const named = { axes: ["x", "y", "channel"], inputAxes: ["x", "y", "channel"] };
    expect(await reading(silent, named)).toContain("10 channels on 8 x 8 (x, y)");
  });
});

describe("axes that two coordinates fit", () => {
  const arrays = { a: numbered(5, 12), u: numbered(5, 12, 12), x: numbered(12), t: numbered(12) };

  it("are asked for if one of the coordinates is time", async () => {
    const file = npz("square.npz", arrays);
    await expect(describeFile(file)).rejects.toThrow(
      /which axes of the responses of .*square\.npz are x and t\? Both have 12 points: .* --axes x,t$/,
    );
    const data = await describeFile(file, { axes: ["t", "x"] });
    expect(data.inputs!.axes[0].name).toBe("x");
    expect(data.responses!.axes.map(({ name }) => name)).toEqual(["t", "x"]);
  });

  it("are x before y where both are places", async () => {
    const { t, ...rest } = arrays;
    const data = await describeFile(npz("plane.npz", { ...rest, y: t }));
    expect(data.responses!.axes.map(({ name }) => name)).toEqual(["x", "y"]);
  });
});

describe("test samples", () => {
  const file = npz("ten.npz", { x_train: numbered(10, 4), y_train: numbered(10, 4) });
  const held = async (test: string) => {
    const data = await describeFile(file, { test });
    const { train, test: tested } = await readFileData(data);
    const rows = async (fields: Fields) =>
      (await all(fields)).filter((_, i) => i % 4 === 0).map((v) => v / 4);
    return {
      words: await readingInWords(data),
      train: await rows(train.inputs),
      test: await rows(tested.inputs),
    };
  };

  it.each([
    ["3", [7, 8, 9], "7 training and 3 test samples: the last 3"],
    ["0.4", [6, 7, 8, 9], "6 training and 4 test samples: the last 4"],
    ["2:5", [2, 3, 4], "7 training and 3 test samples: samples 2 to 4"],
  ])("are those that %s says", async (asked, expected, words) => {
    const { test, train, words: said } = await held(asked);
    expect(test).toEqual(expected);
    expect([...train, ...test].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(said).toContain(words);
  });

  it("may lie in a second file", async () => {
    const second = npz("second.npz", { x_test: numbered(2, 4), y_test: numbered(2, 4) });
    const { test, train, words } = await held(second);
    expect([test, train.length]).toEqual([[0, 1], 10]);
    expect(words).toContain("(10 training and 2 test samples: those of second.npz)");
    const other = npz("other-shape.npz", { x_train: numbered(2, 5), y_train: numbered(2, 5) });
    await expect(describeFile(file, { test: other })).rejects.toThrow("inputs of 4 for training but of 5");
  });

  it.each([
    ["10", /leaves no sample of 10 for training/],
    ["0:10", /leaves no sample/],
    ["5:3", /no range of 10 samples/],
    ["8:12", /no range of 10 samples/],
    ["-1", /neither a number of samples/],
    ["1.5", /neither a number of samples/],
    ["nowhere.npz", /nor a file that exists/],
  ])("cannot be %s", async (asked, message) => {
    await expect(describeFile(file, { test: asked })).rejects.toThrow(message);
  });

  it("are not asked for twice", async () => {
    await expect(describeFile(golden("triple.npz"), { test: "0.5" })).rejects.toThrow(
      /has test samples of its own, y_test: leave out --test/,
    );
  });
});

describe("NPY files", () => {
  it("are one of responses and one of inputs, both watched for changes", async () => {
    writeFileSync(path("u.npy"), writeNpy(numbered(5, 16).values, [5, 16]));
    writeFileSync(path("a.npy"), writeNpy(numbered(5).values, [5]));
    await expect(describeFile(path("u.npy"))).rejects.toThrow(/name the file of inputs with --inputs/);
    const data = await describeFile(path("u.npy"), { inputs: path("a.npy"), test: "1" });
    expect(await readingInWords(data)).toContain(
      "inputs a.npy: one number; responses: 1 channel on 16 points",
    );
    const { train } = await readFileData(data);
    expect([train.inputs.shape, await all(train.inputs)]).toEqual([[1], [0, 1, 2, 3]]);
    writeFileSync(path("a.npy"), writeNpy(numbered(5).values.reverse(), [5]));
    await expect(readFileData(data)).rejects.toThrow(/a\.npy has changed since/);
  });
});

describe("a file that can be read in several ways or in none", () => {
  it.each<[string, Record<string, ReturnType<typeof numbered>>, FileChoice, RegExp]>([
    [
      "unknown names",
      { first: numbered(4, 9), second: numbered(4, 9) },
      {},
      /name the inputs and responses of .* with --inputs and --responses: it has first \(4 x 9\), second \(4 x 9\)$/,
    ],
    ["one array", { tensor: numbered(4, 9) }, {}, /it has tensor \(4 x 9\)$/],
    [
      "responses alone",
      { y: numbered(4, 9), b: numbered(4, 9) },
      { responses: "y" },
      /name the inputs of .* with --inputs: /,
    ],
    [
      "two pairs",
      { a: numbered(4, 9), u: numbered(4, 9), x: numbered(4, 9), y: numbered(4, 9) },
      {},
      /name the inputs and responses/,
    ],
    [
      "coordinates called x and y",
      { x: numbered(9), y: numbered(9), w: numbered(4, 9, 9) },
      {},
      /name the inputs/,
    ],
    [
      "a wrong name",
      { a: numbered(4, 9), u: numbered(4, 9) },
      { inputs: "q" },
      /name the responses|no array "q"/,
    ],
    [
      "different numbers of samples",
      { inputs: numbered(4, 9), outputs: numbered(5, 9) },
      {},
      /has 5 responses but 4 inputs, of 5 x 9 and 4 x 9 values: if samples lie along the last axis \(9 of each\), add --sample-axis last$/,
    ],
    ["no samples", { inputs: numbered(0, 9), outputs: numbered(0, 9) }, {}, /are empty/],
    ["one sample", { inputs: numbered(1, 9), outputs: numbered(1, 9) }, {}, /takes two or more/],
    [
      "too many names of axes",
      { inputs: numbered(4, 9), outputs: numbered(4, 9) },
      { axes: ["x", "y"] },
      /have 1 axes beside that of samples \(9\), not 2: x, y/,
    ],
  ])("is refused: %s", async (name, arrays, choice, message) => {
    await expect(describeFile(npz(`${name}.npz`, arrays), choice)).rejects.toThrow(message);
  });

  it("is refused if its attribute makes no sense", async () => {
    const arrays = { "/inputs": numbered(4, 9), "/responses": numbered(4, 9) };
    await writeHdf5(path("odd.h5"), { attributes: { channels: "middle" }, datasets: arrays });
    await expect(describeFile(path("odd.h5"))).rejects.toThrow(
      /"channels" is "middle", not first, last or none/,
    );
  });
});

describe("samples along the last axis", () => {
  it("are read with their axes in the stored order", async () => {
    const file = npz("last.npz", { a: numbered(9, 12, 5), u: numbered(9, 12, 5) });
    const data = await describeFile(file, { sampleAxis: "last" });
    expect(await readingInWords(data)).toContain(
      "(4 training and 1 test samples: the last fifth, along the last axis)",
    );
    const { test } = await readFileData(data);
    expect([test.inputs.shape, (await all(test.inputs)).slice(0, 2)]).toEqual([
      [9, 12],
      [4, 9],
    ]);
  });
});

describe("a file of a known source in our own layout", () => {
  it("is described as it has always been", async () => {
    const file = path("burgers.h5");
    await generateToFile({ task: "burgers", train: 4, test: 2, seed: 3 }, file, { cache: false });
    const data = await describeFile(file);
    expect(Object.keys(data)).toEqual([
      "file",
      "sha256",
      "task",
      "origin",
      "seed",
      "parameters",
      "train",
      "test",
    ]);
    expect(data).toMatchObject({
      task: "burgers",
      seed: 3,
      parameters: { viscosity: 0.1 },
      train: 4,
      test: 2,
    });
    const { description, coordinates, test } = await readFileData(data);
    expect(description.responses.axes.map(({ name, kind }) => [name, kind])).toEqual([
      ["x", "space"],
      ["t", "time"],
    ]);
    expect(test.inputs.samples).toBe(2);
    const { points } = shapesOf(description, coordinates);
    expect([...points.values.subarray(0, 4)]).toEqual([0, 0, 0, Math.fround(0.01)]);
  });

  it("keeps the channels that a record of it has", async () => {
    const field = (samples: number) => numbered(samples, 16, 16, 16);
    const datasets = Object.fromEntries(
      ["train", "test"].flatMap((half) =>
        ["inputs", "responses"].map((name) => [`/${half}/${name}`, field(2)]),
      ),
    );
    await writeHdf5(path("cube.h5"), { attributes: { task: "darcy" }, datasets });
    const shape = async (choice: FileChoice) => {
      const data: FileData = await describeFile(path("cube.h5"), choice);
      return [data.channels, data.inputs === undefined, await readingInWords(data)];
    };
    const first = await shape({ channels: "first" });
    expect(first.slice(0, 2)).toEqual([undefined, true]);
    expect(await shape({ channels: "last" })).toEqual([
      "last",
      true,
      expect.stringContaining("16 channels on 16 x 16"),
    ]);
    expect((await shape({ channels: "none" }))[2]).toContain("1 channel on 16 x 16 x 16");
  });
});
