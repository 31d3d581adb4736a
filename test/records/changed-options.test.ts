import { describe, expect, it } from "vitest";
import { type GivenRunOptions, runOptions } from "../../src/federation/run-options.js";
import { changedOptions } from "../../src/records/changed-options.js";
import { recordedOptions } from "../../src/records/run-record.js";
import { builtInStudies, studyText } from "../../src/studies/built-in.js";
import { planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";

const changed = (given: Partial<GivenRunOptions>) =>
  changedOptions(recordedOptions(runOptions({ task: "burgers", alpha: 1, seed: 7, ...given })));

describe("options that are not the paper's", () => {
  it("are none of what the table has columns for", () => {
    expect(changed({})).toBe("");
    const columns = { clients: 20, rounds: 30, parameters: { viscosity: 0.05 } } as const;
    expect(changed({ ...columns, optimizer: { name: "sgd", rate: 0.01, momentum: 0.9 } })).toBe("");
  });

  it("are named with their values", () => {
    expect(changed({ localSteps: 1, bins: 3, batch: 8, train: 400 })).toBe(
      "train=400 bins=3 local_steps=1 batch=8",
    );
    expect(changed({ optimizer: { name: "sgd", rate: 0.05, momentum: 0 } })).toBe("rate=0.05 momentum=0");
    expect(changed({ clientState: "reset", repair: "largest", minSize: 2, tf32: true })).toBe(
      "min_size=2 repair=largest client_state=reset tf32=true",
    );
    expect(changed({ task: "darcy", model: { width: 8 }, parameters: { grid: 32 } })).toBe("grid=32 width=8");
  });

  it("leave models of fields the batches that the paper gives a range of", () => {
    expect([8, 16, 32].map((batch) => changed({ task: "cylinder", batch }))).toEqual(["", "", "batch=32"]);
  });

  it("are none in the paper's studies", async () => {
    for (const name of await builtInStudies()) {
      const { text } = await studyText(name);
      const { runs } = await planStudy(readSpecification(text, name));
      const all = new Set(runs.map(({ options }) => changedOptions(recordedOptions(options))));
      expect([name, [...all].every((one) => one === "")]).toEqual([name, name !== "public-small"]);
    }
  });
});
