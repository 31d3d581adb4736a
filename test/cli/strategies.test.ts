import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const SMALL = ["--train", "60", "--test", "10", "--min-size", "4", "--clients", "5", "--rounds", "3"];
const trained = async (...more: string[]) => {
  const { stdout, stderr, status } = await run(
    ...["train", "antiderivative", "--alpha", "0.5", ...SMALL, ...more, "--quiet", "--json"],
  );
  return status === 0 ? JSON.parse(stdout) : stderr;
};

describe("train", () => {
  it("takes a strategy and its options, or the options alone where they say which it is", async () => {
    const [named, implied, plain] = await Promise.all([
      trained("--strategy", "fedprox", "--mu", "20"),
      trained("--mu", "20"),
      trained(),
    ]);
    expect(named.options.strategy).toEqual({ name: "fedprox", mu: 20, proximal: "gradient" });
    expect(implied.result.parameters_sha256).toBe(named.result.parameters_sha256);
    expect(plain.options).not.toHaveProperty("strategy");
    expect(plain.result.parameters_sha256).not.toBe(named.result.parameters_sha256);
    const same = await trained("--strategy", "fedavg");
    expect(same.result.parameters_sha256).toBe(plain.result.parameters_sha256);
  });

  it("lets some clients take part, and weighs them alike if asked", async () => {
    const [some, alike, all] = await Promise.all([
      trained("--participation", "0.4"),
      trained("--participation", "2", "--weights", "uniform"),
      trained(),
    ]);
    const hashes = [some, alike, all].map(({ result }) => result.parameters_sha256);
    expect(new Set(hashes).size).toBe(3);
    expect(some.options.participation).toBe(0.4);
    expect(alike.options).toMatchObject({ participation: 2, weights: "uniform" });
  });

  it.each([
    [["--strategy", "fedsgd"], "Allowed choices are fedavg"],
    [["--strategy", "fedavg", "--mu", "1"], "--mu is an option of fedprox, not of fedavg"],
    [["--mu", "1", "--tau", "1"], "--mu and --tau are options of different strategies"],
    [["--tau", "0.1"], "--tau is an option of several strategies: say which with --strategy"],
    [["--participation", "1"], "participation 1 is one client or all of them"],
    [["--participation", "0"], "a number from 0.000001"],
    [["--participation", "6"], "participation is 6, but there are 5 clients"],
    [["--fraction-fit", "0.2"], "here it is --participation"],
  ])("answers %j in one line", async (options, message) => {
    const said = await trained(...options);
    expect(said).toContain(message);
    expect(String(said).trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("a study", () => {
  it("varies strategies and participation as axes, verifies and compares them", async () => {
    writeFileSync(
      path("remedies.yaml"),
      `name: remedies
data: { task: antiderivative, train: 60, test: 10, min_size: 4 }
alphas: [0.5]
seeds: [0, 1]
federation:
  clients: 5
  rounds: 3
  checkpoints: [0]
  strategy: [fedavg, { name: fedprox, mu: [1, 20] }, fedyogi]
  participation: [0.4, 4]
`,
    );
    const study = ["study", "remedies.yaml", "--out", "remedies", "--quiet"];
    const first = await run(...study);
    expect(first.stderr).toBe("");
    expect(first.status).toBe(0);
    const { runs } = JSON.parse(readFileSync(path("remedies/studies/remedies.json"), "utf8"));
    // Two alphas with the reference, two seeds, four strategies, two numbers of participants.
    expect(runs).toHaveLength(2 * 2 * 4 * 2);
    const ids: string[] = runs.map(({ id }: { id: string }) => id);
    expect(ids.some((id) => id.startsWith("antiderivative-k-5-adam-fedprox-alpha-0.5-seed-0-"))).toBe(true);
    expect(await run("verify", "remedies", "--quiet")).toMatchObject({ status: 0 });
    expect((await run(...study)).status).toBe(0); // nothing is left to do
    const report = readFileSync(path("remedies/report.md"), "utf8");
    expect(report).toContain("strategy fedavg");
    expect(report).toContain("fedyogi");
    expect(report).not.toMatch(/undefined|NaN/);
  }, 120_000);
});
