import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { PartitionerChoice } from "../../src/partition/partitioner.js";
import { takesAlpha } from "../../src/partition/partitioners.js";
import { type Lab, openLab, type SplitChoice } from "../../src/studio/lab/lab.js";
import { workFolder } from "../cli/command.js";

const { path, run } = workFolder();
const BINS = { bins: 6, seed: 3 };
const usual: SplitChoice = {
  ...{ clients: 7, alpha: 0.2, seed: 3, repair: "closest" },
  partitioner: { name: "dirichlet" },
};

let lab: Lab;
beforeAll(async () => {
  const made = await run(
    "generate",
    "antiderivative",
    "--seed",
    "5",
    "--train",
    "240",
    "--test",
    "0",
    "--out",
    "antiderivative.h5",
  );
  expect(made.stderr + made.status).toMatch(/0$/);
  lab = openLab();
  await lab.generate({ task: "antiderivative", seed: 5, train: 240, test: 0 });
  await lab.bin(BINS);
});

const flags = ({ name, ...options }: PartitionerChoice) => [
  ...["--partitioner", name, ...(takesAlpha(name) ? ["--alpha", "0.2"] : [])],
  ...Object.entries(options).flatMap(([option, value]) => [
    `--${option.replaceAll("_", "-")}`,
    String(value),
  ]),
];

describe("a split of the lab", () => {
  it.each<PartitionerChoice>([
    { name: "dirichlet" },
    { name: "iid" },
    { name: "shards", shards: 3 },
    { name: "client-dirichlet" },
    { name: "sizes", sizes: "linear" },
    { name: "by", by: "input-rms" },
    { name: "input-bins", input_bins: 4 },
  ])("is that of the command, to the last bit: $name", async (partitioner) => {
    const minSize = partitioner.name === "by" ? 1 : 16;
    const split = await lab.split({
      ...usual,
      alpha: takesAlpha(partitioner.name) ? 0.2 : undefined,
      partitioner,
    });
    const out = `${partitioner.name}.json`;
    const { status, stderr } = await run(
      ...[
        "partition",
        "antiderivative.h5",
        "--clients",
        "7",
        "--bins",
        "6",
        "--seed",
        "3",
        "--min-size",
        String(minSize),
      ],
      ...[...flags(partitioner), "--out", out, "--quiet"],
    );
    expect(stderr + status).toMatch(/0$/);
    const written = readFileSync(path(out), "utf8");
    const file = JSON.parse(written);
    expect([...split.clientOfSample]).toEqual(file.client_of_sample);
    expect(split.counts).toEqual(file.counts);
    expect(split.minSize).toBe(minSize);
    expect(split.notes).toEqual(file.notes);
    const { mean, samplesPerClient } = (await lab.inputDistance())!;
    const inputs = { input_w1: mean, input_w1_samples: samplesPerClient };
    expect({ ...split.metrics, ...inputs }).toEqual(file.metrics);
    expect([...split.distances]).toEqual(file.client_distance.flat());
    const moved = new Array(7).fill(0);
    for (const { from, to } of file.repairs) {
      moved[from]--;
      moved[to]++;
    }
    expect(split.received.map((samples, client) => samples - split.given[client])).toEqual(moved);
    const asked = { ...usual, alpha: takesAlpha(partitioner.name) ? 0.2 : undefined, partitioner };
    const json = await lab.partitionFile(asked, "json");
    expect(json.name).toBe("antiderivative-split.json");
    expect(new TextDecoder().decode(json.bytes)).toBe(
      written.replace(`${partitioner.name}.npz`, "antiderivative-split.npz"),
    );
    const arrays = await lab.partitionFile(asked, "npz");
    expect(Buffer.from(arrays.bytes).equals(readFileSync(path(out.replace("json", "npz"))))).toBe(true);
  });

  it("has as its smallest client what the task says, or less where samples are few", async () => {
    expect((await lab.split(usual)).minSize).toBe(16);
    expect((await lab.split({ ...usual, clients: 20 })).minSize).toBe(6);
    expect((await lab.split({ ...usual, minSize: 3 })).minSize).toBe(3);
  });

  it("says in one line why it cannot be", async () => {
    const error = lab.split({ ...usual, minSize: 100 });
    await expect(error).rejects.toThrow(
      /^240 samples cannot give 7 clients at least 100 each: .*34 would do$/,
    );
    const file = { name: "file", file: "other.json" };
    await expect(lab.split({ ...usual, alpha: undefined, partitioner: file })).rejects.toThrow(
      /no clients can be read/,
    );
  });
});

describe("the dial of the lab", () => {
  it("has at each place the D_sol of the split there, and stops for the next sweep", async () => {
    const [stopped, dial] = await Promise.all([lab.dial(usual), lab.dial({ ...usual, seed: 9 })]);
    expect(stopped).toBeUndefined();
    const { alphas, distances, heterogeneities } = dial!;
    expect([alphas[0], alphas.at(-1)]).toEqual([0.001, 1000]);
    for (const at of [0, 9, 24]) {
      const { metrics } = await lab.split({ ...usual, seed: 9, alpha: alphas[at] });
      expect(distances[at]).toBe(metrics.d_sol);
      expect(heterogeneities![at]).toBeCloseTo(metrics.h_u!, 12);
    }
    const own = await lab.dial({ ...usual, partitioner: { name: "client-dirichlet" } });
    expect(own!.distances).toHaveLength(alphas.length);
    expect(own!.heterogeneities).toBeUndefined(); // it draws no shares of bins
    expect(await lab.dial({ ...usual, alpha: undefined, partitioner: { name: "iid" } })).toBeUndefined();
  });

  it("answers splits while the distance of inputs and the map are computed", async () => {
    const order: string[] = [];
    const told = async (name: string, work: Promise<unknown>) => order.push((await work) ? name : "");
    const other = openLab();
    await other.generate({ task: "burgers", seed: 1, train: 120, test: 0 });
    await other.bin({ bins: 4, seed: 1 });
    await other.split({ ...usual, clients: 4 });
    await Promise.all([
      told("map", other.map()),
      told("inputs", other.inputDistance()),
      told("split", other.split({ ...usual, clients: 4 })),
    ]);
    expect(order[0]).toBe("split");
  });
});

describe("bins and their map", () => {
  it("have centroids that are means of their members, in the units of the data", async () => {
    const { binOfSample, centroids, sizes, explainedVariance } = await lab.bin(BINS);
    const points = centroids.length / BINS.bins;
    const sums = new Float64Array(centroids.length);
    for (let sample = 0; sample < binOfSample.length; sample++) {
      const { response } = await lab.sample("train", sample);
      response.forEach((value, at) => {
        sums[binOfSample[sample] * points + at] += value / sizes[binOfSample[sample]];
      });
    }
    sums.forEach((value, at) => {
      expect(centroids[at]).toBeCloseTo(value, 5);
    });
    expect(explainedVariance).toBeGreaterThan(0.5);
  });

  it("lie at the means of their members on the map too, whose axes show most of the variance", async () => {
    const { binOfSample, sizes } = await lab.bin(BINS);
    const { points, centroids, explained } = await lab.map();
    const sums = new Float64Array(centroids.length);
    for (let i = 0; i < points.length; i++) {
      const bin = binOfSample[i >> 1];
      sums[2 * bin + (i % 2)] += points[i] / sizes[bin];
    }
    sums.forEach((value, at) => {
      expect(centroids[at]).toBeCloseTo(value, 4);
    });
    expect(explained[0]).toBeGreaterThan(explained[1]);
    const square = points.reduce((sum, value) => sum + value * value, 0) / binOfSample.length;
    expect(square).toBeCloseTo(explained[0] + explained[1], 3); // one unit is s_u
  });

  it("have the same map for the same data, up to the last bit, and another one for others", async () => {
    const again = openLab();
    await again.generate({ task: "antiderivative", seed: 5, train: 240, test: 0 });
    await again.bin(BINS);
    expect(await again.map()).toEqual(await lab.map());
    await again.generate({ task: "antiderivative", seed: 6, train: 240, test: 0 });
    await expect(again.map()).rejects.toThrow("there are no bins yet");
  });
});
