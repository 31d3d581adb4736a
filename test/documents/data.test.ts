import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { describeLabelledFile } from "../../src/datasets/labelled-file.js";
import { TASK_NAMES, type TaskName, taskOf } from "../../src/datasets/tasks.js";
import { prepareData } from "../../src/federation/prepared-data.js";
import { runOptions } from "../../src/federation/run-options.js";
import { type Hdf5Contents, writeHdf5 } from "../../src/files/hdf5-writer.js";
import { recordedTask } from "../../src/records/recorded-task.js";
import { planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { studyStatus } from "../../src/studies/status.js";
import { writeStudies } from "../../src/studies/study-file.js";
import { codeBlocks, tableRows } from "./markdown.js";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/data.md"), "utf8");
const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";

const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-data-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names that the layout requires: those of datasets begin with a slash. */
const layout = tableRows(PAGE).filter((row) => "Required" in row);
const required = layout
  .filter(({ Required }) => Required === "yes")
  .map(({ Name }) => Name.replace("attribute ", "").slice(1, -1));

/** A file with nothing but what is required, but for one name. */
async function minimalFile(
  name: string,
  task: TaskName,
  shape: readonly number[],
  without?: string,
): Promise<string> {
  const there = required.filter((one) => one !== without);
  const datasets: Record<string, Hdf5Contents["datasets"][string]> = {};
  for (const at of there.filter((one) => one.startsWith("/"))) {
    const samples = at.startsWith("/train") ? 40 : 4;
    const length = [samples, ...shape].reduce((product, axis) => product * axis, 1);
    datasets[at] = {
      shape: [samples, ...shape],
      values: Float64Array.from({ length }, (_, i) => Math.sin(i)),
    };
  }
  const path = join(folder, name);
  await writeHdf5(path, { attributes: there.includes("task") ? { task } : {}, datasets });
  return path;
}

/** The data of a file as training takes them. */
async function trained(path: string, task: TaskName) {
  const data = await describeLabelledFile(path);
  const options = runOptions({ task, alpha: 1, seed: 0, data, clients: 2, bins: 3, model: {} });
  return { ...(await prepareData(options)), name: recordedTask(options) };
}

describe("the page on data", () => {
  it.each([
    ["antiderivative", [100]],
    ["darcy", [32, 30]],
    ["cylinder", [3, 32, 32]],
  ] as const)("requires no more of a file of %s than it says", async (task, shape) => {
    const { train, test, name } = await trained(await minimalFile(`${task}.h5`, task, shape), task);
    expect([train.samples, test.samples, name]).toEqual([40, 4, `imported-${task}`]);
  });

  it.each(required)("is right that %s is required", async (without) => {
    const path = await minimalFile("less.h5", "darcy", [32, 32], without);
    await expect(trained(path, "darcy")).rejects.toThrow(/less\.h5/);
  });

  it("says what such runs are called, also before they are trained", async () => {
    const file = await minimalFile("mine.h5", "darcy", [32, 32]);
    const yaml = `name: mine\ntasks: [{ task: darcy, data: ${file} }]\nfederation: { clients: 2 }\n`;
    const study = join(folder, "study");
    await writeStudies(study, [await planStudy(readSpecification(yaml, "mine.yaml"))]);
    const { runs } = await studyStatus(study);
    expect(new Set(runs.map(({ task }) => task))).toEqual(new Set(["imported-darcy"]));
    expect(PAGE).toContain("`imported-darcy`");
  });

  it("has the shapes of tasks whose points are fixed, and names all tasks", () => {
    const rows = new Map(tableRows(PAGE).map((row) => [row.Task, row]));
    for (const task of ["antiderivative", "burgers", "diffusion-reaction"] as const) {
      const { inputShape, responseShape } = taskOf(task).geometry(taskOf(task).parameters);
      expect(rows.get(`\`${task}\``)!.Inputs).toContain(`N x ${inputShape.join(" x ")},`);
      expect(rows.get(`\`${task}\``)!.Responses).toContain(`N x ${responseShape.join(" x ")},`);
    }
    for (const task of TASK_NAMES) expect([...rows.keys()].join()).toContain(`\`${task}\``);
  });

  const [snippet] = codeBlocks(PAGE, "python");
  const hasH5py = spawnSync(PYTHON, ["-c", "import h5py, numpy"]).status === 0;
  it.skipIf(!hasH5py)("has lines of Python that make such a file", async () => {
    const { status, stderr } = spawnSync(PYTHON, ["-c", snippet], { cwd: folder, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    const { train, inputShape } = await trained(join(folder, "mine.h5"), "darcy");
    expect([train.samples, ...inputShape]).toEqual([400, 32, 32]);
  });
});
