import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { writeNpy, writeNpz } from "../../src/index.js";
import { workFolder } from "./command.js";
import { advection } from "./own-fields.js";

const { path, run, folder } = workFolder();
const POINTS = 16;
const json = (name: string) => JSON.parse(readFileSync(path(name), "utf8"));
const QUIET = ["--quiet", "--force"];

function write(
  name: string,
  samples: number,
  seed: number,
  change: (values: Float64Array) => void = () => {},
) {
  const { inputs, responses } = advection(samples, POINTS, seed);
  change(responses);
  const shape = [samples, POINTS];
  writeFileSync(path(name), writeNpz({ a: { shape, values: inputs }, u: { shape, values: responses } }));
}

const count = (site: string, data: string, ...more: string[]) =>
  run("bins", "count", "bins.npz", data, "--site", site, "--out", `counts-${site}.csv`, ...more, ...QUIET);

beforeAll(async () => {
  write("public.npz", 150, 1);
  write("north.npz", 80, 2);
  write("south.npz", 60, 3, (values) => values.set(values.map((value) => 2 * value)));
  write("nan.npz", 40, 4, (values) => values.fill(Number.NaN, 37, 38));
  write("few.npz", 8, 5);
  writeFileSync(path("grid.npy"), writeNpy(new Float64Array(40 * POINTS).map(Math.sin), [40, 4, 4]));
  const arrays = ["--inputs", "a", "--responses", "u"];
  const fitted = await run("bins", "fit", "public.npz", ...arrays, "--bins", "6", "--out", "bins.npz");
  expect(fitted).toMatchObject({ status: 0 });
  writeFileSync(path("cut.npz"), readFileSync(path("bins.npz")).subarray(0, 900));
  await run("bins", "fit", "public.npz", ...arrays, "--bins", "6", "--seed", "1", "--out", "others.npz");
  expect(await count("north", "north.npz", "--minimum", "1")).toMatchObject({ status: 0 });
  expect(await count("south", "south.npz", "--minimum", "1")).toMatchObject({ status: 0 });
});

describe("bins fit", () => {
  it("writes bins that every command takes, with the bits of a partition's", async () => {
    const split = ["--alpha", "0.3", "--seed", "0", "--clients", "4", "--min-size", "4", ...QUIET];
    const own = ["partition", "public.npz", "--inputs", "a", "--responses", "u", "--bins", "6", ...split];
    expect(await run(...own, "--out", "own.json")).toMatchObject({ status: 0 });
    const other = ["partition", "north.npz", ...split];
    expect(await run(...other, "--bins-from", "own.json", "--out", "x.json")).toMatchObject({ status: 0 });
    expect(await run(...other, "--bins-from", "bins.npz", "--out", "y.json")).toMatchObject({ status: 0 });
    const [x, y] = [json("x.json"), json("y.json")];
    expect(y).toEqual({ ...x, bins: { ...x.bins, from: "bins.npz" }, arrays: "y.npz" });
    expect(y.bins.sha256).toBe(json("own.json").bins.sha256);
    const clients = Array.from({ length: 80 }, (_, i) => `site${i % 3}`);
    writeFileSync(path("theirs.csv"), `client\n${clients.join("\n")}\n`);
    const from = (name: string) => ["--bins-from", name, "--quiet", "--json"];
    for (const command of [
      ["diagnose", "north.npz", "--partition", "theirs.csv"],
      ["compare", "north.npz", "theirs.csv", "x.json"],
    ]) {
      const [one, two] = await Promise.all([
        run(...command, ...from("own.json")),
        run(...command, ...from("bins.npz")),
      ]);
      expect(two.stdout.replaceAll("bins.npz", "own.json")).toBe(one.stdout);
    }
    const flags = [
      "--data",
      "north.npz",
      "--format",
      "csv",
      "--bins-from",
      "bins.npz",
      "--out",
      "theirs-bins.csv",
    ];
    expect(await run("export", "theirs.csv", ...flags, "--quiet")).toMatchObject({ status: 0 });
    const exported = readFileSync(path("theirs-bins.csv"), "utf8").trim().split("\n").slice(1);
    expect(exported.map((line) => Number(line.split(",")[2]))).toEqual(y.bin_of_sample);
  });

  it("takes several files as one dataset, and says what it wrote", async () => {
    const arrays = ["--inputs", "a", "--responses", "u", "--bins", "4", "--float32", "--json", "--quiet"];
    const { stdout } = await run("bins", "fit", "public.npz", "north.npz", ...arrays, "--out", "two.npz");
    const { data, bins, spreads } = JSON.parse(stdout);
    expect(data).toMatchObject({ samples: 230, response_shape: [POINTS], responses: "u" });
    expect(bins.count).toBe(4);
    expect(spreads.reduce((sum: number, { samples }: { samples: number }) => sum + samples, 0)).toBe(230);
  });

  it.each([
    [["--bins", "6", "--out", "b.json"], "--out b.json: bins are written to a .npz file"],
    [["--bins", "0", "--out", "b.npz"], "It is a whole number from 1 on"],
    [["--bins", "999", "--out", "b.npz"], "150 responses cannot fill 999 bins"],
    [["--out", "bins.npz"], "bins.npz exists: choose another --out or add --force"],
    [["--out", "public.npz", "--force"], "public.npz is also read"],
    [["--clusters", "6", "--out", "b.npz"], "unknown option '--clusters': here it is --bins"],
    [[], "required option '--out <file>' not specified"],
  ])("answers %j in one line", async (options, message) => {
    const before = readdirSync(folder);
    const { status, stderr } = await run(
      "bins",
      "fit",
      "public.npz",
      "--responses",
      "u",
      "--quiet",
      ...options,
    );
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(status).not.toBe(0);
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe("bins count", () => {
  it("shares counts alone, and shows at the site how well the bins fit", async () => {
    const { stdout, stderr } = await count("south", "south.npz");
    expect(stderr).toMatch(
      /warning: .* farther from every centroid than any sample that the bins were fitted to/,
    );
    expect(stdout).toMatch(/share of the variance explained +-?[\d.]+ % +[\d.]+ %/);
    const shared = readFileSync(path("counts-south.csv"), "utf8");
    expect(shared.split("\n").filter((line) => line.startsWith("#"))).toHaveLength(3);
    expect(shared).toMatch(/^south(,\d+){6}$/m);
    await count("south", "south.npz", "--minimum", "1", "--share-quality");
    expect(readFileSync(path("counts-south.csv"), "utf8")).toMatch(/^# outside: [1-9]/m);
    await count("south", "south.npz", "--minimum", "1");
  });

  it.each([
    [["bins.npz", "grid.npy"], "grid.npy has responses of 4 x 4, but the bins of bins.npz are of 16: bring"],
    [["bins.npz", "nan.npz"], "must be finite, but there is NaN in sample 2, position [5]"],
    [["bins.npz", "few.npz"], "no bin holds 5 samples: nothing can be shared"],
    [["bins.npz", "none.npz"], "none.npz"],
    [
      ["north.npz", "bins.npz"],
      "north.npz is not a file of bins: `pde-dirichlet bins fit <data>` writes one",
    ],
    [["cut.npz", "north.npz"], "cut.npz"],
    [["bins.npz", "north.npz", "--minimum", "0"], "It is a whole number from 1 on"],
    [["bins.npz", "north.npz", "--site", " "], "a site has a name of one line"],
    [["bins.npz", "north.npz", "--out", "north.npz", "--force"], "north.npz is also read"],
    [["bins.npz", "north.npz", "--minimun", "3"], "unknown option '--minimun': did you mean --minimum?"],
    [["bins.npz"], "missing required argument 'data'"],
  ])("answers %j in one line and writes nothing", async (args, message) => {
    const site = args.includes("--site") ? [] : ["--site", "x"];
    const out = args.includes("--out") ? [] : ["--out", "bad.csv"];
    const { status, stderr } = await run("bins", "count", ...args, ...site, ...out, "--quiet");
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(status).not.toBe(0);
    expect(existsSync(path("bad.csv"))).toBe(false);
  });
});

describe("diagnose --counts", () => {
  const federation = ["diagnose", "--counts", "counts-north.csv", "counts-south.csv", "--bins", "bins.npz"];

  it("measures sites as the pooled data split by file", async () => {
    const own = ["--by", "file", "--bins-from", "bins.npz", "--min-size", "1", "--out", "pooled.json"];
    expect(await run("partition", "north.npz", "south.npz", ...own, ...QUIET)).toMatchObject({ status: 0 });
    const { stdout } = await run(...federation, "--json", "--out", "federation.json");
    const { metrics, clients, bins } = JSON.parse(stdout);
    const pooled = json("pooled.json");
    expect(clients).toEqual(["north", "south"]);
    expect(bins).toMatchObject({ count: 6, from: "bins.npz", seed: 0 });
    expect(metrics).toMatchObject({ d_sol: pooled.metrics.d_sol, d_sol_floor: pooled.metrics.d_sol_floor });
    expect(json("federation.json").counts).toEqual(pooled.counts);
    const pattern = await run("diagnose", "--counts", "counts-*th.csv", "--bins-from", "bins.npz", "--json");
    expect(JSON.parse(pattern.stdout).metrics).toEqual(metrics);
  });

  it("states how much a minimum may hide", async () => {
    await count("hidden", "north.npz", "--minimum", "12");
    const args = ["diagnose", "--counts", "counts-hidden.csv", "counts-south.csv", "--bins", "bins.npz"];
    const [exact, hidden] = await Promise.all([run(...federation, "--json"), run(...args, "--json")]);
    const [one, other] = [exact, hidden].map(({ stdout }) => JSON.parse(stdout));
    expect(one.small_counts).toBeUndefined();
    expect(other.notes[0]).toContain("1 of 2 clients share no count below 12 samples");
    const change = Math.abs(one.metrics.d_sol - other.metrics.d_sol);
    expect(change).toBeLessThanOrEqual(other.small_counts.d_sol_error);
  });

  it.each([
    [["counts-north.csv", "counts-north.csv", "--bins", "bins.npz"], "counts-north.csv is named twice"],
    [["counts-north.csv", "copy.csv", "--bins", "bins.npz"], "copy.csv both have counts of north"],
    [
      ["counts-north.csv", "counts-south.csv", "--bins", "others.npz"],
      "counted in other bins than those of others.npz",
    ],
    [
      ["counts-north.csv", "counts-south.csv", "--bins", "6"],
      "with --counts, --bins names the file of the bins",
    ],
    [["counts-north.csv", "counts-south.csv"], "say where the bins lie: --bins with a file of `bins fit`"],
    [["counts-north.csv", "--bins", "bins.npz"], "at least two clients with samples, this one has 1"],
    [["counts-north.csv", "counts-south.csv", "--bins", "cut.npz"], "cut.npz"],
    [["counts-north.csv", "counts-south.csv", "--bins", "north.npz"], 'north.npz has no array "centroids"'],
    [["counts-x*.csv", "--bins", "bins.npz"], "no file matches counts-x*.csv"],
    [["counts-north.csv", "--bins", "bins.npz", "--bins-from", "bins.npz"], "leave out --bins"],
  ])("answers %j in one line and writes nothing", async (args, message) => {
    writeFileSync(path("copy.csv"), readFileSync(path("counts-north.csv")));
    const { status, stderr } = await run("diagnose", "--counts", ...args, "--out", "bad.json", "--quiet");
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(status).not.toBe(0);
    expect(existsSync(path("bad.json"))).toBe(false);
  });
});

describe("a command within a command", () => {
  it("has its own help, and is guessed where it is misspelt", async () => {
    const help = await run("help", "bins", "count");
    expect(help.stdout).toContain("--share-quality");
    expect((await run("bins", "fit", "--help")).stdout).toContain("--float32");
    const { stderr, status } = await run("bins", "coumt");
    expect([status, stderr]).toEqual([
      1,
      "pde-dirichlet: there is no partition coumt: did you mean count?\n",
    ]);
  });
});
