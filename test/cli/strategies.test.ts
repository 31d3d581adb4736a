import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { STRATEGY_NAMES } from "../../src/federation/strategies/strategies.js";
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
  it("takes a strategy and its options, and names it in its result", async () => {
    const [named, plain] = await Promise.all([trained("--strategy", "fedprox", "--mu", "20"), trained()]);
    expect(named.options.strategy).toEqual({ name: "fedprox", mu: 20, proximal: "gradient" });
    expect(plain.options).not.toHaveProperty("strategy");
    expect(plain.result.parameters_sha256).not.toBe(named.result.parameters_sha256);
    const same = await trained("--strategy", "fedavg");
    expect(same.result.parameters_sha256).toBe(plain.result.parameters_sha256);
    const { stdout } = await run(
      ...["train", "antiderivative", "--alpha", "0.5", ...SMALL, "--quiet"],
      ...["--strategy", "fedprox", "--mu", "20", "--participation", "2"],
    );
    expect(stdout).toMatch(
      /^antiderivative, alpha 0.5, fedprox \(mu 20\), participation 2, seed 0: test error/,
    );
  });

  it("takes every option of rounds, participants and states as a flag, and records it", async () => {
    const { options } = await trained(
      ...["--local-steps", "4", "--local-steps-min", "2", "--client-state", "average"],
      ...[
        "--second-moment",
        "average",
        "--client-schedule",
        "exponential:0.9",
        "--server-schedule",
        "cosine",
      ],
      ...["--local", "branch.*", "--participation", "3", "--sampling", "stratified", "--dropout", "0.2"],
    );
    expect(options).toMatchObject({
      ...{ localSteps: 4, localStepsMin: 2, clientState: "average", secondMoment: "average" },
      ...{ clientSchedule: "exponential:0.9", serverSchedule: "cosine", local: "branch.*" },
      ...{ participation: 3, sampling: "stratified", dropout: 0.2 },
    });
  });

  it("records nothing of what is asked for at its default", async () => {
    const { options } = await trained(
      ...["--local", "none", "--client-schedule", "constant", "--sampling", "uniform", "--dropout", "0"],
    );
    for (const name of ["local", "clientSchedule", "sampling", "dropout"])
      expect(options).not.toHaveProperty(name);
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
    const { stderr } = await run(
      ...["train", "antiderivative", "--alpha", "0.5", ...SMALL, "--participation", "0.25"],
    );
    expect(stderr).toMatch(/, 5 clients of \d+ to \d+ samples, 1 of them in each round/m);
    expect(alike.options).toMatchObject({ participation: 2, weights: "uniform" });
  });

  it.each([
    [["--strategy", "fedsgd"], "averages single gradients. Allowed choices are fedavg, fedprox"],
    [["--strategy", "FedProx"], "Did you mean fedprox?"],
    [["--strategy", "fedopt"], "That is fedadagrad, fedadam or fedyogi."],
    [["--mu", "1"], "--mu is an option of the strategy fedprox: add --strategy fedprox"],
    [["--lambda", "1"], "--lambda is an option of the strategy ditto: add --strategy ditto"],
    [["--strategy", "fedavg", "--mu", "1"], "--mu is an option of fedprox, not of fedavg"],
    [["--mu", "1", "--tau", "1"], "--mu and --tau are options of different strategies"],
    [["--tau", "0.1"], "--tau is an option of fedadagrad, fedadam, fedyogi: say which with --strategy"],
    [["--participation", "1"], "participation 1 is one client or all of them: write 5 for all, or 0.2"],
    [["--participation", "0"], "a share below 1, or a number of clients from 2 on"],
    [["--local-steps", "1-5"], "for 1 to 5 give --local-steps 5 and --local-steps-min 1"],
    [["--participation", "6"], "participation is 6, but there are 5 clients"],
    [["--fraction-fit", "0.2"], "here it is --participation"],
    [["--sampling", "size"], "say how many with participation"],
    [["--dropout", "1"], "a number from 0 to below 1"],
    [["--local-steps", "3", "--local-epochs", "1"], "give either --local-epochs or --local-steps"],
    [["--local-steps-min", "9"], "local_steps_min is 9, but local_steps is 5"],
    [["--local", "nope.*"], 'local "nope.*" matches no parameters of the model, which are branch.0.weight'],
    [["--local", "*"], "take the strategy local-only"],
    [["--strategy", "scaffold", "--local", "branch.*"], "scaffold corrects all parameters"],
    [["--strategy", "scaffold", "--control", "II"], "needs the optimizer sgd"],
    [["--strategy", "fednova", "--optimizer", "sgd"], "starts every round without momentum"],
    [["--strategy", "centralised", "--participation", "2"], "leave out participation"],
    [["--strategy", "centralised", "--local-epochs", "2"], "give local_steps in place of local_epochs"],
    [["--strategy", "centralised", "--local-steps-min", "2"], "leave out local_steps_min"],
    [["--strategy", "centralised", "--weights", "uniform"], "leave out weights"],
    [["--strategy", "local-only", "--server-schedule", "cosine"], "leave out server_schedule"],
    [["--optimizer", "sgd", "--second-moment", "keep"], "second_moment belongs to adam"],
    [["--client-schedule", "linear"], "a schedule is constant, exponential:0.99, step:0.5:100"],
    [["--client-schedule", "cosine:0:2"], "ends after 2 rounds, but the run has 3"],
  ])("answers %j in one line", async (options, message) => {
    const said = await trained(...options);
    expect(said).toContain(message);
    expect(String(said).trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("the help of one strategy", () => {
  it("has its options alone, with their own defaults", async () => {
    const { stdout, status } = await run("train", "--strategy", "scaffold", "--help");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ {2}--control <name> /m);
    expect(stdout).toMatch(/^ {2}--server-rate <number> +the server's learning rate \(default: 1\)$/m);
    expect(stdout).toContain("federation.strategy: { name: scaffold, control: I, server_rate: 1 }");
    expect(stdout).not.toMatch(/--mu|--alpha|Example/);
    expect((await run("train", "--strategy", "fedavg", "--help")).stdout).toContain("no options of its own");
  });

  it("shows a partitioner of another command alike", async () => {
    const { stdout } = await run("partition", "--partitioner", "shards", "--help");
    expect(stdout).toContain("partition.partitioner: { name: shards, shards: 2 }");
  });

  it("is a hint of the whole help, which names all strategies and has groups", async () => {
    const { stdout } = await run("train", "--help");
    expect(stdout).toContain("Strategies (`--strategy fedprox --help` shows the options of one):");
    for (const name of STRATEGY_NAMES) expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
    const groups = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, group]) => group);
    expect(groups).toEqual([
      ...["Arguments", "Options", "Training", "Who takes part in a round"],
      ...["What clients keep, and learning rates by the round", "Data", "How samples are split", "Engine"],
      ...["Options of single strategies", "Options of single partitioners", "Parameters of generated data"],
      ...["How a file is read", "Output"],
      "Strategies (`--strategy fedprox --help` shows the options of one)",
      ...["Partitioners (`--partitioner sizes --help` shows the options of one)", "Example"],
    ]);
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
    expect(
      ids.some((id) =>
        id.startsWith("antiderivative-k-5-adam-fedprox-mu-20-participation-4-alpha-0.5-seed-0-"),
      ),
    ).toBe(true);
    const { stdout: status } = await run("status", "remedies");
    expect(status).toMatch(/^antiderivative +fedprox \(mu 20\), participation 0.4 +4 /m);
    expect(await run("verify", "remedies", "--quiet")).toMatchObject({ status: 0 });
    expect((await run(...study)).status).toBe(0); // nothing is left to do
    const report = readFileSync(path("remedies/report.md"), "utf8");
    expect(report).toContain("trained Antiderivative by FedAvg, FedProx and FedYogi");
    expect(report).toMatch(/^\| +\| FedProx, μ = 20 \|/m);
    expect(report).toContain("figures/difference-strategy.svg");
    expect(report).not.toMatch(/undefined|NaN/);
  }, 120_000);
});
