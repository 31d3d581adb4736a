import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as engine from "../src/entries/engine.js";
import * as federation from "../src/entries/federation.js";
import * as figures from "../src/entries/figures.js";
import * as partition from "../src/entries/partition.js";
import * as main from "../src/index.js";
import * as node from "../src/node.js";
import { VERSION } from "../src/version.js";
import { folderOf, importsOf, partOf, ROOT, reachedFrom, SOURCE, sourceFiles } from "./source-imports.js";

/**
 * The folders in the order in which data pass through them, each with those that it may import from. An edge that is not
 * listed here is a decision: add it only if the folder cannot do its work without it.
 */
const EDGES: Readonly<Record<string, readonly string[]>> = {
  numerics: [],
  random: ["numerics"],
  schedulers: [],
  files: ["numerics", "schedulers"],
  options: [],
  engine: ["numerics", "files"],
  models: ["numerics", "random", "options", "engine"],
  equations: ["numerics", "random"],
  datasets: ["numerics", "random", "schedulers", "files", "options", "equations"],
  partition: ["numerics", "random", "options", "datasets"],
  diagnostics: ["numerics", "random", "datasets", "partition"],
  pipeline: ["numerics", "datasets", "partition", "diagnostics"],
  exchange: ["numerics", "random", "files", "datasets", "partition", "diagnostics", "pipeline"],
  federation: [
    ...["numerics", "random", "options", "engine", "models", "datasets"],
    ...["partition", "diagnostics", "pipeline", "exchange"],
  ],
  records: [
    ...["numerics", "random", "files", "models"],
    ...["partition", "diagnostics", "pipeline", "exchange"],
  ],
  studies: [
    ...["numerics", "random", "files", "options", "models", "datasets"],
    ...["partition", "pipeline", "exchange", "federation", "records", "schedulers"],
  ],
  tracking: ["files", "records"],
  analysis: ["files", "diagnostics", "records"],
  figures: ["files", "records", "analysis"],
  report: ["files", "records", "studies", "analysis", "figures"],
  paper: [
    ...["numerics", "random", "files", "engine", "models", "datasets", "partition", "diagnostics"],
    ...["federation", "records", "analysis", "figures", "report"],
  ],
  studio: [
    ...["numerics", "files", "options", "engine", "models", "datasets", "partition", "diagnostics"],
    ...["pipeline", "exchange", "federation", "records", "studies", "analysis", "figures", "report"],
  ],
  cli: [
    ...["files", "options", "engine", "models", "datasets", "partition", "diagnostics", "pipeline"],
    ...["exchange", "federation", "records", "studies", "tracking", "analysis", "figures", "report"],
    ...["paper", "studio", "schedulers"],
  ],
  entries: [
    ...["numerics", "engine", "models", "datasets", "partition", "diagnostics", "pipeline"],
    ...["exchange", "federation", "figures"],
  ],
};

/** Edges that still exist and have to go. */
const LEAVING: readonly string[] = [];

/** Folders with more files than `MOST_FILES`, and how many they have: none may grow. */
const MOST_FILES = 30;
const CROWDED: Readonly<Record<string, number>> = {};

/** Every edge between folders, with the files that have it. */
function edges(): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const file of sourceFiles)
    for (const { from, isLocal } of importsOf(file)) {
      const [own, other] = [folderOf(file), isLocal ? folderOf(from) : undefined];
      if (!own || !other || own === other) continue;
      const edge = `${own} -> ${other}`;
      all.set(edge, [...(all.get(edge) ?? []), file]);
    }
  return all;
}

describe("the folders of the source", () => {
  const found = edges();
  const listed = Object.entries(EDGES).flatMap(([folder, others]) =>
    others.map((one) => `${folder} -> ${one}`),
  );

  it("are those that the list of edges names", () => {
    expect(Object.keys(EDGES).sort()).toEqual(
      [...new Set(sourceFiles.flatMap((file) => folderOf(file) ?? []))].sort(),
    );
  });

  it("import from each other only along listed edges", () => {
    const others = [...found].filter(([edge]) => !listed.includes(edge) && !LEAVING.includes(edge));
    expect(Object.fromEntries(others)).toEqual({});
  });

  it("use every edge that is listed", () => {
    expect([...listed, ...LEAVING].filter((edge) => !found.has(edge))).toEqual([]);
  });

  it("come after all that they import from", () => {
    const order = Object.keys(EDGES);
    const backwards = listed.filter((edge) => {
      const [own, other] = edge.split(" -> ");
      return order.indexOf(other) >= order.indexOf(own);
    });
    expect(backwards).toEqual([]);
  });

  it("load each other without cycles, and so do the folders of the engine", () => {
    const loaded = new Map<string, Set<string>>();
    for (const file of sourceFiles)
      for (const { from, isLocal, isValue } of importsOf(file)) {
        const [own, other] = [partOf(file), isLocal && isValue ? partOf(from) : partOf(file)];
        if (own === other || LEAVING.includes(`${own} -> ${other}`)) continue;
        loaded.set(own, (loaded.get(own) ?? new Set()).add(other));
      }
    expect(loaded.get("engine/cuda")).toContain("engine/cuda/plan/graph");
    expect(cycleIn(loaded)).toEqual([]);
  });

  it(`have at most ${MOST_FILES} files of their own, or no more than they had`, () => {
    const folders = readdirSync(SOURCE, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const sizes = new Map<string, number>();
    for (const { parentPath } of folders) {
      const name = parentPath.slice(SOURCE.length + 1);
      sizes.set(name, (sizes.get(name) ?? 0) + 1);
    }
    const crowded = [...sizes].filter(([name, size]) => size > Math.max(MOST_FILES, CROWDED[name] ?? 0));
    expect(crowded).toEqual([]);
    const relieved = Object.keys(CROWDED).filter((name) => (sizes.get(name) ?? 0) <= MOST_FILES);
    expect(relieved, "take these off the list").toEqual([]);
  });

  it("fit and normalise responses in the pipeline alone", () => {
    const owners = ["partition/bins.ts", "partition/normalise.ts"];
    const users = sourceFiles.filter((file) =>
      importsOf(file).some(({ from, isValue }) => isValue && owners.includes(from)),
    );
    const outside = users.filter((file) => !/^(partition|pipeline|entries)\/|^index\.ts$/.test(file));
    const allowed = /\b(fitBins|applyBins|normaliseResponses|applyNormalisation)\b/;
    expect(outside.filter((file) => allowed.test(readFileSync(join(SOURCE, file), "utf8")))).toEqual([]);
  });
});

/** A way from a part back to itself, along what is loaded; empty if there is none. */
function cycleIn(loaded: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>();
  const visit = (part: string, path: readonly string[]): string[] => {
    if (path.includes(part)) return [...path.slice(path.indexOf(part)), part];
    if (done.has(part)) return [];
    for (const next of loaded.get(part) ?? []) {
      const cycle = visit(next, [...path, part]);
      if (cycle.length > 0) return cycle;
    }
    done.add(part);
    return [];
  };
  for (const part of loaded.keys()) {
    const cycle = visit(part, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

describe("the source", () => {
  it.each(["index.ts", "entries/partition.ts", "entries/engine.ts", "entries/figures.ts"])(
    "keeps everything that %s reaches free of Node's own modules",
    (entry) => {
      const reached = reachedFrom(entry);
      for (const file of reached)
        for (const { from, isLocal } of importsOf(file))
          if (!isLocal) expect(from, file).not.toMatch(/^node:|\/node$/);
      expect(reached.size).toBeGreaterThan(10);
    },
  );

  it("lets no describing of finished runs load what made them", () => {
    const reached = (from: readonly string[]) => [...new Set(from.flatMap((file) => [...reachedFrom(file)]))];
    const folders = (names: readonly string[]) =>
      sourceFiles.filter((file) => names.includes(folderOf(file) ?? ""));
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
    const knows = sourceFiles.filter((file) => importsOf(file).some(({ from }) => from.startsWith("paper/")));
    const folders = new Set(knows.map((file) => (file.includes("/") ? file.split("/")[0] : "")));
    expect([...folders].sort()).toEqual(["", "cli", "paper"]);
    const names = /antiderivative|burgers|darcy|dam-break|cylinder|flat-velocity/;
    const generic = sourceFiles.filter((file) => /^(analysis|report)\//.test(file));
    const code = (file: string) =>
      readFileSync(join(SOURCE, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    expect(generic.filter((file) => names.test(code(file)))).toEqual([]);
    expect(generic.filter((file) => /["'`].*\bpaper\b/i.test(code(file)))).toEqual([]);
  });

  it("keeps library code out of the commands: the library imports none", () => {
    const importers = sourceFiles.filter((file) => !file.startsWith("cli/"));
    expect(importers.filter((file) => importsOf(file).some(({ from }) => from.startsWith("cli/")))).toEqual(
      [],
    );
  });

  it("names no module for nothing", () => {
    for (const file of sourceFiles) expect(file).not.toMatch(/\b(utils?|helpers?|common|misc)\b/);
  });
});

describe("the package", () => {
  it("exports these names", () => {
    expect(Object.keys(main).sort()).toMatchSnapshot();
    expect(Object.keys(node).sort()).toMatchSnapshot();
  });

  it.each(Object.entries({ partition, engine, federation, figures }))(
    "exports these names for %s",
    (_, entry) => {
      expect(Object.keys(entry).sort()).toMatchSnapshot();
    },
  );

  it("tells its version", () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version);
  });
});
