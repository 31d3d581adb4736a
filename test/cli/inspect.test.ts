import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";
import { workFolder } from "./command.js";
import { matFile } from "./mat-file.js";

const { path, run } = workFolder();
const LAYOUTS = join(import.meta.dirname, "../golden/layouts");
const numbers = (...shape: number[]) => ({
  shape,
  values: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(i)),
});

beforeAll(async () => {
  writeFileSync(path("pair.npz"), writeNpz({ a: numbers(20, 8, 8), u: numbers(20, 8, 8), nu: numbers(20) }));
  writeFileSync(path("frames.npz"), writeNpz({ w: numbers(20, 8, 8, 12) }));
  writeFileSync(path("series.npz"), writeNpz({ a: numbers(20, 8, 8), u: numbers(20, 8, 8, 20) }));
  writeFileSync(path("components.npz"), writeNpz({ velocity: numbers(20, 9, 2, 16, 16) }));
  writeFileSync(path("u.npy"), writeNpy(numbers(20, 8).values, [20, 8]));
  writeFileSync(path("cube.npz"), writeNpz({ x: numbers(20, 9, 10, 11), y: numbers(20, 9, 10, 11) }));
  writeFileSync(
    path("airfoils.npz"),
    writeNpz({ mesh: numbers(20, 30, 2), pressure: numbers(20, 30), drag: numbers(20, 1) }),
  );
  for (const [i, beta] of [0.1, 0.4].entries())
    await writeHdf5(path(`beta-${i}.h5`), {
      attributes: { beta, origin: "a solver" },
      datasets: { "/inputs": numbers(5, 16), "/outputs": numbers(5, 16) },
    });
});

describe("inspect", () => {
  it("says what each array is taken for, how the file is read and what comes next", async () => {
    const { status, stdout } = await run("inspect", "pair.npz");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^a +20 x 8 x 8 +float32 +inputs: 1 channel on 8 x 8$/m);
    expect(stdout).toMatch(/^u +20 x 8 x 8 +float32 +responses: 1 channel on 8 x 8$/m);
    expect(stdout).toMatch(/^nu +20 +float32 +a number for each sample$/m);
    expect(stdout).toContain("Reading: pair.npz: inputs a: 1 channel on 8 x 8;");
    for (const next of ["show pair.npz", "partition pair.npz", "train pair.npz"])
      expect(stdout).toContain(`  pde-dirichlet ${next}`);
  });

  it("proposes choices that work where nothing tells which arrays are data", async () => {
    const { status, stdout } = await run("inspect", "frames.npz", "--json");
    expect(status).toBe(0);
    const { choices, questions, can_train } = JSON.parse(stdout);
    expect([can_train, questions[0]]).toEqual([
      false,
      expect.stringContaining("name the inputs and responses"),
    ]);
    expect(choices.length).toBeGreaterThan(1);
    for (const { options } of choices) {
      const again = await run("inspect", "frames.npz", ...options, "--channels", "none", "--json");
      const found = JSON.parse(again.stdout);
      expect([options, found.can_train]).toEqual([options, true]);
    }
  });

  it("proposes frames of fields with components whose axes have no names", async () => {
    const { choices } = JSON.parse((await run("inspect", "components.npz", "--json")).stdout);
    expect(choices.map(({ options }: { options: string[] }) => options.join(" "))).toEqual([
      "--inputs velocity[:, 0] --responses velocity[:, -1]",
      "--inputs velocity[:, t] --responses velocity[:, t+1]", // several frames would make two axes of channels
    ]);
    const { stdout } = await run("inspect", "components.npz", "--responses", "velocity", "--window", "4:1");
    expect(stdout).toContain(
      "inputs velocity[:, t:t+4]: 8 channels on 16 x 16; responses velocity[:, t+4]: 2 channels",
    );
  });

  it("proposes no times as responses where nothing else can be read", async () => {
    writeFileSync(path("times.npz"), writeNpz({ t: numbers(4, 20) }));
    expect((await run("inspect", "times.npz")).stdout).not.toContain("--responses t");
  });

  it("proposes responses alone where it finds no inputs, and the partition that they allow", async () => {
    writeFileSync(path("alone.npz"), writeNpz({ heat: numbers(20, 6, 8) }));
    const { choices } = JSON.parse((await run("inspect", "alone.npz", "--json")).stdout);
    expect(choices.map(({ options }: { options: string[] }) => options)).toEqual([["--responses", "heat"]]);
    const { stdout } = await run("inspect", "alone.npz", "--responses", "heat");
    expect(stdout).toContain("pde-dirichlet partition alone.npz --responses heat --alpha 0.1 --out p.json");
  });

  it("asks where two readings are possible, and reads what it is told", async () => {
    const { stdout } = await run("inspect", "cube.npz");
    expect(stdout).toContain("To be decided: which axis of cube.npz holds channels?");
    expect(stdout).toMatch(/^x +20 x 9 x 10 x 11 +float32 +a field, perhaps$/m);
    for (const next of [
      "first   # 9 channels on 10 x 11",
      "last   # 11 channels on",
      "none   # one field on",
    ])
      expect(stdout).toContain(`  pde-dirichlet inspect cube.npz --channels ${next}`);
    const chosen = await run("inspect", "cube.npz", "--inputs", "x[:20]", "--responses", "y", "--name", "c");
    expect(chosen.stdout).toContain(
      'inspect cube.npz --inputs "x[:20]" --responses y --name c --channels first   # ',
    );
    const told = await run("inspect", "cube.npz", "--channels", "none");
    expect(told.stdout).toContain("inputs x: 1 channel on 9 x 10 x 11");
    expect(told.stdout).toContain("pde-dirichlet train cube.npz --channels none --alpha 0.1");
  });

  it("proposes the end that counts samples where MATLAB saved the file, and then commands with it", async () => {
    const arrays = { a: numbers(8, 8, 20), u: numbers(8, 8, 20) };
    const doubles = Object.entries(arrays).map(([name, { shape, values }]) => [
      name,
      { shape, values: Float64Array.from(values) },
    ]);
    writeFileSync(path("last.mat"), matFile(Object.fromEntries(doubles)));
    const { stdout } = await run("inspect", "last.mat");
    expect(stdout).toContain("inspect last.mat --sample-axis first   # 8 samples");
    expect(stdout).toContain("inspect last.mat --sample-axis last   # 20 samples");
    const told = await run("inspect", "last.mat", "--sample-axis", "last");
    expect(told.stdout).toContain("train last.mat --sample-axis last --alpha 0.1");
  });

  it("proposes usual names in their order, and the first of equal arrays as inputs", async () => {
    const options = async (arrays: Parameters<typeof writeNpz>[0]) => {
      writeFileSync(path("pairs.npz"), writeNpz(arrays));
      const { choices } = JSON.parse((await run("inspect", "pairs.npz", "--json")).stdout);
      return choices.map(({ options }: { options: string[] }) => options.join(" "));
    };
    const field = numbers(20, 8, 8);
    expect(await options({ u: field, a: field, y: field, x: field })).toEqual([
      "--inputs x --responses y",
      "--inputs a --responses u",
    ]);
    expect(await options({ before: field, after: field })).toEqual(["--inputs before --responses after"]);
  });

  it("leaves out what the netCDF library notes of itself", async () => {
    const { attributes } = JSON.parse(
      (await run("inspect", join(LAYOUTS, "../arrays/netcdf-4.nc"), "--json")).stdout,
    );
    expect(Object.keys(attributes).filter((name) => name.startsWith("_"))).toEqual([]);
  });

  it("takes several files as one dataset, with what differs between them as attributes", async () => {
    const { arrays, files, attributes } = JSON.parse(
      (await run("inspect", "beta-0.h5", "beta-1.h5", "--json")).stdout,
    );
    expect([files, attributes]).toEqual([2, { origin: "a solver" }]);
    const shapes = Object.fromEntries(
      arrays.map(({ name, shape }: { name: string; shape: number[] }) => [name, shape]),
    );
    expect(shapes).toEqual({ inputs: [10, 16], outputs: [10, 16], file: [10], beta: [10] });
    const same = await run("inspect", "beta-*.h5", "--json");
    expect(JSON.parse(same.stdout).arrays).toEqual(arrays);
  });

  it("advises descriptors for a mesh per sample instead of a reading, once", async () => {
    const { stdout } = await run("inspect", "airfoils.npz");
    expect(stdout.match(/docs\/descriptors\.md/g)).toHaveLength(1);
    expect(stdout).not.toContain("Reading:");
    expect(stdout).toContain("pde-dirichlet inspect airfoils.npz --responses drag   # bins of drag");
    expect(stdout).not.toContain("--responses mesh");
    const partition = await run("partition", "airfoils.npz", "--alpha", "1", "--out", "p.json");
    expect([partition.status, partition.stderr]).toEqual([1, expect.stringContaining("docs/descriptors.md")]);
  });

  it.each([
    ["pos", undefined],
    ["mesh_pos", numbers(7, 3)],
  ])("advises descriptors for groups with meshes of different sizes, called %s", async (name, cells) => {
    const groups = Array.from({ length: 6 }, (_, i) => ({
      [`/${i}/${name}`]: numbers(20 + i, 2),
      [`/${i}/pressure`]: numbers(20 + i),
      ...(cells && { [`/${i}/cells`]: cells }),
    }));
    await writeHdf5(path("meshes.h5"), { datasets: Object.assign({}, ...groups) });
    const { stdout } = await run("inspect", "meshes.h5");
    expect(stdout).toContain(`*/${name} has points of its own for each of 6 samples`);
    expect(stdout).not.toContain("Next:");
  });

  it("refuses a field on meshes of different sizes with the same advice", async () => {
    const groups = Array.from({ length: 6 }, (_, i) => ({
      [`/${i}/pos`]: numbers(20 + i, 2),
      [`/${i}/pressure`]: numbers(20 + i),
      [`/${i}/drag`]: numbers(1),
    }));
    await writeHdf5(path("drag.h5"), { datasets: Object.assign({}, ...groups) });
    const { stdout } = await run("inspect", "drag.h5", "--responses", "*/pressure");
    expect(stdout.match(/docs\/descriptors\.md/g)).toHaveLength(1);
    expect(stdout).toMatch(/^To be decided: .*samples have one shape$/m);
    const partition = await run(
      "partition",
      "drag.h5",
      "--responses",
      "*/pressure",
      "--alpha",
      "1",
      "--out",
      "p.json",
    );
    expect(partition.stderr).toMatch(/samples have one shape\. .*docs\/descriptors\.md/);
  });

  it("draws the first sample, and replaces no file unasked", async () => {
    const drawn = await run("inspect", "pair.npz", "--figure", "f.svg");
    expect([drawn.status, drawn.stdout]).toEqual([0, expect.stringContaining("Figure: f.svg")]);
    expect(readFileSync(path("f.svg"), "utf8")).toContain("<svg");
    expect((await run("inspect", "series.npz", "--figure", "series.svg")).status).toBe(0);
    const again = await run("inspect", "pair.npz", "--figure", "f.svg");
    expect([again.status, again.stderr]).toEqual([1, expect.stringMatching(/f\.svg exists.*--force/)]);
  });

  it.each([
    ["pdebench-1d.hdf5", "PDEBench: samples, times, space"],
    ["the-well.hdf5", "The Well: trajectories, times, space, components"],
    ["pdebench-ns.h5", "PDEBench: samples, times, space"],
    ["pdebench-groups.h5", "a group a sample"],
    ["matlab.mat", "axes in MATLAB's order"],
  ])("recognises the convention of %s", async (file, words) => {
    expect((await run("inspect", join(LAYOUTS, file))).stdout).toContain(words);
  });

  it("proposes frames of PDEBench's incompressible flow", async () => {
    const { stdout } = await run("inspect", join(LAYOUTS, "pdebench-ns.h5"));
    expect(stdout).toMatch(/^t +4 x 5 +float32 +times of each sample, perhaps$/m);
    expect(stdout).toContain(
      '--inputs "velocity[:, 0]" --responses "velocity[:, -1]"   # the first frame to the last',
    );
  });

  it("names what cannot be read, with the reason", async () => {
    const { stdout } = await run("inspect", join(LAYOUTS, "matlab.mat"));
    expect(stdout).toMatch(/^note +not read: .*char/m);
  });

  it("lists links into other files as not followed", async () => {
    const { stdout } = await run("inspect", join(LAYOUTS, "../files/links.h5"));
    expect(stdout).toMatch(/^link +not read: is a link into another file, fields\.h5: copy the data/m);
  });

  it.each([
    [["missing.h5"], /missing\.h5/],
    [["*.none"], /no file matches/],
    [["pair.npz", "--inputs", "a", "--responses", "u[:, 99]"], /99 is beyond axis 1/],
    [["pair.npz", "--inputs", "u[:, 99]"], /99 is beyond axis 1/],
    [["pair.npz", "--responses", "velocity"], /no array "velocity"/],
    [["pair.npz", "--inputs", "velocity"], /no array "velocity"/],
    [
      ["u.npy", "--inputs", "pair.npz"],
      /pair.npz has a .*, u .*, nu .*: the file of inputs for u.npy holds a single array/,
    ],
  ])("answers %j in one line", async (args, message) => {
    const { status, stdout, stderr } = await run("inspect", ...args);
    const said = status === 0 ? stdout : stderr;
    expect(said).toMatch(message);
    if (status !== 0) expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(existsSync(path("p.json"))).toBe(false);
  });
});
