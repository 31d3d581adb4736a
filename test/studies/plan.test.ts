import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { builtInStudies, studyText } from "../../src/studies/built-in.js";
import { type PlanError, planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";

const plan = (yaml: string) => planStudy(readSpecification(`name: q\n${yaml}`, "q.yaml"));

describe("the plan of a study", () => {
  it("has a run for every point of the grid, references first within a seed", async () => {
    const { runs } = await plan(
      "tasks: [{task: antiderivative}, {task: burgers}]\nalphas: [0.1, 100, 1]\nseeds: [0, 1]\n" +
        "federation: {clients: [10, 20]}\noptimizer: [{name: adam}, {name: sgd}]",
    );
    expect(runs.length).toBe(2 * 3 * 2 * 2 * 2);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(runs.length);
    expect(runs.slice(0, 4).map(({ options }) => [options.seed, options.alpha])).toEqual([
      [0, 100],
      [0, 0.1],
      [0, 1],
      [1, 100],
    ]);
  });

  it("shares one reference among all alphas of a seed, and no further", async () => {
    const { runs } = await plan("tasks: [{task: antiderivative}]\nfederation: {clients: [10, 20]}");
    const byId = new Map(runs.map((run) => [run.id, run]));
    for (const { options, reference } of runs) {
      const { alpha: _, ...own } = options;
      const { alpha, ...other } = byId.get(reference)!.options;
      expect(alpha).toBe(100);
      expect(other).toEqual(own);
    }
    expect(new Set(runs.map(({ reference }) => reference)).size).toBe(5 * 2);
  });

  it("adds the reference that the alphas leave out", async () => {
    const { runs } = await plan("tasks: [{task: antiderivative}]\nalphas: [0.1]\nseeds: [3]\nreference: 50");
    expect(runs.map(({ options }) => options.alpha)).toEqual([50, 0.1]);
    expect(runs[1].reference).toBe(runs[0].id);
  });

  it("gives a run the same name whatever study it belongs to", async () => {
    const one = await plan("tasks: [{task: burgers, viscosity: 0.1}]\nseeds: [42]");
    const other = await plan(
      "tasks: [{task: antiderivative}, {task: burgers}]\nseeds: [1, 42]\nalphas: [0.1]",
    );
    const ids = new Set(other.runs.map(({ id }) => id));
    expect(one.runs.filter(({ id }) => ids.has(id)).length).toBe(2);
  });

  it("takes a task several times with options that the table tells apart", async () => {
    expect((await plan("tasks: [{task: burgers}, {task: burgers, train: 400}]")).runs).toHaveLength(50);
  });

  it("refuses what no run can be", async () => {
    await expect(plan("tasks: [{task: burgers, train: 20}]")).rejects.toThrow(
      /20 samples cannot give 10 clients/,
    );
  });

  it("says of which fields it is that it cannot be carried out", async () => {
    const fields = (yaml: string) => plan(yaml).catch(({ fields }: PlanError) => fields);
    const tasks = "tasks: [{task: antiderivative}, {task: burgers, train: 200}]";
    expect(await fields(`${tasks}\nfederation: {clients: 40}`)).toEqual([
      ["federation", "clients"],
      ["tasks", 1],
    ]);
    expect(await fields("tasks: [{task: darcy, model: {wings: 2}}]")).toEqual([["tasks", 0]]);
    expect(await fields("tasks: [{task: darcy, data: none.h5}]")).toEqual([["tasks", 0, "data"]]);
    await expect(plan("tasks: [{task: darcy, data: none.h5}]")).rejects.toThrow(
      `cannot read none.h5: no such file or folder (${resolve("none.h5")})`,
    );
  });
});

describe("the studies that come along", () => {
  it("are planned as the paper has them", async () => {
    const counts: Record<string, number> = {};
    for (const name of await builtInStudies()) {
      const found = await studyText(name);
      const specification = readSpecification(found.text, found.name);
      expect(specification.name).toBe(name);
      counts[name] = (await planStudy(specification)).runs.length;
    }
    expect(counts).toEqual({
      clients: 75,
      controlled: 75,
      "darcy-pdebench": 25,
      optimizer: 75,
      partitioners: 230,
      public: 100,
      "public-small": 24,
      quickstart: 25,
      remedies: 165,
      viscosity: 75,
    });
  });

  it("share runs: those of quickstart are in controlled, those of viscosity 0.1 too", async () => {
    const ids = async (name: string) => {
      const { text } = await studyText(name);
      return (await planStudy(readSpecification(text, name))).runs.map(({ id }) => id);
    };
    const controlled = new Set(await ids("controlled"));
    const shared = async (name: string) => (await ids(name)).filter((id) => controlled.has(id)).length;
    expect(await shared("quickstart")).toBe(25);
    expect(await shared("viscosity")).toBe(25);
    expect(await shared("remedies")).toBe(15); // those of fedavg
    expect(await shared("clients")).toBe(0);
    expect(await shared("optimizer")).toBe(0);
  });

  it("are named when another one is asked for", async () => {
    await expect(studyText("nope")).rejects.toThrow(
      'there is no study "nope"; name a YAML file or one of clients, controlled, darcy-pdebench, optimizer, partitioners, public, public-small, quickstart, remedies, viscosity',
    );
    await expect(studyText("no/where.yaml")).rejects.toThrow("cannot read no/where.yaml: no such file");
  });
});
