import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { loadLibrary, openLibraryFile } from "../../src/files/hdf5-on-disk.js";
import { writeNpz } from "../../src/files/npz.js";
import { workFolder } from "./command.js";
import { advection } from "./own-fields.js";

const { path, run } = workFolder();

const SAMPLES = 120;
const POINTS = 16;
/** Four speeds in turn, and a number that all samples differ in. */
const betas = Float64Array.from({ length: SAMPLES }, (_, i) => [0.1, 4, 1, 2][i % 4]);
const times = Float64Array.from({ length: SAMPLES }, (_, i) => (i * 7) % SAMPLES);

const json = (name: string) => JSON.parse(readFileSync(path(name), "utf8"));
const SPLIT = ["--bins", "4", "--quiet", "--force"];
const TRAIN = ["--rounds", "2", "--bins", "4", "--batch", "8", "--test", "20", "--min-size", "4", "--quiet"];
const MODEL = ["--model", "fno", "width=4", "modes=3", "layers=1", "projection=4"];
const trained = async (...more: string[]) => {
  const { stdout, stderr, status } = await run("train", "all.npz", ...TRAIN, ...more, "--json", ...MODEL);
  return status === 0 ? JSON.parse(stdout) : stderr;
};

function write(name: string, samples: number, seed: number, more = {}): void {
  const { inputs, responses } = advection(samples, POINTS, seed);
  writeFileSync(
    path(name),
    writeNpz({
      inputs: { shape: [samples, POINTS], values: inputs },
      responses: { shape: [samples, POINTS], values: responses },
      ...more,
    }),
  );
}

beforeAll(() => {
  write("all.npz", SAMPLES, 1, { beta: betas, phase: times, same: new Float64Array(SAMPLES) });
  write("north.npz", 40, 2);
  write("south.npz", 60, 3);
});

describe("partition", () => {
  it("splits by every partitioner, and names it in the file", async () => {
    const splits: [string, string[]][] = [
      ["iid", []],
      ["sizes", ["--sizes", "linear"]],
      ["shards", ["--shards", "2"]],
      ["pathological", ["--bins-per-client", "2"]],
      ["client-dirichlet", ["--alpha", "0.5"]],
      ["input-bins", ["--alpha", "0.5", "--input-bins", "4"]],
    ];
    for (const [name, options] of splits) {
      const out = ["--partitioner", name, "--clients", "5", "--min-size", "4", "--out", `${name}.json`];
      const { status, stdout, stderr } = await run("partition", "all.npz", ...options, ...out, ...SPLIT);
      expect(stderr).toBe("");
      expect(status).toBe(0);
      expect(stdout).toContain(name);
      const { schema, options: recorded, client_of_sample, metrics } = json(`${name}.json`);
      expect(schema).toBe("pde-dirichlet/partition/3");
      expect(recorded.partitioner.name).toBe(name);
      expect(new Set(client_of_sample).size).toBe(5);
      expect(metrics.d_sol_floor).toBeGreaterThan(0);
      const again = await run("diagnose", "all.npz", "--partition", `${name}.json`, "--json", "--quiet");
      expect(JSON.parse(again.stdout).metrics).toEqual(metrics);
    }
  }, 60_000);

  it("makes natural clients of a parameter and of source files, and ranges of numbers", async () => {
    const beta = ["partition", "all.npz", "--by", "beta", "--out", "beta.json", ...SPLIT];
    expect(await run(...beta)).toMatchObject({ status: 0 });
    expect(json("beta.json")).toMatchObject({
      client_names: ["beta = 0.1", "beta = 1", "beta = 2", "beta = 4"],
      sizes: [30, 30, 30, 30],
    });
    const files = ["partition", "north.npz", "south.npz", "--by", "file", "--out", "file.json", ...SPLIT];
    expect(await run(...files)).toMatchObject({ status: 0 });
    expect(json("file.json")).toMatchObject({
      client_names: ["file = north.npz", "file = south.npz"],
      sizes: [40, 60],
    });
    const ranges = ["partition", "all.npz", "--by", "phase", "--clients", "6", "--out", "t.json", ...SPLIT];
    expect(await run(...ranges)).toMatchObject({ status: 0 });
    expect(json("t.json").client_of_sample).toEqual(Array.from(times, (time) => Math.floor(time / 20)));
  });

  it("measures clients of another tool as a partition of ours, also where samples are left out", async () => {
    const rows = Array.from({ length: SAMPLES }, (_, i) => `${i},site${i % 3}`).slice(12);
    writeFileSync(path("theirs.csv"), `index,client\n${rows.join("\n")}\n`);
    const taken = ["--partitioner", "file", "--file", "theirs.csv", "--out", "taken.json"];
    const { status, stdout } = await run("partition", "all.npz", ...taken, ...SPLIT);
    expect(status).toBe(0);
    expect(stdout).toContain("No client holds 12 of 120 samples (10.0 %)");
    expect(json("taken.json").client_of_sample.slice(10, 14)).toEqual([-1, -1, 0, 1]);
    const again = await run("diagnose", "all.npz", "--partition", "taken.json", "--json", "--quiet");
    expect(JSON.parse(again.stdout).metrics.d_sol).toBe(json("taken.json").metrics.d_sol);
  });

  it.each([
    [["--partitioner", "iid", "--alpha", "1"], "the partitioner iid has no concentration: leave out --alpha"],
    [["--partitioner", "client-dirichlet"], "give either --alpha or --target-distance"],
    [["--partitioner", "by"], "the partitioner by needs an attribute: --by"],
    [["--by", "gamma"], 'no attribute "gamma": there are beta, phase, same'],
    [
      ["--by", "file"],
      "the attribute file is which of several files a sample is from, and there is one file",
    ],
    [["--by", "same"], "same is 0 for all samples: it cannot make clients"],
    [["--by", "phase"], "phase has 120 values for 120 samples: say how many clients share its range"],
    [["--by", "beta", "--clients", "9"], "beta has 4 values, which cannot make 9 clients"],
    [
      ["--shards", "2", "--strictness", "1"],
      "--shards and --strictness are options of different partitioners",
    ],
    [["--partitioner", "shards", "--by", "beta"], "--by is an option of by, not of shards"],
    [["--sizes", "linear"], "--sizes is an option of sizes, client-dirichlet: say which with --partitioner"],
    [["--partitioner", "sizes", "--sizes", "60,70"], "sum to 130: they must sum to the 120 samples"],
    [["--partitioner", "nobody"], "Allowed choices are dirichlet, iid"],
    [["--partitioner", "file"], "the partitioner file needs a partition"],
    [["--partitioner", "file", "--file", "none.json"], "none.json"],
    [["--bins-per-client", "9", "--clients", "4"], "a client cannot hold 9 bins: 4 bins have samples"],
  ])("answers %j in one line and writes nothing", async (options, message) => {
    const { status, stderr } = await run("partition", "all.npz", ...options, "--out", "bad.json", ...SPLIT);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(status).not.toBe(0);
    expect(existsSync(path("bad.json"))).toBe(false);
  });

  it("refuses clients that overlap", async () => {
    writeFileSync(path("twice.json"), JSON.stringify({ 0: [0, 1, 2], 1: [2, 3, 4] }));
    const taken = ["--partitioner", "file", "--file", "twice.json", "--out", "bad.json"];
    const { status, stderr } = await run("partition", "all.npz", ...taken, ...SPLIT);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/sample 2/);
  });
});

describe("train", () => {
  it("trains on a partition of ours to the bits of the options that made it", async () => {
    // A file of its own for the training samples, as a partition is of all samples of an array.
    const own = ["--alpha", "0.3", "--seed", "5", "--clients", "4", "--min-size", "4", "--out", "own.json"];
    expect(await run("partition", "all.npz", ...own, ...SPLIT)).toMatchObject({ status: 0 });
    const { options, partition } = await trained("--partition", "own.json", "--seed", "5");
    expect(options).toMatchObject({ alpha: null, clients: 4, partitioner: { name: "file" } });
    // The last 20 samples are for tests: their clients lose them.
    const clients: number[] = json("own.json").client_of_sample.slice(0, 100);
    const sizes = [0, 1, 2, 3].map((client) => clients.filter((one) => one === client).length);
    expect([partition.n_min, partition.n_max]).toEqual([Math.min(...sizes), Math.max(...sizes)]);
  });

  it("trains a built-in task on a partition of its generated file", async () => {
    const small = ["--train", "60", "--test", "10", "--seed", "3"];
    await run("generate", "antiderivative", ...small, "--out", "a.h5", "--quiet");
    const split = ["--alpha", "0.2", "--seed", "3", "--clients", "4", "--min-size", "4", "--bins", "4"];
    await run("partition", "a.h5", ...split, "--out", "a.json", "--quiet");
    const task = ["train", "antiderivative", ...small, "--rounds", "2", "--quiet", "--json"];
    const [direct, given] = await Promise.all([
      run(...task, "--alpha", "0.2", "--clients", "4", "--min-size", "4", "--bins", "4"),
      run(...task, "--partition", "a.json"),
    ]);
    const [one, other] = [direct, given].map(({ stdout }) => JSON.parse(stdout));
    expect(other.result.parameters_sha256).toBe(one.result.parameters_sha256);
    expect(other.partition.d_sol).toBe(one.partition.d_sol);
    const wrong = await run(...task.map((word) => (word === "3" ? "4" : word)), "--partition", "a.json");
    expect(wrong.status).not.toBe(0);
    expect(wrong.stderr).toContain(
      "the generated data does not hold the responses that a.json was made from",
    );
  });

  it("trains on natural clients, foreign clients and a target distance", async () => {
    expect((await trained("--by", "beta")).options).toMatchObject({
      clients: 4,
      partitioner: { name: "by", by: "beta" },
      minSize: 4,
    });
    const rows = Array.from({ length: 100 }, (_, i) => `site${i % 3}`);
    writeFileSync(path("sites.csv"), `client\n${rows.join("\n")}\n`);
    const foreign = await trained("--partition", "sites.csv");
    expect(foreign.options.clients).toBe(3);
    expect(foreign.partition).toMatchObject({ n_min: 33, n_max: 34 });
    const aimed = await trained("--target-distance", "0.6", "--clients", "4");
    expect(aimed.options).toMatchObject({ alpha: null, targetDistance: 0.6 });
    expect(Math.abs(aimed.partition.d_sol - 0.6)).toBeLessThan(0.1);
  });

  it.each([
    [[], "say how samples are split: --alpha 0.1, --target-distance, --partition or --partitioner"],
    [["--alpha", "1", "--target-distance", "0.5"], "give either --alpha or --target-distance"],
    [
      ["--partitioner", "iid", "--target-distance", "0.5"],
      "iid has no concentration: leave out --target-distance",
    ],
    [
      ["--partitioner", "file"],
      "the partitioner file needs a partition: --file <path>, or --partition to train",
    ],
    [["--partition", "own.json", "--alpha", "1"], "own.json says which client holds every sample"],
    [["--partition", "own.json", "--clients", "7"], "own.json has 4 clients, not 7"],
    [["--partition", "own.json", "--partitioner", "iid"], "give either --partition or --partitioner iid"],
    [["--by", "gamma"], 'no attribute "gamma"'],
    [["--partition", "short.csv"], "short.csv names the client of 50 samples, but the dataset has 100"],
  ])("answers %j in one line", async (options, message) => {
    writeFileSync(path("short.csv"), `client\n${new Array(50).fill("a\nb").slice(0, 25).join("\n")}\n`);
    const said = await trained(...options);
    expect(said).toContain(message);
    expect(String(said).trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("a partition and the samples trained on", () => {
  const half = ["--inputs", "inputs[:100]", "--responses", "responses[:100]"];

  it("must be the same, wherever the test samples lie", async () => {
    const split = ["--clients", "4", "--min-size", "4", "--partitioner", "iid", "--out", "half.json"];
    expect(await run("partition", "all.npz", ...half, ...split, ...SPLIT)).toMatchObject({ status: 0 });
    expect((await trained("--partition", "half.json")).options).toMatchObject({ clients: 4 });
    const moved = await trained("--partition", "half.json", "--test", "0:20");
    expect(moved).toContain("half.json was made from other samples or responses than those trained on");
    const turned = await trained(
      "--partition",
      "half.json",
      "--inputs",
      "responses",
      "--responses",
      "inputs",
    );
    expect(turned).toContain("training sample 0 differs");
  });

  it("may leave out the last samples in lists, also where that is not said by a column", async () => {
    const lists = { a: [0, 1, 2, 3, 4, 5], b: [6, 7, 8, 9, 10, 11] };
    writeFileSync(path("lists.json"), JSON.stringify(lists));
    expect((await trained("--partition", "lists.json")).partition).toMatchObject({ n_min: 6, n_max: 6 });
    const unclear = await trained("--partition", "lists.json", "--test", "0:20");
    expect(unclear).toContain("of the 100 training samples, or of all 120?");
  });
});

describe("names of clients", () => {
  it("come from strings of an HDF5 file; training says how to use them", async () => {
    await loadLibrary(); // our own writer writes no strings
    const sites = Array.from({ length: SAMPLES }, (_, i) => `site ${"cab"[i % 3]}`);
    const { inputs, responses } = advection(SAMPLES, POINTS, 1);
    const file = openLibraryFile(path("sites.h5"), "w");
    const shape = [SAMPLES, POINTS];
    file.create_dataset({ name: "inputs", data: Float64Array.from(inputs), shape });
    file.create_dataset({ name: "responses", data: Float64Array.from(responses), shape });
    file.create_dataset({ name: "site", data: sites });
    file.close();
    const by = ["--by", "site", "--out", "sites.json"];
    expect(await run("partition", "sites.h5", ...by, ...SPLIT)).toMatchObject({ status: 0 });
    expect(json("sites.json").client_names).toEqual(["site = site a", "site = site b", "site = site c"]);
    expect(json("sites.json").client_of_sample.slice(0, 3)).toEqual([2, 0, 1]);
    const { stderr } = await run("train", "sites.h5", "--by", "site", "--rounds", "1");
    expect(stderr).toContain(
      "site has names, not numbers: make the clients first (partition sites.h5 --by site",
    );
    const said = await run("diagnose", "sites.json", "--json", "--quiet");
    expect(said.stdout).toContain("site = site b");
  });
});

describe("a study", () => {
  const STUDY = `
name: splits
data: { file: all.npz, test: 20, min_size: 4 }
model: { name: fno, width: 4, modes: 3, layers: 1, projection: 4 }
alphas: [1]
seeds: [0, 1]
federation: { clients: 4, rounds: 2, batch: 8, checkpoints: [0] }
partition:
  bins: 4
  partitioner:
    - dirichlet
    - iid
    - { name: shards, shards: [1, 2] }
    - client-dirichlet
    - { name: by, by: beta }
    - { name: by, by: phase, ranges: true, strictness: 0.9 }
    - { name: file, file: sites.csv }
`;

  it("varies partitioners as an axis, resumes, verifies and reports", async () => {
    writeFileSync(path("splits.yaml"), STUDY);
    const study = ["study", "splits.yaml", "--out", "splits", "--quiet"];
    const first = await run(...study);
    expect(first.stderr).toBe("");
    expect(first.status).toBe(0);
    const { runs } = json("splits/studies/splits.json");
    // Per seed: two of dirichlet, iid, two of shards, two of client-dirichlet, two of by, a file with its own reference.
    expect(runs).toHaveLength(2 * (2 + 1 + 2 + 2 + 2 + 2));
    const ids: string[] = runs.map(({ id }: { id: string }) => id);
    expect(ids.some((id) => id.startsWith("all-k-4-adam-shards-seed-0-"))).toBe(true);
    expect(ids.some((id) => id.startsWith("all-k-3-adam-file-seed-1-"))).toBe(true);
    const verified = await run("verify", "splits", "--quiet");
    expect(verified.stdout + verified.stderr).not.toContain("undefined");
    expect(verified.status).toBe(0);
    expect((await run("status", "splits")).status).toBe(0);
    expect((await run("report", "splits", "--quiet")).status).toBe(0);
    expect((await run(...study)).status).toBe(0);
    expect(json("splits/studies/splits.json").runs.map(({ id }: { id: string }) => id)).toEqual(ids);
  }, 120_000);

  it("trains on files and on target distances", async () => {
    const shared = STUDY.slice(0, STUDY.indexOf("partition:")).replace("[0, 1]", "[0]");
    writeFileSync(path("aimed.yaml"), `${shared}partition: { bins: 4, target_distance: [0.4, 0.8] }\n`);
    expect(await run("study", "aimed.yaml", "--out", "aimed", "--quiet")).toMatchObject({ status: 0 });
    expect(json("aimed/studies/splits.json").runs).toHaveLength(3);
    expect(await run("verify", "aimed", "--quiet")).toMatchObject({ status: 0 });
    writeFileSync(path("given.yaml"), `${shared}partition: { file: [sites.csv, own.json] }\n`);
    expect(await run("study", "given.yaml", "--out", "given", "--quiet")).toMatchObject({ status: 0 });
    expect(await run("verify", "given", "--quiet")).toMatchObject({ status: 0 });
    const stray = `${shared}partition: { partitioner: iid, target_distance: 0.5 }\n`;
    writeFileSync(path("stray.yaml"), stray);
    const refused = await run("study", "stray.yaml", "--out", "stray", "--quiet");
    expect(refused.stderr).toMatch(/stray.yaml:\d+: partition.target_distance: the partitioner iid has no/);
    writeFileSync(path("wrong.yaml"), `${shared}partition: { partitioner: { name: shard } }\n`);
    const { status, stderr } = await run("study", "wrong.yaml", "--out", "wrong", "--quiet");
    expect(status).not.toBe(0);
    expect(stderr).toContain("partition.partitioner");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  }, 60_000);
});
