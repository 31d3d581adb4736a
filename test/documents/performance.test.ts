import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const RUN = join(import.meta.dirname, "../../bench/run.mjs");

describe("the page on performance", () => {
  it("has the words that the large benchmarks write, so that none are lost when they run again", () => {
    const { status, stderr } = spawnSync(process.execPath, [RUN, "--check"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
