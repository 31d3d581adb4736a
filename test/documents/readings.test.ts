import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { partitionCommand } from "../../src/cli/partition.js";
import { SOURCES } from "../../src/datasets/sources.js";
import { taskOf } from "../../src/datasets/tasks.js";
import { EPSILON } from "../../src/diagnostics/gradient-dissimilarity.js";
import { runOptions } from "../../src/federation/run-options.js";
import { PAPER_REPAIR } from "../../src/partition/repair.js";
import { builtInStudies } from "../../src/studies/built-in.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { buildOnGrid } from "../models/build-on-grid.js";
import { tableRows } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/readings.md"), "utf8");
const rows = new Map(
  tableRows(PAGE)
    .filter((row) => "Point" in row)
    .map((row) => [row.Point, row]),
);
const source = (path: string) => readFileSync(join(ROOT, path), "utf8");
const options = (task: "burgers" | "darcy" | "cylinder" | "flat-velocity") => runOptions({ task, alpha: 1 });

const plane = { inputShape: [32, 32], responseShape: [32, 32] };
const gathers = { inputShape: [5, 125, 70], responseShape: [70, 70] };
const [fno, inversion] = [
  buildOnGrid("fno", plane).architecture,
  buildOnGrid("inversion-net", gathers).architecture,
];

/** What the program does where nothing is said, by the page's points. */
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  "Repair rule": [`repair = ${PAPER_REPAIR}`, `repair = ${options("burgers").repair}`],
  "Scaling of data for DeepONet": [`normalise = ${options("burgers").normalise}`],
  "Scaling of data for FNO2D": [`normalise = ${options("darcy").normalise}`],
  "Darcy flow": Object.entries(taskOf("darcy").parameters).map(([name, value]) => `${name} = ${value}`),
  "Shallow water": [`grid = ${taskOf("dam-break").parameters.grid}`],
  "Cylinder flow": [`grid = ${taskOf("cylinder").parameters.grid}`],
  FNO2D: [`padding = ${fno.padding}`, `projection = ${fno.projection}`],
  "InversionNet-lite": [`width = ${inversion.width}`, `activation = ${inversion.activation ?? "leaky-relu"}`],
  "Normalisation between layers": [`normalisation = ${inversion.normalisation}`],
};

describe("the page of readings", () => {
  it.each(Object.entries(DEFAULTS))("names the defaults of %s that the program has", (point, defaults) => {
    const shown = [...rows.get(point)!.Here.matchAll(/`([\w-]+ = [^`]+)`/g)].map(([, text]) => text);
    expect(shown).toEqual(expect.arrayContaining([...defaults]));
  });

  it("has the numbers of the program in its words", () => {
    const here = (point: string) => rows.get(point)!.Here;
    const depth = (task: string) => SOURCES[task].model.options.depth;
    const { startUp, interval, reynoldsMin, reynoldsMax } = taskOf("cylinder").parameters;
    expect(here("Cylinder flow")).toContain(`after ${startUp} d/u, and ${interval} d/u later`);
    expect(here("Cylinder flow")).toContain(`log-uniform in ${reynoldsMin} to ${reynoldsMax}`);
    expect(here("Shallow water")).toContain(`t = 0 and t = ${taskOf("dam-break").parameters.time}`);
    expect(here("Depth of a DeepONet")).toContain(
      `\`depth = ${depth("antiderivative")}\`, \`${depth("burgers")}\` and \`${depth("diffusion-reaction")}\``,
    );
    expect(here("Batch of field tasks")).toMatch(new RegExp(`^${options("darcy").batch}; `));
    expect(here("ε of H_g^norm and D_θ")).toBe("10⁻¹²");
    expect(EPSILON).toBe(1e-12);
    for (const [path, constant] of [
      ["src/diagnostics/input-distance.ts", "const PER_CLIENT = 64;"],
      ["src/diagnostics/input-distance.ts", "const IN_ALL = 1280;"],
      ["src/numerics/k-means.ts", "maxIterations = 300"],
      ["src/models/deeponet-network.ts", 'activation = "relu"'],
      ["src/models/fno.ts", 'activation: "gelu"'],
    ])
      expect(source(path)).toContain(constant);
    expect(here("Activation of DeepONet")).toBe("`activation = relu`");
    expect(here("FNO2D")).toContain("`activation = gelu`");
  });

  it("says which rule of repair the bundled studies state", async () => {
    for (const name of await builtInStudies()) {
      const { partition } = readSpecification(source(`studies/${name}.yaml`), name);
      expect(partition.repair, name).toEqual([PAPER_REPAIR]);
    }
  });

  it("names files that are there, and options that studies and commands have", () => {
    const where = [...rows.values()].map(({ Where }) => Where);
    for (const [, path] of where.join("\n").matchAll(/`(src\/[^`]+)`/g))
      expect(existsSync(join(ROOT, path)), path).toBe(true);
    const studies = source("docs/studies.md");
    // Parameters of a task stand in tables of their own.
    for (const [, field] of where.join("\n").matchAll(/`((?:partition|data)\.\w+)`/g))
      expect(studies).toMatch(new RegExp(`\\| \`(${field}|${field.replace("data.", "")})\` \\|`));
    const flags = partitionCommand().options.map(({ long }) => long);
    for (const [, option] of where.join("\n").matchAll(/`(--[\w-]+)`/g)) expect(flags).toContain(option);
    expect(where.every((text) => /`/.test(text))).toBe(true);
  });

  it("cites sections, tables and appendices that the paper has, and none of its labels", () => {
    expect(PAGE).not.toMatch(/\b(sec|tab|fig|eq|app|alg):[a-z]/);
    for (const [, section] of PAGE.matchAll(/Section (\d\.\d)/g))
      expect(section).toMatch(/^(2\.[1-6]|4\.[1-3])$/);
    for (const [, table] of PAGE.matchAll(/Table (\d)/g)) expect(table).toMatch(/^[1-4]$/);
    for (const [, appendix] of PAGE.matchAll(/Appendix (\w)/g)) expect(appendix).toMatch(/^[A-K]$/);
  });

  it("is where the pages on studies and training send readers", () => {
    expect(source("docs/studies.md")).toContain("](readings.md)");
    expect(source("src/cli/train.ts")).toContain("docs/readings.md");
  });
});
