import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { hdf5Contents } from "../../src/datasets/generated-file.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { generate, VERSION, writeNpy, writeNpz } from "../../src/index.js";
import { texts } from "../figures/well-formed.js";
import { workFolder } from "./command.js";
import {
  cylinderFile,
  damBreakFile,
  darcyFile,
  flatVelocityFile,
  MADE_UP,
  writeConditionedFile,
  writeFieldFile,
} from "./field-files.js";

const CONTROLLED = ["antiderivative", "burgers", "diffusion-reaction"];

const { folder, path } = workFolder();

beforeAll(async () => {
  for (const task of ["antiderivative", "burgers", "diffusion-reaction"] as const)
    await writeHdf5(path(`${task}.h5`), hdf5Contents(generate({ task, seed: 0, train: 3, test: 1 })));
  await writeFieldFile(path("darcy.h5"), darcyFile(16, 3));
  await writeFieldFile(path("dam-break.h5"), damBreakFile(16, 3));
  await writeFieldFile(path("cylinder.h5"), cylinderFile(32, 3));
  await writeFieldFile(path("flat-velocity.h5"), flatVelocityFile(50, 14, 3));
  await writeConditionedFile(path("imported.h5"), cylinderFile(32, 3));
  const y = Float64Array.from({ length: 4 * 6 * 5 }, (_, i) => Math.sin(i));
  writeFileSync(path("y.npy"), writeNpy(y, [4, 6, 5]));
  writeFileSync(path("numbers.npy"), writeNpy(y, [y.length]));
  writeFileSync(path("numbers.npz"), writeNpz({ a: numbers([4, 30]), u: numbers([4, 30]) }));
  const kappa = Float64Array.of(0.125, 0.25, 0.5, 1 / 3);
  writeFileSync(
    path("heat.npz"),
    writeNpz({ kappa: { values: kappa, shape: [4, 1] }, u: { values: y, shape: [4, 6, 5] } }),
  );
  writeFileSync(path("kappa.npy"), writeNpy(kappa));
  writeFileSync(path("cube.npy"), writeNpy(numbers([2, 8, 9, 10]).values, [2, 8, 9, 10]));
  writeFileSync(path("many.npy"), writeNpy(new Float64Array(4 * 9 * 2 * 2), [4, 9, 2, 2]));
  const line = (length: number, step: number) => Float64Array.from({ length }, (_, i) => step * i);
  writeFileSync(
    path("flow.npz"),
    writeNpz({
      inputs: { values: numbers([2, 12, 16]).values, shape: [2, 12, 16] },
      responses: { values: numbers([2, 5, 12, 16]).values, shape: [2, 5, 12, 16] },
      t: line(5, 0.5),
      x: line(12, 0.125),
      y: line(16, 0.125),
    }),
  );
  const state = numbers(
    [2, 3, 6, 6],
    { label: "state", channel_labels: ["density", "velocity x", "velocity y"] },
    ["sample", "channel", "/x", "/y"],
  );
  await writeHdf5(path("state.h5"), {
    attributes: {},
    datasets: {
      "/x": { shape: [6], values: line(6, 1), attributes: { units: "m" } },
      "/y": { shape: [6], values: line(6, 1), attributes: { units: "m" } },
      "/inputs": state,
      "/responses": state,
    },
  });
  writeFileSync(
    path("deepxde.npz"),
    writeNpz({
      X_train0: { values: y.subarray(0, 20), shape: [4, 5] },
      y_train: { values: y, shape: [4, 30] },
      X_test0: { values: y.subarray(0, 20), shape: [4, 5] },
      y_test: { values: y, shape: [4, 30] },
    }),
  );
}, 60_000);

/** An array of sines to write. */
function numbers(shape: readonly number[], attributes = {}, axes?: readonly string[]) {
  const length = shape.reduce((product, side) => product * side, 1);
  return { shape, values: Float64Array.from({ length }, (_, i) => Math.sin(i)), attributes, axes };
}

afterEach(() => void vi.restoreAllMocks());

/** Runs the command in this process, with names of files in the test's folder. */
async function show(...args: string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  vi.spyOn(console, "log").mockImplementation((line) => void stdout.push(String(line)));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => stderr.push(String(text)) > 0);
  const placed = args.map((word) => (/\.(h5|npy|npz|svg|png|pdf|gif)$/.test(word) ? path(word) : word));
  const status = await main(["show", ...placed]);
  return { status, stdout: stdout.join("\n"), stderr: stderr.join("").replaceAll(`${folder}/`, "") };
}

async function shown(data: string, ...options: string[]): Promise<string[]> {
  const outcome = await show(data, "--out", "s.svg", "--force", ...options);
  expect(outcome.stderr).toMatch(/^[\w-]+\.\w+: .*responses.* \(\d+ samples\).*\n$/);
  return texts(readFileSync(path("s.svg"), "utf8"));
}

describe("show", () => {
  it.each([
    ["antiderivative", ["Antiderivative, train sample 2", "a(x)", "u(x)", "x"]],
    ["burgers", ["Burgers, train sample 2", "u0(x)", "u(x, t)", "t"]],
    ["diffusion-reaction", ["Diffusion-reaction, train sample 2", "f(x)", "u(x, t)"]],
    ["darcy", ["Darcy flow, train sample 2", "permeability a", "pressure p", "x", "y"]],
    ["dam-break", ["Radial dam break, train sample 2", "h before", "hv after", "discharge hu"]],
    ["cylinder", ["Cylinder flow, train sample 2", "u before", "ω after", "velocity v (m/s)", "x (m)"]],
    ["flat-velocity", ["Flat velocity layers, train sample 2", "xs = 170 m", "time (s)", "velocity (m/s)"]],
  ])("draws %s with its quantities, and says where the data come from", async (task, expected) => {
    const written = await shown(`${task}.h5`, "--sample", "2");
    const origin = CONTROLLED.includes(task) ? `simulated by pde-dirichlet ${VERSION}` : MADE_UP;
    expect(written).toEqual(expect.arrayContaining([...expected, origin]));
  });

  it("draws an input without names of its axes like a response on the same grid, not transposed", async () => {
    const field = numbers([4, 9, 12]);
    writeFileSync(path("plane.npz"), writeNpz({ a: field, u: field }));
    const written = await shown("plane.npz", "--axes", "x,y");
    expect(written.filter((text) => text === "x" || text === "y")).toHaveLength(3); // y once, beside both
    expect(written).not.toContain("column");
    const images = readFileSync(path("s.svg"), "utf8").match(/href="data:image[^"]*"/g)!;
    expect([images.length, new Set(images).size]).toEqual([2, 1]);
  });

  it("does not say of coordinates that it uses that they are not read", async () => {
    const line = (length: number) => Float64Array.from({ length }, (_, i) => i / length);
    writeFileSync(
      path("placed.npz"),
      writeNpz({ a: numbers([4, 9, 12]), u: numbers([4, 9, 12]), x: line(9), y: line(12), other: line(7) }),
    );
    const { stderr } = await show("placed.npz", "--out", "s.svg", "--force");
    expect(stderr).toContain("; not read: other (choose others");
  });

  it("draws several samples of the test half, a row each", async () => {
    const written = await shown("darcy.h5", "--split", "test", "--sample", "0", "2");
    expect(written).toEqual(
      expect.arrayContaining(["Darcy flow, test samples 0, 2", "sample 0", "sample 2"]),
    );
    const all = await shown("antiderivative.h5", "--sample", "0,1,2");
    expect(all).toContain("Antiderivative, train samples 0 to 2");
  });

  it("places imported flows by the bounds of their case, and says that they are imported", async () => {
    const written = await shown("imported.h5", "--sample", "1");
    expect(written).toEqual(expect.arrayContaining(["imported from CFDBench", "x (m)", "0.15"]));
    expect(written).not.toContain("0.8"); // no parts of the domain
  });

  it("draws files of others by their shapes", async () => {
    const alone = await shown("y.npy", "--sample", "3");
    expect(alone).toEqual(expect.arrayContaining(["Sample 3", "from y.npy", "response", "row", "column"]));
    const both = await shown("deepxde.npz", "--split", "test");
    expect(both).toEqual(expect.arrayContaining(["Input", "Response"]));
  });

  it("draws data of one's own under their own title, with their labels, units and coordinates", async () => {
    await writeHdf5(path("own.h5"), {
      attributes: { title: "Waves_in a tube" },
      datasets: {
        "/x": { shape: [6], values: Float64Array.of(0, 2, 4, 6, 8, 10), attributes: { units: "cm" } },
        "/inputs": numbers([4, 6], { label: "gas_pressure", units: "kPa" }, ["sample", "/x"]),
        "/responses": numbers([4, 6], { long_name: "velocity" }, ["sample", "/x"]),
      },
    });
    const written = await shown("own.h5");
    expect(written).toEqual(
      expect.arrayContaining([
        "Waves_in a tube, train sample 0",
        "Gas_pressure",
        "gas_pressure (kPa)",
        "velocity",
        "x (cm)",
        "10",
      ]),
    );
    const asked = ["--title", "Tube", "--input-label", "p", "--input-unit", "Pa", "--response-label", "v_1"];
    expect(await shown("own.h5", ...asked)).toEqual(expect.arrayContaining(["Tube", "p (Pa)", "v_1"]));
  });

  it("draws a file of a task under a title of its own, and not as the task's fields where it has labels", async () => {
    expect(await shown("darcy.h5", "--title", "Groundwater")).toContain("Groundwater");
    const labelled = await shown("darcy.h5", "--input-label", "vorticity");
    expect(labelled).toEqual(expect.arrayContaining(["Vorticity", "vorticity", "Response"]));
    expect(labelled.join()).not.toMatch(/ermeability|ressure/);
  });

  it("draws volumes by planes and trajectories by frames", async () => {
    writeFileSync(path("volume.npy"), writeNpy(numbers([2, 9, 10, 11]).values, [2, 9, 10, 11]));
    const middle = await shown("volume.npy");
    expect(middle).toEqual(expect.arrayContaining(["Response, x = 4", "Response, y = 5", "Response, z = 5"]));
    expect(await shown("volume.npy", "--slice", "z=7")).toContain("Response, z = 7");
    const named = ["--axes", "x,y,t"];
    expect(await shown("volume.npy", ...named)).toContain("Response, t = 10");
    const frames = await shown("volume.npy", ...named, "--frame", "2", "3");
    expect(frames.filter((text) => text.startsWith("Response, t"))).toEqual([
      "Response, t = 2",
      "Response, t = 3",
    ]);
    const channels = await shown("volume.npy", "--channels", "last", "--channel", "1", "10");
    expect(channels).toEqual(expect.arrayContaining(["Response, channel 1", "Response, channel 10"]));
  });

  it("draws frames of a trajectory (t, x, y) at their times, x to the right", async () => {
    const written = await shown("flow.npz", "--axes", "t,x,y", "--frame", "0", "4");
    expect(written).toEqual(
      expect.arrayContaining(["Input", "Response, t = 0", "Response, t = 2", "x", "y"]),
    );
    expect(written).not.toContain("Response, t = 1");
    const svg = readFileSync(path("s.svg"), "utf8");
    const sizes = [...svg.matchAll(/<image height="([\d.]+)".*? width="([\d.]+)"/g)].map(
      ([, height, width]) => Number(width) / Number(height),
    );
    expect(sizes).toHaveLength(3);
    for (const size of sizes) expect(size).toBeCloseTo(12 / 16, 2); // the domain's proportions
  });

  it("takes a whole number for a point and a number with a decimal point for a coordinate", async () => {
    const named = ["flow.npz", "--axes", "t,x,y", "--frame", "4"] as const;
    const [data, ...options] = named;
    const numbered = await shown(data, ...options, "--slice", "y=1");
    expect(numbered).toEqual(expect.arrayContaining(["Input, y = 0.125", "Response, t = 2, y = 0.125"]));
    const placed = await shown(data, ...options, "--slice", "y=1.0");
    expect(placed).toEqual(expect.arrayContaining(["Input, y = 1", "Response, t = 2, y = 1"]));
    expect(await shown(data, "--axes", "t,x,y", "--slice", "t=1.1")).toContain("Response, t = 1");
  });

  it("chooses channels by label or number, and tells input from response where both are called alike", async () => {
    const all = await shown("state.h5");
    expect(all).toEqual(
      expect.arrayContaining(["Input, density", "Response, velocity x", "state, velocity y", "x (m)"]),
    );
    const some = await shown("state.h5", "--channel", "Velocity X", "0");
    expect(some.filter((text) => text.startsWith("Response"))).toEqual([
      "Response, velocity x",
      "Response, density",
    ]);
  });

  it("takes an empty label for none", async () => {
    const written = await shown("state.h5", "--input-label", "", "--channel", "density");
    expect(written).toEqual(expect.arrayContaining(["Density", "density", "State, density"]));
    const frames = await shown("flow.npz", "--axes", "t,x,y", "--response-label", "");
    expect(frames).toEqual(expect.arrayContaining(["Input", "t = 0", "t = 2"]));
  });

  it("gives each channel a row where it has several frames", async () => {
    const values = numbers([2, 2, 5, 6, 8]);
    writeFileSync(path("both.npz"), writeNpz({ responses: { values: values.values, shape: values.shape } }));
    await shown("both.npz", "--responses", "responses", "--axes", "channel,t,x,y");
    const svg = readFileSync(path("s.svg"), "utf8");
    expect(svg.match(/<image /g)).toHaveLength(6);
    expect(texts(svg)).toEqual(
      expect.arrayContaining(["Response, channel 0", "Response, channel 1", "t = 4"]),
    );
    expect(svg.match(/url\(#rdbu-colors\)/g)).toHaveLength(2);
  });

  it("prints no text that cannot be switched off", async () => {
    const all = await shown("flow.npz", "--axes", "t,x,y");
    expect(all).toEqual(
      expect.arrayContaining(["Sample 0", "from flow.npz", "Input", "a", "x", "input", "0.5"]),
    );
    const without = (...flags: string[]) => shown("flow.npz", "--axes", "t,x,y", ...flags);
    expect(await without("--no-title")).not.toContain("Sample 0");
    expect(await without("--no-origin")).not.toContain("from flow.npz");
    expect((await without("--no-labels")).filter((text) => /^(Input|Response|a)/.test(text))).toEqual([]);
    expect((await without("--no-ticks")).filter((text) => /^[xy]$/.test(text))).toEqual([]);
    expect(await without("--no-colorbar")).not.toContain("input");
    expect(await without("--bare")).toEqual([]);
    expect(await shown("flow.npz", "--axes", "t,x,y", "--sample", "0", "1", "--bare")).toEqual([]);
    expect(await shown("deepxde.npz", "--bare")).toEqual([]);
    expect(await without("--labels", "A_1", "B", "C", "D", "--no-title")).toEqual(
      expect.arrayContaining(["A_1", "B", "C", "D"]),
    );
  });

  it("draws with the colours, limits and width that are asked for", async () => {
    const svg = async (...flags: string[]) => {
      await shown("flow.npz", "--axes", "t,x,y", ...flags);
      return readFileSync(path("s.svg"), "utf8");
    };
    const both = await svg("--colormap", "cividis,prgn", "--limits", "-2:2,-4:4");
    expect(both).toContain("url(#cividis-colors)");
    expect(both).toContain("url(#prgn-colors)");
    expect(texts(both)).toEqual(expect.arrayContaining(["−4", "4"]));
    expect(await svg("--width", "89")).toMatch(/<svg [^>]*width="336"/);
    const narrow = await svg("--width", "89", "--bare");
    expect(narrow).toMatch(/<svg [^>]*width="336"/);
  });

  it("spans exactly the limits that are asked for, with ticks within them", async () => {
    const written = await shown("numbers.npz", "--limits", "-0.7:2.5");
    expect(written).toEqual(expect.arrayContaining(["0", "1", "2"]));
    for (const beyond of ["−1", "3"]) expect(written).not.toContain(beyond);
  });

  it("draws all of a few channels, and the first, the middle and the last of many", async () => {
    const channels = async (...args: string[]) =>
      (await shown(...(args as [string]), "--channels", "first")).filter((text) =>
        /^[A-Z].*, channel \d+$/.test(text),
      );
    expect(await channels("many.npy")).toEqual([
      "Response, channel 0",
      "Response, channel 4",
      "Response, channel 8",
    ]);
    expect(await channels("many.npy", "--channel", "1", "2")).toHaveLength(2);
    writeFileSync(
      path("volumes.npz"),
      writeNpz({ a: numbers([2, 5, 6, 7, 8]), u: numbers([2, 5, 6, 7, 8]) }),
    );
    const rows = await channels("volumes.npz"); // a row for each channel, of three planes
    expect(rows).toEqual(
      ["Input", "Response"].flatMap((name) => [0, 2, 4].map((channel) => `${name}, channel ${channel}`)),
    );
  });

  it("draws an initial value without names of its axes like the frames of its trajectory", async () => {
    const frame = numbers([4, 9, 12]);
    const frames = { shape: [4, 9, 12, 3], values: Float64Array.from(frame.values, (v) => v) };
    const values = Float64Array.from(
      { length: 3 * frames.values.length },
      (_, i) => frame.values[Math.floor(i / 3)],
    );
    writeFileSync(path("initial.npz"), writeNpz({ a: frame, u: { shape: frames.shape, values } }));
    const written = await shown("initial.npz", "--axes", "x,y,t", "--frame", "0");
    expect(written).not.toContain("column");
    const images = readFileSync(path("s.svg"), "utf8").match(/href="data:image[^"]*"/g)!;
    expect([images.length, new Set(images).size]).toEqual([2, 1]);
  });

  it("finds x_train beside y_train, and the test half by the same names", async () => {
    const half = (samples: number) => ({ values: numbers([samples, 7]).values, shape: [samples, 7] });
    const arrays = { x_train: half(4), y_train: half(4), x_test: half(2), y_test: half(2) };
    writeFileSync(path("pair.npz"), writeNpz(arrays));
    expect(await shown("pair.npz")).toEqual(expect.arrayContaining(["Input", "Response"]));
    expect((await show("pair.npz", "--split", "test", "--sample", "2", "--out", "n.png")).stderr).toMatch(
      /has 2 test samples, 0 to 1/,
    );
  });

  it("shows a scale for inputs and one for responses where they have as many pictures", async () => {
    const written = await shown("volume.npy", "--inputs", "volume.npy");
    expect(written).toEqual(expect.arrayContaining(["input", "response", "Input, z = 5", "Response, z = 5"]));
  });

  it("tells an input that is a single number beside the response", async () => {
    const one = await shown("heat.npz", "--responses", "u", "--inputs", "kappa", "--sample", "1");
    expect(one).toEqual(expect.arrayContaining(["Sample 1, kappa = 0.25", "response"]));
    const two = await shown("heat.npz", "--responses", "u", "--inputs", "kappa", "--sample", "0", "3");
    expect(two).toEqual(expect.arrayContaining(["Samples 0, 3", "sample 0, kappa = 0.125"]));
    expect(await shown("y.npy", "--inputs", "kappa.npy")).toContain("Sample 0, kappa = 0.125");
  });

  it("writes SVG, PNG and PDF by the file's ending, and JSON for machines", async () => {
    const kinds = { svg: "<svg", png: "\x89PNG", pdf: "%PDF" };
    for (const [ending, start] of Object.entries(kinds)) {
      const outcome = await show("darcy.h5", "--out", `kind.${ending}`, "--json");
      expect(JSON.parse(outcome.stdout)).toEqual({
        file: path(`kind.${ending}`),
        task: "darcy",
        split: "train",
        samples: [0],
        origin: MADE_UP,
        reading:
          "darcy.h5: inputs /train/inputs: 1 channel on 16 x 16 (x, y); responses /train/responses: 1 channel on 16 x 16 (x, y) (3 samples)",
      });
      expect(readFileSync(path(`kind.${ending}`), "latin1").startsWith(start)).toBe(true);
    }
  });

  it.each([
    [
      "a sample out of range",
      ["darcy.h5", "--sample", "3"],
      /no sample 3: darcy.h5 has 3 train samples, 0 to 2/,
    ],
    ["a sample that is no number", ["darcy.h5", "--sample", "last"], /"last" is not a number/],
    [
      "an unknown ending",
      ["darcy.h5", "--out", "s.gif"],
      /--out ends in \.svg, \.png or \.pdf, not "s\.gif"/,
    ],
    ["an unknown half", ["darcy.h5", "--split", "validation"], /Allowed choices are train, test/],
    ["a half that the file has not", ["y.npy", "--split", "test"], /without a test split: leave out --split/],
    ["a dataset that the file has not", ["darcy.h5", "--responses", "/u"], /darcy.h5 has no dataset \/u/],
    ["a picture that exists", ["darcy.h5", "--out", "darcy.h5.png"], /darcy.h5.png exists: .* --force/],
    [
      "a picture in the place of the data",
      ["y.npy", "--inputs", "y.svg", "--out", "y.svg", "--force"],
      /also read/,
    ],
    ["more samples than a page takes", ["darcy.h5", "--sample", "0,1,2,3,4,5,6,7,8"], /at most 8/],
    [
      "too many channels",
      ["many.npy", "--channels", "first", "--channel", "0,1,2,3,4,5,6,7,8"],
      /samples give 9 pictures in a row, more than the 6 that fit: choose some with --channel, --frame or --slice/,
    ],
    ["an axis that volumes have not", ["cube.npy", "--slice", "q=1"], /no axis q: their axes are x, y, z/],
    [
      "a plane outside of a volume",
      ["cube.npy", "--slice", "z=12"],
      /no point 12 along z: samples have 10, 0 to 9/,
    ],
    [
      "a coordinate of an axis without coordinates",
      ["cube.npy", "--slice", "z=0.5"],
      /no coordinates of z: give the number of a point, 0 to 9/,
    ],
    ["a coordinate outside", ["flow.npz", "--slice", "y=7.5"], /y = 7.5 lies outside: y goes from 0 to 1.88/],
    [
      "a frame out of range",
      ["flow.npz", "--axes", "t,x,y", "--frame", "0", "9"],
      /no frame 9: samples have 5, 0 to 4/,
    ],
    [
      "a frame of samples without time",
      ["cube.npy", "--frame", "1"],
      /no frame 1: no axis of a sample is time \(x, y, z\); name the axes with --axes, such as t,x,y/,
    ],
    [
      "a channel that there is not",
      ["state.h5", "--channel", "density", "heat"],
      /no channel heat: there are 3, density, velocity x, velocity y or 0 to 2/,
    ],
    [
      "a channel of two arrays alike",
      ["state.h5", "--channel", "7"],
      /there is no channel 7: there are \d, [^;]*$/,
    ],
    ["a channel of samples without", ["cube.npy", "--channel", "1"], /samples have no axis of channels/],
    [
      "an unknown colour map",
      ["cube.npy", "--colormap", "jet"],
      /"jet" is no colour map: there are viridis, /,
    ],
    [
      "limits the wrong way round",
      ["cube.npy", "--limits", "1:-1"],
      /"1:-1" is not a low and a higher number/,
    ],
    [
      "limits that a diverging map does not take",
      ["cube.npy", "--colormap", "rdbu", "--limits", "0:1"],
      /the middle of rdbu is zero/,
    ],
    ["too few headings", ["cube.npy", "--labels", "one"], /--labels has 1 texts for 3 panels/],
    ["three colour maps", ["cube.npy", "--colormap", "magma,turbo,rdbu"], /takes one value, or two/],
    ["a width that nobody can read", ["cube.npy", "--width", "3"], /"3" is not from 40 to 1000 mm/],
    ["a plane without a number", ["cube.npy", "--slice", "z"], /"z" is not an axis and a number/],
    ["too few names of axes", ["cube.npy", "--axes", "x,y"], /3 axes, 8 x 9 x 10, not x, y/],
    ["single numbers", ["numbers.npy"], /the response of a sample is a single number/],
    ["a missing file", ["missing.h5"], /missing\.h5/],
  ])("tells %s in one line", async (_, args, message) => {
    writeFileSync(path("darcy.h5.png"), "");
    writeFileSync(path("y.svg"), "");
    const before = readdirSync(folder).sort();
    const out = args.includes("--out") ? [] : ["--out", "new.png"];
    const outcome = await show(...args, ...out);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(outcome.status).not.toBe(0);
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});
