import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { type Hdf5NewDataset, writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpy } from "../../src/index.js";
import { permuted } from "../datasets/permuted.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const SAMPLES = 60;
/** Fields of 9 x 8 points. */
const shape = [SAMPLES, 9, 8];
const fields = (factor: number, of: readonly number[] = shape) =>
  Float32Array.from({ length: of.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * factor) * (1 + (i % 7)));
const SPLIT = ["--clients", "3", "--min-size", "4", "--bins", "4", "--alpha", "0.3"];
const json = (name: string) => JSON.parse(readFileSync(path(name), "utf8"));

/** The picture of a file, which has the same name for all. */
async function drawn(data: string, ...options: string[]): Promise<string> {
  copyFileSync(path(data), path("drawn.npy"));
  const outcome = await run("show", "drawn.npy", "--out", "drawn.svg", "--force", ...options);
  expect(outcome.status).toBe(0);
  return readFileSync(path("drawn.svg"), "utf8");
}

/** A file of the layout for training, with arrays of four axes. */
async function fourAxes(
  name: string,
  arrange: (values: Float32Array, shape: readonly number[]) => Hdf5NewDataset,
  attributes: Record<string, string> = {},
): Promise<void> {
  const half = (samples: number, factor: number) => {
    const of = [samples, 10, 9, 8];
    return arrange(fields(factor, of), of);
  };
  await writeHdf5(path(name), {
    attributes: { task: "darcy", origin: "made up", ...attributes },
    datasets: {
      "/train/inputs": half(40, 12.9898),
      "/train/responses": half(40, 7.1),
      "/test/inputs": half(4, 3.3),
      "/test/responses": half(4, 5.7),
    },
  });
}

const channelsFirst = (values: Float32Array, of: readonly number[]) => ({ values, shape: of });
const channelsLast = (values: Float32Array, of: readonly number[]) => ({
  values: permuted(values, of, [0, 2, 3, 1]),
  shape: [of[0], of[2], of[3], of[1]],
});

beforeAll(async () => {
  const u = fields(12.9898);
  writeFileSync(path("first.npy"), writeNpy(u, shape));
  writeFileSync(path("last.npy"), writeNpy(permuted(u, shape, [1, 2, 0]), [9, 8, SAMPLES]));
  writeFileSync(path("a.npy"), writeNpy(fields(3, [SAMPLES, 5]), [SAMPLES, 5]));
  writeFileSync(
    path("a-last.npy"),
    writeNpy(permuted(fields(3, [SAMPLES, 5]), [SAMPLES, 5], [1, 0]), [5, SAMPLES]),
  );
  // What save -v7.3 makes of an array of 60 x 9 x 8: axes in reverse order, and an attribute.
  await writeHdf5(path("matlab.h5"), {
    datasets: {
      "/u": {
        values: permuted(u, shape, [2, 1, 0]),
        shape: [8, 9, SAMPLES],
        attributes: { MATLAB_class: "single" },
      },
    },
  });
  // The same of an array of 9 x 8 x 60.
  await writeHdf5(path("matlab-last.h5"), {
    datasets: {
      "/u": {
        values: permuted(u, shape, [0, 2, 1]),
        shape: [SAMPLES, 8, 9],
        attributes: { MATLAB_class: "single" },
      },
    },
  });
  await fourAxes("cf.h5", channelsFirst);
  await fourAxes("cl.h5", channelsLast);
  await fourAxes("said.h5", channelsLast, { channels: "last" });
  await fourAxes("axis.h5", (values, of) => ({
    values: permuted(values, of, [1, 2, 3, 0]),
    shape: [of[1], of[2], of[3], of[0]],
  }));
});

describe("samples along the last axis", () => {
  const partition = (data: string, out: string, ...rest: string[]) =>
    run("partition", data, ...SPLIT, "--out", out, ...rest);

  it("are found where MATLAB saved the array, and give the same partition", async () => {
    expect((await partition("first.npy", "f.json")).status).toBe(0);
    const read = await partition("matlab.h5", "m.json");
    expect(read.stderr).toContain("matlab.h5: no inputs; responses /u: 9 x 8 (60 samples)\n");
    expect(json("m.json").data).toMatchObject({ layouts: ["matlab"], sha256: json("f.json").data.sha256 });
    expect(json("m.json").client_of_sample).toEqual(json("f.json").client_of_sample);
    expect((await partition("last.npy", "l.json", "--sample-axis", "last")).status).toBe(0);
    expect(json("l.json").metrics).toEqual(json("f.json").metrics);
  });

  it("are asked for where MATLAB's last axis is the longer one", async () => {
    const refused = await partition("matlab-last.h5", "n.json");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^pde-dirichlet: matlab-last\.h5 was saved by MATLAB.*9 x 8 x 60.*--sample-axis last for 60.*\n$/,
    );
    const told = await partition("matlab-last.h5", "n.json", "--sample-axis", "last", "--force");
    expect(told.stderr).toContain("(60 samples, along the last axis)\n");
    expect(json("n.json").client_of_sample).toEqual(json("f.json").client_of_sample);
  });

  it("are noted, and found again by diagnose and export", async () => {
    const again = await run("diagnose", "matlab-last.h5", "--partition", "n.json", "--json");
    expect(JSON.parse(again.stdout).metrics).toEqual(json("n.json").metrics);
    expect(JSON.parse(again.stdout).reading).toContain("60 samples, along the last axis");
    const flower = await run("export", "n.json", "--format", "flower", "--data", "matlab-last.h5");
    expect(flower).toMatchObject({ status: 0 });
    expect(flower.stderr).toContain("(60 samples, along the last axis)");
  });

  it("are read as before from partitions that earlier versions made", async () => {
    const { layouts: _, ...data } = json("m.json").data;
    writeFileSync(
      path("old.json"),
      JSON.stringify({ ...json("m.json"), data: { ...data, sample_axis: "last" } }),
    );
    const again = await run("diagnose", "matlab.h5", "--partition", "old.json", "--json");
    expect(JSON.parse(again.stdout).metrics).toEqual(json("m.json").metrics);
  });

  it("are proposed where inputs and responses disagree about their number", async () => {
    const refused = await partition("last.npy", "q.json", "--inputs", "a-last.npy");
    expect(refused).toMatchObject({
      status: 1,
      stderr:
        "pde-dirichlet: last.npy has 9 responses but 5 inputs, of 9 x 8 x 60 and 5 x 60 values: " +
        "if samples lie along the last axis (60 of each), add --sample-axis last\n",
    });
    expect(
      (await partition("last.npy", "q.json", "--inputs", "a-last.npy", "--sample-axis", "last")).status,
    ).toBe(0);
    await partition("first.npy", "o.json", "--inputs", "a.npy");
    expect(json("q.json").metrics).toEqual(json("o.json").metrics);
  });

  it("are drawn like samples along the first", async () => {
    expect(await drawn("last.npy", "--sample", "5", "--sample-axis", "last")).toBe(
      await drawn("first.npy", "--sample", "5"),
    );
  });
});

describe("channels", () => {
  const train = (data: string, ...rest: string[]) =>
    run(
      ...[
        "train",
        "darcy",
        "--data",
        data,
        "--alpha",
        "1",
        "--clients",
        "2",
        "--rounds",
        "1",
        "--batch",
        "8",
      ],
      ...[
        "--local-steps",
        "1",
        "--model",
        "width=2",
        "modes=2",
        "layers=1",
        "projection=2",
        "--json",
        ...rest,
      ],
    );

  it("are asked for where two axes could hold them, in one line", async () => {
    const refused = await train("cf.h5");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^pde-dirichlet: which axis of cf\.h5 holds channels\? A sample of the inputs, 10 x 9 x 8, may be 10 channels on 9 x 8 or 8 channels on 10 x 9: .*\n$/,
    );
    expect(refused.stderr).toContain("--channels");
  });

  it("are trained alike, first or last, and said", async () => {
    const first = await train("cf.h5", "--channels", "first");
    const line =
      "inputs: 10 channels on 9 x 8; responses: 10 channels on 9 x 8 (40 training and 4 test samples)";
    expect(first.stderr).toContain(`cf.h5: ${line}; grid points evenly from 0 to 1\n`);
    const hash = (outcome: { stdout: string }) => JSON.parse(outcome.stdout).result.parameters_sha256;
    const last = await train("cl.h5", "--channels", "last");
    expect(last.stderr).toContain(`cl.h5: ${line}; grid points evenly from 0 to 1\n`);
    expect(hash(last)).toBe(hash(first));
    expect(hash(await train("said.h5"))).toBe(hash(first));
    expect(hash(await train("axis.h5", "--sample-axis", "last", "--channels", "first"))).toBe(hash(first));
    expect(hash(await train("cl.h5", "--channels", "first"))).not.toBe(hash(first));
  });

  it("have a field in studies, and runs of another reading another name", async () => {
    const study = (name: string, entry: string) => {
      writeFileSync(
        path(`${name}.yaml`),
        `name: ${name}\ntasks: [{ task: darcy, ${entry}, min_size: 4, batch: 8, model: { width: 2, modes: 2, layers: 1, projection: 2 } }]\n` +
          "alphas: [1]\nreference: 1\nseeds: [0]\nfederation: { clients: 2, rounds: 1, local_steps: 1 }\n",
      );
      return run("study", `${name}.yaml`, "--out", name, "--jobs", "1", "--json");
    };
    const unsaid = await study("unsaid", "data: cl.h5");
    expect(unsaid).toMatchObject({ status: 1, stdout: "" });
    expect(unsaid.stderr).toMatch(
      /^pde-dirichlet: unsaid\.yaml:2.*which axis of .*cl\.h5 holds channels.*\n$/,
    );
    const said = await study("said", "data: cl.h5, channels: last");
    expect(said.status).toBe(0);
    expect(said.stderr).toContain("cl.h5: inputs: 10 channels on 9 x 8");
    const [run1] = json("said/studies/said.json").runs;
    expect(json(`said/runs/${run1.id}/run.json`)).toMatchObject({
      options: { data: { channels: "last" } },
      data: { input_shape: [10, 9, 8] },
    });
    const idle = await study("idle", "channels: last");
    expect(idle.stderr).toContain("channels needs a data file");
  });

  it("of a sample are drawn one by one wherever they are", async () => {
    const values = fields(7.1, [4, 3, 9, 8]);
    writeFileSync(path("c-first.npy"), writeNpy(values, [4, 3, 9, 8]));
    writeFileSync(path("c-last.npy"), writeNpy(permuted(values, [4, 3, 9, 8], [0, 2, 3, 1]), [4, 9, 8, 3]));
    expect(await drawn("c-last.npy", "--channels", "last")).toBe(
      await drawn("c-first.npy", "--channels", "first"),
    );
    const last = await run("show", "c-last.npy", "--channels", "last", "--out", "cl.svg");
    expect(last.stderr).toBe("c-last.npy: no inputs; responses: 3 channels on 9 x 8 (4 samples)\n");
  });
});

describe("responses with an outlier", () => {
  it("are partitioned with a word about it", async () => {
    const u = fields(12.9898);
    u.subarray(0, 72).forEach((value, i) => {
      u[i] = 1e6 * value;
    });
    writeFileSync(path("outlier.npy"), writeNpy(u, shape));
    const made = await run("partition", "outlier.npy", ...SPLIT, "--out", "outlier.json", "--quiet");
    expect(made.status).toBe(0);
    expect(made.stderr).toMatch(
      /^pde-dirichlet: warning: Sample 0 holds 98\.3 % of the variance of the responses/m,
    );
    expect(json("outlier.json").notes[0]).toMatch(/^Sample 0 holds/);
    expect(json("outlier.json").bins).toMatchObject({
      seed: 0,
      half_of_variance: { samples: 1, largest: 0 },
    });
  });
});
