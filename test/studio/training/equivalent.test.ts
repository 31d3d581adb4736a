import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { describeSource } from "../../../src/datasets/describe-source.js";
import { federate } from "../../../src/federation/federation.js";
import { prepareData } from "../../../src/federation/prepared-data.js";
import { runOptions } from "../../../src/federation/run-options.js";
import { train } from "../../../src/federation/trainer.js";
import { settingsOf } from "../../../src/studio/address.js";
import { commandsOf } from "../../../src/studio/equivalent/commands.js";
import { specificationOf } from "../../../src/studio/equivalent/specification.js";
import { givenRun } from "../../../src/studio/training/given-run.js";
import { parseRuns } from "../../../src/studio/training/run-list.js";
import { workFolder } from "../../cli/command.js";

const { path, run } = workFolder();

/** What Share shows in the view of training for an address, and the runs that it stands for. */
function shared(address: string) {
  const { settings } = settingsOf(`view=training&${address}`);
  const { task, data_seed: seed, train_samples, test_samples, parameters } = settings;
  const options = {
    ...{ task, seed, parameters: parameters as Record<string, number> },
    ...(train_samples > 0 && { train: train_samples }),
    ...(test_samples > 0 && { test: test_samples }),
  };
  const { description, coordinates } = describeSource(options);
  const data = { origin: { kind: "task", options } as const, description, coordinates };
  const study = specificationOf(settings, data);
  return {
    commands: commandsOf(settings, data),
    study: study === undefined ? undefined : parse(study),
    text: study,
    runs: parseRuns(settings.runs).map((one) => runOptions(givenRun(settings, one, data))),
  };
}

/** The words of a command line of ours; none of those here has a space in quotes. */
const wordsOf = (command: string): string[] =>
  command
    .split(" ")
    .slice(1)
    .map((word) => word.replaceAll("'", ""));

describe("commands of the view of training", () => {
  it.each([
    "train_samples=60&test_samples=10&clients=4&min_size=3&rounds=2&runs=alpha=100;alpha=0.1",
    "train_samples=60&test_samples=10&clients=4&rounds=1&batch=8&seed=7&runs=strategy=fedprox,mu=0.1;strategy=scaffold,participation=0.5,client_schedule=cosine",
    "train_samples=60&test_samples=10&clients=4&rounds=1&training.rate=0.01&runs=partitioner=shards,shards=3;partitioner=sizes,sizes=30%252C10%252C10%252C10",
    "train_samples=60&test_samples=10&clients=4&rounds=1&runs=optimizer=sgd,momentum=0.5,model.width=12,model.activation=tanh",
    "task=darcy&parameters.grid=16&train_samples=24&test_samples=4&clients=3&rounds=1&local_steps=1&runs=as-set",
  ])("have the options of the runs, all of them: %s", async (address) => {
    const { commands, runs } = shared(address);
    const trained = commands.filter((command) => command.includes(" train "));
    for (const command of commands.filter((one) => !trained.includes(one)))
      expect((await run(...wordsOf(command))).status).toBe(0);
    expect(trained).toHaveLength(runs.length);
    for (const [i, command] of trained.entries()) {
      const { stdout, stderr, status } = await run(...wordsOf(command), "--json", "--quiet");
      expect(stderr + status).toMatch(/0$/);
      const { data, ...options } = JSON.parse(stdout).options;
      expect(options).toEqual(JSON.parse(JSON.stringify(runs[i])));
    }
  });

  it("generate data first where the runs' seed would make others", () => {
    const named = shared("runs=alpha=1");
    expect(named.commands).toEqual([
      expect.stringMatching(/^pde-dirichlet train antiderivative --alpha 1 --seed 42/),
    ]);
    const { commands } = shared("data_seed=5&runs=alpha=1");
    expect(commands[0]).toBe("pde-dirichlet generate antiderivative --seed 5 --out antiderivative.h5");
    expect(commands[1]).toMatch(/^pde-dirichlet train antiderivative --data antiderivative.h5 /);
  });
});

describe("the study of the view of training", () => {
  it("has as axes what differs between runs", () => {
    expect(shared("").study).toEqual({
      name: "studio",
      data: { task: "antiderivative" },
      alphas: [100, 0.1, 0.01],
      seeds: [42],
      federation: { rounds: 200 },
    });
    expect(shared("runs=strategy=fedavg;strategy=fedprox,mu=0.1;strategy=scaffold").study).toMatchObject({
      alphas: [0.1],
      reference: 0.1,
      federation: { strategy: ["fedavg", { name: "fedprox", mu: 0.1 }, "scaffold"] },
    });
    expect(shared("runs=local_steps=1;local_steps=5").study.federation.local_steps).toEqual([1, 5]);
    expect(
      shared("runs=alpha=1,batch=8;alpha=1,batch=16;alpha=10,batch=8;alpha=10,batch=16").study,
    ).toMatchObject({ alphas: [1, 10], federation: { batch: [8, 16] } });
  });

  it("is none where runs are no grid", () => {
    expect(shared("runs=alpha=1;strategy=scaffold").study).toBeUndefined();
    expect(shared("runs=alpha=1;partitioner=iid").study).toBeUndefined();
  });

  it("trains the runs of the page, and no other", async () => {
    const { text, runs } = shared(
      "train_samples=60&test_samples=10&clients=4&min_size=3&rounds=2&runs=as-set;strategy=fedprox,mu=10",
    );
    writeFileSync(path("study.yaml"), text!);
    const { stderr, status } = await run(
      "study",
      "study.yaml",
      "--out",
      "study",
      "--quiet",
      "--device",
      "cpu",
    );
    expect(stderr + status).toMatch(/0$/);
    const [names, ...rows] = readFileSync(path("study/records.csv"), "utf8")
      .trim()
      .split("\n")
      .map((row) => row.split(","));
    const found = rows
      .filter((row) => row[names.indexOf("round")] === "2")
      .map((row) => Number(row[names.indexOf("test_error")]));
    const expected = await Promise.all(
      runs.map(async (options) => {
        const problem = await federate(await prepareData(options), options);
        const { checkpoints } = await train(problem, options);
        return checkpoints.at(-1)!.testError;
      }),
    );
    expect(found.sort()).toEqual(expected.sort());
  });
});
