import { describe, expect, it } from "vitest";
import { FormatError, OptionError } from "../../src/errors.js";
import { locateSpecification, readSpecification } from "../../src/studies/read-specification.js";
import { parametersOf } from "../../src/studies/specification.js";

const NAME = "studies/x.yaml";
const MINIMAL = "name: q\ntasks:\n  - task: burgers\n";

describe("a study's YAML", () => {
  it("fills what it leaves out with the paper's values", () => {
    expect(readSpecification(MINIMAL, NAME)).toEqual({
      name: "q",
      tasks: [{ task: "burgers" }],
      alphas: [100, 10, 1, 0.1, 0.01],
      seeds: [0, 1, 42, 999, 2026],
      reference: 100,
      federation: { clients: [10], rounds: 1000, local_steps: [5], client_state: ["keep"] },
      optimizer: [{ name: "adam", rate: 1e-3 }],
      partition: { bins: [10], repair: ["closest"] },
      backend: "onnx",
    });
  });

  it("takes one value or a list for the axes of an ablation", () => {
    const read = (more: string) => readSpecification(MINIMAL + more, NAME);
    expect(read("federation: {clients: [10, 20]}").federation.clients).toEqual([10, 20]);
    expect(read("federation: {clients: 20}").federation.clients).toEqual([20]);
    expect(read("optimizer: {name: sgd}").optimizer).toEqual([{ name: "sgd", rate: 1e-2, momentum: 0.9 }]);
    expect(read("optimizer: [{name: sgd}, {name: adam}]").optimizer.length).toBe(2);
  });

  it("takes a list for every option of the federation, the partition, the model and the data", () => {
    const read = (more: string) => readSpecification(MINIMAL + more, NAME);
    expect(read("partition: {bins: [5, 10], repair: largest}").partition).toEqual({
      bins: [5, 10],
      repair: ["largest"],
    });
    expect(read("model: {name: fno, width: [16, 32]}").model).toEqual({ name: ["fno"], width: [16, 32] });
    expect(parametersOf(read("    viscosity: [0.1, 0.05]").tasks[0])).toEqual({ viscosity: [0.1, 0.05] });
    expect(read("optimizer: [{name: adam}, {name: adam, rate: 0.01}]").optimizer).toHaveLength(2);
    expect(read("optimizer: {name: sgd, rate: [0.1, 0.01], momentum: 0}").optimizer).toEqual([
      { name: "sgd", rate: 0.1, momentum: 0 },
      { name: "sgd", rate: 0.01, momentum: 0 },
    ]);
  });

  it("takes data in short: a file or a task, alone or in a list", () => {
    const tasks = (data: string) => readSpecification(`name: q\ndata: ${data}\n`, NAME).tasks;
    expect(tasks("burgers")).toEqual([{ task: "burgers" }]);
    expect(tasks("ns.npz")).toEqual([{ data: "studies/ns.npz" }]);
    expect(tasks("{ file: ns.npz, test: 0.2, name: flow }")).toEqual([
      { data: "studies/ns.npz", test: 0.2, name: "flow" },
    ]);
    expect(tasks("{ file: u.npy, inputs: a.npy, test: more/u.npy }")).toEqual([
      { data: "studies/u.npy", inputs: "studies/a.npy", test: "studies/more/u.npy" },
    ]);
    expect(tasks("[burgers, /ns.h5, { task: burgers, viscosity: 0.05 }]")).toEqual([
      { task: "burgers" },
      { data: "/ns.h5" },
      { task: "burgers", viscosity: [0.05] },
    ]);
    expect(readSpecification("name: q\ntasks: [burgers]", NAME).tasks).toEqual([{ task: "burgers" }]);
  });

  it("names fields of data as they were written", () => {
    const read =
      (data: string, ...set: string[]) =>
      () =>
        readSpecification(`name: q\ndata:${data}\n`, NAME, set);
    expect(read(" heat")).toThrow("studies/x.yaml:2: data.task is one of antiderivative");
    expect(read("\n  - burgers\n  - { file: a.h5, batch: 0 }")).toThrow(
      "studies/x.yaml:4: data.1.batch is a whole number from 1 on, not 0",
    );
    expect(read(" { file: 3 }")).toThrow("studies/x.yaml:2: data.file is the name of a file, not 3");
    expect(read(" burgers\ntasks: [burgers]")).toThrow("data or tasks, not both");
    expect(read(" burgers", "data=heat")).toThrow("--set data=heat: data.task is one of");
    expect(readSpecification("name: q\ndata: burgers", NAME, ["data=a.h5"]).tasks).toEqual([
      { data: "a.h5" },
    ]);
  });

  it.each([
    [
      "federation:\n  clients: 10\n\n  rounds: -3",
      "7: federation.rounds is a whole number from 1 on, not -3",
    ],
    ["federation:\n  clients: 1", "5: federation.clients is a whole number from 2 on, not 1"],
    ["federation:\n  clients: [10, 1.5]", "5: federation.clients.1 is a whole number from 2 on, not 1.5"],
    ["federation:\n  round: 5", "5: there is no field federation.round; did you mean rounds?"],
    ["federation:\n  zzz: 5", "5: there is no field federation.zzz; the fields are clients, rounds,"],
    ["optimizer:\n  name: adamw", '5: optimizer.name is adam or sgd, not "adamw"'],
    ["optimizer: adam", '4: optimizer is a map with a name and a rate, not "adam"'],
    ["optimizer:\n  name: adam\n  momentum: 0.9", "6: there is no field optimizer.momentum; the fields are"],
    [
      "optimizer: [{name: adam}, {name: adam, rate: 0.001}]",
      "4: optimizer is a list of optimizers without repetitions",
    ],
    [
      "seeds: [12345678901234567890]",
      "4: seeds.0 is a whole number from 0 to 9007199254740991, not 12345678901234567",
    ],
    ["    viscosity: -1", "4: tasks.0.viscosity is a number from 0.005 to 1, not -1"],
    ["    viscosity: 2", "4: tasks.0.viscosity is a number from 0.005 to 1, not 2"],
    ["seeds: [1, 1]", "4: seeds is a list of seeds without repetitions, not [1,1]"],
    ["alphas: []", "4: alphas is a non-empty list of concentrations, not []"],
    ["partition:\n  repair: never", '5: partition.repair is one of closest, largest, not "never"'],
    [
      "  - task: antiderivative\n    viscosity: 0.1",
      "5: tasks.1.viscosity is an option of burgers alone, not 0.1",
    ],
    ["  - task: heat", "4: tasks.1.task is one of antiderivative, burgers, diffusion-reaction, darcy,"],
    ["  - heat", "4: tasks.1.task is one of antiderivative, burgers, diffusion-reaction, darcy,"],
    ["  - [1]", "4: tasks.1 is a map with the fields task, train, test, data, inputs, responses,"],
    ["seeds: [1, 2", "5: Flow sequence"],
    ["name: r", "4: Map keys must be unique"],
  ])("names line and field of a mistake: %j", (more, expected) => {
    const read = () => readSpecification(`${MINIMAL}${more}\n`, NAME);
    expect(read).toThrow(FormatError);
    expect(read).toThrow(`${NAME}:${expected}`);
  });

  it.each([
    ["federation: { lr: 0.01 }", "federation.lr; a study takes it as optimizer: {name: adam, rate: 0.001}"],
    ["optimizer: { name: adam, lr: 0.01 }", "optimizer.lr; here it is rate"],
    [
      "federation: { fraction_fit: 0.2 }",
      "federation.fraction_fit; here it is participation (a share below 1, or a number of clients)",
    ],
    [
      "fractionFit: 0.2",
      "fractionFit; a study takes it as federation: { participation: 0.2 } (a share below 1,",
    ],
    ["federation: { batch_size: 32 }", "federation.batch_size; here it is batch"],
    ["federation: { num_rounds: 9 }", "federation.num_rounds; here it is rounds"],
    ["num_clients: 9", "num_clients; a study takes it as federation: { clients: 10 }"],
    [
      "federation: { epochs: 9 }",
      "federation.epochs; here it is local_epochs (passes of a client through its samples per round; local_steps counts",
    ],
    [
      "federation: { server_lr: 9 }",
      "federation.server_lr; a study takes it as federation: { strategy: {name: fedadam, server_rate: 0.005} }",
    ],
    ["federation: { mu: 1 }", "federation.mu; it is an option of fedprox"],
    ["federation: { strategy: { name: fedprox, proximal_mu: 1 } }", "proximal_mu; here it is mu"],
    ["partition: { num_clusters: 9 }", "partition.num_clusters; here it is bins"],
    ["seed: [1]", "seed; a study takes it as seeds: [0,1]"],
    ["alpha: [1]", "alpha; a study takes it as alphas: [100,0.1]"],
  ])("answers names of other programs with ours: %s", (more, expected) => {
    const read = () => readSpecification(`${MINIMAL}${more}\n`, NAME);
    expect(read).toThrow(
      `${NAME}:4: there is no field ${expected.startsWith("proximal") ? "federation.strategy." : ""}${expected}`,
    );
    expect(read).toThrow(/^[^\n]+$/);
  });

  it.each([
    ["FedProx", "Did you mean fedprox?"],
    ["{ name: FedAvg }", "Did you mean fedavg?"],
    ["[fedavg, centralized]", "That is centralised."],
    ["feddyn", "There is none of this name: scaffold corrects the same drift."],
    ["D2NO", "That is fedavg with local 'branch.*'."],
  ])("answers strategies of other programs with ours: %s", (strategy, expected) => {
    const read = () => readSpecification(`${MINIMAL}federation: { strategy: ${strategy} }\n`, NAME);
    expect(read).toThrow(/: federation\.strategy\S* is one of fedavg, fedprox, .*, not "\w+"\. /);
    expect(read).toThrow(expected);
  });

  it("says how a range of steps is given", () => {
    const read = () => readSpecification(`${MINIMAL}federation: { local_steps: 1-5 }\n`, NAME);
    expect(read).toThrow(
      'federation.local_steps is a whole number from 1 on, not "1-5": for 1 to 5 give local_steps: 5 and local_steps_min: 1',
    );
  });

  it("guesses at no name that is like none of ours", () => {
    const read = (more: string) => () => readSpecification(`${MINIMAL}${more}\n`, NAME);
    expect(read("federation: { strategy: nope }")).toThrow(/, not "nope"$/);
    expect(read("constructor: 1")).toThrow("there is no field constructor; the fields are name, title");
  });

  it.each([
    ["", "1: name is missing: a name"],
    ["name: q", "1: tasks is missing: a list of tasks"],
    ["- 1", "1: a study is a map with the fields name, title,"],
    [
      "name: Q\ntasks: [{task: burgers}]",
      '1: name is a name of lower-case letters, digits and hyphens, not "Q"',
    ],
  ])("names what a file lacks: %j", (text, expected) => {
    expect(() => readSpecification(text, NAME)).toThrow(`${NAME}:${expected}`);
  });

  it("names data from its own folder, and overrides do so from the working one", () => {
    const read = (...set: string[]) =>
      readSpecification("name: q\ntasks: [{task: darcy, data: d.h5}, {task: darcy, data: /d.h5}]", NAME, set);
    expect(read().tasks.map(({ data }) => data)).toEqual(["studies/d.h5", "/d.h5"]);
    expect(read("tasks.0.data=e.h5").tasks.map(({ data }) => data)).toEqual(["e.h5", "/d.h5"]);
  });

  it("tells where a field was given, for mistakes that show later", () => {
    const { where } = locateSpecification(`${MINIMAL}federation:\n  clients: 600\n`, NAME, ["seeds=[3]"]);
    expect(where(["federation", "clients"], ["tasks", 0])).toBe(`${NAME}:5: federation.clients`);
    expect(where(["federation", "rounds"], ["tasks", 0])).toBe(`${NAME}:3: tasks.0`);
    expect(where(["seeds", 0])).toBe("--set seeds=[3]");
  });

  it("is overridden field by field", () => {
    const set = ["federation.rounds=50", "seeds=[1, 2]", "tasks.0.train=64", "optimizer={name: sgd}"];
    expect(readSpecification(MINIMAL, NAME, set)).toMatchObject({
      tasks: [{ task: "burgers", train: 64 }],
      seeds: [1, 2],
      federation: { rounds: 50 },
      optimizer: [{ name: "sgd" }],
    });
  });

  it.each([
    [
      "federation.rounds=-3",
      "--set federation.rounds=-3: federation.rounds is a whole number from 1 on, not -3",
    ],
    ["federation.round=3", "--set federation.round=3: there is no field federation.round"],
    ["seeds=[0, -1]", "--set seeds=[0, -1]: seeds.1 is a whole number from 0 on, not -1"],
    ["tasks=[{task: burger}]", "--set tasks=[{task: burger}]: tasks.0.task is one of "],
    ["name.x=3", "--set name.x=3: "],
    ["seeds=[1", "--set seeds=[1: "],
    ["rounds", '--set takes field=value, such as federation.rounds=50, not "rounds"'],
  ])("names an override that is wrong: %s", (override, expected) => {
    const read = () => readSpecification(MINIMAL, NAME, [override]);
    expect(read).toThrow(OptionError);
    expect(read).toThrow(expected);
  });
});
