import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import * as main from "../src/index.js";
import * as node from "../src/node.js";
import { VERSION } from "../src/version.js";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src");

/** Folders in the order in which data pass through them; each imports only from itself and from those before it. */
const ORDER = [
  "numerics",
  "random",
  "files",
  "options",
  "engine",
  "models",
  "equations",
  "datasets",
  "partition",
  "diagnostics",
  "protocol",
  "exchange",
  "federation",
  "records",
  "studies",
  "analysis",
  "figures",
  "report",
  "paper",
  "cli",
];

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1]);
}

function localImportsOf(file: string): string[] {
  return importsOf(file)
    .filter((name) => name.startsWith("."))
    .map((name) => relative(SOURCE, join(SOURCE, dirname(file), name)).replace(/\.js$/, ".ts"));
}

/** What is loaded when a file is: types are not. */
function valueImportsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const loaded = [...text.matchAll(/^(?:import|export)\s+(?!type\b)([^;]*?)\s*from\s*"(\.[^"]+)"/gm)].filter(
    ([, names]) => !/^\{(\s*type \w+( as \w+)?,?)*\s*\}$/.test(names),
  );
  return loaded.map(([, , name]) =>
    relative(SOURCE, join(SOURCE, dirname(file), name)).replace(/\.js$/, ".ts"),
  );
}

describe("the source", () => {
  it("has no folder that the order does not name", () => {
    const folders = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0]));
    expect([...folders].filter((folder) => !ORDER.includes(folder))).toEqual([]);
  });

  it.each(files.filter((file) => file.includes("/")))("imports forwards only in %s", (file) => {
    const own = ORDER.indexOf(file.split("/")[0]);
    for (const imported of localImportsOf(file)) {
      if (imported.includes("/")) expect(ORDER.indexOf(imported.split("/")[0])).toBeLessThanOrEqual(own);
    }
  });

  it("keeps everything that the main entry reaches free of Node's own modules", () => {
    const reached = new Set<string>(["index.ts"]);
    for (const file of reached) {
      for (const imported of importsOf(file)) expect(imported, file).not.toMatch(/^node:|\/node$/);
      for (const imported of localImportsOf(file)) reached.add(imported);
    }
    expect(reached.size).toBeGreaterThan(40);
  });

  it("lets no describing of finished runs load what made them", () => {
    const reached = (from: readonly string[]) => {
      const all = new Set(from);
      for (const file of all) for (const imported of valueImportsOf(file)) all.add(imported);
      return [...all];
    };
    const folders = (names: readonly string[]) =>
      files.filter((file) => names.includes(file.split("/")[0]) && file.includes("/"));
    const solvers = /^(equations|datasets|federation|engine|models)\//;
    for (const folder of ["records", "analysis"])
      expect(
        reached(folders([folder])).filter((file) => solvers.test(file)),
        folder,
      ).toEqual([]);
    for (const command of ["cli/report.ts", "cli/status.ts"])
      expect(
        reached([command]).filter((file) => file.startsWith("equations/")),
        command,
      ).toEqual([]);
  });

  it("lets only the paper's folder and what stands on it know the paper", () => {
    const knows = files.filter((file) => localImportsOf(file).some((name) => name.startsWith("paper/")));
    const folders = new Set(knows.map((file) => (file.includes("/") ? file.split("/")[0] : "")));
    expect([...folders].sort()).toEqual(["", "cli", "paper"]);
    const names = /antiderivative|burgers|darcy|dam-break|cylinder|flat-velocity/;
    const generic = files.filter((file) => /^(analysis|report)\//.test(file));
    const code = (file: string) =>
      readFileSync(join(SOURCE, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    expect(generic.filter((file) => names.test(code(file)))).toEqual([]);
    expect(generic.filter((file) => /["'`].*\bpaper\b/i.test(code(file)))).toEqual([]);
  });

  it("keeps library code out of the commands: the library imports none", () => {
    const importers = files.filter((file) => !file.startsWith("cli/"));
    expect(importers.filter((file) => localImportsOf(file).some((name) => name.startsWith("cli/")))).toEqual(
      [],
    );
  });

  it("names no module for nothing", () => {
    for (const file of files) expect(file).not.toMatch(/\b(utils?|helpers?|common|misc)\b/);
  });
});

describe("the package", () => {
  it("exports these names", () => {
    expect(Object.keys(main).sort()).toMatchSnapshot();
    expect(Object.keys(node).sort()).toMatchSnapshot();
  });

  it("tells its version", () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version);
  });
});
