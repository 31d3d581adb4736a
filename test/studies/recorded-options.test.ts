import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { FileChoice } from "../../src/datasets/files/labelled-file.js";
import { runOptions } from "../../src/federation/run-options.js";
import { describeTrainingFile } from "../../src/federation/training-file.js";
import { runId } from "../../src/records/run-record.js";
import { recordedOptions } from "../../src/studies/recorded-options.js";
import { runSettings } from "../../src/studies/run-settings.js";

const VOLUME = join(import.meta.dirname, "../golden/own-data/volume.npz");
const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-recorded-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function optionsOf(choice: FileChoice, file = VOLUME) {
  const data = await describeTrainingFile(file, choice);
  return runOptions({ task: data.task, data, alpha: 1, clients: 2, minSize: 1 });
}

describe("the name of a run on a file of one's own", () => {
  const name = async (choice: FileChoice, file = VOLUME) =>
    runId(recordedOptions(await optionsOf(choice, file)));

  it("depends on arrays, axes and test samples, not on where the file lies or what its arrays are called", async () => {
    const choices: FileChoice[] = [
      { channels: "none" },
      { channels: "first" },
      { channels: "last" },
      { channels: "none", test: "2" },
      { channels: "none", inputs: "y", responses: "x" },
    ];
    const names = await Promise.all(choices.map((choice) => name(choice)));
    expect(new Set(names).size).toBe(choices.length);
    const [plain] = names;
    expect(plain).toMatch(/^volume-k-2-adam-alpha-1-seed-0-/);
    expect(await name({ channels: "none", title: "T", inputLabel: "a", responseUnit: "m" })).toBe(plain);
    const moved = join(folder, "volume.npz");
    copyFileSync(VOLUME, moved);
    expect(await name({ channels: "none" }, moved)).toBe(plain);
  });

  it("depends on how trajectories are cut and kept together, where that is not as usual", async () => {
    const file = join(VOLUME, "../ns-files.npz");
    const windows: FileChoice = { inputs: "u[..., t]", responses: "u[..., t+1]", test: "12" };
    const choices: FileChoice[] = [windows, { ...windows, group: "none" }, { ...windows, windowStep: 2 }];
    const all = await Promise.all(choices.map((choice) => optionsOf(choice, file)));
    expect(all.map((options) => recordedOptions(options).data)).toEqual([
      expect.not.objectContaining({ group: expect.anything() }),
      expect.objectContaining({ group: "none" }),
      expect.objectContaining({ window_step: 2 }),
    ]);
    const names = await Promise.all(all.map((options) => runId(recordedOptions(options))));
    expect(new Set(names).size).toBe(3);
    expect(runSettings(all[1]).settings).toMatchObject({ group: "none" });
  });

  it("never is that of a built-in task", async () => {
    const mistakable = join(folder, "burgers.npz");
    copyFileSync(VOLUME, mistakable);
    expect(await name({ channels: "none" }, mistakable)).toMatch(/^imported-burgers-k-2-/);
  });
});

describe("the settings of a run", () => {
  it("have every option of partition, training and model, and name those that were chosen", () => {
    const given = { task: "burgers", alpha: 1, seed: 3 };
    const usual = runSettings(runOptions(given));
    expect(usual.overrides).toEqual([]);
    expect(usual.settings).toMatchObject({
      viscosity: 0.1,
      clients: 10,
      bins: 10,
      model: "deeponet",
      width: 64,
    });
    for (const untold of ["rounds", "threads", "alpha", "seed"])
      expect(usual.settings).not.toHaveProperty(untold);
    const chosen = runSettings(
      runOptions({
        ...given,
        clients: 20,
        model: { width: 8, initialiser: "pytorch" },
        optimizer: { name: "sgd" },
      }),
    );
    expect([...chosen.overrides].sort()).toEqual(["clients", "initialiser", "optimizer", "width"]);
    expect(chosen.settings).toMatchObject({ clients: 20, width: 8, initialiser: "pytorch", momentum: 0.9 });
  });

  it("name another model as chosen, and not what it brings along", () => {
    const { settings, overrides } = runSettings(
      runOptions({
        task: "darcy",
        alpha: 1,
        parameters: { grid: 32 },
        model: { name: "deeponet", width: 16 },
      }),
    );
    expect(settings).toMatchObject({
      model: "deeponet",
      width: 16,
      depth: 3,
      batch: 64,
      normalise: "standard",
    });
    expect([...overrides].sort()).toEqual(["grid", "model", "width"]);
  });

  it("describe a file that is too small for the usual clients, and name no minimum size that nobody chose", async () => {
    const own = await describeTrainingFile(VOLUME, { channels: "none" });
    const two = runOptions({ task: own.task, data: own, alpha: 1, clients: 2 });
    expect(runSettings(two).overrides).toEqual(["clients"]);
    const { inputs, responses, ...ofTask } = own;
    const data = { ...ofTask, task: "antiderivative", train: 64, parameters: {} };
    const small = runOptions({ task: "antiderivative", data, alpha: 1, clients: 2 });
    expect(runSettings(small).overrides).toContain("clients");
    expect(() => runOptions({ task: "antiderivative", data, alpha: 1 })).toThrow(
      "64 samples cannot give 10 clients at least 16 each",
    );
  });
});
