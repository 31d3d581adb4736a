import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeNpy, writeNpz } from "../../src/index.js";
import { workFolder } from "./command.js";
import { matFile } from "./mat-file.js";

/** Files of public benchmarks by their real arrays, small: every command reads them without being told how. */
const { path, run } = workFolder();
const OWN_DATA = join(import.meta.dirname, "../golden/own-data");
const SPLIT = ["--clients", "3", "--min-size", "4", "--bins", "3", "--alpha", "0.5", "--quiet"];

/** Numbers that differ from sample to sample and from array to array. */
function numbers(seed: number, ...shape: number[]) {
  const length = shape.reduce((a, b) => a * b, 1);
  return { shape, values: Float64Array.from({ length }, (_, i) => Math.sin(seed + 0.7 * i + 1e-3 * i * i)) };
}

const arrays = (names: readonly string[], ...shape: number[]) =>
  Object.fromEntries(names.map((name, i) => [name, numbers(i, ...shape)]));

/** What `inspect` makes of a file, and how `partition` reads it without a name. */
async function readAlone(file: string) {
  const inspected = await run("inspect", file, "--json");
  expect([inspected.status, inspected.stderr]).toEqual([0, ""]);
  const made = await run("partition", file, ...SPLIT, "--out", `${file}.json`);
  expect([made.stderr, made.status]).toEqual([expect.any(String), 0]);
  expect(existsSync(path(`${file}.json`))).toBe(true);
  return { ...JSON.parse(inspected.stdout), warnings: made.stderr };
}

describe("files of the FNO papers", () => {
  it("Darcy flow is read from coeff to sol, beside the derivatives of coeff", async () => {
    const names = ["Kcoeff", "Kcoeff_x", "Kcoeff_y", "coeff", "sol"];
    writeFileSync(path("piececonst_r16_N40_smooth1.mat"), matFile(arrays(names, 40, 16, 16)));
    const found = await readAlone("piececonst_r16_N40_smooth1.mat");
    expect(found.reading).toContain(
      "inputs coeff: 1 channel on 16 x 16; responses sol: 1 channel on 16 x 16",
    );
    expect([found.can_train, found.advice]).toEqual([true, undefined]);
  });

  it("Burgers' equation is read from a to u, beside the smoothed inputs", async () => {
    const names = ["a", "a_smooth", "a_smooth_x", "a_x", "u"];
    writeFileSync(path("burgers_data_R10.mat"), matFile(arrays(names, 40, 32)));
    const found = await readAlone("burgers_data_R10.mat");
    expect(found.reading).toContain("inputs a: 1 channel on 32 points; responses u: 1 channel on 32 points");
    expect([found.can_train, found.advice]).toEqual([true, undefined]);
  });
});

describe("DeepXDE's aligned data", () => {
  it("are read from X/0 to y on the points X/1, with test samples of a second file", async () => {
    for (const half of ["train", "test"])
      cpSync(join(OWN_DATA, `aligned-${half}.npz`), path(`aligned-${half}.npz`));
    const found = await readAlone("aligned-train.npz");
    expect(found.reading).toContain(
      "inputs X/0: 1 channel on 25 points; responses y: 1 channel on 25 points",
    );
    const roles = found.arrays.map(({ name, role }: { name: string; role: string }) => [name, role]);
    expect(roles).toContainEqual(["X/1", "coordinates of point"]);
    const training = ["--alpha", "1", "--clients", "2", "--min-size", "4", "--bins", "3", "--rounds", "1"];
    const small = ["--local-steps", "1", "--batch", "4", "--model", "deeponet", "width=4", "depth=1"];
    const trained = await run(
      "train",
      "aligned-train.npz",
      "--test",
      "aligned-test.npz",
      ...training,
      ...small,
    );
    expect([trained.status, trained.stderr]).toEqual([
      0,
      expect.stringContaining("(30 training and 10 test samples: those of aligned-test.npz)"),
    ]);
  });
});

describe("DeepXDE's triples with a point for each sample", () => {
  it("are refused: gather them by function, or use descriptors", async () => {
    const triples = { X_train0: numbers(0, 60, 20), X_train1: numbers(1, 60, 1), y_train: numbers(2, 60, 1) };
    writeFileSync(path("triples.npz"), writeNpz(triples));
    const { stdout } = await run("inspect", "triples.npz");
    expect(stdout).toContain("each of the 60 samples has a point of its own (X_train1)");
    expect(stdout).not.toContain("Reading:");
    for (const command of [
      ["partition", "triples.npz", ...SPLIT, "--out", "t.json"],
      ["train", "triples.npz", "--alpha", "1"],
    ]) {
      const { status, stderr } = await run(...command);
      expect([status, stderr.trimEnd().split("\n")]).toEqual([
        1,
        [expect.stringContaining("Gather the samples")],
      ]);
    }
  });
});

describe("a mesh per sample", () => {
  const WARNING = "warning: mesh has points of its own for each of 40 samples";
  const named = ["--inputs", "cp", "--responses", "cp"];
  const small = [
    "--rounds",
    "1",
    "--local-steps",
    "1",
    "--batch",
    "4",
    "--model",
    "deeponet",
    "width=2",
    "depth=1",
  ];

  it("is warned of by train, study and convert where fields are named", async () => {
    writeFileSync(
      path("airfoils.npz"),
      writeNpz({ mesh: numbers(0, 40, 30, 2), cp: numbers(1, 40, 30), cd: numbers(2, 40) }),
    );
    const split = ["--alpha", "1", "--clients", "2", "--min-size", "4", "--bins", "3"];
    const trained = await run("train", "airfoils.npz", ...named, ...split, ...small, "--quiet");
    expect([trained.status, trained.stderr]).toEqual([0, expect.stringContaining(WARNING)]);
    const converted = await run("convert", "airfoils.npz", ...named, "--out", "airfoils.h5", "--quiet");
    expect([converted.status, converted.stderr]).toEqual([0, expect.stringContaining(WARNING)]);
    writeFileSync(
      path("mesh.yaml"),
      `name: mesh
data: { file: airfoils.npz, inputs: cp, responses: cp }
alphas: [100]
seeds: [0]
model: { name: deeponet, width: 2, depth: 1 }
federation: { clients: 2, rounds: 1, local_steps: 1, batch: 4 }
partition: { bins: 3, min_size: 4 }
`,
    );
    const study = await run("study", "mesh.yaml", "--out", "mesh", "--quiet", "--jobs", "1");
    expect([study.status, study.stderr]).toEqual([0, expect.stringContaining(WARNING)]);
    expect((await run("verify", "mesh")).status).toBe(0);
  });

  it("is found by the names of files with one array each", async () => {
    writeFileSync(path("NACA_Cylinder_Q.npy"), writeNpy(numbers(0, 40, 5, 9, 8).values, [40, 5, 9, 8]));
    writeFileSync(path("NACA_Cylinder_X.npy"), writeNpy(numbers(1, 40, 9, 8).values, [40, 9, 8]));
    const files = ["NACA_Cylinder_Q.npy", "--inputs", "NACA_Cylinder_X.npy"];
    const said = "NACA_Cylinder_X.npy has points of its own for each of 40 samples";
    expect((await run("inspect", ...files)).stdout).toContain(said);
    const { status, stderr } = await run("partition", ...files, ...SPLIT, "--out", "naca.json");
    expect([status, stderr]).toEqual([0, expect.stringContaining(`warning: ${said}`)]);
  });
});

describe("x and y beside a third field", () => {
  it("are read as inputs and responses, with a warning that they may be points", async () => {
    writeFileSync(path("third.npz"), writeNpz(arrays(["x", "y", "mach"], 40, 12, 12)));
    const found = await readAlone("third.npz");
    expect(found.reading).toContain("inputs x: 1 channel on 12 x 12; responses y");
    expect(found.advice).toContain("x and y may be points of their own");
    expect(found.warnings).toContain("x and y may be points of their own");
  });

  it("are points where their names say so", async () => {
    writeFileSync(path("points.npz"), writeNpz(arrays(["x_coord", "y_coord", "mach"], 40, 12, 12)));
    const { status, stderr } = await run("partition", "points.npz", ...SPLIT, "--out", "p.json");
    expect([status, stderr]).toEqual([1, expect.stringContaining("docs/descriptors.md")]);
  });
});
