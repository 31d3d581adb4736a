import { describe, expect, it } from "vitest";
import type { DataShapes } from "../../src/models/model.js";
import { buildModel, defaultModel, MODEL_NAMES, MODELS, modelOf, refusal } from "../../src/models/models.js";
import { gridPoints } from "../../src/models/output-points.js";
import { parameterCount } from "../../src/models/parameter-layout.js";
import { stream } from "../../src/random/stream.js";

const shapes = (
  [channels, ...grid]: readonly number[],
  [outputs, ...wanted]: readonly number[],
): DataShapes => ({
  inputs: { channels, grid },
  responses: { channels: outputs, grid: wanted },
});

const POINTS: DataShapes = {
  inputs: { channels: 1, grid: [50] },
  responses: { channels: 1, grid: [50] },
  points: { values: new Float32Array(100), dimensions: 2 },
};

describe("the list of models", () => {
  it("takes the earlier name of FNO", () => {
    expect(modelOf("fno2d")).toBe(MODELS.fno);
    expect(() => modelOf("unet")).toThrow('there is no model "unet"; there are deeponet, fno, inversion-net');
    expect(() => modelOf("toString")).toThrow("there is no model");
  });

  it.each([
    ["a line", shapes([1, 64], [2, 64]), "fno"],
    ["a plane", shapes([2, 64, 48], [1, 64, 48]), "fno"],
    ["a space", shapes([1, 8, 8, 8], [3, 8, 8, 8]), "fno"],
    ["four axes", shapes([1, 8, 8, 8, 8], [1, 8, 8, 8, 8]), "deeponet"],
    ["sensors and a plane", shapes([1, 100], [1, 64, 64]), "deeponet"],
    ["a coarser plane", shapes([1, 64, 64], [1, 32, 32]), "deeponet"],
    ["an axis of one point", shapes([1, 1, 64], [1, 1, 64]), "deeponet"],
    ["a list of points in the plane", POINTS, "deeponet"],
    ["recordings", shapes([5, 1000, 70], [1, 70, 70]), "deeponet"],
  ])("has a default for %s, which takes it", (_, data, name) => {
    expect(defaultModel(data)).toBe(name);
    expect(refusal(name, data)).toBeUndefined();
  });

  it.each([
    [
      "fno",
      shapes([1, 64, 64], [1, 32, 32]),
      "fno takes inputs and responses on one grid; these are on 64 x 64 and 32 x 32; use --model deeponet",
    ],
    [
      "fno",
      shapes([1, 8, 8, 8, 8], [1, 8, 8, 8, 8]),
      "fno takes grids of one to 3 axes; this one has 4; use --model deeponet",
    ],
    [
      "fno",
      POINTS,
      "fno takes a regular grid; these are 50 points with 2 coordinates each; use --model deeponet",
    ],
    [
      "fno",
      shapes([1, 1, 64], [1, 1, 64]),
      "fno takes axes of at least two points; this grid has 1 x 64 points; use --model deeponet",
    ],
    [
      "inversion-net",
      shapes([1, 64], [1, 64]),
      "inversion-net takes recordings of sources x times x receivers; these inputs have 1 x 64 numbers; use --model fno",
    ],
    [
      "inversion-net",
      shapes([5, 64, 16], [1, 64]),
      "inversion-net predicts maps of rows x columns; these responses are on 64 points; use --model deeponet",
    ],
  ])("says why %s cannot take data, and which model can", (name, data, words) => {
    expect(refusal(name, data)).toBe(words);
    expect(() => buildModel(name, data)).toThrow(words);
  });

  it("refuses options that a model does not have or cannot take", () => {
    const data = shapes([1, 16, 16], [1, 16, 16]);
    expect(() => buildModel("fno", data, { depth: 2 })).toThrow('the model has no option "depth"');
    expect(() => buildModel("deeponet", data, { trunk_output: "tanh" })).toThrow(
      'the model\'s trunk_output is one of activation, relu, none, not "tanh"',
    );
    expect(() => buildModel("fno", data, { modes: 9 })).toThrow(
      "a grid of 16 x 16 points has at most 8 modes, not 9: use fewer (modes=8) or a finer grid",
    );
  });

  it.each(MODEL_NAMES)("builds %s, which starts with as many numbers as its layout has", (name) => {
    const data = shapes([2, 40, 24], [2, 40, 24]);
    const model = buildModel(name, data, { width: 2 });
    const initial = model.initial(stream(1, "model"));
    expect(initial.length).toBe(parameterCount(model.layout));
    for (const initialiser of ["glorot-normal", "pytorch"]) {
      const other = buildModel(name, data, { width: 2, initialiser });
      const same = other.initial(stream(1, "model")).every((value, i) => value === initial[i]);
      expect(same).toBe(initialiser === modelOf(name).options.initialiser.default);
      expect(other.architecture.initialiser).toBe(same ? undefined : initialiser);
    }
  });
});

describe("the architecture that is recorded", () => {
  it("says how many modes a small grid has, where none are asked for", () => {
    const modes = (...grid: number[]) =>
      buildModel("fno", shapes([1, ...grid], [1, ...grid]), { width: 2 }).architecture.modes;
    expect([modes(64), modes(20), modes(64, 64), modes(16, 9), modes(16, 16, 32), modes(6, 8, 8)]).toEqual([
      16, 11, 12, 5, 8, 3,
    ]);
  });

  it("has the defaults of options that are given as undefined", () => {
    const plane = shapes([1, 40, 24], [1, 40, 24]);
    for (const name of MODEL_NAMES) {
      const none = Object.fromEntries(
        Object.keys(modelOf(name).options).map((option) => [option, undefined]),
      );
      expect(buildModel(name, plane, none).architecture).toEqual(buildModel(name, plane).architecture);
    }
  });

  it("names later choices only where they differ from what was", () => {
    const plane = shapes([1, 16, 16], [1, 16, 16]);
    expect(buildModel("fno", plane, { coordinates: "unit", initialiser: "pytorch" }).architecture).toEqual({
      ...{ name: "fno2d", width: 32, modes: 8, layers: 4, projection: 128, padding: 0 },
      ...{ inputs: 1, outputs: 1 },
    });
    const sensors = shapes([1, 10], [1, 16, 16]);
    const usual = { latent: 8, trunk_output: "activation", initialiser: "glorot-normal" };
    expect(buildModel("deeponet", sensors, { width: 8, depth: 2, ...usual }).architecture).toEqual({
      ...{ name: "deeponet", sensors: 10, coordinates: 2, width: 8, depth: 2 },
    });
    const others = { latent: 5, trunk_output: "none", initialiser: "pytorch" };
    expect(buildModel("deeponet", shapes([2, 5], [3, 16]), others).architecture).toEqual({
      ...{ name: "deeponet", sensors: 10, coordinates: 1, width: 64, depth: 3, outputs: 3, ...others },
    });
    expect(buildModel("inversion-net", shapes([5, 125, 70], [1, 70, 70])).architecture).toEqual({
      ...{ name: "inversion-net", sources: 5, time: 125, receivers: 70, width: 8, normalisation: "group" },
    });
    expect(buildModel("inversion-net", shapes([5, 125, 70], [2, 32, 48])).architecture).toMatchObject({
      ...{ rows: 32, columns: 48, outputs: 2 },
    });
  });
});

describe("gridPoints", () => {
  it("lists the points of a grid with the last axis fastest", () => {
    const { values, dimensions } = gridPoints([
      [0, 1],
      [0, 0.5, 2],
    ]);
    expect(dimensions).toBe(2);
    expect([...values]).toEqual([0, 0, 0, 0.5, 0, 2, 1, 0, 1, 0.5, 1, 2]);
  });
});

describe("samples that a model learns from", () => {
  it.each([
    ["deeponet", shapes([1, 11], [1, 101, 101])], // in tiles
    ["deeponet", shapes([1, 11], [2, 40, 30])],
    ["deeponet", shapes([1, 11], [1, 9])],
    ["fno", shapes([2, 8, 8], [1, 8, 8])],
  ])("can be replaced by others in the same arrays: %s", (name, data) => {
    const model = modelOf(name).build(data);
    const size = ({ channels, grid }: DataShapes["inputs"]) => grid.reduce((a, b) => a * b, channels);
    const samples = (count: number, start: number) => ({
      samples: count,
      inputs: Float32Array.from({ length: count * size(data.inputs) }, (_, i) => start + i),
      responses: Float32Array.from({ length: count * size(data.responses) }, (_, i) => start - i),
    });
    for (const largeKernels of [false, true]) {
      const known = model.training(samples(3, 7), { largeKernels });
      const training = model.training(samples(3, 1e6), { largeKernels });
      const arrays = Object.values(training.data).map(({ values }) => values);
      training.replace(samples(3, 7));
      expect(training.data).toEqual(known.data);
      training.replace(samples(2, 7)); // fewer leave the others as they are
      expect(training.data).toEqual(known.data);
      expect(Object.values(training.data).every(({ values }, i) => values === arrays[i])).toBe(true);
    }
  });
});
