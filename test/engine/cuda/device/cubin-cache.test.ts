import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compileCached, prepareCached } from "../../../../src/engine/cuda/device/cubin-cache.js";

describe("the cache of compiled kernels", () => {
  let folder: string;
  let compiled: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kernels-"));
    compiled = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const compiler = (version = "12.9") => ({
    version,
    compile(source: string, target: string) {
      compiled.push(source);
      return new TextEncoder().encode(`${version} ${target} ${source}`);
    },
    async compileLater(source: string, target: string) {
      return this.compile(source, target);
    },
  });

  it("compiles a text once and gives the same bytes again", () => {
    const first = compileCached(compiler(), "a", "sm_90", folder);
    const second = compileCached(compiler(), "a", "sm_90", folder);
    expect(new TextDecoder().decode(second)).toBe("12.9 sm_90 a");
    expect([...second]).toEqual([...first]);
    expect(compiled).toEqual(["a"]);
  });

  it("has texts ready that were compiled at the same time", async () => {
    compileCached(compiler(), "a", "sm_90", folder);
    await prepareCached(compiler(), ["a", "b", "c"], "sm_90", folder);
    expect(compiled).toEqual(["a", "b", "c"]);
    for (const source of ["a", "b", "c"])
      expect(new TextDecoder().decode(compileCached(compiler(), source, "sm_90", folder))).toContain(source);
    expect(compiled).toHaveLength(3);
  });

  it("compiles a text once that several ask for at the same time, and again after it could not be compiled", async () => {
    const twice = () => ["a", "a"].map((source) => prepareCached(compiler(), [source], "sm_90", folder));
    await Promise.all(twice());
    expect(compiled).toEqual(["a"]);
    let isBroken = true;
    const unsteady = {
      ...compiler(),
      compileLater: async () => {
        if (isBroken) throw new Error("no luck");
        return new Uint8Array(1);
      },
    };
    const asked = () => prepareCached(unsteady, ["b"], "sm_90", folder);
    for (const outcome of await Promise.allSettled([asked(), asked()]))
      expect(outcome).toMatchObject({ status: "rejected", reason: { message: "no luck" } });
    isBroken = false;
    await asked();
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it("keeps apart other texts, other targets and other compilers", () => {
    compileCached(compiler(), "a", "sm_90", folder);
    compileCached(compiler(), "b", "sm_90", folder);
    compileCached(compiler(), "a", "sm_80", folder);
    compileCached(compiler("13.0"), "a", "sm_90", folder);
    expect(compiled).toHaveLength(4);
    expect(readdirSync(folder)).toHaveLength(4);
  });

  it.each([
    ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
    ["altered", (bytes: Buffer) => Buffer.from(bytes).fill(0, 40, 41)],
    ["empty", () => Buffer.alloc(0)],
  ])("makes a file again that was %s", (_, damage) => {
    const first = compileCached(compiler(), "a", "sm_90", folder);
    const file = join(folder, readdirSync(folder)[0]);
    writeFileSync(file, damage(readFileSync(file)));
    expect([...compileCached(compiler(), "a", "sm_90", folder)]).toEqual([...first]);
    expect(compiled).toEqual(["a", "a"]);
    compileCached(compiler(), "a", "sm_90", folder);
    expect(compiled).toHaveLength(2);
  });

  it("works without a folder that it can write to", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(compileCached(compiler(), "a", "sm_90", join(file, "below")).length).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual(["file"]);
  });
});
