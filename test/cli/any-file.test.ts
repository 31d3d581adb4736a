import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Hdf5NewDataset, writeHdf5 } from "../../src/files/hdf5-writer.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const GOLDEN = join(import.meta.dirname, "../golden/own-data");
const json = (name: string) => JSON.parse(readFileSync(path(name), "utf8"));
const SPLIT = [
  "--clients",
  "2",
  "--min-size",
  "4",
  "--bins",
  "3",
  "--alpha",
  "0.3",
  "--seed",
  "1",
  "--quiet",
];

/** Waves that travel: sample, frame and place tell the value. */
function waves(shape: readonly number[], speed = 0.3): Hdf5NewDataset {
  const [, frames, ...grid] = shape;
  const size = grid.reduce((a, b) => a * b, 1);
  const values = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => {
    const [sample, frame, place] = [Math.floor(i / (frames * size)), Math.floor(i / size) % frames, i % size];
    const phase = 2.4 * sample;
    return (
      Math.sin(phase + speed * frame + (6.28 * (place % grid[grid.length - 1])) / grid[grid.length - 1]) *
      (1 + (sample % 3))
    );
  });
  return { values, shape };
}
const line = (length: number): Hdf5NewDataset => ({
  shape: [length],
  values: Float32Array.from({ length }, (_, i) => i / length),
});

/** A study of one file, from its YAML to the words of its report. */
async function reported(
  name: string,
  data: string,
  model = "name: fno, width: 4, modes: 2, layers: 1, projection: 4",
): Promise<string> {
  const yaml = `name: ${name}
data: ${data}
alphas: [100, 0.1]
reference: 100
seeds: [0]
model: { ${model} }
federation: { clients: 2, rounds: 2, checkpoints: [0, 2], batch: 4, local_steps: 2 }
partition: { bins: 3, min_size: 4 }
`;
  writeFileSync(path(`${name}.yaml`), yaml);
  const study = await run("study", `${name}.yaml`, "--out", name, "--quiet");
  expect([study.status, study.stderr.replace(/^.*warning.*\n/gm, "")]).toEqual([0, expect.any(String)]);
  const report = await run("report", name, "--quiet");
  expect(report.status).toBe(0);
  return readFileSync(path(`${name}/report.md`), "utf8");
}

describe("Navier-Stokes in four formats", () => {
  const FILES = ["ns-files.npz", "ns-files.pt", "ns-files-v5.mat", "ns-files-v73.mat"];
  beforeAll(() => {
    for (const file of FILES) cpSync(join(GOLDEN, file), path(file));
  });

  it("is one dataset: inspect reads it alike", async () => {
    const found = await Promise.all(FILES.map((file) => run("inspect", file, "--json")));
    const [first, ...others] = found.map(({ stdout }) => {
      const { arrays, reading } = JSON.parse(stdout);
      const sorted = arrays.sort((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name));
      return { arrays: sorted, reading: reading.replace(/^\S+: /, "") };
    });
    expect(first.reading).toContain("inputs a: 1 channel on 8 x 8; responses u: 4 channels on 8 x 8");
    for (const other of others) expect(other).toEqual(first);
  });

  it("gives the same partition bit for bit", async () => {
    const choice = ["--inputs", "u[..., 0]", "--responses", "u[..., -1]"];
    const partitions = [];
    for (const [i, file] of FILES.entries()) {
      const outcome = await run("partition", file, ...choice, ...SPLIT, "--out", `p${i}.json`);
      expect(outcome.status).toBe(0);
      const { data, bins, client_of_sample, metrics } = json(`p${i}.json`);
      partitions.push({ sha256: data.sha256, bins: bins.sha256, client_of_sample, metrics });
    }
    for (const other of partitions.slice(1)) expect(other).toEqual(partitions[0]);
    // Every later command repeats the choice.
    const again = await run("diagnose", "ns-files-v5.mat", "--partition", "p2.json", "--json");
    expect(JSON.parse(again.stdout).metrics).toEqual(partitions[0].metrics);
  });

  it.each(FILES)("%s goes through a study to the same records and a report", async (file) => {
    const name = file.replace(".", "-");
    const report = await reported(
      name,
      `{ file: ${file}, name: ns, title: Vorticity, inputs: "u[..., 0]", responses: "u[..., -1]", test: 0.2 }`,
    );
    expect(report).toContain("Vorticity");
    expect(report).not.toContain("paper");
    const rows = recordsOf(`${name}/records.csv`);
    expect(rows.length).toBe(4);
    first ??= rows;
    expect(rows).toEqual(first);
  });
});

/** Records of the first file, which those of the others repeat. */
let first: unknown;

/** Measured columns of a table of records: everything but names of runs and files. */
function recordsOf(name: string): Record<string, string>[] {
  const [header, ...rows] = readFileSync(path(name), "utf8").trim().split("\n");
  const names = header.split(",");
  return rows.map((row) => {
    const cells = row.split(",");
    return Object.fromEntries(
      names.flatMap((column, i) =>
        /^(run|run_id|study|data|data_sha256|.*seconds.*|.*time.*)$/.test(column) ? [] : [[column, cells[i]]],
      ),
    );
  });
}

describe("from a downloaded file to a report", () => {
  it("is there for advection in PDEBench's layout, first frame to last and to the trajectory", async () => {
    await writeHdf5(path("advection.hdf5"), {
      attributes: { beta: 0.4 },
      datasets: { "/tensor": waves([40, 6, 16]), "/x-coordinate": line(16), "/t-coordinate": line(7) },
    });
    const last = await reported(
      "last",
      '{ file: advection.hdf5, inputs: "tensor[:, 0]", responses: "tensor[:, -1]" }',
    );
    expect(last).toContain("advection");
    const whole = await reported(
      "whole",
      '{ file: advection.hdf5, inputs: "tensor[:, 0]", responses: "tensor[:, 1:]" }',
      "name: deeponet, width: 4, depth: 1",
    );
    expect(whole).toContain("advection");
    const { stdout } = await run(
      "inspect",
      "advection.hdf5",
      "--inputs",
      "tensor[:, 0]",
      "--responses",
      "tensor[:, 1:]",
    );
    expect(stdout).toContain("responses tensor[:, 1:]: 1 channel on 5 x 16 (t, x)");
  });

  it("is there for windows of PDEBench's flows, several fields as channels, trajectories kept together", async () => {
    const fields = ["density", "pressure", "Vx", "Vy"];
    await writeHdf5(path("cfd.hdf5"), {
      attributes: { eta: 0.01, M: 0.1 },
      datasets: {
        ...Object.fromEntries(fields.map((name, i) => [`/${name}`, waves([20, 5, 8, 8], 0.2 * (i + 1))])),
        ...Object.fromEntries(["x", "y"].map((axis) => [`/${axis}-coordinate`, line(8)])),
        "/t-coordinate": line(6),
      },
    });
    const report = await reported(
      "cfd",
      '{ file: cfd.hdf5, inputs: ["density[:, t]", "pressure[:, t]"], responses: ["density[:, t+1]", "pressure[:, t+1]"] }',
    );
    expect(report).toContain("cfd");
    expect(JSON.stringify(json("cfd/studies/cfd.json"))).toContain('"group":"trajectory"');
    const verified = await run("verify", "cfd");
    expect([verified.status, verified.stdout]).toEqual([0, expect.stringContaining("no problem found")]);
  });

  it("is there for a file of The Well", async () => {
    const field = (data: Hdf5NewDataset) => ({ ...data, attributes: { sample_varying: 1, time_varying: 1 } });
    await writeHdf5(path("well.hdf5"), {
      attributes: { n_trajectories: 40, dataset_name: "little", grid_type: "cartesian" },
      datasets: {
        "/dimensions/time": line(3),
        "/dimensions/x": line(8),
        "/dimensions/y": line(10),
        "/t0_fields/buoyancy": field(waves([40, 3, 8, 10])),
        "/t0_fields/height": {
          ...waves([40, 1, 8, 10]),
          shape: [40, 8, 10],
          attributes: { sample_varying: 1, time_varying: 0 },
        },
      },
    });
    const report = await reported(
      "well",
      '{ file: well.hdf5, inputs: ["t0_fields/buoyancy[:, 0]", "t0_fields/height[:, 0]"], responses: "t0_fields/buoyancy[:, -1]" }',
    );
    expect(report).toContain("well");
  });

  it("is there for netCDF", async () => {
    cpSync(join(GOLDEN, "ns-files.nc"), path("ns-files.nc"));
    const report = await reported(
      "gym",
      '{ file: ns-files.nc, inputs: "velocity[:, 0]", responses: "velocity[:, -1]" }',
    );
    expect(report).toContain("ns-files");
    const { stdout } = await run(
      "inspect",
      "ns-files.nc",
      "--inputs",
      "velocity[:, 0]",
      "--responses",
      "velocity[:, -1]",
    );
    expect(stdout).toContain("1 channel on 8 x 8");
  });
});
