import { beforeAll, describe, expect, it } from "vitest";
import { OptionError } from "../../../src/errors.js";
import { federate, type PreparedData } from "../../../src/federation/federation.js";
import { prepareData } from "../../../src/federation/prepared-data.js";
import { type GivenRunOptions, runOptions } from "../../../src/federation/run-options.js";
import { checkLocalParts, localParts } from "../../../src/federation/strategies/local-parts.js";
import { parameterLayout } from "../../../src/models/parameter-layout.js";

type Given = Partial<GivenRunOptions>;
const BASE: GivenRunOptions = { task: "antiderivative", alpha: 1 };
const SGD = { name: "sgd", rate: 0.01, momentum: 0.9 };
const PLAIN = { ...SGD, momentum: 0 };

/** Fails unless the options are refused by one line that holds the message. */
function expectRefusal(more: Given, message: string): void {
  expect(() => runOptions({ ...BASE, ...more })).toThrow(OptionError);
  expect(() => runOptions({ ...BASE, ...more })).toThrow(message);
  expect(() => runOptions({ ...BASE, ...more })).toThrow(/^[^\n]+$/);
}

describe("options of a run that contradict each other are refused in one line:", () => {
  it.each<[string, Given, string]>([
    [
      "SCAFFOLD II with Adam, whose steps do not reveal gradients",
      { strategy: { name: "scaffold", control: "II" } },
      "scaffold with control II needs the optimizer sgd",
    ],
    [
      "FedNova with momentum that is kept",
      { strategy: { name: "fednova" }, optimizer: SGD },
      "fednova starts every round without momentum: add client_state reset, or take momentum 0",
    ],
    [
      "FedNova with momentum that is averaged",
      { strategy: { name: "fednova" }, optimizer: SGD, clientState: "average" },
      "fednova starts every round without momentum",
    ],
    [
      "participation of nobody",
      { participation: 0 },
      "participation is a share below 1, or a number of clients from 2 on, not 0",
    ],
    ["participation of 1, which is one or all", { participation: 1 }, "one client or all of them"],
    ...([7, 3, 6, 13, 999] as const).map((clients): [string, Given, string] => [
      `participation of 1 among ${clients} clients`,
      { participation: 1, clients, minSize: 1 },
      `write ${clients} for all, or ${{ 7: 0.14, 3: 0.33, 6: 0.17, 13: 0.077, 999: 0.001 }[clients]} for one of ${clients}`,
    ]),
    ["participation of more clients than there are", { participation: 11 }, "there are 10 clients"],
    [
      "participation of two and a half clients",
      { participation: 2.5 },
      "a number of clients from 2 on, not 2.5",
    ],
    ["a number that is none", { participation: Number.NaN }, "participation is a share below 1"],
    ["everybody leaves", { dropout: 1 }, "dropout is a number from 0 to below 1"],
    ["less than nobody leaves", { dropout: -0.1 }, "dropout is a number from 0"],
    [
      "stragglers that take more steps than the others",
      { localStepsMin: 6 },
      "local_steps_min is 6, but local_steps is 5",
    ],
    ["stragglers that take no step", { localStepsMin: 0 }, "local_steps_min is a whole number from 1"],
    ["stragglers among epochs", { localStepsMin: 2, localEpochs: 1 }, "local_epochs or local_steps_min"],
    ["no epochs", { localEpochs: 0 }, "local_epochs is a whole number from 1"],
    ["half an epoch", { localEpochs: 0.5 }, "local_epochs is a whole number"],
    [
      "candidates without power-of-choice",
      { candidates: 4 },
      "candidates belong to the sampling power-of-choice",
    ],
    [
      "candidates with another sampling",
      { sampling: "size", participation: 3, candidates: 4 },
      "candidates belong to the sampling power-of-choice, not to size",
    ],
    [
      "fewer candidates than participants",
      { sampling: "power-of-choice", participation: 3, candidates: 2 },
      "candidates are from 3",
    ],
    [
      "more candidates than clients",
      { sampling: "power-of-choice", participation: 3, candidates: 11 },
      "to all 10 clients, not 11",
    ],
    ...(["size", "power-of-choice", "stratified"] as const).map((sampling): [string, Given, string] => [
      `sampling by ${sampling} of all clients`,
      { sampling },
      `sampling ${sampling} chooses among clients: say how many with participation`,
    ]),
    [
      "a second moment that SGD does not have",
      { secondMoment: "keep", optimizer: SGD },
      "second_moment belongs to adam: sgd has none",
    ],
    ["a first moment that outlives the second", { secondMoment: "reset" }, "take huge steps"],
    [
      "an averaged first moment that outlives the second",
      { secondMoment: "reset", clientState: "average" },
      "second_moment reset with client_state average",
    ],
    [
      "an averaged first moment over a second one of each client",
      { secondMoment: "keep", clientState: "average" },
      "second_moment keep with client_state average",
    ],
    [
      "SCAFFOLD with local parts",
      { strategy: { name: "scaffold" }, local: "branch.*" },
      "scaffold corrects all parameters: leave out local",
    ],
    [
      "local-only with local parts",
      { strategy: { name: "local-only" }, local: "branch.*" },
      "leave out local",
    ],
    [
      "centralised with local parts",
      { strategy: { name: "centralised" }, local: "branch.*" },
      "leave out local",
    ],
    [
      "centralised with participants",
      { strategy: { name: "centralised" }, participation: 2 },
      "leave out participation",
    ],
    ...(
      [
        [{ localEpochs: 2 }, "give local_steps in place of local_epochs"],
        [{ localStepsMin: 2 }, "leave out local_steps_min"],
        [{ weights: "uniform" }, "leave out weights"],
        [{ sampling: "stratified" }, "leave out sampling"],
        [{ candidates: 3 }, "leave out candidates"],
        [{ dropout: 0.1 }, "leave out dropout"],
        [{ serverSchedule: "cosine" }, "leave out server_schedule"],
        [{ clientState: "average" }, "take client_state keep or reset"],
        [{ secondMoment: "average" }, "take second_moment keep or reset"],
      ] as [Given, string][]
    ).map(([more, message]): [string, Given, string] => [
      `centralised with ${Object.keys(more)[0]}, which one place cannot follow`,
      { ...more, strategy: { name: "centralised" } },
      message,
    ]),
    ...(
      [
        [{ serverSchedule: "cosine" }, "leave out server_schedule"],
        [{ clientState: "average" }, "take client_state keep or reset"],
        [{ secondMoment: "average" }, "take second_moment keep or reset"],
        [{ sampling: "power-of-choice", participation: 3 }, "take another sampling than power-of-choice"],
      ] as [Given, string][]
    ).map(([more, message]): [string, Given, string] => [
      `local-only with ${Object.keys(more)[0]}, though nothing is sent`,
      { ...more, strategy: { name: "local-only" } },
      message,
    ]),
    [
      "FedAdagrad with bias correction",
      { strategy: { name: "fedadagrad", bias_correction: true } },
      "no option",
    ],
    ["a schedule that ends early", { clientSchedule: "cosine:0:999" }, "ends after 999 rounds"],
  ])("%s", (_, more, message) => expectRefusal(more, message));

  it.each<[string, Given]>([
    ["SCAFFOLD II with SGD", { strategy: { name: "scaffold", control: "II" }, optimizer: SGD }],
    [
      "FedNova with momentum that is reset",
      { strategy: { name: "fednova" }, optimizer: SGD, clientState: "reset" },
    ],
    ["FedNova with plain steps", { strategy: { name: "fednova" }, optimizer: PLAIN }],
    ["FedNova with Adam", { strategy: { name: "fednova" } }],
    ["one of ten clients", { participation: 0.1 }],
    ["stragglers that take all steps", { localStepsMin: 5 }],
    ["as many candidates as clients", { sampling: "power-of-choice", participation: 3, candidates: 10 }],
    ["a second moment that outlives the first", { secondMoment: "keep", clientState: "reset" }],
    ["an averaged second moment over a first one of each client", { secondMoment: "average" }],
    ["Ditto with local parts", { strategy: { name: "ditto" }, local: "trunk.*" }],
    ["local-only with some clients a round", { strategy: { name: "local-only" }, participation: 3 }],
    [
      "local-only with clients drawn by size",
      { strategy: { name: "local-only" }, participation: 3, sampling: "size" },
    ],
    ["local-only with epochs", { strategy: { name: "local-only" }, localEpochs: 1 }],
    [
      "centralised with its optimiser reset",
      { strategy: { name: "centralised" }, clientState: "reset", clientSchedule: "cosine" },
    ],
    ["centralised with the usual weights", { strategy: { name: "centralised" }, weights: "size" }],
  ])("but not %s", (_, more) => {
    expect(runOptions({ ...BASE, ...more })).toMatchObject({ task: "antiderivative" });
  });
});

describe("local parts", () => {
  const layout = parameterLayout([
    ["branch.0.weight", [2, 3]],
    ["branch.0.bias", [3]],
    ["trunk.0.weight", [2, 3]],
    ["bias", [1]],
  ]);
  const names = (patterns: string) => layout.map(({ name }) => name).filter(localParts(patterns));

  it("are all parameters whose whole names a pattern describes, * being any characters", () => {
    expect(names("branch.*")).toEqual(["branch.0.weight", "branch.0.bias"]);
    expect(names("*.weight")).toEqual(["branch.0.weight", "trunk.0.weight"]);
    expect(names("bias")).toEqual(["bias"]);
    expect(names("trunk.*, bias")).toEqual(["trunk.0.weight", "bias"]);
    expect(names("*.0.b*s")).toEqual(["branch.0.bias"]);
  });

  it("take all characters but * as they are", () => {
    expect(names("branch.0.w.ight")).toEqual([]);
    expect(names("branch?0.weight")).toEqual([]);
    expect(names("(bias)")).toEqual([]);
    expect(names("bias|trunk.*")).toEqual([]);
  });

  it.each([
    [
      "nothing.*",
      /^local "nothing\.\*" matches no parameters of the model, which are branch\.0\.weight, .*, bias$/,
    ],
    ["branch.*, trunks.*", /^local "trunks\.\*" matches no parameters/],
    ["branch.*,", /^local "" matches no parameters/],
    ["Branch.*", /matches no parameters/],
    ["*", /^local "\*" matches all parameters, so that nothing is shared: take the strategy local-only$/],
    ["branch.*, trunk.*, bias", /matches all parameters/],
  ])("that match none or all are refused: %s", (local, message) => {
    expect(() => checkLocalParts(layout, local)).toThrow(OptionError);
    expect(() => checkLocalParts(layout, local)).toThrow(message);
  });

  it.each([
    ["antiderivative", "nothing.*", "matches no parameters of the model"],
    ["antiderivative", "*", "matches all parameters"],
    ["darcy", "branch.*", "matches no parameters of the model"],
  ])("are compared with the model of %s before data are made: %s", (task, local, message) =>
    expectRefusal({ task, local }, message),
  );

  it("that the model has are taken", () => {
    expect(runOptions({ ...BASE, local: "branch.*" }).local).toBe("branch.*");
  });

  describe("of a model that is only known with its data", () => {
    let data: PreparedData;
    const small = { ...BASE, train: 64, test: 16, clients: 3, minSize: 4, bins: 4 };
    beforeAll(async () => {
      data = await prepareData(runOptions(small));
    });

    it.each([
      ["nothing.*", "matches no parameters of the model, which are branch.0.weight"],
      ["*", "matches all parameters"],
    ])("are compared with it before clients are made: %s", async (local, message) => {
      const chosen = { ...runOptions(small), local };
      await expect(federate(data, chosen)).rejects.toThrow(message);
      await expect(federate(data, { ...chosen, local: "trunk.*" })).resolves.toHaveProperty("clientIndices");
    });
  });
});
