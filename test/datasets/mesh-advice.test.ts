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
    expect(advice?.line).toBe(
      "coords has points of its own for each of 500 samples: on a mesh per sample, values at the same place of the array " +
        "belong to different points and cannot be compared. Partition by descriptors (lift, drag, POD coefficients), " +
        "such as --responses cd: see docs/descriptors.md",
    );
    expect(advice?.line).not.toContain("\n");
    expect(advice?.descriptors).toEqual(["cd", "geometry"]);
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
      "pipes, one file an array",
      { Pipe_X: [2310, 129, 129], Pipe_Y: [2310, 129, 129], Pipe_Q: [2310, 3, 129, 129] },
      "Pipe_X and Pipe_Y have",
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
    expect(meshAdvice(shapes(arrays))?.line).toContain(words);
  });

  it.each([
    ["a field", { x: [100, 221, 51], y: [100, 221, 51], mach: [100, 221, 51] }],
    ["channels", { x: [100, 221, 51], y: [100, 221, 51], q: [100, 221, 51, 5] }],
  ])("is in doubt of x and y beside %s: they may be inputs and responses", (_, arrays) => {
    const { line, isCertain } = meshAdvice(shapes(arrays))!;
    expect([line, isCertain]).toEqual([expect.stringContaining("x and y may be points"), false]);
    expect(meshAdvice(shapes({ x_coord: arrays.x, y_coord: arrays.y, q: arrays.x }))?.isCertain).toBe(true);
  });

  it("finds meshes of different sizes in arrays of objects", () => {
    const objects = (name: string, lengths: readonly number[], ...rest: number[]) =>
      lengths.map((length, i) => ({ name: `${name}/${i}`, shape: [length, ...rest] }));
    const lengths = [80, 81, 83, 80];
    expect(meshAdvice([...objects("points", lengths, 2), ...objects("u", lengths)])?.line).toContain(
      "points has points of its own for each of 4 samples",
    );
    expect(meshAdvice([...objects("cells", lengths, 3), ...objects("u", lengths)])?.line).toContain(
      "cells and u have",
    );
    // DeepXDE's aligned data: inputs of branch and trunk in one array of objects.
    expect(meshAdvice([...objects("X", [150, 100], 1), { name: "y", shape: [150, 100] }])).toBeUndefined();
    // Levels of a grid.
    const levels = (name: string) => [16, 32, 64].map((n, i) => ({ name: `${name}/${i}`, shape: [n, n] }));
    expect(meshAdvice([...levels("a"), ...levels("u")])).toBeUndefined();
  });

  it("finds meshes of different sizes in a group a sample", () => {
    const groups = (points: string, shapeOf: (length: number) => readonly number[]) =>
      [80, 81, 83].flatMap((length, i) => [
        { name: `/traj_00${i}/cells`, shape: [60, 3] },
        { name: `/traj_00${i}/${points}`, shape: shapeOf(length) },
        { name: `/traj_00${i}/drag`, shape: [] },
      ]);
    const { line, descriptors } = meshAdvice(groups("mesh_pos", (length) => [length, 2]))!;
    expect(line).toContain("*/mesh_pos has points of its own for each of 3 samples");
    expect(descriptors).toEqual([]); // of groups that no layout joined
    const joined = [
      { name: "*/mesh_pos", ragged: 3 },
      { name: "*/drag", shape: [3] },
    ];
    expect(meshAdvice(joined)?.descriptors).toEqual(["*/drag"]);
    // Trajectories with more and fewer frames.
    expect(meshAdvice(groups("u", (length) => [length, 16, 16]))).toBeUndefined();
  });

  it("tells DeepXDE's triples with a point a sample from those with points for all", () => {
    const triples = shapes({ X_train0: [600, 50], X_train1: [600, 1], y_train: [600, 1] });
    expect(meshAdvice(triples)?.line).toContain("each of the 600 samples has a point of its own (X_train1)");
    expect(meshAdvice(shapes({ "X/0": [600, 50], "X/1": [600, 2], y: [600] }))?.line).toContain("(X/1)");
    expect(
      meshAdvice(shapes({ X_train0: [600, 50], X_train1: [600, 1], y_train: [600, 600] })),
    ).toBeUndefined();
    expect(meshAdvice(shapes({ X_train0: [600, 50], X_train1: [1, 1], y_train: [600, 1] }))).toBeUndefined();
  });

  it("finds the points of files with one array each by the one that is there", () => {
    const named = shapes({ "NACA_Cylinder_Q.npy": [40, 5, 33, 11], "NACA_Cylinder_X.npy": [40, 33, 11] });
    expect(meshAdvice(named)?.line).toContain("NACA_Cylinder_X.npy has points of its own");
    expect(meshAdvice(shapes({ "out.npy": [40, 33, 11], "in.npy": [40, 33, 11] }))).toBeUndefined();
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
    [
      "FNO's Darcy flow",
      {
        coeff: [1024, 241, 241],
        sol: [1024, 241, 241],
        Kcoeff: [1024, 241, 241],
        Kcoeff_x: [1024, 241, 241],
        Kcoeff_y: [1024, 241, 241],
      },
    ],
    ["components", { velocity_x: [60, 32, 32], velocity_y: [60, 32, 32], pressure: [60, 32, 32] }],
    ["letters of a field", { B_x: [60, 32, 32], B_y: [60, 32, 32], rho: [60, 32, 32] }],
    ["derivatives", { U_X: [60, 32, 32], U_Y: [60, 32, 32], U: [60, 32, 32], U_T: [60, 32, 32] }],
    ["a position of each sample", { position: [100, 2], u: [100, 64, 64] }],
  ])("leaves %s alone", (_, arrays) => {
    expect(meshAdvice(shapes(arrays))).toBeUndefined();
  });

  it("goes by the number of samples where it is known", () => {
    const arrays = shapes({ coords: [972, 20, 2], u: [500, 972] });
    expect(meshAdvice(arrays, 500)).toBeUndefined();
    expect(meshAdvice(arrays, 972)?.line).toContain("coords has");
    const last = shapes({ coords: [972, 2, 500], sigma: [972, 500] });
    expect(meshAdvice(last, 500)?.line).toContain("each of 500 samples");
  });
});
