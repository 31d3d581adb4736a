import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const [SAMPLES, SIDE] = [80, 8];
const SIZE = SIDE * SIDE;

/** Fields of two channels, last, that four random numbers determine; those are the descriptors. */
function fields() {
  const random = stream(5, "fields");
  const pod = Float64Array.from({ length: SAMPLES * 4 }, (_, i) => normal(random) * [4, 2, 1, 0.5][i % 4]);
  const responses = new Float32Array(SAMPLES * SIZE * 2);
  for (let i = 0; i < responses.length; i++) {
    const [sample, point, channel] = [Math.floor(i / (2 * SIZE)), Math.floor(i / 2) % SIZE, i % 2];
    const [x, y] = [Math.floor(point / SIDE) / SIDE, (point % SIDE) / SIDE];
    const k = pod.subarray(sample * 4, sample * 4 + 4);
    responses[i] = channel === 0 ? k[0] * Math.sin(6 * x) + k[1] * y : k[2] * Math.cos(6 * y) + k[3] * x * y;
  }
  return { pod, responses };
}

const { pod, responses } = fields();
const drag = Float64Array.from({ length: SAMPLES }, (_, i) => 0.01 * pod[4 * i] ** 2);
const shape = [SAMPLES, SIDE, SIDE, 2];
const npz = {
  responses: { values: responses, shape },
  inputs: { values: responses.map((u) => 2 * u), shape },
};
const described = { ...npz, drag, pod: { values: pod, shape: [SAMPLES, 4] } };
writeFileSync(path("all.npz"), writeNpz(described));
const { inputs: x_train, responses: y_train } = npz;
const halves = { x_train, y_train, x_test: x_train, y_test: y_train };
writeFileSync(path("halves.npz"), writeNpz({ ...halves, drag, pod: { values: pod, shape: [SAMPLES, 4] } }));
const matrix = Float64Array.from({ length: 16 }, (_, i) => Math.abs(Math.floor(i / 4) - (i % 4)));
const changed = (at: readonly number[], value: number) =>
  writeNpy(
    matrix.map((one, i) => (at.includes(i) ? value : one)),
    [4, 4],
  );
writeFileSync(path("cost.npy"), writeNpy(matrix, [4, 4]));
writeFileSync(path("asymmetric.npy"), changed([1], 5));
writeFileSync(path("nan.npy"), changed([1, 4], Number.NaN));
writeFileSync(
  path("costs.npz"),
  writeNpz({ near: { values: matrix, shape: [4, 4] }, far: { values: matrix, shape: [4, 4] } }),
);

const READ = ["--channels", "last"];
const SPLIT = ["--bins", "4", "--clients", "4", "--min-size", "4", "--seed", "3"];
const json = (name: string) => JSON.parse(readFileSync(path(name), "utf8"));

const METRICS: readonly (readonly [string, readonly string[], object])[] = [
  [
    "spectrum-h1",
    ["--representation", "spectrum", "--cost", "h1"],
    { representation: "spectrum", cost: "h1" },
  ],
  ["gradient", ["--representation", "gradient"], { representation: "gradient" }],
  [
    "pca-matrix",
    ["--representation", "pca:3", "--cost", "cost.npy"],
    { representation: "pca:3", cost: "cost.npy" },
  ],
  [
    "descriptors",
    ["--representation", "drag, pod[:, :3]", "--standardise", "columns", "--cost", "discrete"],
    { representation: "drag, pod[:, :3]", standardise: "columns", cost: "discrete" },
  ],
];

describe("bins of a representation with a cost", () => {
  it.each(METRICS)(
    "go from a file to a partition, a diagnosis and a trained model: %s",
    async (name, flags, recorded) => {
      const own = `${name}.json`;
      const split = [...READ, ...flags, "--alpha", "0.3", ...SPLIT, "--out", own];
      const made = await run("partition", "halves.npz", ...split);
      expect(made.stderr).toMatch(/those of (gradients|spectra|principal coordinates|descriptors)/);
      expect(made.status).toBe(0);
      const { options, metrics, data, client_of_sample } = json(own);
      expect(options).toMatchObject(recorded);
      expect(data.response_shape).toEqual([SIDE, SIDE, 2]);
      const reused = ["--alpha", "0.3", ...SPLIT.slice(2), "--bins-from", own, "--out", `again-${own}`];
      const model = ["--model", "fno", "width=4", "modes=2", "--rounds", "0", "--seed", "3"];
      const [measured, , trained] = await Promise.all([
        run("diagnose", "halves.npz", own, "--json", "--quiet"),
        run("partition", "halves.npz", ...READ, ...reused, "--quiet"),
        run("train", "halves.npz", ...READ, ...model, "--partition", own, "--json", "--quiet"),
      ]);
      expect(JSON.parse(measured.stdout).metrics).toEqual(metrics);
      expect(JSON.parse(measured.stdout).bins).toMatchObject(recorded);
      expect(json(`again-${own}`)).toMatchObject({ client_of_sample, metrics });
      // The model takes channels first, the file has them last: bins are the partition's all the same.
      const { partition } = JSON.parse(trained.stdout);
      const { d_sol, eps_quant } = metrics;
      expect(partition).toMatchObject({ d_sol, eps_quant });
    },
    60_000,
  );

  it("are the same for all rows of a comparison", async () => {
    const iid = ["--partitioner", "iid", ...SPLIT, "--quiet"];
    await run("partition", "all.npz", ...READ, ...iid, "--representation", "drag", "--out", "a.json");
    await run(
      "partition",
      "all.npz",
      ...READ,
      ...iid,
      "--representation",
      "pca:2",
      "--cost",
      "h1",
      "--out",
      "b.json",
    );
    const rows = async (...flags: string[]) => {
      const { stdout } = await run("compare", "all.npz", "a.json", "b.json", ...flags, "--json", "--quiet");
      const { bins, partitions } = JSON.parse(stdout);
      return {
        bins,
        distances: partitions.map(({ metrics }: { metrics: { d_sol: number } }) => metrics.d_sol),
      };
    };
    const first = await rows();
    expect(first.bins).toBe("All measured with the 4 bins of a.json, of drag.");
    expect(first.distances[0]).toBe(json("a.json").metrics.d_sol);
    expect(first.distances[1]).toBe(first.distances[0]); // the same clients
    const asked = await rows(
      "--representation",
      "pca:2",
      "--cost",
      "h1",
      "--bins",
      "4",
      "--channels",
      "last",
      "--seed",
      "3",
    );
    expect(asked.bins).toBe("All measured with 4 bins, fitted with seed 3, of pca:2, cost h1.");
    expect(asked.distances).toEqual([json("b.json").metrics.d_sol, json("b.json").metrics.d_sol]);
  }, 60_000);

  it.concurrent.each([
    [["--representation", "pca:0"], "pca takes a whole number from 1 on behind a colon"],
    [["--representation", "pca:10000"], "80 responses of 128 numbers have at most 79 components"],
    [
      ["--representation", "drg"],
      'no array "drg": with a row for each sample there are inputs, drag, pod; other representations are field, gradient, spectrum, pca:20',
    ],
    [
      ["--representation", "gradient", "--responses", "pod", "--inputs", "drag"],
      "4 numbers each (4), which are no field on a grid",
    ],
    [["--representation", "drag", "--cost", "h1"], "the cost h1 compares fields on one grid"],
    [["--cost", "asymmetric.npy"], "asymmetric.npy: the cost from bin 0 to 1 is 5, but back it is 1"],
    [["--cost", "nan.npy"], "nan.npy: the cost from bin 0 to 1 is NaN"],
    [
      ["--cost", "cost.npy", "--bins", "6"],
      "cost.npy is a cost matrix of 4 bins, but there are 6: add --bins 4",
    ],
    [["--cost", "missing.csv"], "cannot read missing.csv"],
    [["--cost", "h3"], "cost is l2, h1, discrete or a file with a matrix"],
    [["--cost", "costs.npz"], "name one as costs.npz:<array>"],
    [["--standardise", "columns"], "standardise scales arrays"],
    [["--representation", "drag[3]"], "the values of drag[3] of all.npz are a single number"],
  ])("answer %j in one line and write nothing", async (flags, message) => {
    const channels = flags.includes("--responses") ? [] : READ;
    const bins = flags.includes("--bins") ? SPLIT.slice(2) : SPLIT;
    const { status, stderr } = await run(
      ...[
        "partition",
        "all.npz",
        ...channels,
        ...flags,
        ...bins,
        "--alpha",
        "1",
        "--out",
        "bad.json",
        "--quiet",
      ],
    );
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(status).not.toBe(0);
    expect(existsSync(path("bad.json"))).toBe(false);
  });

  it("that are reused take no other representation or cost, and their arrays alone do not tell them", async () => {
    await run(
      "partition",
      "all.npz",
      ...READ,
      ...SPLIT,
      "--alpha",
      "1",
      "--representation",
      "drag",
      "--out",
      "d.json",
      "--quiet",
    );
    const from = (...flags: string[]) =>
      run(
        ...[
          "partition",
          "all.npz",
          "--alpha",
          "1",
          "--clients",
          "4",
          "--min-size",
          "4",
          "--out",
          "n.json",
          "--quiet",
        ],
        ...flags,
      );
    expect((await from("--bins-from", "d.json", "--cost", "h1")).stderr).toContain(
      "brings its own representation and cost: leave out --cost",
    );
    expect((await from("--bins-from", "d.npz")).stderr).toContain(
      "d.npz has bins of another representation: name the .json file",
    );
  });
});

describe("a study", () => {
  it("varies representation and cost as axes, and names files of costs by what they hold", async () => {
    writeFileSync(
      path("study.yaml"),
      `name: metrics
data: { file: all.npz, channels: last, test: 16 }
alphas: [100, 0.3]
seeds: [0]
model: { name: fno, width: 4, modes: 2 }
federation: { clients: 4, rounds: 1 }
partition: { bins: 4, min_size: 4, representation: [field, drag], cost: cost.npy }
`,
    );
    const { status, stderr } = await run("study", "study.yaml", "--out", "metrics", "--quiet");
    expect(stderr).not.toContain("error");
    expect(status).toBe(0);
    const { runs } = json("metrics/studies/metrics.json");
    expect(runs).toHaveLength(4);
    const told = runs.map(
      ({ settings }: { settings: Record<string, string> }) => `${settings.representation} ${settings.cost}`,
    );
    expect(new Set(told)).toEqual(new Set(["undefined cost.npy", "drag cost.npy"]));
    const csv = readFileSync(path("metrics/records.csv"), "utf8");
    expect(csv.split("\n")[0]).toMatch(/representation/);
    expect((await run("verify", "metrics")).status).toBe(0);
    const bad = await run("study", "study.yaml", "--set", "partition.representation=nobody", "--out", "none");
    expect(bad.stderr).toContain('no array "nobody"');
    expect(bad.stderr.trimEnd().split("\n")).toHaveLength(1);
  }, 120_000);
});
