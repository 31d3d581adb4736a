import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { type Lab, openLab } from "../../src/studio/lab/lab.js";
import { workFolder } from "../cli/command.js";

const { path, run } = workFolder();

let lab: Lab;
beforeAll(async () => {
  const task = ["generate", "antiderivative", "--seed", "5", "--train", "120", "--test", "0"];
  expect((await run(...task, "--out", "a.h5")).status).toBe(0);
  const made = await run(
    ...["partition", "a.h5", "--bins", "5", "--seed", "3", "--clients", "4", "--alpha", "1"],
    ...["--min-size", "8", "--out", "p.json"],
  );
  expect(made.stderr + made.status).toMatch(/0$/);
  lab = openLab();
  await lab.generate({ task: "antiderivative", seed: 5, train: 120, test: 0 });
  await lab.bin({ bins: 5, seed: 3 });
});

describe("the bins of the lab", () => {
  it("are those of the command partition, sample by sample", async () => {
    const file = JSON.parse(readFileSync(path("p.json"), "utf8"));
    const { binOfSample } = await lab.bin({ bins: 5, seed: 3 });
    expect([...binOfSample]).toEqual(file.bin_of_sample);
  });

  it("look as the command bins says: spread, silhouette, nearest, farthest and next bin", async () => {
    const { bins, quality, quantisationError, silhouette, border } = await lab.pictures();
    const told = JSON.parse((await run("bins", "p.json", "--json")).stdout);
    expect(told.bins).toMatchObject(JSON.parse(JSON.stringify(bins)));
    expect(told).toMatchObject({
      eps_quant: quantisationError,
      silhouette,
      border_share: border,
      explained_variance: quality.explainedVariance,
    });
  });

  it("have their members in the order of the command show, with the distances of the fit", async () => {
    const { distances, sizes } = await lab.bin({ bins: 5, seed: 3 });
    for (const bin of [0, 2, 4]) {
      const members = await lab.members(bin);
      expect(members).toHaveLength(sizes[bin]);
      const shown = await run(
        ...["show", "--partition", "p.json", "--bin", String(bin), "--samples", "8"],
        ...["--out", `bin-${bin}.svg`, "--json"],
      );
      expect(JSON.parse(shown.stdout).samples).toEqual(members.slice(0, 8).map(({ sample }) => sample));
      for (const { sample, distance } of members) expect(distance).toBeCloseTo(distances[sample], 5);
    }
  });

  it("tell of a bin that there is not", async () => {
    await expect(lab.members(5)).rejects.toThrow("there is no bin 5: there are 5, 0 to 4");
  });

  it("give the responses of samples in the order that is asked for", async () => {
    const responses = await lab.responses([7, 2, 7]);
    const [second, seventh] = await Promise.all([lab.sample("train", 2), lab.sample("train", 7)]);
    expect(responses).toEqual([seventh.response, second.response, seventh.response]);
  });
});
