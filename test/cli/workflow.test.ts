import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readStatistics } from "../../src/analysis/partition-statistics.js";
import { bytesInMemory, openNpz, parsePartition } from "../../src/index.js";
import { surveyAdditions } from "../../src/paper/survey.js";
import { surveyOutputs } from "../../src/report/survey-outputs.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const json = (name: string) => JSON.parse(readFileSync(path(name), "utf8"));

beforeAll(async () => {
  const made = await run(
    "generate",
    "antiderivative",
    "--seed",
    "7",
    "--train",
    "240",
    "--test",
    "10",
    "--out",
    "data.h5",
  );
  expect(made).toMatchObject({ status: 0 });
});

describe("generate", () => {
  it("takes the same data from the cache the second time, byte for byte", async () => {
    const again = await run(
      "generate",
      "antiderivative",
      "--seed",
      "7",
      "--train",
      "240",
      "--test",
      "10",
      "--out",
      "again.h5",
      "--json",
    );
    expect(JSON.parse(again.stdout)).toMatchObject({
      cached: true,
      train: 240,
      test: 10,
      task: "antiderivative",
    });
    expect(readFileSync(path("again.h5"))).toEqual(readFileSync(path("data.h5")));
  });

  it("generates anew what was damaged in the cache", async () => {
    const args = [
      "generate",
      "antiderivative",
      "--seed",
      "8",
      "--train",
      "20",
      "--test",
      "5",
      "--json",
      "--out",
    ];
    await run(...args, "whole.h5");
    for (const name of readdirSync(path("cache"))) {
      if (name.endsWith(".h5")) truncateSync(path(`cache/${name}`), statSync(path(`cache/${name}`)).size - 8);
    }
    expect(JSON.parse((await run(...args, "mended.h5")).stdout).cached).toBe(false);
    expect(readFileSync(path("mended.h5"))).toEqual(readFileSync(path("whole.h5")));
  });

  it("takes a viscosity for Burgers only", async () => {
    expect(
      await run("generate", "burgers", "--train", "2", "--test", "1", "--viscosity", "0.05", "--out", "b.h5"),
    ).toMatchObject({ status: 0 });
    const wrong = await run("generate", "antiderivative", "--viscosity", "0.05", "--out", "c.h5");
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toMatch(/^pde-dirichlet: .*viscosity.*\n$/);
  });
});

describe("partition", () => {
  it("writes a partition with everything that it promises", async () => {
    const made = await run(
      "partition",
      "data.h5",
      "--clients",
      "6",
      "--alpha",
      "0.1",
      "--seed",
      "42",
      "--bins",
      "5",
      "--min-size",
      "8",
      "--out",
      "p.json",
      "--figure",
      "p.png",
    );
    expect(made).toMatchObject({ status: 0 });
    const file = json("p.json");
    expect(Object.keys(file)).toEqual(
      expect.arrayContaining([
        "schema",
        "options",
        "data",
        "bins",
        "metrics",
        "partition_id_to_indices",
        "client_of_sample",
        "bin_of_sample",
        "counts",
        "sizes",
        "cost",
        "repairs",
      ]),
    );
    const held: number[] = Object.values<number[]>(file.partition_id_to_indices).flat();
    expect(held.sort((a, b) => a - b)).toEqual([...Array(240).keys()]);
    expect(Math.min(...file.sizes)).toBeGreaterThanOrEqual(8);
    expect(file.data.sha256).toMatch(/^[0-9a-f]{64}$/);
    for (const metric of [
      "d_sol",
      "input_w1",
      "eps_part",
      "eps_quant",
      "cv_n",
      "h_u",
      "h_u_expected",
      "h_q",
      "h_w",
      "tv",
      "js",
      "hellinger",
    ]) {
      expect(file.metrics[metric], metric).toBeGreaterThan(0);
    }
    const arrays = await openNpz(bytesInMemory(readFileSync(path("p.npz"))));
    expect((await arrays.array("centroids")).shape).toEqual([5, 100]);
    expect([...readFileSync(path("p.png")).subarray(1, 4)]).toEqual(
      [..."PNG"].map((letter) => letter.charCodeAt(0)),
    );
  });

  it("makes the same bytes again, and refuses to replace them without --force", async () => {
    const args = [
      "partition",
      "data.h5",
      "--clients",
      "6",
      "--alpha",
      "0.1",
      "--seed",
      "42",
      "--bins",
      "5",
      "--min-size",
      "8",
      "--out",
      "p.json",
    ];
    const before = readFileSync(path("p.json"));
    const refused = await run(...args);
    expect(refused).toMatchObject({
      status: 1,
      stderr: "pde-dirichlet: p.json exists: choose another --out or add --force\n",
    });
    expect((await run(...args, "--force")).status).toBe(0);
    expect(readFileSync(path("p.json"))).toEqual(before);
  });

  it("shares bins between the alphas of a seed, and fits others for another seed", async () => {
    const made = await run(
      "partition",
      "data.h5",
      "--alpha",
      "100",
      "0.1",
      "--seed",
      "1",
      "2",
      "--min-size",
      "4",
      "--out",
      "several",
      "--figure",
      "several.svg",
      "--json",
    );
    const { partitions } = JSON.parse(made.stdout);
    expect(partitions.map(({ file }: { file: string }) => file)).toEqual([
      "several/alpha-100-seed-1.json",
      "several/alpha-0.1-seed-1.json",
      "several/alpha-100-seed-2.json",
      "several/alpha-0.1-seed-2.json",
    ]);
    const bins = partitions.map(({ file }: { file: string }) => json(file).bins.sha256);
    expect(bins[0]).toBe(bins[1]);
    expect(bins[2]).toBe(bins[3]);
    expect(bins[0]).not.toBe(bins[2]);
    expect(partitions[0].metrics.d_sol).toBeLessThan(partitions[1].metrics.d_sol);
    expect(readFileSync(path("several.svg"), "utf8")).toContain("<svg");
  });

  it("reuses the bins of an earlier partition, also for other data", async () => {
    await run(
      "partition",
      "data.h5",
      "--alpha",
      "1",
      "--seed",
      "3",
      "--min-size",
      "4",
      "--bins-from",
      "p.json",
      "--out",
      "reused.json",
    );
    expect(json("reused.json").bins.sha256).toBe(json("p.json").bins.sha256);
    expect(json("reused.json").bin_of_sample).toEqual(json("p.json").bin_of_sample);
    await run(
      "generate",
      "antiderivative",
      "--seed",
      "9",
      "--train",
      "100",
      "--test",
      "1",
      "--out",
      "other.h5",
    );
    const other = await run(
      "partition",
      "other.h5",
      "--alpha",
      "1",
      "--clients",
      "3",
      "--bins-from",
      "p.npz",
      "--out",
      "other.json",
    );
    expect(other).toMatchObject({ status: 0 });
    expect(json("other.json").bins.sha256).toBe(json("p.json").bins.sha256);
  });

  it("finds the alpha of a target distance and says what can be reached", async () => {
    const made = await run(
      "partition",
      "data.h5",
      "--target-distance",
      "0.8",
      "--seed",
      "5",
      "--min-size",
      "4",
      "--out",
      "t.json",
      "--json",
    );
    const [{ metrics, reachable, alpha }] = JSON.parse(made.stdout).partitions;
    expect(metrics.d_sol).toBeCloseTo(0.8, 1);
    expect(reachable[0]).toBeLessThan(0.4);
    expect(reachable[1]).toBeGreaterThan(0.8);
    await run(
      "partition",
      "data.h5",
      "--alpha",
      String(alpha),
      "--seed",
      "5",
      "--min-size",
      "4",
      "--out",
      "same.json",
    );
    expect(json("same.json").client_of_sample).toEqual(json("t.json").client_of_sample);
    const far = await run(
      "partition",
      "data.h5",
      "--target-distance",
      "9",
      "--seed",
      "5",
      "--min-size",
      "4",
      "--out",
      "far.json",
    );
    expect(far.status).toBe(0);
    expect(far.stderr).toMatch(
      /^pde-dirichlet: warning: seed 5: D_sol can be .*; 9 is out of reach, and alpha = \S+ comes closest/m,
    );
  });
});

describe("diagnose", () => {
  it("finds the metrics of a partition again, with its data and without", async () => {
    const { metrics } = json("p.json");
    const withData = JSON.parse((await run("diagnose", "data.h5", "--partition", "p.json", "--json")).stdout);
    expect(withData.metrics).toEqual(metrics);
    const alone = JSON.parse((await run("diagnose", "--partition", "p.json", "--json")).stdout);
    expect(alone.metrics).toEqual({ ...metrics, eps_quant: null, input_w1: null, input_w1_samples: null });
  });

  it("knows a partition of its own after another program has rewritten it, and says when data are others", async () => {
    const written = json("p.json");
    const sorted = Object.fromEntries(Object.entries(written).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(path("sorted.json"), JSON.stringify(sorted));
    const again = await run("diagnose", "data.h5", "--partition", "sorted.json", "--json");
    expect(JSON.parse(again.stdout).metrics).toEqual(written.metrics);
    expect(JSON.parse(again.stdout).notes).toEqual(written.notes);
    writeFileSync(
      path("others.json"),
      JSON.stringify({ ...written, data: { ...written.data, sha256: "0" } }),
    );
    const refused = await run("diagnose", "data.h5", "--partition", "others.json", "--quiet");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^pde-dirichlet: .* does not hold the responses that others\.json.*\n$/);
    const others = await run("diagnose", "data.h5", "--partition", "others.json", "--other-data", "--json");
    expect(JSON.parse(others.stdout).notes).toContain(
      "data.h5 does not hold the responses that others.json was made from.",
    );
  });

  it("counts the bins that a table names, however long it is", async () => {
    const rows = Array.from({ length: 200_000 }, (_, sample) => `${sample % 3},${sample % 2}`);
    writeFileSync(path("long.csv"), ["client_id,bin", ...rows].join("\n"));
    writeFileSync(path("two.csv"), "0,1\n1,0\n");
    const found = await run("diagnose", "--partition", "long.csv", "--cost", "two.csv", "--json");
    expect(found.stderr).toBe("");
    expect(JSON.parse(found.stdout).metrics.n_max).toBe(66_667);
    writeFileSync(path("one.csv"), "0\n");
    const few = await run("diagnose", "--partition", "long.csv", "--cost", "one.csv");
    expect(few.stderr).toBe("pde-dirichlet: long.csv has a bin 1, but one.csv has 1 bins\n");
  });

  it("works from counts and costs alone", async () => {
    const { options, counts, cost, metrics } = parsePartition(
      readFileSync(path("p.json"), "utf8"),
      "p.json",
    ) as ReturnType<typeof parsePartition> & { metrics: Record<string, number> };
    writeFileSync(path("counts.csv"), counts.map((row) => row.join(",")).join("\n"));
    writeFileSync(path("cost.csv"), cost.map((row) => row.join(",")).join("\n"));
    const found = await run(
      "diagnose",
      "--counts",
      "counts.csv",
      "--cost",
      "cost.csv",
      "--out",
      "d.json",
      "--json",
    );
    expect(found).toMatchObject({ status: 0 });
    expect(JSON.parse(found.stdout).metrics.d_sol).toBeCloseTo(metrics.d_sol, 12);
    expect(json("d.json").counts).toHaveLength(options.clients);
    expect(existsSync(path("d.npz"))).toBe(true);
  });

  it("reads partitions of other tools", async () => {
    for (const [format, file] of [
      ["csv", "p-csv.csv"],
      ["npz", "p-npz.npz"],
      ["fedlab", "p-fedlab"],
      ["niid-bench", "p-niid-bench"],
      ["fedml", "p-fedml"],
      ["fl-bench", "p-fl-bench"],
    ]) {
      const exported = await run("export", "p.json", "--format", format, "--json");
      expect(exported, format).toMatchObject({ status: 0 });
      const { out } = JSON.parse(exported.stdout);
      expect(out.startsWith(file), out).toBe(true);
      const found = await run("diagnose", "data.h5", "--partition", out, "--bins-from", "p.json", "--json");
      expect(found, format).toMatchObject({ status: 0 });
      expect(JSON.parse(found.stdout).metrics.d_sol, format).toBe(json("p.json").metrics.d_sol);
    }
  });
});

describe("a folder", () => {
  it("that Flower takes is measured, unless its copy of the partition says otherwise", async () => {
    expect(await run("export", "p.json", "--format", "flower", "--data", "data.h5")).toMatchObject({
      status: 0,
    });
    const measured = async (folder: string) =>
      run("diagnose", "data.h5", "--partition", folder, "--bins-from", "p.json", "--json");
    const found = await measured("p-flower");
    expect(JSON.parse(found.stdout).metrics.d_sol).toBe(json("p.json").metrics.d_sol);
    rmSync(path("p-flower/partition.json"));
    expect(JSON.parse((await measured("p-flower")).stdout).metrics.d_sol).toBe(json("p.json").metrics.d_sol);
    const moved = json("p.json").client_of_sample.map((client: number) =>
      client === 0 ? 1 : client === 1 ? 0 : client,
    );
    writeFileSync(path("p-flower/partition.json"), JSON.stringify({ client_of_sample: moved }));
    expect((await measured("p-flower")).stderr).toMatch(
      /^pde-dirichlet: p-flower.partition\.json has other clients/,
    );
  });

  it("without a partition is named as such", async () => {
    const other = await run("diagnose", "data.h5", "--partition", "cache");
    expect(other.stderr).toMatch(/cache is a folder with none of client_dict\.pkl, .*: name the file/);
  });

  it("of several partitions is exported as several, each with its partition", async () => {
    const sizes = ["--clients", "4", "--bins", "5", "--min-size", "8"];
    await run("partition", "data.h5", ...sizes, "--alpha", "1", "0.1", "--seed", "3", "--out", "split");
    const made = await run("export", "split", "--format", "fedlab", "--out", "grid", "--json");
    expect(made).toMatchObject({ status: 0 });
    const outs: string[] = JSON.parse(made.stdout).map(({ out }: { out: string }) => out);
    expect(outs.length).toBeGreaterThan(1);
    for (const out of outs) {
      const { client_of_sample } = json(join(out, "partition.json"));
      const again = await run("diagnose", "data.h5", "--partition", out, "--bins-from", "p.json", "--json");
      const sizes = sizesOf(client_of_sample);
      const { n_min, n_max } = JSON.parse(again.stdout).metrics;
      expect([n_min, n_max]).toEqual([Math.min(...sizes), Math.max(...sizes)]);
    }
    expect((await run("export", "split", "--format", "csv")).stderr).toMatch(
      /go into one folder: name it with --out/,
    );
  });

  it("of another tool is exported with bins that are fitted to its data", async () => {
    await run("export", "p.json", "--format", "niid-bench", "--out", "theirs.pkl");
    expect((await run("export", "theirs.pkl", "--format", "csv", "--out", "t.csv")).stderr).toBe(
      "pde-dirichlet: theirs.pkl is another tool's partition: name its data with --data, to which bins are fitted\n",
    );
    const data = ["--data", "data.h5", "--bins-from", "p.json"];
    expect(await run("export", "theirs.pkl", "--format", "csv", ...data, "--out", "t.csv")).toMatchObject({
      status: 0,
    });
    await run("export", "p.json", "--format", "csv", "--out", "p.csv");
    expect(readFileSync(path("t.csv"), "utf8")).toBe(readFileSync(path("p.csv"), "utf8"));
  });
});

const sizesOf = (clients: readonly number[]): number[] => {
  const sizes = new Array<number>(1 + Math.max(...clients)).fill(0);
  for (const client of clients) sizes[client]++;
  return sizes;
};

describe("every command", () => {
  it.each(["generate", "convert", "partition", "diagnose", "export", "survey", "train"])(
    "%s has a help with an example",
    async (command) => {
      const help = await run(command, "--help");
      expect(help.status).toBe(0);
      expect(help.stdout).toMatch(new RegExp(`Example:\\n {2}\\$ pde-dirichlet ${command} `));
      expect(help.stdout).toContain("--json");
    },
  );

  it("survey writes tables, figure and records", async () => {
    const done = await run(
      "survey",
      "--tasks",
      "antiderivative",
      "--alpha",
      "1",
      "0.1",
      "--seed",
      "0",
      "1",
      "--repair",
      "largest",
      "--out",
      "survey",
    );
    expect(done).toMatchObject({ status: 0 });
    const page = readFileSync(path("survey/partition-statistics.md"), "utf8");
    expect(page).toMatch(/\| antiderivative, paper \| 0.45 to 0.50 \| not stated \|/);
    expect(page).toMatch(/\| antiderivative \| 0\.\d{3} \(0\.\d{3}\) \[/); // mean, sample standard deviation, interval
    const records = readStatistics(readFileSync(path("survey/partition-statistics.csv"), "utf8"), "csv");
    const usual = { clients: 10, bins: 10, minSizes: [16], repair: "largest", out: "o" };
    const texts = (change: object) => {
      const surveyed = { ...usual, ...change };
      return surveyOutputs(records, surveyed, surveyAdditions(["antiderivative"], surveyed))
        .slice(0, 3)
        .map((output) => new TextDecoder().decode((output as { bytes: Uint8Array }).bytes))
        .join();
    };
    expect(texts({})).toMatch(/paper/);
    for (const change of [{ clients: 20 }, { bins: 8 }, { repair: "closest" }, { minSize: 4 }])
      expect(texts(change)).not.toMatch(/paper/i);
    expect(readFileSync(path("survey/partition-statistics.csv"), "utf8").split("\n")).toHaveLength(6);
  });
});
