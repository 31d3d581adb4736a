import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { binsCommand } from "../../src/cli/bins.js";
import { main } from "../../src/cli/main.js";
import { hdf5Contents } from "../../src/datasets/generated-file.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { generate, writeNpz } from "../../src/index.js";
import { texts } from "../figures/well-formed.js";
import { type Outcome, workFolder } from "./command.js";

const { folder, path } = workFolder();
const before = process.cwd();
afterAll(() => process.chdir(before));

/** The command in this process, which starts no other: there are many of them. */
async function run(...args: string[]): Promise<Outcome> {
  const [stdout, stderr]: string[][] = [[], []];
  vi.spyOn(console, "log").mockImplementation((line) => void stdout.push(`${line}\n`));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => stderr.push(String(text)) > 0);
  const status = await main(args);
  vi.restoreAllMocks();
  return { status, stdout: stdout.join(""), stderr: stderr.join("") };
}

const parseCsv = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));

/** Random walks, one of them blown up; and noise. */
const numbers = (samples: number, size: number, value: (sample: number, i: number) => number) => ({
  values: Float64Array.from({ length: samples * size }, (_, i) => value(Math.floor(i / size), i % size)),
  shape: [samples, size],
});
const hashed = (i: number) => {
  const x = Math.sin(12.9898 * i + 78.233) * 43758.5453;
  return x - Math.floor(x) - 0.5;
};

beforeAll(async () => {
  process.chdir(folder);
  const data = generate({ task: "antiderivative", seed: 0, train: 200, test: 4 });
  await writeHdf5(path("u.h5"), hdf5Contents(data));
  const other = generate({ task: "antiderivative", seed: 1, train: 200, test: 4 });
  await writeHdf5(path("other.h5"), hdf5Contents(other));
  const walk = (sample: number, i: number) => Math.sin((sample % 17) + 0.1 * i * (sample % 5));
  writeFileSync(
    path("blown.npz"),
    writeNpz({ responses: numbers(150, 20, (s, i) => (s === 7 ? 1e6 : 1) * walk(s, i)) }),
  );
  writeFileSync(path("noise.npz"), writeNpz({ responses: numbers(200, 60, (s, i) => hashed(s * 60 + i)) }));
  writeFileSync(
    path("drag.npz"),
    writeNpz({ responses: numbers(120, 4, (s, i) => hashed(s) + i + 0.1 * hashed(s + i)) }),
  );
  const flow = numbers(60, 3 * 4 * 5 * 6, (s, i) => Math.sin(s + i / 50));
  writeFileSync(path("flow.npz"), writeNpz({ responses: { ...flow, shape: [60, 3, 4, 5, 6] } }));
  const split = ["--alpha", "0.5", "--clients", "4", "--seed", "3", "--quiet"];
  await run("partition", "u.h5", ...split, "--bins", "6", "--out", "p.json");
  await run("partition", "blown.npz", ...split, "--out", "pblown.json");
  await run("partition", "noise.npz", ...split, "--out", "pnoise.json");
  await run("partition", "drag.npz", ...split, "--bins", "3", "--out", "pdrag.json");
  await run("partition", "flow.npz", ...split, "--bins", "3", "--min-size", "4", "--out", "pflow.json");
  const clients = Array.from({ length: 200 }, (_, i) => ["north", "south", "west"][i % 3]);
  writeFileSync(path("theirs.csv"), `client\n${clients.join("\n")}\n`);
}, 120_000);

describe("bins", () => {
  it("prints one row a bin, with counts that are the partition's", async () => {
    const { status, stdout, stderr } = await run("bins", "p.json", "--data", "u.h5");
    expect(stderr).toContain("Looking into bins: 6 bins");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^p\.json: 200 samples in 6 bins, 4 clients\n\nbin +samples +left +spread +nearest/,
    );
    const { counts } = JSON.parse(readFileSync(path("p.json"), "utf8")) as { counts: number[][] };
    const rows = stdout.split("\n").filter((line) => /^\d /.test(line));
    const sizes = rows.map((row) => Number(row.split(/ +/)[1]));
    expect(sizes).toEqual(counts[0].map((_, bin) => counts.reduce((sum, row) => sum + row[bin], 0)));
    expect(stdout).toMatch(/The bins explain \d\d\.\d % .* \(white noise: about \d+\.\d %\)/);
    expect(stdout).toMatch(/Mean silhouette 0\.\d\d: the bins/);
  });

  it("finds the data that the partition names, here or beside it, and else asks for them", async () => {
    expect((await run("bins", "p.json", "--quiet")).status).toBe(0);
    mkdirSync(path("apart"), { recursive: true });
    for (const file of ["p.json", "p.npz"]) writeFileSync(path(`apart/${file}`), readFileSync(path(file)));
    expect((await run("bins", "apart/p.json", "--quiet")).status).toBe(0);
    renameSync(path("u.h5"), path("moved.h5"));
    const lost = await run("bins", "p.json");
    renameSync(path("moved.h5"), path("u.h5"));
    expect(lost.status).toBe(1);
    expect(lost.stderr).toBe(
      "pde-dirichlet: p.json was made from u.h5, which is neither here nor beside it: name the file with --data <file>\n",
    );
  });

  it("draws SVG, PNG and PDF, and writes CSV and JSON that agree with the table", async () => {
    const out = ["bins.svg", "bins.png", "bins.pdf", "bins.csv"];
    const { status, stdout } = await run("bins", "p.json", "--json", "--quiet", "--out", ...out);
    expect(status).toBe(0);
    const found = JSON.parse(stdout);
    expect(found.out).toEqual(out);
    const shown = texts(readFileSync(path("bins.svg"), "utf8"));
    expect(shown).toContain("Antiderivative: 200 samples in 6 bins, 4 clients");
    expect(shown).toContain("Bin 5");
    expect(readFileSync(path("bins.png")).subarray(1, 4).toString()).toBe("PNG");
    expect(readFileSync(path("bins.pdf")).subarray(0, 4).toString()).toBe("%PDF");
    const [header, ...rows] = parseCsv(readFileSync(path("bins.csv"), "utf8"));
    const column = (name: string) => rows.map((row) => Number(row[header.indexOf(name)]));
    expect(column("samples")).toEqual(found.bins.map(({ samples }: { samples: number }) => samples));
    expect(column("spread")).toEqual(found.bins.map(({ spread }: { spread: number }) => spread));
    const left = column("variance_left").reduce((a, b) => a + b, 0);
    expect(left).toBeCloseTo(1 - found.explained_variance, 6);
    const again = await run("bins", "p.json", "--quiet", "--out", "bins.svg");
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining("bins.svg exists")]);
  });

  it("warns of one sample that dominates, of a bin that it has alone, and of white noise", async () => {
    const blown = await run("bins", "pblown.json", "--quiet");
    expect(blown.stdout).toMatch(/eps_quant: 0\.000/);
    expect(blown.stderr).toMatch(/warning: Sample 7 holds .* % of the variance of the responses/);
    expect(blown.stderr).toMatch(/warning: Bins? [\d, ]+ holds? a single sample/);
    const noise = await run("bins", "pnoise.json", "--quiet");
    expect(noise.stderr).toMatch(/about as much as of white noise/);
    expect(noise.stdout).toMatch(/the bins cut up one cloud of responses/);
    const diagnosed = await run("diagnose", "noise.npz", "--partition", "pnoise.json", "--quiet");
    expect(diagnosed.stderr).toMatch(/about as much as of white noise/);
  });

  it("draws descriptors, and parts of volumes over time that are chosen", async () => {
    expect((await run("bins", "pdrag.json", "--quiet", "--out", "drag.svg")).status).toBe(0);
    expect(texts(readFileSync(path("drag.svg"), "utf8"))).toContain("number");
    const axes = ["--axes", "channel,t,y,x", "--quiet"];
    const many = await run("bins", "pflow.json", ...axes, "--out", "flow.svg");
    expect(many.stderr).toMatch(
      /gives 9 pictures, more than the 6 that fit: choose some with --channel, --frame/,
    );
    expect(existsSync(path("flow.svg"))).toBe(false);
    const few = await run(
      "bins",
      "pflow.json",
      ...axes,
      "--channel",
      "1",
      "--frame",
      "0,3",
      "--out",
      "flow.svg",
    );
    expect([few.stderr, few.status]).toEqual(["", 0]);
    const svg = readFileSync(path("flow.svg"), "utf8");
    expect(svg.match(/<image/g)).toHaveLength(3 * 3 * 2);
  });

  it("looks into another tool's clients with bins that are fitted or reused", async () => {
    const fitted = await run("bins", "theirs.csv", "--data", "u.h5", "--bins", "4", "--quiet");
    expect(fitted.stdout).toMatch(/^theirs\.csv: 200 samples in 4 bins, fitted with seed 0, 3 clients/);
    expect(fitted.stdout).toMatch(/(north|south|west) \(\d+ %\)/);
    const reused = await run("bins", "theirs.csv", "--data", "u.h5", "--bins-from", "p.json", "--quiet");
    expect(reused.stdout).toMatch(/^theirs\.csv: 200 samples in 6 bins, 3 clients/);
    expect((await run("bins", "theirs.csv")).stderr).toMatch(/does not say which data it splits/);
  });

  it.each([
    [[], /name a partition, or data with --data <file> and --sweep/],
    [["--data", "u.h5"], /--data alone has no bins to look at/],
    [["p.json", "--out", "b.txt"], /ends in \.svg, \.png or \.pdf, not "b\.txt"/],
    [["p.json", "--alpha", "1"], /--alpha speaks of a sweep/],
    [["p.json", "--sweep", "2:4", "--alpha", "1"], /the partition brings its own options: leave out --alpha/],
    [["p.json", "--sweep", "4:2"], /"4:2" is not a smaller and a larger number of bins, such as 2:50/],
    [["p.json", "--sweep", "2:4", "--bins", "3"], /a sweep fits bins of its own: leave out --bins/],
    [["--data", "u.h5", "--sweep", "2:500"], /200 responses cannot fill 500 bins: sweep up to 200/],
    [["p.json", "--data", "other.h5"], /does not hold the responses that p\.json was made from/],
    [["p.json", "--data", "u.h5", "--out", "u.h5"], /ends in/],
    [["p.json", "--swep", "2:3"], /unknown option '--swep'.*--sweep/],
  ])("refuses %j in one line", async (args, message) => {
    const { status, stderr } = await run("bins", ...(args as string[]), "--quiet");
    expect(status).toBe(1);
    expect(stderr).toMatch(message as RegExp);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("a subcommand of bins", () => {
  it("gets its own options, also those that bins has", async () => {
    const got: unknown[] = [];
    const fit = new Command("probe")
      .argument("<data>")
      .option("--out <file>", "bins to write")
      .action((data, options) => void got.push(data, options));
    const bins = binsCommand().addCommand(fit);
    await bins.parseAsync(["probe", "u.h5", "--out", "bins.npz"], { from: "user" });
    expect(got).toEqual(["u.h5", { out: "bins.npz" }]);
  });
});

describe("bins --sweep", () => {
  it("gives the partition's own D_sol at its number of bins, which is added and marked", async () => {
    const { status, stdout } = await run(
      "bins",
      "p.json",
      "--sweep",
      "2:9",
      "--step",
      "3",
      "--quiet",
      "--json",
    );
    expect(status).toBe(0);
    const found = JSON.parse(stdout);
    expect(found.points.map(({ bins }: { bins: number }) => bins)).toEqual([2, 5, 6, 8]);
    const { metrics, bins } = JSON.parse(readFileSync(path("p.json"), "utf8"));
    expect(found.points[2]).toMatchObject({
      d_sol: metrics.d_sol,
      d_sol_floor: metrics.d_sol_floor,
      eps_quant: metrics.eps_quant,
      explained_variance: bins.explained_variance,
    });
    const table = await run("bins", "p.json", "--sweep", "5:7", "--quiet", "--out", "sweep.svg", "sweep.csv");
    expect(table.stdout).toMatch(/^u\.h5, 4 clients, alpha 0\.5, seed 3; bins fitted with seed 3/);
    expect(table.stdout).toMatch(/\n +6 .* partition\n/);
    expect(texts(readFileSync(path("sweep.svg"), "utf8"))).toContain("the partition, 6 bins");
    expect(parseCsv(readFileSync(path("sweep.csv"), "utf8")).map(([first]) => first)).toEqual([
      "bins",
      "5",
      "6",
      "7",
    ]);
  });

  it("draws clients for data without a partition, and keeps those of another tool", async () => {
    const data = await run("bins", "--data", "u.h5", "--sweep", "2:3", "--clients", "5", "--quiet");
    expect(data.stdout).toMatch(/^u\.h5, 5 clients, alpha 0\.1, seed 0; bins fitted with seed 0/);
    const theirs = await run("bins", "theirs.csv", "--data", "u.h5", "--sweep", "2:3", "--quiet");
    expect(theirs.stdout).toMatch(/^u\.h5, the 3 clients of theirs\.csv; bins/);
  });
});

describe("show --partition", () => {
  it("draws the samples of a bin, the nearest to its centroid first", async () => {
    const looked = JSON.parse((await run("bins", "p.json", "--json", "--quiet")).stdout);
    const shown = await run(
      "show",
      "--partition",
      "p.json",
      "--bin",
      "2",
      "--out",
      "bin.svg",
      "--quiet",
      "--json",
    );
    const { samples, chosen } = JSON.parse(shown.stdout);
    expect(samples).toHaveLength(4);
    expect(samples[0]).toBe(looked.bins[2].nearest.sample);
    expect(chosen).toBe(
      `4 of the ${looked.bins[2].samples} samples of bin 2, nearest to the centroid first: ${samples.join(", ")}`,
    );
    const { bin_of_sample } = JSON.parse(readFileSync(path("p.json"), "utf8"));
    for (const sample of samples) expect(bin_of_sample[sample]).toBe(2);
    expect(texts(readFileSync(path("bin.svg"), "utf8"))[0]).toBe(
      `Antiderivative, bin 2, samples ${samples.join(", ")}`,
    );
  });

  it("draws the samples of a client in the order of the file, and of both", async () => {
    const { client_of_sample, bin_of_sample } = JSON.parse(readFileSync(path("p.json"), "utf8"));
    const args = [
      "show",
      "u.h5",
      "--partition",
      "p.json",
      "--client",
      "1",
      "--quiet",
      "--force",
      "--out",
      "c.svg",
    ];
    const own = client_of_sample.flatMap((client: number, i: number) => (client === 1 ? [i] : []));
    const client = await run(...args, "--samples", "3");
    expect(client.stdout).toBe(
      `3 of the ${own.length} samples of client 1, in the order of the file: ${own.slice(0, 3).join(", ")}\nFigure: c.svg\n`,
    );
    const bin = bin_of_sample[own[0]];
    const both = JSON.parse((await run(...args, "--bin", String(bin), "--json")).stdout);
    for (const sample of both.samples) {
      expect(client_of_sample[sample]).toBe(1);
      expect(bin_of_sample[sample]).toBe(bin);
    }
    const theirs = await run(
      "show",
      "u.h5",
      "--partition",
      "theirs.csv",
      "--client",
      "south",
      "--out",
      "s.svg",
    );
    expect(theirs.stdout).toMatch(
      /^4 of the 67 samples of client south, in the order of the file: 1, 4, 7, 10\n/,
    );
  });

  it.each([
    [["--bin", "1"], /--bin speaks of a partition: name it with --partition/],
    [["--partition", "p.json"], /--partition needs --bin <number> or --client <name>/],
    [["--partition", "p.json", "--bin", "6"], /there is no bin 6: p\.json has 6, 0 to 5/],
    [["--partition", "p.json", "--client", "9"], /there is no client 9: p\.json has 4, 0, 1, 2, 3/],
    [["--partition", "p.json", "--bin", "1", "--sample", "3"], /--sample names samples one by one/],
    [["--partition", "p.json", "--bin", "1", "--split", "test"], /a partition splits training samples/],
    [["--partition", "p.json", "--bin", "1", "--samples", "9"], /9 samples do not fit on a page/],
    [["other.h5", "--partition", "p.json", "--bin", "1"], /does not hold the responses that p\.json/],
    [["u.h5", "--partition", "theirs.csv", "--bin", "1"], /has no bins: name a client with --client/],
    [[], /name the data file, or a partition/],
  ])("refuses %j in one line", async (args, message) => {
    const { status, stderr } = await run("show", ...(args as string[]), "--quiet", "--out", "no.svg");
    expect(status).toBe(1);
    expect(stderr).toMatch(message as RegExp);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(existsSync(path("no.svg"))).toBe(false);
  });
});

describe("the heat map of a partition", () => {
  it("is written as PDF too", async () => {
    const { status } = await run("diagnose", "p.json", "--figure", "map.pdf", "--quiet");
    expect(status).toBe(0);
    expect(readFileSync(path("map.pdf")).subarray(0, 4).toString()).toBe("%PDF");
    const other = await run("diagnose", "p.json", "--figure", "map.gif");
    expect(other.stderr).toMatch(/--figure ends in \.svg, \.png or \.pdf, not "map\.gif"/);
  });
});
