import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpy, writeNpz } from "../../src/index.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const SAMPLES = 60;
const SIZE = 5;
const shape = [SAMPLES, SIZE];
const values = (factor: number) =>
  Float64Array.from({ length: SAMPLES * SIZE }, (_, i) => Math.sin(i * factor) * 43.7);

beforeAll(async () => {
  writeFileSync(path("u.npy"), writeNpy(values(12.9898), shape));
  writeFileSync(path("other.npy"), writeNpy(values(7.1), shape));
  writeFileSync(path("nan.npy"), writeNpy(values(12.9898).fill(Number.NaN, 3, 4), shape));
  writeFileSync(
    path("two.npz"),
    writeNpz({ a: { values: values(3), shape }, pressure: { values: values(12.9898), shape } }),
  );
  const made = await run(
    "partition",
    "u.npy",
    ...["--clients", "3", "--min-size", "4", "--alpha", "1", "--bins", "4", "--out", "p.json"],
  );
  expect(made).toMatchObject({ status: 0 });
});

describe("data of a partition", () => {
  it("are put into an export if they are those that it was made from", async () => {
    const flower = (...rest: string[]) =>
      run("export", "p.json", "--format", "flower", "--out", "f", ...rest);
    for (const file of ["other.npy", "nan.npy"]) {
      expect(await flower("--data", file)).toEqual({
        status: 1,
        stdout: "",
        stderr:
          `pde-dirichlet: ${file} does not hold the responses that p.json was made from (u.npy): ` +
          "take those, or add --other-data if the samples are the same\n",
      });
      expect(existsSync(path("f"))).toBe(false);
    }
    expect(await flower("--data", "u.npy")).toMatchObject({ status: 0 });
    expect(await flower("--data", "other.npy", "--other-data", "--force")).toMatchObject({ status: 0 });
  });

  it("are refused by an export that has no place for them", async () => {
    const csv = await run("export", "p.json", "--format", "csv", "--data", "u.npy");
    expect(csv).toMatchObject({
      status: 1,
      stderr: "pde-dirichlet: csv holds indices alone: leave out --data, or take --format flower\n",
    });
    const idle = await run("export", "p.json", "--format", "csv", "--responses", "u");
    expect(idle.stderr).toBe("pde-dirichlet: --responses speaks of --data: name the file\n");
  });

  it("are diagnosed if they are others only when that is asked for", async () => {
    const diagnose = (...rest: string[]) =>
      run("diagnose", "other.npy", "--partition", "p.json", "--quiet", ...rest);
    expect(await diagnose()).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "pde-dirichlet: other.npy does not hold the responses that p.json was made from (u.npy): " +
        "take those, or add --other-data if the samples are the same\n",
    });
    const others = await diagnose("--other-data");
    expect(others.status).toBe(0);
    expect(others.stderr).toBe(
      "pde-dirichlet: warning: other.npy does not hold the responses that p.json was made from.\n",
    );
    expect((await run("diagnose", "u.npy", "--partition", "p.json", "--quiet")).stderr).toBe("");
  });

  it("are named where they were chosen among several", async () => {
    const array = { values: values(3), shape };
    writeFileSync(path("heat.npz"), writeNpz({ y_train: array, X_train0: array, X_train1: array }));
    const base = ["--clients", "3", "--min-size", "4", "--alpha", "1", "--bins", "4", "--force"];
    const line =
      "heat.npz: inputs X_train0: 5 numbers; responses y_train: 5 numbers (60 samples); " +
      "not read: X_train1 (--responses and --inputs name others)\n";
    const partition = (...rest: string[]) =>
      run("partition", "heat.npz", ...base, "--out", "h.json", ...rest);
    expect((await partition()).stderr.startsWith(line)).toBe(true);
    expect((await partition("--responses", "y_train")).stderr).not.toContain("not read");
    expect((await partition("--quiet")).stderr).toBe("");
    const known = await run("diagnose", "heat.npz", "--partition", "h.json");
    expect(known.stderr).not.toContain("not read");
    writeFileSync(path("foreign.csv"), Array.from({ length: SAMPLES }, (_, i) => i % 3).join("\n"));
    const foreign = await run("diagnose", "heat.npz", "--partition", "foreign.csv", "--bins", "4");
    expect(foreign.stderr.startsWith(line)).toBe(true);
  });

  it("have the names that the partition noted", async () => {
    const base = ["--clients", "3", "--min-size", "4", "--alpha", "1", "--bins", "4", "--out", "named.json"];
    await run("partition", "two.npz", "--responses", "pressure", ...base);
    expect(await run("diagnose", "two.npz", "--partition", "named.json", "--quiet")).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect(await run("export", "named.json", "--format", "flower", "--data", "two.npz")).toMatchObject({
      status: 0,
    });
    // The same responses under no name are the same data.
    expect(
      await run("export", "named.json", "--format", "flower", "--data", "u.npy", "--force"),
    ).toMatchObject({ status: 0 });
    rmSync(path("named-flower"), { recursive: true });
    const asked = await run(
      ...["export", "named.json", "--format", "flower", "--data", "two.npz", "--responses", "a"],
    );
    expect(asked.stderr).toContain(
      "a of two.npz does not hold the responses that named.json was made from (pressure of two.npz)",
    );
  });

  const SPLIT = ["--clients", "3", "--min-size", "4", "--bins", "4"];
  const metricsIn = (name: string) => JSON.parse(readFileSync(path(name), "utf8")).metrics;

  it("are those that the partition chose among several, not the usual ones", async () => {
    await writeHdf5(path("both.h5"), {
      datasets: {
        "/train/responses": { values: values(3), shape },
        "/train/inputs": { values: values(5), shape },
        "/other": { values: values(12.9898), shape },
      },
    });
    await run(
      "partition",
      "both.h5",
      "--responses",
      "other",
      ...SPLIT,
      "--alpha",
      "0.1",
      "--out",
      "both.json",
    );
    const again = await run("diagnose", "both.h5", "--partition", "both.json", "--json");
    expect(again).toMatchObject({ status: 0 });
    expect(JSON.parse(again.stdout).metrics).toEqual(metricsIn("both.json"));
    const usual = await run(
      ...["diagnose", "both.h5", "--partition", "both.json", "--responses", "/train/responses", "--quiet"],
    );
    expect(usual).toMatchObject({ status: 1, stdout: "" });
    expect(usual.stderr).toMatch(/^pde-dirichlet: \/train\/responses of both\.h5 does not hold .*\n$/);
    // Bins that are reused bring the name of their array too.
    const more = ["--bins-from", "both.json", "--clients", "3", "--min-size", "4", "--alpha", "0.1"];
    await run("partition", "both.h5", ...more, "--out", "more.json");
    expect(metricsIn("more.json").d_sol).toBe(metricsIn("both.json").d_sol);
  });

  it("have the same name with a slash before it and without", async () => {
    await writeHdf5(path("xy.h5"), {
      datasets: { "/x": { values: values(3), shape }, "/y": { values: values(12.9898), shape } },
    });
    for (const name of ["y", "/y"]) {
      const made = await run(
        ...["partition", "xy.h5", "--responses", name, "--inputs", "x", ...SPLIT],
        ...["--alpha", "1", "--out", "xy.json", "--force"],
      );
      expect(made).toMatchObject({ status: 0 });
      expect(JSON.parse(readFileSync(path("xy.json"), "utf8")).data).toMatchObject({
        responses: "/y",
        inputs: "/x",
      });
      const again = await run("diagnose", "xy.h5", "--partition", "xy.json", "--json");
      expect(JSON.parse(again.stdout).metrics).toEqual(metricsIn("xy.json"));
      const flower = await run("export", "xy.json", "--format", "flower", "--data", "xy.h5", "--force");
      expect(flower).toMatchObject({ status: 0 });
    }
    const npz = await run(
      "partition",
      "two.npz",
      "--responses",
      "/pressure",
      ...SPLIT,
      "--alpha",
      "1",
      "--out",
      "z.json",
    );
    expect(npz).toMatchObject({ status: 0 });
  });

  it("include inputs in a file of their own, and a word where that is gone", async () => {
    writeFileSync(path("a.npy"), writeNpy(values(5), shape));
    await run("partition", "u.npy", "--inputs", "a.npy", ...SPLIT, "--alpha", "1", "--out", "in.json");
    expect(metricsIn("in.json").input_w1).toBeGreaterThan(0);
    const again = await run("diagnose", "u.npy", "--partition", "in.json", "--json", "--quiet");
    expect(JSON.parse(again.stdout).metrics).toEqual(metricsIn("in.json"));
    rmSync(path("a.npy"));
    const without = await run("diagnose", "u.npy", "--partition", "in.json", "--json", "--quiet");
    expect(without.stderr).toMatch(
      /^pde-dirichlet: warning: the partition's inputs, a\.npy, are not there.*\n$/,
    );
    expect(JSON.parse(without.stdout).metrics.input_w1).toBeNull();
  });

  it("are not binned by arrays of another partition that lie in the place of its own", async () => {
    const make = (name: string, ...rest: string[]) =>
      run("partition", "u.npy", ...SPLIT, "--out", `${name}.json`, ...rest);
    await make("one", "--alpha", "1");
    await make("seed", "--alpha", "1", "--seed", "7");
    await make("alpha", "--alpha", "0.2");
    const own = readFileSync(path("one.npz"));
    for (const [other, what] of [
      ["seed", "bins"],
      ["alpha", "samples of clients"], // with the same bins
    ]) {
      copyFileSync(path(`${other}.npz`), path("one.npz"));
      const line = `pde-dirichlet: one.npz has other ${what} than one.json: put the arrays of that partition there, or make it again\n`;
      const fresh = ["--alpha", "1", "--clients", "3", "--min-size", "4", "--out", "fresh.json"];
      for (const command of [
        ["diagnose", "u.npy", "--partition", "one.json"],
        ["diagnose", "--partition", "one.json"],
        ["partition", "u.npy", "--bins-from", "one.json", ...fresh],
      ])
        expect(await run(...command, "--quiet")).toEqual({ status: 1, stdout: "", stderr: line });
    }
    writeFileSync(path("one.npz"), own);
    expect(await run("diagnose", "u.npy", "--partition", "one.json", "--quiet")).toMatchObject({ status: 0 });
  });
});

describe("diagnose", () => {
  const column = (of: (sample: number) => number) =>
    Array.from({ length: SAMPLES }, (_, i) => of(i)).join("\n");

  it("says where its bins come from, for people and for machines", async () => {
    writeFileSync(
      path("theirs.csv"),
      column((i) => i % 3),
    );
    const theirs = ["diagnose", "u.npy", "--partition", "theirs.csv", "--quiet"];
    const fitted = await run(...theirs, "--bins", "4", "--seed", "7");
    expect(fitted.stdout).toMatch(/^bins: 4, fitted here with seed 7; they explain [\d.]+ % .*--bins-from$/m);
    const machine = JSON.parse((await run(...theirs, "--bins", "4", "--seed", "7", "--json")).stdout);
    expect(machine.bins).toMatchObject({ count: 4, from: null, seed: 7 });
    expect(machine.bins.explained_variance).toBeGreaterThan(0);
    expect(machine.reading).toBe("u.npy: no inputs; responses: 5 numbers (60 samples)");
    const reused = await run(...theirs, "--bins-from", "p.json");
    expect(reused.stdout).toMatch(/^bins: 4 of p\.json \(seed 0\)/m);
    expect((await run("diagnose", "u.npy", "--partition", "p.json")).stdout).toMatch(
      /^bins: 4 of p\.json \(seed 0\)/m,
    );
  });

  it("measures the rest of a partition that leaves samples out, and says so", async () => {
    const lists = [0, 1, 2].map((client) =>
      Array.from({ length: SAMPLES }, (_, i) => i).filter((i) => i % 3 === client && i % 4 !== 1),
    );
    writeFileSync(path("some.json"), JSON.stringify(Object.fromEntries(lists.entries())));
    const found = await run(
      "diagnose",
      "u.npy",
      "--partition",
      "some.json",
      "--bins",
      "4",
      "--json",
      "--quiet",
    );
    expect(found.status).toBe(0);
    const { notes, metrics } = JSON.parse(found.stdout);
    expect(notes[0]).toMatch(/^No client holds 15 of 60 samples \(25\.0 %\): /);
    expect(metrics.n_min + metrics.n_max).toBe(30);
    const rows = lists.flatMap((list, client) => list.map((sample) => `${sample},${client}`));
    writeFileSync(path("some.csv"), ["index,client_id", ...rows].join("\n"));
    const table = await run(
      "diagnose",
      "u.npy",
      "--partition",
      "some.csv",
      "--bins",
      "4",
      "--json",
      "--quiet",
    );
    expect(JSON.parse(table.stdout).metrics).toEqual(metrics);
    writeFileSync(path("twice.json"), JSON.stringify({ 0: [0, 1, 2], 1: [2, 3] }));
    const twice = await run("diagnose", "u.npy", "--partition", "twice.json", "--bins", "4", "--quiet");
    expect(twice).toMatchObject({ status: 1, stdout: "" });
    expect(twice.stderr).toContain("sample 2 is held by clients 0 and 1");
  });
});
