import { describe, expect, it } from "vitest";
import { changedFields } from "../../src/studies/changed-fields.js";
import type { StudyPlan } from "../../src/studies/plan.js";
import { tinyPlan } from "./tiny-study.js";

/** The changes from a tiny study to one with other fields; their first runs are the twins. */
async function changesTo(...overrides: string[]): Promise<string> {
  return changesBetween(await tinyPlan(), await tinyPlan(...overrides));
}

const changesBetween = (before: StudyPlan, now: StudyPlan) =>
  changedFields(before, now, [before.runs[0].id, now.runs[0].id]);

describe("changed fields of a study", () => {
  it.each([
    ["federation.rounds=31", "federation.rounds is 31, was 12"],
    ["federation.clients=4", "federation.clients is 4, was 3"],
    ["federation.clients=[3,4]", "federation.clients is [3,4], was 3"],
    ["optimizer={name: adam, rate: 0.01}", "optimizer.rate is 0.01, was 0.001"],
    ["partition.repair=largest", "partition.repair is largest, was closest"],
    ["tasks.0.train=65", "tasks.0.train is 65, was 64"],
    ["tasks.0.model={width: 8}", 'tasks.0.model is {"width":8}, was left out'],
    ["federation={clients: 3, rounds: 12, local_steps: 2}", "federation.batch is left out, was 16"],
  ])("are named as in the YAML: %s", async (override, clause) => {
    expect(await changesTo(override)).toBe(clause);
  });

  it("are all named, and those that may differ are not", async () => {
    expect(await changesTo("federation.rounds=31", "seeds=[4]", "title=New", "backend=reference")).toBe(
      "federation.rounds is 31, was 12; backend is reference, was onnx",
    );
  });

  it("end after ten", async () => {
    const { specification, ...rest } = await tinyPlan();
    const model = (value: number) =>
      ({
        ...rest,
        specification: {
          ...specification,
          tasks: [
            {
              ...specification.tasks[0],
              model: Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`m${i}`, [value]])),
            },
          ],
        },
      }) as StudyPlan;
    const text = changesBetween(model(1), model(2));
    expect(text).toMatch(/^tasks\.0\.model\.m0 is 2, was 1; .*tasks\.0\.model\.m9 is 2, was 1; and 3 more$/);
  });

  it("are found in the task of the same kind where others were put before it", async () => {
    const task = "{task: antiderivative, train: 65, test: 16}";
    expect(await changesTo(`tasks=[{task: burgers, train: 64, test: 16}, ${task}]`)).toBe(
      "tasks.1.train is 65, was 64",
    );
  });

  it("are those of the runs where the YAML says the same, as for a file that has changed", async () => {
    const plan = await tinyPlan();
    const withData = (sha256: string): StudyPlan => ({
      ...plan,
      runs: plan.runs.map((run) => ({
        ...run,
        options: { ...run.options, data: { ...DATA, sha256 } },
      })),
    });
    expect(changesBetween(withData("aa"), withData("bb"))).toBe("data.sha256 is bb, was aa");
  });
});

const DATA = {
  file: "d.h5",
  task: "antiderivative",
  origin: "imported",
  seed: 0,
  parameters: {},
  train: 64,
  test: 16,
};
