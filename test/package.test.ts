import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAst } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

describe("the packed package", () => {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-package-"));
  const installed = join(folder, "node_modules", "pde-dirichlet");
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

  it("declares as side effects exactly the modules that do something when they are loaded", () => {
    const declared: string[] = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).sideEffects;
    const files = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".js") && !file.startsWith("page")) // nobody imports the page
      .map((file) => `./dist/${file}`);
    const active = files.filter((file) => {
      const { body } = parseAst(readFileSync(join(installed, file), "utf8"));
      return body.some(
        (one) =>
          !/Declaration$/.test(one.type) || (one.type === "ImportDeclaration" && one.specifiers.length === 0),
      );
    });
    expect(files.length).toBeGreaterThan(300);
    expect(declared.filter((file) => file.startsWith("./dist/")).sort()).toEqual(active.sort());
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

  it.each([
    {
      name: "partition",
      use: "Object.keys(it.PARTITIONERS)[0]",
      gives: "dirichlet",
      loads: [
        ...["entries", "datasets", "diagnostics", "exchange", "files", "numerics", "options", "partition"],
        ...["pipeline", "random"],
      ],
    },
    {
      name: "engine",
      use: "typeof it.gradient",
      gives: "function",
      loads: ["engine", "entries", "files", "numerics"],
    },
    {
      name: "figures",
      use: 'it.clientBinHeatmap({ panels: [{ label: "a", counts: [[1, 2], [3, 4]] }] }).startsWith("<svg")',
      gives: "true",
      loads: ["analysis", "entries", "figures"],
    },
    {
      name: "federation",
      use: 'it.runOptions({ task: "antiderivative", alpha: 1 }).clients',
      gives: "10",
      loads: [
        ...["entries", "datasets", "diagnostics", "engine", "equations", "exchange", "federation", "files"],
        ...["models", "numerics", "options", "partition", "pipeline", "random", "schedulers"],
      ],
    },
  ])(
    "has pde-dirichlet/$name, which loads no other folder than its own needs",
    ({ name, use, gives, loads }) => {
      writeFileSync(
        join(folder, "loader.mjs"),
        `import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  appendFileSync("loaded.txt", url + "\\n");
  return next(url, context);
}`,
      );
      writeFileSync(
        join(folder, "hook.mjs"),
        'import { register } from "node:module"; register("./loader.mjs", import.meta.url);',
      );
      writeFileSync(
        join(folder, "try.mjs"),
        `import * as it from "pde-dirichlet/${name}"; console.log(${use});`,
      );
      rmSync(join(folder, "loaded.txt"), { force: true });
      const output = execFileSync(process.execPath, ["--import", "./hook.mjs", "try.mjs"], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(output).toBe(`${gives}\n`);
      const loaded = readFileSync(join(folder, "loaded.txt"), "utf8");
      const folders = [...loaded.matchAll(/pde-dirichlet\/dist\/([a-z]+)\//g)].map(([, one]) => one);
      expect([...new Set(folders)].sort()).toEqual([...loads].sort());
      const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
      expect(readFileSync(join(installed, exports[`./${name}`].types), "utf8")).toContain("export");
    },
  );

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
