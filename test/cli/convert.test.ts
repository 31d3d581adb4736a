import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { openHdf5 } from "../../src/files/hdf5.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpz } from "../../src/files/npz.js";
import { workFolder } from "./command.js";

const { path, run, folder } = workFolder();
const SAMPLES = 40;

/** Smooth fields whose phase depends on the sample. */
const fields = (shape: readonly number[], phase: number): Float64Array => {
  const size = shape.reduce((a, b) => a * b, 1);
  return Float64Array.from({ length: SAMPLES * size }, (_, i) =>
    Math.sin(phase + 2.39996 * Math.floor(i / size) + (0.3 + phase) * (i % size)),
  );
};

beforeAll(async () => {
  writeFileSync(
    path("ns.npz"),
    writeNpz({
      a: { values: fields([8, 9], 0.1), shape: [SAMPLES, 8, 9] },
      u: { values: fields([8, 9, 3], 0.2), shape: [SAMPLES, 8, 9, 3] },
      nu: Float64Array.from({ length: SAMPLES }, (_, i) => i % 4),
    }),
  );
  await writeHdf5(path("advection.h5"), {
    datasets: {
      "/tensor": { shape: [SAMPLES, 5, 12], values: fields([5, 12], 0.4) },
      "/x-coordinate": { shape: [12], values: Float64Array.from({ length: 12 }, (_, i) => i) },
      "/t-coordinate": { shape: [6], values: Float64Array.from({ length: 6 }, (_, i) => i) },
    },
  });
});

/** Client of every sample, from a partition of a file. */
async function partitioned(out: string, ...args: string[]) {
  const done = await run(
    ...["partition", ...args, "--alpha", "0.3", "--seed", "1", "--bins", "3", "--clients", "3"],
    ...["--min-size", "2", "--out", out, "--json", "--quiet"],
  );
  expect(done.stderr).toBe("");
  return JSON.parse(readFileSync(path(out), "utf8"));
}

describe("convert", () => {
  it("writes a file that is partitioned like its source, without the choice", async () => {
    const choice = ["--inputs", "a", "--responses", "u[..., -1]"];
    const done = await run("convert", "ns.npz", ...choice, "--test", "none", "--out", "ns.h5");
    expect(done).toMatchObject({ status: 0 });
    expect(done.stderr).toMatch(
      /^ns\.npz: inputs a: 1 channel on 8 x 9; responses u\[\.\.\., -1\]: 1 channel on 8 x 9/,
    );
    expect(done.stderr).toMatch(/\nConverting ns\.npz: 40 samples \(.* s\)\n$/);
    expect(done.stdout).toMatch(
      /^ns\.h5: 40 training and 0 test samples, converted from ns\.npz \(SHA-256 [0-9a-f]{16}\.\.\.\): inputs a, responses u\[\.\.\., -1\],\n {2}inputs 8 x 9 float64 -> responses 8 x 9 float64\n$/,
    );
    const before = await partitioned("before.json", "ns.npz", ...choice);
    const after = await partitioned("after.json", "ns.h5");
    expect(after.data.sha256).toBe(before.data.sha256);
    expect(after.partition_id_to_indices).toEqual(before.partition_id_to_indices);
    expect(after.metrics).toEqual(before.metrics);
    const grouped = ["--group", "nu"];
    const together = await partitioned("together.json", "ns.npz", ...choice, ...grouped);
    await run("convert", "ns.npz", ...choice, ...grouped, "--test", "none", "--out", "grouped.h5");
    expect((await partitioned("kept.json", "grouped.h5")).partition_id_to_indices).toEqual(
      together.partition_id_to_indices,
    );
  });

  it("writes halves, labels and types, and says so as JSON", async () => {
    const done = await run(
      ...[
        "convert",
        "advection.h5",
        "--inputs",
        "tensor[:, 0]",
        "--responses",
        "tensor[:, 1:4]",
        "--test",
        "10",
      ],
      ...[
        "--float32",
        "--name",
        "advection",
        "--title",
        "Waves",
        "--response-label",
        "height",
        "--response-unit",
        "m",
      ],
      ...["--out", "new/adv.h5", "--json", "--quiet"],
    );
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(done.stdout)).toMatchObject({
      file: "new/adv.h5",
      name: "advection",
      train: 30,
      test: 10,
      inputShape: [12],
      responseShape: [3, 12],
      dtypes: { inputs: "float32", responses: "float32" },
    });
    const file = await openHdf5(path("new/adv.h5"));
    const responses = file.dataset("/test/responses");
    expect(responses).toMatchObject({ shape: [10, 3, 12], dtype: "float32" });
    expect(responses.attributes).toMatchObject({
      label: "height",
      units: "m",
      DIMENSION_LABELS: ["sample", "t", "x"],
    });
    expect(responses.scales()).toEqual([[], ["/coordinates/t"], ["/coordinates/x"]]);
    expect([...(await file.dataset("/coordinates/t").read(0, 3))]).toEqual([1, 2, 3]);
    file.close();
    const trained = await run("show", "new/adv.h5", "--split", "test", "--out", "adv.svg", "--json");
    expect(JSON.parse(trained.stdout)).toMatchObject({ title: "Waves", split: "test" });
  });

  it("refuses what it must not do in one line, and leaves nothing behind", async () => {
    const before = readdirSync(folder).sort();
    const choice = ["--inputs", "a", "--responses", "u"];
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [["ns.npz", "--out", "x.npz"], /--out ends in \.h5 or \.hdf5, not "x\.npz"/],
      [["advection.h5", "--out", "advection.h5", "--force"], /advection\.h5 is also read/],
      [["ns.npz", ...choice, "--out", "ns.npz"], /ns\.npz is also read/],
      [["advection.h5", "--out", "x.h5"], /name the inputs and responses of advection\.h5/],
      [["ns.npz", "--inputs", "a[:, 8]", "--responses", "u", "--out", "x.h5"], /8 is beyond axis 1/],
      [["ns.npz", ...choice, "--test", "50", "--out", "x.h5"], /--test 50 leaves no sample of 40/],
    ];
    for (const [args, message] of cases) {
      const done = await run("convert", ...args, "--quiet");
      expect(done.status).toBe(1);
      expect(done.stderr).toMatch(message);
      expect(done.stderr.trimEnd().split("\n")).toHaveLength(1);
    }
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(existsSync(path("x.h5"))).toBe(false);
  });
});
