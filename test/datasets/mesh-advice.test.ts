import { describe, expect, it } from "vitest";
import { type MeshCandidate, meshAdvice } from "../../src/datasets/files/mesh-advice.js";

const shapes = (arrays: Readonly<Record<string, readonly number[]>>): MeshCandidate[] =>
  Object.entries(arrays).map(([name, shape]) => ({ name, shape }));

describe("meshAdvice", () => {
  it("names the arrays of points, the page and descriptors that the file has, in one line", () => {
    const advice = meshAdvice(
      shapes({ coords: [500, 972, 2], sigma: [500, 972], geometry: [500, 42], cd: [500] }),
      500,
    );
    expect(advice).toBe(
      "coords has points of its own for each of 500 samples: on a mesh per sample, values at the same place of the array " +
        "belong to different points and cannot be compared. Partition by descriptors (lift, drag, POD coefficients), " +
        "such as --responses cd: see docs/descriptors.md",
    );
    expect(advice).not.toContain("\n");
  });

  it.each([
    [
      "airfoils, one file an array",
      {
        "NACA_Cylinder_X.npy": [2490, 221, 51],
        "NACA_Cylinder_Y.npy": [2490, 221, 51],
        "NACA_Cylinder_Q.npy": [2490, 5, 221, 51],
      },
      "NACA_Cylinder_X.npy and NACA_Cylinder_Y.npy have points of their own for each of 2490 samples",
    ],
    [
      "x and y beside a field",
      { x: [100, 221, 51], y: [100, 221, 51], mach: [100, 221, 51] },
      "x and y have",
    ],
    [
      "x and y beside channels",
      { x: [100, 221, 51], y: [100, 221, 51], q: [100, 221, 51, 5] },
      "x and y have",
    ],
    ["points of a cloud", { pos: [50, 3000, 3], pressure: [50, 3000, 1] }, "pos has"],
    ["nodes in a group", { "train/nodes": [80, 600, 2], "train/u": [80, 600] }, "train/nodes has"],
    ["coordinates before points", { mesh: [80, 2, 600], u: [80, 600] }, "mesh has"],
    [
      "three components",
      { coord_x: [9, 40], coord_y: [9, 40], coord_z: [9, 40], u: [9, 40] },
      "and coord_z have",
    ],
  ])("finds %s", (_, arrays, words) => {
    expect(meshAdvice(shapes(arrays))).toContain(words);
  });

  it("finds meshes of different sizes", () => {
    const ragged = (name: string, count: number) => ({ name, shape: [count], ragged: true });
    expect(meshAdvice([ragged("points", 200), ragged("u", 200)])).toContain("points has points of its own");
    expect(meshAdvice([ragged("cells", 200), ragged("u", 200)])).toContain("cells and u have");
    // DeepXDE's aligned data: inputs of branch and trunk in one object array.
    expect(meshAdvice([ragged("X", 2), { name: "y", shape: [150, 100] }])).toBeUndefined();
  });

  it.each([
    ["inputs x and responses y", { x: [1000, 16, 16], y: [1000, 16, 16] }],
    ["the same with parameters", { x: [800, 16], y: [800, 16], visc: [800] }],
    ["the same with a mask", { x: [800, 16, 16], y: [800, 16, 16], mask: [800, 16, 16] }],
    ["fields on one grid", { a: [1200, 64, 64], u: [1200, 64, 64], x: [64], y: [64] }],
    ["fields on one mesh", { a: [500, 972], u: [500, 972], points: [972, 2] }],
    ["grids of a plane for all samples", { u: [500, 32, 48], x: [32, 48], y: [32, 48] }],
    ["the same with samples along the last axis", { u: [32, 48, 500], x: [32, 48], y: [32, 48] }],
    ["DeepXDE's triples", { X_train0: [150, 100], X_train1: [400, 2], y_train: [150, 400] }],
    ["velocities", { velocity: [100, 20, 64, 64, 2], pressure: [100, 20, 64, 64] }],
    ["PDEBench", { tensor: [100, 21, 256], "x-coordinate": [256], "t-coordinate": [22] }],
    ["lines of a grid for each sample", { x: [500, 64], y: [500, 64], u: [500, 14, 64, 64] }],
    ["a position of each sample", { position: [100, 2], u: [100, 64, 64] }],
  ])("leaves %s alone", (_, arrays) => {
    expect(meshAdvice(shapes(arrays))).toBeUndefined();
  });

  it("goes by the number of samples where it is known", () => {
    const arrays = shapes({ coords: [972, 20, 2], u: [500, 972] });
    expect(meshAdvice(arrays, 500)).toBeUndefined();
    expect(meshAdvice(arrays, 972)).toContain("coords has");
    const last = shapes({ coords: [972, 2, 500], sigma: [972, 500] });
    expect(meshAdvice(last, 500)).toContain("each of 500 samples");
  });
});
