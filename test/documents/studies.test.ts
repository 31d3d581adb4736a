import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SOURCES } from "../../src/datasets/sources.js";
import {
  ENGINE_OPTIONS,
  FEDERATION_OPTIONS,
  SCALING_OPTIONS,
} from "../../src/federation/federation-options.js";
import { OPTIMIZERS } from "../../src/federation/optimizer-options.js";
import { STRATEGIES } from "../../src/federation/strategies/strategies.js";
import { MODELS } from "../../src/models/models.js";
import { givable, type Options } from "../../src/options/option.js";
import { optionTable } from "../../src/options/option-table.js";
import { PARTITION_OPTIONS } from "../../src/partition/partition-options.js";
import type { Partitioner } from "../../src/partition/partitioner.js";
import { PARTITIONERS } from "../../src/partition/partitioners.js";
import { builtInStudies } from "../../src/studies/built-in.js";
import { planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { specificationSchema } from "../../src/studies/specification.js";
import { codeBlocks, tableRows } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/studies.md"), "utf8");

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

/** Fields of the specification by their paths; those of `tasks` as an entry of `data` has them. */
function fieldsOf({ properties = {} }: Node, path: string[] = []): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    if (name === "tasks") return ["data", ...fieldsOf(field.items ?? {}, ["data"])];
    const own = [...path, path[0] === "data" && name === "data" ? "file" : name];
    return [own.join("."), ...(name === "optimizer" ? [] : fieldsOf(field, own))];
  });
}

const FIELDS = fieldsOf(z.toJSONSchema(specificationSchema, { io: "input", unrepresentable: "any" }) as Node);
const rows = tableRows(PAGE).filter((row) => "Field" in row);
const named = rows.map(({ Field }) => Field.slice(1, -1));

describe("the page on studies", () => {
  it("has a line for every field, and none for others", () => {
    const own = named.filter((field) => !/^[a-zA-Z0-9_]+$/.test(field) || FIELDS.includes(field));
    expect(own.filter((field) => field !== "threads").sort()).toEqual([...FIELDS].sort());
  });

  it.each(rows.filter((row) => "Example" in row))(
    "has an example of $Field that can be read",
    ({ Example }) => {
      const study = "name: a\ndata: burgers\n";
      expect(() => readSpecification(study, "a", [Example.slice(1, -1)])).not.toThrow();
    },
  );

  it("has the declared options as they are declared", () => {
    const tables: [Options, string?, object?][] = [
      [FEDERATION_OPTIONS, "federation."],
      [PARTITION_OPTIONS, "partition."],
      [{ ...SCALING_OPTIONS, ...ENGINE_OPTIONS }],
      ...Object.values(OPTIMIZERS).map(({ options }): [Options, string, object] => [
        options,
        "",
        { flags: false },
      ]),
      ...Object.values<Partitioner>(PARTITIONERS)
        .map(({ options: { alpha: _, ...options } }) => givable(options))
        .filter((options) => Object.keys(options).length > 0)
        .map((options): [Options, string, object] => [options, "", { flags: false }]),
      ...Object.values(STRATEGIES)
        .filter(({ options }) => Object.keys(options).length > 0)
        .map(({ options }): [Options, string, object] => [options, "", { flags: false }]),
      ...Object.values(MODELS).map(({ options }): [Options, string, object] => [
        options,
        "",
        { flags: false },
      ]),
      ...Object.values(SOURCES)
        .filter(({ parameters }) => Object.keys(parameters).length > 0)
        .map(({ parameters }): [Options, string, object] => [parameters, "", { flags: false }]),
    ];
    for (const table of tables) expect(PAGE).toContain(optionTable(...table));
    expect(PAGE.match(/^\| Field \|/gm)).toHaveLength(tables.length + 2);
  });

  it("has examples that are studies", async () => {
    const [, flow, grid, splits] = codeBlocks(PAGE, "yaml").map((text) => readSpecification(text, "page"));
    expect(flow.tasks[0]).toMatchObject({ data: "ns.npz", responses: "u" });
    expect(PAGE).toContain(`= ${(await planStudy(grid)).runs.length} runs`);
    // For each of five seeds: alphas of dirichlet and client-dirichlet, iid, and shards of two kinds.
    expect((await planStudy(splits)).runs).toHaveLength(5 * (2 * 3 + 1 + 2));
  });

  it("names the studies that come along", async () => {
    for (const study of await builtInStudies()) expect(PAGE).toContain(`\`${study}\``);
  });
});
