import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

describe("the packed package", () => {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-package-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    // Installed as npm would: unpacked into node_modules, its dependencies and its command beside it.
    const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
      cwd: ROOT,
      encoding: "utf8",
    });
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, ".bin"), { recursive: true });
    execFileSync("tar", ["-xzf", join(folder, packed.trim()), "-C", modules]);
    execFileSync("mv", [join(modules, "package"), join(modules, "pde-dirichlet")]);
    symlinkSync(join(ROOT, "node_modules"), join(modules, "pde-dirichlet", "node_modules"));
    symlinkSync("../pde-dirichlet/bin/pde-dirichlet.js", join(modules, ".bin", "pde-dirichlet"));
  });

  it("has a command that works through its link", () => {
    const command = join(folder, "node_modules", ".bin", "pde-dirichlet");
    const args = [
      "generate",
      "antiderivative",
      "--train",
      "40",
      "--test",
      "1",
      "--out",
      "a.h5",
      "--no-cache",
      "--json",
    ];
    expect(JSON.parse(execFileSync(command, args, { cwd: folder, encoding: "utf8" }))).toMatchObject({
      train: 40,
    });
  });

  it("has a command that fails if its work is never done, or was never built", () => {
    const copy = join(folder, "copy");
    cpSync(join(ROOT, "bin"), join(copy, "bin"), { recursive: true });
    const run = () => spawnSync(process.execPath, [join(copy, "bin/pde-dirichlet.js")], { encoding: "utf8" });
    expect(run()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^pde-dirichlet: not built yet/),
    });
    mkdirSync(join(copy, "dist/cli"), { recursive: true });
    writeFileSync(join(copy, "package.json"), '{ "type": "module" }');
    const main = (body: string) =>
      writeFileSync(join(copy, "dist/cli/main.js"), `export const main = ${body};`);
    main("() => new Promise(() => {})");
    expect(run().status).toBe(13);
    main("async () => 0");
    expect(run().status).toBe(0);
  });

  it("has a library that can be imported by name", () => {
    const script = `
      import { generate, partitionDataset, fieldsInMemory } from "pde-dirichlet";
      import { openData } from "pde-dirichlet/node";
      const { train } = generate({ task: "antiderivative", seed: 1, train: 60, test: 1 });
      const responses = fieldsInMemory(train.responses, 60, [100]);
      const { partition } = await partitionDataset({ responses }, { clients: 3, bins: 4, alpha: 0.5, seed: 1, minSize: 5 });
      console.log(partition.clientOfSample.length, typeof openData);
    `;
    writeFileSync(join(folder, "try.mjs"), script);
    expect(execFileSync(process.execPath, ["try.mjs"], { cwd: folder, encoding: "utf8" })).toBe(
      "60 function\n",
    );
  });
});

describe("the README", () => {
  it("and the results have what the records say", () => {
    execFileSync(process.execPath, ["scripts/results.mjs", "--check"], { cwd: ROOT, stdio: "pipe" });
  });

  it("shows what its commands print", () => {
    const env = { ...process.env, PDE_DIRICHLET_CACHE: mkdtempSync(join(tmpdir(), "pde-dirichlet-cache-")) };
    try {
      execFileSync(process.execPath, ["scripts/update-readme.mjs", "--check"], {
        cwd: ROOT,
        env,
        stdio: "pipe",
      });
    } finally {
      rmSync(env.PDE_DIRICHLET_CACHE, { recursive: true, force: true });
    }
  }, 180_000);
});
