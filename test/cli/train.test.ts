import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const SMALL = ["--alpha", "0.1", "--seed", "3", "--train", "240", "--test", "50", "--rounds", "6"];

describe("train", () => {
  it("shows rounds and errors, and ends with the result", async () => {
    const { status, stdout, stderr } = await run("train", "antiderivative", ...SMALL);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^antiderivative, alpha 0.1, seed 3: test error [\d.]+ % after 6 rounds\nClients, each on the test set .*\n$/,
    );
    expect(stderr).toMatch(
      /D_sol [\d.]+ \(IID clients of these sizes: [\d.]+\), 10 clients of \d+ to \d+ samples/,
    );
    expect(stderr).toMatch(/^Round 5 of 6: test error [\d.]+ %, \d+ steps\/s, [\d.]+ s left$/m);
  });

  it("leaves nothing in one's home, where ONNX Runtime would note what it is to report", async () => {
    expect((await run("train", "antiderivative", ...SMALL, "--quiet")).status).toBe(0);
    expect(readdirSync(path("home"))).toEqual([]);
  });

  it("keeps the run as a study does, and comes to the same bits again", async () => {
    const written = await run("train", "antiderivative", ...SMALL, "--quiet", "--out", "kept");
    expect(written).toMatchObject({ status: 0, stderr: "" });
    const folder = /^Written: (kept\/runs\/antiderivative-\S+)$/m.exec(written.stdout)![1];
    const record = JSON.parse(readFileSync(path(`${folder}/run.json`), "utf8"));
    expect(record.options).toMatchObject({ task: "antiderivative", alpha: 0.1, rounds: 6 });
    expect(record.architecture.parameters).toBe(7401);
    const journal = readFileSync(path(`${folder}/journal.jsonl`), "utf8")
      .trim()
      .split("\n");
    expect(journal.map((line) => JSON.parse(line).round)).toEqual([0, 1, 5, 6]);
    const again = await run("train", "antiderivative", ...SMALL, "--json");
    const { result, checkpoints } = JSON.parse(again.stdout);
    expect(result.parameters_sha256).toBe(record.result.parameters_sha256);
    expect(checkpoints.map(({ round }: { round: number }) => round)).toEqual([0, 1, 5, 6]);
  });

  it("leaves a finished run as it is", async () => {
    const before = await run("train", "antiderivative", ...SMALL, "--quiet", "--out", "kept", "--json");
    const after = await run("train", "antiderivative", ...SMALL, "--quiet", "--out", "kept", "--json");
    expect(after.stdout).toBe(before.stdout);
  });

  it("says that it diverged, and fails, whether it is kept or not", async () => {
    const wild = ["train", "antiderivative", ...SMALL, "--rate", "1000", "--quiet"];
    const message =
      /diverged before round 1 \(its test error is \d\.\de\+\d+ %\): use a smaller learning rate\n$/;
    for (const more of [[], ["--out", "wild"]]) {
      const { status, stdout, stderr } = await run(...wild, ...more);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(message);
    }
  });

  it("counts one round as one", async () => {
    const { stdout } = await run("train", "antiderivative", ...SMALL.slice(0, -1), "1", "--quiet");
    expect(stdout).toMatch(/ % after 1 round\n/);
  });

  it("trains FNO2D on a file of fields", async () => {
    await run("generate", "darcy", "--grid", "16", "--train", "40", "--test", "4", "--out", "darcy.h5");
    const given = [
      "--alpha",
      "1",
      "--clients",
      "2",
      "--rounds",
      "1",
      "--data",
      "darcy.h5",
      "--json",
      "--quiet",
    ];
    const { stdout, stderr } = await run(
      "train",
      "darcy",
      ...given,
      "--model",
      "width=4",
      "modes=3",
      "layers=2",
    );
    expect(stderr).toBe("");
    const { model, options } = JSON.parse(stdout);
    expect(model).toMatchObject({ name: "fno2d", width: 4, modes: 3, layers: 2 });
    expect(options).toMatchObject({ train: 40, test: 4, normalise: "channels", batch: 16 });
    const wrong = await run("train", "burgers", "--alpha", "1", "--data", "darcy.h5");
    expect(wrong.stderr).toBe("pde-dirichlet: darcy.h5 holds data of darcy, not of burgers\n");
    const taken = await run("train", "darcy", "--alpha", "1", "--data", "darcy.h5", "--grid", "8");
    expect(taken.stderr).toMatch(/grid is an option of generated data: leave it out for darcy.h5/);
  });

  it("calls runs by imported data so, as records do", async () => {
    const values = (samples: number) => Float32Array.from({ length: samples * 64 }, (_, i) => Math.sin(i));
    const half = (samples: number) => ({ shape: [samples, 8, 8], values: values(samples) });
    await writeHdf5(path("theirs.h5"), {
      attributes: { task: "darcy", origin: "imported from somewhere" },
      datasets: {
        "/train/inputs": half(40),
        "/train/responses": half(40),
        "/test/inputs": half(4),
        "/test/responses": half(4),
      },
    });
    const sizes = ["--clients", "2", "--rounds", "1", "--model", "width=2", "modes=2", "layers=1"];
    const given = ["--alpha", "1", "--data", "theirs.h5", ...sizes, "--out", "theirs"];
    const { stdout, stderr } = await run("train", "darcy", ...given);
    expect(stderr).toMatch(
      /^theirs\.h5: inputs: 1 channel on 8 x 8 \(x, y\); .*\nmodel: FNO, width 2, .*\nData and partition of imported-darcy, seed 0/,
    );
    expect(stdout).toMatch(
      /^imported-darcy, alpha 1, .*\nClients, .*\nWritten: theirs\/runs\/imported-darcy-k-2-adam-/,
    );
  });

  it.each([
    [
      ["darcy", "--alpha", "1", "--grid", "16", "--model", "depth=3"],
      /no option "depth"; it has width, modes/,
    ],
    [
      ["darcy", "--alpha", "1", "--model", "deep"],
      /there is no model "deep"; there are deeponet, fno, inversion-net/,
    ],
    [["antiderivative", "--alpha", "-1"], /alpha is a number from 1e-6/],
    [["antiderivative", "--alpha", "1", "--momentum", "0.5"], /--momentum is an option of sgd/],
    [["antiderivative", "--alpha", "1", "--viscosity", "0.1"], /viscosity is an option of burgers/],
    [["antiderivative", "--alpha", "1", "--clients", "500"], /1000 samples cannot give 500 clients/],
    [["heat", "--alpha", "1"], /heat is neither a task nor a file; the tasks are antiderivative/],
  ])("refuses %j in one line", async (args, message) => {
    const { status, stderr } = await run("train", ...args);
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
