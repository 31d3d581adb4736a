import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { textOf } from "../../src/cli/inspect.js";
import { inspectFile } from "../../src/datasets/files/inspect-file.js";
import { prepareData } from "../../src/federation/prepared-data.js";
import { runOptions } from "../../src/federation/run-options.js";
import { describeTrainingFile } from "../../src/federation/training-file.js";
import { type Hdf5Contents, writeHdf5 } from "../../src/files/hdf5-writer.js";
import { recordedTask } from "../../src/records/recorded-task.js";
import { planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { runSettings } from "../../src/studies/run-settings.js";
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
  shape: readonly number[],
  { without, attributes = {} }: { without?: string; attributes?: Hdf5Contents["attributes"] } = {},
): Promise<string> {
  const datasets: Record<string, Hdf5Contents["datasets"][string]> = {};
  for (const at of required.filter((one) => one !== without)) {
    const samples = at.startsWith("/train") ? 40 : 4;
    const length = [samples, ...shape].reduce((product, axis) => product * axis, 1);
    datasets[at] = {
      shape: [samples, ...shape],
      values: Float64Array.from({ length }, (_, i) => Math.sin(i)),
    };
  }
  const path = join(folder, name);
  await writeHdf5(path, { attributes, datasets });
  return path;
}

/** The data of a file as training takes them. */
async function trained(path: string) {
  const data = await describeTrainingFile(path, {});
  const options = runOptions({ task: data.task, alpha: 1, seed: 0, data, clients: 2, bins: 3, minSize: 4 });
  return { ...(await prepareData(options)), name: recordedTask(options) };
}

describe("the page on data", () => {
  it.each([
    ["line", [100], "fno1d"],
    ["plane", [32, 30], "fno2d"],
    ["flow", [3, 32, 32], "fno2d"],
  ] as const)("requires no more of a file of a %s than it says", async (own, shape, model) => {
    const { train, test, name, operator } = await trained(await minimalFile(`${own}.h5`, shape));
    expect([train.samples, test.samples, name, operator.architecture.name]).toEqual([40, 4, own, model]);
  });

  it.each(required)("is right that %s is required", async (without) => {
    const path = await minimalFile("less.h5", [32, 32], { without });
    await expect(trained(path)).rejects.toThrow(/less\.h5/);
  });

  it("says what runs on data of a task are called, also before they are trained", async () => {
    const file = await minimalFile("mine.h5", [32, 32], { attributes: { task: "darcy" } });
    const yaml = `name: mine\ntasks: [{ task: darcy, data: ${file} }]\nfederation: { clients: 2 }\n`;
    const study = join(folder, "study");
    await writeStudies(study, [await planStudy(readSpecification(yaml, "mine.yaml"))]);
    const { runs } = await studyStatus(study);
    expect(new Set(runs.map(({ task }) => task))).toEqual(new Set(["imported-darcy"]));
    expect(PAGE).toContain("`imported-<task>`");
  });

  it("has parameters of a file as columns of the records, as it says", async () => {
    const file = await minimalFile("viscous.h5", [16], { attributes: { viscosity: 0.25 } });
    const data = await describeTrainingFile(file, {});
    const options = runOptions({ task: data.task, data, alpha: 1, clients: 2 });
    expect(runSettings(options).settings).toMatchObject({ viscosity: 0.25 });
  });

  const [snippet] = codeBlocks(PAGE, "python");
  const hasH5py = spawnSync(PYTHON, ["-c", "import h5py, numpy"]).status === 0;
  it.skipIf(!hasH5py)("has lines of Python that make such a file", async () => {
    const { status, stderr } = spawnSync(PYTHON, ["-c", snippet], { cwd: folder, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    const { train, inputShape, name } = await trained(join(folder, "mine.h5"));
    expect([name, train.samples, ...inputShape]).toEqual(["screened-poisson", 400, 32, 32]);
  });

  it("shows what inspect prints", async () => {
    const file = join(folder, "ns.mat");
    copyFileSync(join(import.meta.dirname, "../golden/own-data/ns-files-v5.mat"), file);
    const printed = textOf(await inspectFile(file), "ns.mat").replaceAll(`${folder}/`, "");
    const [shown] = codeBlocks(PAGE, "text");
    expect(shown.trimEnd()).toBe(printed);
  });
});
