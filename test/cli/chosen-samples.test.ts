import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { openNpz, writeNpz } from "../../src/files/npz.js";
import { permuted } from "../datasets/permuted.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const [TRAJECTORIES, FRAMES, POINTS] = [20, 6, 8];
const SHAPE = [TRAJECTORIES, FRAMES, POINTS];
const u = Float64Array.from(
  { length: TRAJECTORIES * FRAMES * POINTS },
  (_, i) => Math.sin(0.37 * i) + 1e-4 * i,
);

/** Frame `t` of a trajectory. */
const frame = (trajectory: number, t: number) => {
  const at = (trajectory * FRAMES + t) * POINTS;
  return [...u.subarray(at, at + POINTS)];
};
const partition = (data: string, out: string, ...rest: string[]) =>
  run(
    "partition",
    data,
    "--clients",
    "3",
    "--alpha",
    "0.5",
    "--bins",
    "3",
    "--min-size",
    "4",
    "--out",
    out,
    ...rest,
  );

/** Rows of an export's clients in the order of the samples. */
async function exported(folder: string) {
  const rows = [];
  for (const name of readdirSync(path(`${folder}/train`)))
    rows.push(
      ...(await parquetReadObjects({
        file: new Uint8Array(readFileSync(path(`${folder}/train/${name}`))).buffer,
      })),
    );
  return rows.sort((a, b) => Number(a.index) - Number(b.index));
}

beforeAll(async () => {
  writeFileSync(path("u.npz"), writeNpz({ u: { values: u, shape: SHAPE } }));
  const reversed = permuted(u, SHAPE, [2, 1, 0]);
  await writeHdf5(path("u.mat"), {
    datasets: {
      "/u": { shape: [...SHAPE].reverse(), values: reversed, attributes: { MATLAB_class: "double" } },
      "/nu": {
        shape: [1, TRAJECTORIES],
        values: Float64Array.from({ length: TRAJECTORIES }, (_, i) => i % 10),
        attributes: { MATLAB_class: "double" },
      },
    },
  });
});

const WINDOWS = ["--inputs", "u[:, t:t+2]", "--responses", "u[:, t+2]", "--window-step", "2"];

describe("a partition of chosen samples", () => {
  it("keeps the windows of a trajectory together, and later commands read the same samples without being told", async () => {
    for (const data of ["u.npz", "u.mat"]) {
      const made = await partition(data, "p.json", "--force", ...WINDOWS);
      expect(made).toMatchObject({ status: 0 });
      expect(made.stderr).toContain("(40 samples, 2 windows of each of 20 trajectories, kept together)");
      const file = JSON.parse(readFileSync(path("p.json"), "utf8"));
      expect(file.data).toMatchObject({
        responses: "u[:, t+2]",
        inputs: "u[:, t:t+2]",
        window_step: 2,
        ...(data === "u.mat" && { layouts: ["matlab"] }),
        samples: 2 * TRAJECTORIES,
        response_shape: [POINTS],
      });
      for (let i = 0; i < 2 * TRAJECTORIES; i += 2)
        expect(file.client_of_sample[i]).toBe(file.client_of_sample[i + 1]);
      const diagnosed = await run("diagnose", data, "p.json", "--json");
      expect(diagnosed).toMatchObject({ status: 0 });
      expect(diagnosed.stderr).toContain("(40 samples, 2 windows of each of 20 trajectories, kept together)");
      expect(JSON.parse(diagnosed.stdout).metrics).toMatchObject(file.metrics);
      const out = await run(
        "export",
        "p.json",
        "--format",
        "flower",
        "--data",
        data,
        "--out",
        "f",
        "--force",
      );
      expect(out).toMatchObject({ status: 0 });
      const rows = await exported("f");
      expect(rows).toHaveLength(2 * TRAJECTORIES);
      for (const [i, row] of rows.entries()) {
        const [trajectory, t] = [i >> 1, 2 * (i % 2)];
        expect(row.response).toEqual(frame(trajectory, t + 2));
        expect((row.input as number[][]).flat()).toEqual([
          ...frame(trajectory, t),
          ...frame(trajectory, t + 1),
        ]);
      }
    }
  });

  const training = [
    "--rounds",
    "1",
    "--local-steps",
    "1",
    "--batch",
    "4",
    "--model",
    "fno",
    "width=2",
    "modes=2",
  ];
  const trained = (data: string, ...rest: string[]) =>
    run("train", data, "--partition", "p.json", ...training, ...rest, "--json");

  it.each(["u.npz", "u.mat"])("of %s is trained on without naming its arrays again", async (data) => {
    const made = await partition(data, "p.json", "--force", ...WINDOWS);
    expect(made.status).toBe(0);
    const { status, stdout, stderr } = await trained(data);
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining("inputs u[:, t:t+2]: 2 channels on 8 points"),
    ]);
    expect(stderr).toContain("the last fifth, 2 windows of each of 20 trajectories, kept together)");
    const { options } = JSON.parse(stdout);
    expect(options.data).toMatchObject({
      inputs: { array: "u[:, t:t+2]" },
      responses: { array: "u[:, t+2]" },
      windowStep: 2,
      group: "trajectory",
    });
    const other = await trained(
      data,
      "--inputs",
      "u[:, t:t+2]",
      "--responses",
      "u[:, t+3]",
      "--window-step",
      "2",
    );
    expect(other).toMatchObject({ status: 1 });
    expect(other.stderr).toContain('its options were --responses "u[:, t+2]"');
    expect(other.stderr.trimEnd().split("\n").at(-1)).toContain("pde-dirichlet: ");
  });

  it("is the partition of a study, which reads the same arrays", async () => {
    expect(await partition("u.npz", "p.json", "--force", ...WINDOWS)).toMatchObject({ status: 0 });
    const yaml = `name: own
data: u.npz
partition: { file: p.json }
alphas: [100]
seeds: [0]
model: { name: fno, width: 2, modes: 2 }
federation: { rounds: 1, local_steps: 1, batch: 4 }
`;
    writeFileSync(path("own.yaml"), yaml);
    const study = await run("study", "own.yaml", "--out", "study", "--jobs", "1");
    expect([study.status, study.stderr]).toEqual([0, expect.stringContaining("responses u[:, t+2]")]);
    const [first] = readdirSync(path("study/runs"));
    const { options } = JSON.parse(readFileSync(path(`study/runs/${first}/run.json`), "utf8"));
    expect(options.data).toMatchObject({
      inputs: { array: "u[:, t:t+2]" },
      responses: { array: "u[:, t+2]" },
      testing: { range: [32, 40] },
    });
  });

  it("is the same for the same samples of another format, and its groups are those asked for", async () => {
    expect(await partition("u.npz", "a.json", ...WINDOWS)).toMatchObject({ status: 0 });
    expect(await partition("u.mat", "b.json", ...WINDOWS)).toMatchObject({ status: 0 });
    const [a, b] = ["a.json", "b.json"].map((name) => JSON.parse(readFileSync(path(name), "utf8")));
    for (const key of ["client_of_sample", "bin_of_sample", "cost", "metrics"])
      expect(b[key]).toEqual(a[key]);
    expect(b.data.sha256).toBe(a.data.sha256);
    const made = await partition("u.mat", "g.json", ...WINDOWS, "--group", "nu");
    expect(made.stderr).toContain("kept together by nu");
    const { client_of_sample: clients, data } = JSON.parse(readFileSync(path("g.json"), "utf8"));
    expect(data.group).toBe("nu");
    for (let i = 0; i < 20; i++) expect(clients[i]).toBe(clients[i + 20]); // trajectories i and i + 10 have one nu
    const arrays = await openNpz(bytesInMemory(readFileSync(path("g.npz")), "g.npz"));
    const groups = await arrays.array("group_of_sample");
    expect([...(await groups.read(0, 40))]).toEqual(Array.from({ length: 40 }, (_, i) => (i >> 1) % 10));
    expect((await run("diagnose", "u.mat", "g.json")).stderr).toContain("kept together by nu");
  });
});
