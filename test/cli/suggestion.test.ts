import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { submitCommand } from "../../src/cli/cluster/submit.js";
import { diagnoseCommand } from "../../src/cli/diagnose.js";
import { exportCommand } from "../../src/cli/export.js";
import { partitionCommand } from "../../src/cli/partition.js";
import { studyCommand } from "../../src/cli/study.js";
import { FAMILIAR_COMMANDS } from "../../src/cli/suggestions/familiar-commands.js";
import { suggestCommand, suggestOption } from "../../src/cli/suggestions/suggestion.js";
import { surveyCommand } from "../../src/cli/survey.js";
import { theoryCommand } from "../../src/cli/theory.js";
import { trainCommand } from "../../src/cli/train.js";
import { STRATEGY_NAMES } from "../../src/federation/strategies/strategies.js";
import { FAMILIAR_OPTIONS, STUDY_FIELDS } from "../../src/options/suggestions/familiar-options.js";
import { FAMILIAR_STRATEGIES, suggestStrategy } from "../../src/options/suggestions/familiar-strategies.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { workFolder } from "./command.js";

const { run } = workFolder();
const COMMANDS = [
  "generate",
  "import",
  "convert",
  "show",
  "partition",
  "diagnose",
  "export",
  "survey",
  "train",
  "study",
];
const ALL = [
  ...COMMANDS,
  "inspect",
  "devices",
  "cache",
  "status",
  "verify",
  "report",
  "track",
  "theory",
  "studio",
  "submit",
  "cancel",
  "help",
];
const STUDY = "name: s\ntasks: [{task: antiderivative}]\n";
const longNames = ({ options }: Command) => options.map(({ long }) => long);

describe("exit codes", () => {
  it("a command line without a command prints the help on standard error and fails with 1", async () => {
    const { status, stdout, stderr } = await run();
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^Usage: pde-dirichlet/);
  });

  it.each([
    [["help"], /^Usage: pde-dirichlet \[options\]/],
    [["help", "partition"], /^Usage: pde-dirichlet partition/],
    [["help", "help"], /^Usage: pde-dirichlet \[options\]/],
    [["partition", "--help"], /^Usage: pde-dirichlet partition/],
    [["--help"], /^Usage: pde-dirichlet \[options\]/],
  ])("%s is answered on standard output with 0", async (args, text) => {
    const { status, stdout, stderr } = await run(...args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(text);
  });

  it.each([[["help", "nope"]], [["nope", "--help"]], [["nope"]]])("%s fails with one line", async (args) => {
    expect(await run(...args)).toEqual({
      status: 1,
      stdout: "",
      stderr: "pde-dirichlet: unknown command 'nope'\n",
    });
  });
});

describe("an unknown option", () => {
  it("is told on the command line with ours", async () => {
    const { status, stderr } = await run("train", "antiderivative", "--alpha", "1", "--lr=0.1");
    expect(status).toBe(1);
    expect(stderr).toBe("pde-dirichlet: unknown option '--lr=0.1': here it is --rate\n");
  });

  it("is told before what is missing since it was called otherwise", async () => {
    const { status, stderr } = await run("partition", "u.npy", "--alpha", "1", "-o", "p.json");
    expect(status).toBe(1);
    expect(stderr).toBe("pde-dirichlet: unknown option '-o': here it is --out\n");
  });

  it.each([
    ["--lr", "--rate"],
    ["--learning-rate", "--rate"],
    ["--learning_rate", "--rate"],
    ["--batch-size", "--batch"],
    ["--num-clients", "--clients"],
    ["--partitions", "--clients"],
    ["--num-partitions", "--clients"],
    ["--num-rounds", "--rounds"],
    ["--output", "--out"],
    ["-o", "--out"],
    ["--gpu", "--device"],
    ["--eta", "--rate"],
    ["--sampler", "--sampling"],
    ["--server-learning-rate", "--server-rate"],
    ["--optimizer-state", "--client-state"],
    ["--client-drop-rate", "--dropout"],
    ["--ditto-lambda", "--lambda"],
    ["--epsilon", "--tau"],
    ["--proximal-mu", "--mu"],
    ["--server-lr", "--server-rate"],
    ["--algorithm", "--strategy"],
  ])("%s of other programs is %s of train", (given, ours) => {
    expect(suggestOption(given, trainCommand())).toBe(`: here it is ${ours}`);
  });

  it.each(["--epochs", "--num-epochs", "--n-epochs", "-E"])(
    "%s names local epochs, and says what counts steps",
    (given) => {
      expect(suggestOption(given, trainCommand())).toBe(
        ": here it is --local-epochs (passes of a client through its samples per round; --local-steps counts optimiser steps)",
      );
    },
  );

  it.each(["--fraction-fit", "--fraction-train", "--clients-per-round", "--min-fit-clients", "--join-ratio"])(
    "%s names participation, and says what it counts",
    (given) => {
      expect(suggestOption(given, trainCommand())).toBe(
        ": here it is --participation (a share below 1, or a number of clients)",
      );
    },
  );

  it.each(["--logger", "--tensorboard", "--wandb", "--mlflow", "--log-dir", "--report-to"])(
    "%s names the trackers, of train and of study",
    async (given) => {
      for (const command of [trainCommand(), await studyCommand()])
        expect(suggestOption(given, command)).toBe(
          ": here it is --track (tensorboard[:folder], which W&B imports too, or mlflow:http://host:port)",
        );
    },
  );

  it.each(["--lr-decay", "--lr-scheduler"])("%s names the schedule, with an example", (given) => {
    expect(suggestOption(given, trainCommand())).toBe(
      ": here it is --client-schedule (by the round, such as exponential:0.99)",
    );
  });

  it.each(["--mu", "--lambda", "--tau", "--momentum", "--local-epochs", "--sampling"])(
    "%s is ours",
    (given) => {
      expect(trainCommand().options.map(({ long }) => long)).toContain(given);
    },
  );

  it.each([
    ["--rounds=30", "federation.rounds=50"],
    ["--num-rounds", "federation.rounds=50"],
    ["--lr", "'optimizer={name: adam, rate: 0.001}'"],
    ["--mu", "'federation.strategy={name: fedprox, mu: 10}'"],
    ["--fraction-fit", "federation.participation=0.2"],
    ["--epochs", "federation.local_epochs=1"],
    ["--seeds", "seeds=[0,1]"],
    ["--alpha", "alphas=[100,0.1]"],
  ])("%s is a field of a study", async (given, field) => {
    expect(suggestOption(given, await studyCommand())).toContain(`: a study takes it as --set ${field}`);
  });

  it("is told where the command takes it without a name", () => {
    expect(suggestOption("--data", partitionCommand())).toBe(
      ": partition takes it without a name, as partition <data>",
    );
  });

  it.each([
    ["--alpa", "--alpha"],
    ["--lcoal-steps", "--local-steps"],
    ["--local_steps", "--local-steps"],
    ["--optimiser", "--optimizer"],
    ["--normalize", "--normalise"],
    ["--norm", "--normalise"],
    ["--seeds", "--seed"],
  ])("%s is misspelt %s", (given, ours) => {
    expect(suggestOption(given, trainCommand())).toBe(`: did you mean ${ours}?`);
  });

  it.each([
    ["--data", theoryCommand()],
    ["--lr", partitionCommand()],
    ["--xyz", trainCommand()],
    [`--alpha${"a".repeat(1e5)}`, trainCommand()],
    ["--z", trainCommand()],
    ["--constructor", trainCommand()],
  ])("%s is not guessed at where nothing is close", (given, command) => {
    expect(suggestOption(given, command)).toBe("");
  });
});

describe("an unknown strategy", () => {
  it.each([
    ["FedAvg", "Did you mean fedavg?"],
    ["fed-prox", "Did you mean fedprox?"],
    ["scafold", "Did you mean scaffold?"],
    ["localonly", "Did you mean local-only?"],
    ["centralized", "That is centralised."],
    ["FedPer", "That is fedavg with --local and the names of the last layers."],
    ["D2NO", "That is fedavg with --local 'branch.*'."],
  ])("%s is answered with ours", (given, answer) => {
    expect(suggestStrategy(given, STRATEGY_NAMES)).toBe(answer);
  });

  it.each(["nope", "constructor", ""])("%j is not guessed at", (given) => {
    expect(suggestStrategy(given, STRATEGY_NAMES)).toBe("");
  });

  it("is no name of ours, and its answer names options that train has", () => {
    for (const [name, answer] of Object.entries(FAMILIAR_STRATEGIES)) {
      expect(STRATEGY_NAMES.map((ours) => ours.replace("-", ""))).not.toContain(name);
      for (const [option] of answer.matchAll(/--[a-z-]+/g))
        expect(longNames(trainCommand())).toContain(option);
    }
  });
});

describe("an option of a scheduler", () => {
  it.each([
    ["--walltime", "--time"],
    ["--cpus-per-task=4", "--cpus"],
    ["--gres", "--gpus"],
    ["--queue", "--partition"],
    ["--array", "--parts"],
  ])("%s is answered with ours", async (given, ours) => {
    expect(suggestOption(given, await submitCommand())).toBe(`: here it is ${ours}`);
  });
});

describe("an unknown command", () => {
  it.each([
    ["serve", "`studio` opens a page"],
    ["dashboard", "`studio` opens a page"],
    ["fit", "`train`"],
    ["run", "`study`"],
    ["plot", "`show`"],
    ["sbatch", "`submit`"],
    ["squeue", "`status`"],
  ])("%s is answered with what does the job", (given, answer) => {
    expect(suggestCommand(given, ALL)).toContain(answer);
    expect(suggestCommand(given, ALL)).not.toContain("did you mean");
  });

  it("is a misspelt one where it is close to it", () => {
    expect(suggestCommand("partiton", ALL)).toBe(": did you mean partition?");
    expect(suggestCommand("Train", ALL)).toBe(": did you mean train?");
  });

  it.each(["nope", "constructor", "x"])("%s is not guessed at", (given) => {
    expect(suggestCommand(given, ALL)).toBe("");
  });
});

describe("the tables of familiar names", () => {
  it("name options that some command has, and no name twice", async () => {
    const commands = [
      trainCommand(),
      partitionCommand(),
      surveyCommand(),
      diagnoseCommand(),
      exportCommand(),
      await studyCommand(),
      await submitCommand(),
    ];
    const known = commands.flatMap(longNames);
    for (const name of Object.keys(FAMILIAR_OPTIONS)) expect(known).toContain(`--${name}`);
    const names = Object.values(FAMILIAR_OPTIONS).flat();
    expect(new Set(names).size).toBe(names.length);
  });

  it("name commands that there are", () => {
    for (const text of Object.values(FAMILIAR_COMMANDS))
      for (const [, name] of text.matchAll(/`([a-z]+)/g)) expect(ALL).toContain(name);
    for (const name of Object.keys(FAMILIAR_COMMANDS)) expect(ALL).not.toContain(name);
  });

  it("name fields that a study takes", () => {
    for (const field of Object.values(STUDY_FIELDS))
      expect(() => readSpecification(STUDY, "s.yaml", [field.replaceAll("'", "")])).not.toThrow();
  });
});
