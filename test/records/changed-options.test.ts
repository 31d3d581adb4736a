import { describe, expect, it } from "vitest";
import { type GivenRunOptions, runOptions } from "../../src/federation/run-options.js";
import { changedOptions } from "../../src/records/changed-options.js";
import { builtInStudies, studyText } from "../../src/studies/built-in.js";
import { planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { recordedOptions } from "../../src/studies/recorded-options.js";

const usual = { task: "burgers", alpha: 1, seed: 7, repair: "largest" } as const;
const changed = (given: Partial<GivenRunOptions>) =>
  changedOptions(recordedOptions(runOptions({ ...usual, ...given })));

describe("options that are not the bundled studies'", () => {
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
    expect(changed({ clientState: "reset", repair: "closest", minSize: 2, tf32: true })).toBe(
      "min_size=2 repair=closest client_state=reset tf32=true",
    );
    expect(changed({ task: "darcy", model: { width: 8 }, parameters: { grid: 32 } })).toBe("grid=32 width=8");
  });

  it("name the file of imported data, and parameters and seed of a simulated one", () => {
    const file = {
      task: "burgers",
      file: "b.h5",
      sha256: "0123456789abcdef",
      train: 800,
      test: 500,
      seed: 3,
    } as const;
    const data = (origin: string) => ({ ...file, origin, parameters: { viscosity: 0.1 } }) as never;
    expect(changed({ data: data("PDEBench") })).toBe("data=01234567");
    expect(changed({ data: data("simulated by this program") })).toBe("data_seed=3");
  });

  it("are none in the paper's studies", async () => {
    for (const name of await builtInStudies()) {
      const { text } = await studyText(name);
      const { runs } = await planStudy(readSpecification(text, name));
      const all = new Set(runs.map(({ options }) => changedOptions(recordedOptions(options))));
      // A batch of 8 for cylinder flow is within the paper's range.
      const usual = [...all].every((one) => one === "" || one === "batch=8");
      expect([name, usual]).toEqual([name, name !== "public-small"]);
    }
  });
});
