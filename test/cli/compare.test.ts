import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { csvParseRows } from "d3-dsv";
import { beforeAll, describe, expect, it } from "vitest";
import { writeNpz } from "../../src/files/npz.js";
import { workFolder } from "./command.js";
import { advection } from "./own-fields.js";

const { path, run } = workFolder();
const SAMPLES = 120;
const QUIET = ["--quiet", "--force"];

beforeAll(async () => {
  const { inputs, responses } = advection(SAMPLES, 16, 1);
  const shape = [SAMPLES, 16];
  const arrays = { inputs: { shape, values: inputs }, responses: { shape, values: responses } };
  writeFileSync(path("all.npz"), writeNpz(arrays));
  const split = ["--bins", "4", "--clients", "5", "--min-size", "4", ...QUIET];
  await run("partition", "all.npz", "--alpha", "0.2", "--out", "dirichlet.json", ...split);
  await run("partition", "all.npz", "--partitioner", "iid", "--seed", "3", "--out", "iid.json", ...split);
  const rows = Array.from({ length: SAMPLES }, (_, i) => `site${i % 3}`);
  writeFileSync(path("theirs.csv"), `client\n${rows.join("\n")}\n`);
});

const metricsOf = (name: string) => JSON.parse(readFileSync(path(name), "utf8")).metrics;

describe("compare", () => {
  it("measures all partitions with the bins of the first one made here, a row each", async () => {
    const all = ["all.npz", "theirs.csv", "dirichlet.json", "iid.json"];
    const { status, stdout } = await run("compare", ...all, "--json", "--quiet");
    expect(status).toBe(0);
    const { bins, partitions } = JSON.parse(stdout);
    expect(bins).toBe("All measured with the 4 bins of dirichlet.json.");
    expect(
      partitions.map(({ name, split, clients }: Record<string, unknown>) => [name, split, clients]),
    ).toEqual([
      ["theirs.csv", undefined, 3],
      ["dirichlet.json", "dirichlet, alpha 0.2, seed 0", 5],
      ["iid.json", "iid, seed 3", 5],
    ]);
    expect(partitions[1].metrics.d_sol).toBe(metricsOf("dirichlet.json").d_sol);
    // The bins of iid.json are of another seed, but those of the first partition count.
    expect(partitions[2].metrics.c_max).toBe(metricsOf("dirichlet.json").c_max);
  });

  it("writes all metrics as a table, and a figure", async () => {
    const all = ["all.npz", "dirichlet.json", "iid.json"];
    const { status, stdout } = await run("compare", ...all, "--out", "t.csv", "--figure", "f.svg", ...QUIET);
    expect(status).toBe(0);
    expect(stdout).toContain("Written: t.csv, f.svg");
    const [header, first, second] = csvParseRows(readFileSync(path("t.csv"), "utf8"));
    expect(header.slice(0, 5)).toEqual(["partition", "split", "clients", "d_sol", "d_sol_floor"]);
    expect([first[0], second[0]]).toEqual(["dirichlet.json", "iid.json"]);
    expect(Number(first[3])).toBe(metricsOf("dirichlet.json").d_sol);
    const svg = readFileSync(path("f.svg"), "utf8");
    expect(svg).toContain("dirichlet, α = 0.2");
  });

  it.each([
    [["dirichlet.json", "iid.json"], "dirichlet.json is a partition: name the data first"],
    [["all.npz", "iid.json", "iid.json"], "iid.json is named twice"],
    [["all.npz", "iid.json", "--out", "t.txt"], "--out ends in .csv or .json"],
    [["all.npz", "iid.json", "--figure", "f.gif"], "not"],
    [["all.npz", "none.json"], "none.json"],
    [["all.npz", "iid.json", "--bins", "4", "--bins-from", "iid.json"], "leave out --bins"],
  ])("answers %j in one line and writes nothing", async (words, message) => {
    const { status, stderr } = await run("compare", ...words, "--quiet");
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(status).not.toBe(0);
    for (const file of ["t.txt", "f.gif"]) expect(existsSync(path(file))).toBe(false);
  });
});
