import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { writeNpy } from "../../src/index.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const SPLIT = ["--clients", "3", "--alpha", "0.3"];

/** 66 MB of responses: more than is kept in memory of 0.25 GB. */
const [SAMPLES, COLUMNS] = [1000, 16_384];

beforeAll(() => {
  const wave = Array.from({ length: COLUMNS }, (_, j) => Math.sin(j / 1000));
  const values = Float32Array.from(
    { length: SAMPLES * COLUMNS },
    (_, i) => ((i >> 14) % 97) * wave[i % COLUMNS] + ((i >> 14) % 89) * wave[(2 * i) % COLUMNS],
  );
  writeFileSync(path("u.npy"), writeNpy(values, [SAMPLES, 128, 128]));
});

describe("--memory", () => {
  it("changes nothing that partition and diagnose write", async () => {
    for (const [name, ...memory] of [["whole"], ["streamed", "--memory", "0.25"]]) {
      const made = await run("partition", "u.npy", ...SPLIT, ...memory, "--out", `${name}.json`);
      expect([made.status, made.stderr.includes("Error")]).toEqual([0, false]);
      const found = await run("diagnose", "u.npy", "whole.json", ...memory, "--json");
      expect(found.status).toBe(0);
      writeFileSync(path(`${name}.txt`), found.stdout);
    }
    const [whole, streamed] = ["whole", "streamed"].map((name) => readFileSync(path(`${name}.json`), "utf8"));
    expect(streamed.replaceAll("streamed", "whole")).toBe(whole);
    for (const kind of ["npz", "txt"])
      expect(readFileSync(path(`streamed.${kind}`))).toEqual(readFileSync(path(`whole.${kind}`)));
  }, 180_000);

  it("is refused below a quarter of a gigabyte, in one line", async () => {
    const { status, stderr } = await run(
      "partition",
      "u.npy",
      ...SPLIT,
      "--memory",
      "0.1",
      "--out",
      "p.json",
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain("It is a number from 0.25 to 1024.");
  });
});
