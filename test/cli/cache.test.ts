import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { workFolder } from "./command.js";

const { path, run } = workFolder();

describe("cache", () => {
  it("lists what is kept with sizes, clears it, and says so", async () => {
    expect((await run("cache")).stdout).toBe(`${path("cache")}: the cache is empty\n`);
    await run("generate", "antiderivative", "--train", "40", "--test", "4", "--out", "a.h5");
    writeFileSync(path("cache/notes.txt"), "mine");
    const { stdout } = await run("cache");
    expect(stdout.split("\n").slice(0, 2)).toEqual([path("cache"), ""]);
    expect(stdout).toMatch(/^data of antiderivative +2 +\d+ kB\nall +2 +\d+ kB\n$/m);
    const { folder, files } = JSON.parse((await run("cache", "--json")).stdout);
    expect(folder).toBe(path("cache"));
    expect(files.map(({ kind }: { kind: string }) => kind)).toEqual(["data", "data"]);
    expect((await run("cache", "--clear", "kernels")).stdout).toBe(
      `${path("cache")}: 0 files, 0 B, removed\n`,
    );
    expect((await run("cache", "--clear")).stdout).toMatch(/: 2 files, \d+ kB, removed\n$/);
    expect(existsSync(path("cache/notes.txt"))).toBe(true);
    expect((await run("cache", "--json")).stdout).toBe(`${JSON.stringify({ folder, files: [] })}\n`);
  });

  it("refuses a kind that there is not in one line", async () => {
    const { status, stderr } = await run("cache", "--clear", "results");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^pde-dirichlet: .*'results' is invalid. Allowed choices are data, kernels.\n$/);
  });

  it("is among the commands", async () => {
    expect((await run("--help")).stdout).toMatch(/^ {2}cache .*list or clear the cache/m);
    expect((await run("cache", "--help")).stdout).toContain("PDE_DIRICHLET_CACHE");
  });
});
