import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { kernelBits, type RunBits, runBits, SHORT_RUNS } from "./paper-bits.js";

/**
 * Hashes of a short run of every task of the paper. They may change only where a change of results is wanted:
 * `UPDATE_GOLDEN=1` writes them anew.
 */
const PATH = join(import.meta.dirname, "../golden/paper-bits/bits.json");
const UPDATE = process.env.UPDATE_GOLDEN === "1";

interface Golden {
  readonly kernels: string;
  readonly runs: Readonly<Record<string, RunBits>>;
}

describe("the paper's results keep their bits", () => {
  const golden: Golden = JSON.parse(readFileSync(PATH, "utf8"));
  const found: Record<string, RunBits> = {};
  let kernels = "";
  beforeAll(async () => {
    kernels = await kernelBits();
  });

  it.each(Object.keys(SHORT_RUNS))("%s", async (name) => {
    found[name] = await runBits(SHORT_RUNS[name]);
    if (UPDATE) return;
    const { trained, metrics, ...exact } = golden.runs[name];
    expect(found[name]).toMatchObject(exact);
    // On another processor ONNX Runtime adds in another order: only what does not depend on it is compared.
    if (kernels === golden.kernels) expect(found[name]).toEqual(golden.runs[name]);
  });

  it.runIf(UPDATE)("writes the hashes", () => {
    writeFileSync(PATH, `${JSON.stringify({ kernels, runs: found }, null, 2)}\n`);
  });
});
