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
  "pipeline",
  "exchange",
  "federation",
  "records",
  "studies",
  "analysis",
  "theory",
  "figures",
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
