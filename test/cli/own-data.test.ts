import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { writeNpz } from "../../src/files/npz.js";
import { stream } from "../../src/random/stream.js";
import { workFolder } from "./command.js";
import { advection, heat, navierStokes, scattered } from "./own-fields.js";

const { path, run } = workFolder();

const POINTS = Float64Array.from({ length: 2 * 40 }, () => 0);
{
  const random = stream(5, "points");
  for (let i = 0; i < POINTS.length; i++) POINTS[i] = random.uniform();
}

/** Data of one's own from file to report: how they are stored, what the tool says of them, and the model that learns them. */
const CASES = {
  "two-dimensional Navier-Stokes": {
    file: "ns.npz",
    entries: () => {
      const { inputs, responses } = navierStokes(60, 16);
      return { w0: { shape: [60, 16, 16], values: inputs }, w: { shape: [60, 16, 16], values: responses } };
    },
    data: "{ file: ns.npz, inputs: w0, responses: w, name: vorticity, title: Decaying vortices, response_label: vorticity w, response_unit: 1/s }",
    train: ["ns.npz", "--inputs", "w0", "--responses", "w", "--name", "vorticity"],
    reading: "inputs w0: 1 channel on 16 x 16; responses w: 1 channel on 16 x 16",
    counts: "48 training and 12 test samples",
    name: "vorticity",
    title: "Decaying vortices",
    model: "fno2d",
    options: "{ width: 6, modes: 4, layers: 2, projection: 12 }",
    seeds: "[0, 1]",
  },
  "one-dimensional advection": {
    file: "advection.npz",
    entries: () => {
      const { inputs, responses } = advection(80, 64);
      return {
        inputs: { shape: [80, 64], values: inputs },
        responses: { shape: [80, 64], values: responses },
      };
    },
    data: "{ file: advection.npz, test: 16 }",
    train: ["advection.npz", "--test", "16"],
    reading: "inputs inputs: 1 channel on 64 points; responses responses: 1 channel on 64 points",
    counts: "64 training and 16 test samples",
    name: "advection",
    title: "advection",
    model: "fno1d",
    options: "{ width: 8, modes: 6, layers: 2, projection: 16 }",
    seeds: "[0]",
  },
  "a field on 32 x 32 x 32": {
    file: "heat.npz",
    entries: () => {
      const { inputs, responses } = heat(16, 32);
      return {
        u0: { shape: [16, 32, 32, 32], values: Float32Array.from(inputs) },
        u: { shape: [16, 32, 32, 32], values: Float32Array.from(responses) },
      };
    },
    data: "{ file: heat.npz, inputs: u0, responses: u, test: 12:16, title: Heat in a cube, channels: none }",
    train: ["heat.npz", "--inputs", "u0", "--responses", "u", "--test", "12:16", "--channels", "none"],
    reading:
      "inputs u0: 1 channel on 32 x 32 x 32 (x, y, z); responses u: 1 channel on 32 x 32 x 32 (x, y, z)",
    counts: "12 training and 4 test samples",
    name: "heat",
    title: "Heat in a cube",
    model: "fno3d",
    options: "{ width: 3, modes: 3, layers: 2, projection: 6 }",
    seeds: "[0]", // a cube takes as long as hundreds of lines
  },
  "a DeepONet on a list of points": {
    file: "probes.npz",
    entries: () => {
      const { inputs, responses } = scattered(80, 30, POINTS);
      return {
        forcing: { shape: [80, 30], values: inputs },
        probes: { shape: [80, 40], values: responses },
        points: { shape: [40, 2], values: POINTS },
      };
    },
    data: "{ file: probes.npz, inputs: forcing, responses: probes, test: 0.25 }",
    train: ["probes.npz", "--inputs", "forcing", "--responses", "probes", "--test", "0.25"],
    reading: "inputs forcing: 1 channel on 30 points; responses probes: 1 channel on 40 points",
    counts: "60 training and 20 test samples",
    name: "probes",
    title: "probes",
    model: "deeponet",
    options: "{ width: 12, depth: 2 }",
    seeds: "[0, 1]",
  },
} as const;

beforeAll(() => {
  for (const { file, entries } of Object.values(CASES))
    writeFileSync(path(file), writeNpz(entries() as never));
});

describe.each(Object.entries(CASES))("%s, from file to report", (_, one) => {
  const out = `out-${one.name}`;

  it("says how it reads the file, and trains the model that its shapes call for", async () => {
    const { stdout, stderr, status } = await run(
      "train",
      ...one.train,
      ...["--alpha", "0.5", "--clients", "2", "--rounds", "2", "--local-steps", "1", "--bins", "3", "--json"],
      "--model",
      ...one.options
        .replace(/[{}\s]/g, "")
        .replaceAll(":", "=")
        .split(","),
    );
    expect(stderr).toContain(one.reading);
    expect(stderr).toContain(one.counts);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ options: { task: one.name }, model: { name: one.model } });
  });

  it("runs a study along two axes, and reports under its own names", async () => {
    writeFileSync(
      path(`${one.name}.yaml`),
      `name: mine\ntitle: A study of my own\ndata: ${one.data}\nmodel: ${one.options}\n` +
        `alphas: [100, 0.1]\nseeds: ${one.seeds}\nfederation: { clients: 2, rounds: 2, local_steps: [1, 2] }\n` +
        "partition: { bins: [2, 3] }\n",
    );
    const { stdout, stderr, status } = await run("study", `${one.name}.yaml`, "--out", out, "--jobs", "2");
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
    expect(stderr).toContain(one.reading);
    expect(stdout).toContain(one.name);
    const report = readFileSync(path(`${out}/report.md`), "utf8");
    expect(report).toContain("# A study of my own");
    expect(report).toContain(one.title);
    expect(report).toMatch(/local steps/i);
    expect(report).toMatch(/bins/i);
    expect(report).not.toMatch(/paper|RQ\d|permeab|antiderivative|burgers|darcy/i);
    const [first] = readdirSync(path(`${out}/runs`));
    expect(first).toMatch(new RegExp(`^${one.name}-`));
    const csv = readFileSync(path(`${out}/records.csv`), "utf8").split("\n");
    expect(csv[0].split(",")).toEqual(expect.arrayContaining(["task", "local_steps", "bins", "model"]));
    expect(csv[1]).toContain(one.name);
    const page = readFileSync(path(`${out}/report.html`), "utf8");
    expect(page).toContain(one.title);
    const verified = await run("verify", out);
    expect([verified.status, verified.status === 0 ? "" : verified.stderr]).toEqual([0, ""]);
  });
});
