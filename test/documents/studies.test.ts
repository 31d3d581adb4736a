import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TASK_NAMES, taskOf } from "../../src/datasets/tasks.js";
import { UserError } from "../../src/errors.js";
import { DEEPONETS } from "../../src/federation/task-operator.js";
import type { Model } from "../../src/models/model.js";
import { MODELS } from "../../src/models/models.js";
import { builtInStudies } from "../../src/studies/built-in.js";
import { planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { specificationSchema } from "../../src/studies/specification.js";
import { codeBlocks, tableRows } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/studies.md"), "utf8");
const MINIMAL = "name: a\ntasks: [{ task: antiderivative }]\n";

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly oneOf?: readonly Node[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
}

/** Every field of the specification by its path, as `--set` names it; alternatives of a map are one. */
function fieldsOf(node: Node, path: string[] = []): [string, Node][] {
  const inside = node.items ?? node;
  const position = node.items?.properties ? ["0"] : [];
  return [inside, ...(inside.oneOf ?? [])].flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, field]): [string, Node][] => {
      const own = [...path, ...position, name];
      return [[own.join("."), field], ...fieldsOf(field, own)];
    }),
  );
}

const schema = z.toJSONSchema(specificationSchema, { io: "input", unrepresentable: "any" }) as Node;
const FIELDS = new Map(fieldsOf(schema));
const rows = new Map(
  tableRows(PAGE)
    .filter((row) => "Field" in row)
    .map((row) => [row.Field.slice(1, -1), row]),
);

describe("the page on studies", () => {
  it("has a line for every field, and none for others", () => {
    expect([...rows.keys()].sort()).toEqual([...FIELDS.keys()].sort());
  });

  it.each([...FIELDS])("says of %s what it may be and what it is if left out", (field, node) => {
    const row = rows.get(field)!;
    const { enum: words, default: usual = {}, minimum } = node;
    if (row.Type.startsWith("whole")) expect(row.Type).toContain(`from ${minimum ?? node.items?.minimum}`);
    for (const word of words ?? []) expect(row.Type).toContain(`\`${word}\``);
    expect(row.Meaning).not.toBe("");
    const [, value] = /^`([^`]*)`$/.exec(row.Default) ?? [];
    if (value !== undefined && !rows.has(value))
      expect(readSpecification(MINIMAL, "a", [`${field}=${value}`])).toEqual(readSpecification(MINIMAL, "a"));
    else if (typeof usual === "number") expect(row.Default).toContain(String(usual));
    else expect(usual, "fields of its own").toEqual({});
  });

  it.each([...rows])("has an example of %s that some task takes", (_, { Example }) => {
    const takes = (task: string) => {
      try {
        const study = [MINIMAL.replace("antiderivative", task), "a", [Example.slice(1, -1)]] as const;
        return readSpecification(...study) !== undefined;
      } catch (error) {
        if (error instanceof UserError) return false;
        throw error;
      }
    };
    expect(TASK_NAMES.filter(takes)).not.toEqual([]);
  });

  it("has a line for every option of every model", () => {
    for (const size of ["width", "depth"] as const) {
      const sizes = Object.values(DEEPONETS).map((one) => one[size]);
      expect(PAGE).toContain(`${sizes.join(", ")} for the three tasks`);
    }
    const models: readonly Model[] = Object.values(MODELS);
    const shown = tableRows(PAGE).filter((row) => "Option" in row);
    expect(shown.map(({ Model, Option }) => [Model, Option])).toEqual(
      models.flatMap(({ title, options }) => Object.keys(options).map((option) => [title, `\`${option}\``])),
    );
    for (const { Model, Option, Type, Default } of shown) {
      const option = models.find(({ title }) => title === Model)!.options[Option.slice(1, -1)];
      const { default: usual, defaultWords } = option;
      expect(Default).toContain(defaultWords ?? `\`${usual}\``);
      if (option.kind === "whole") expect(Type).toBe(`whole number from ${option.from}`);
      if (option.kind === "choice") for (const word of option.values) expect(Type).toContain(`\`${word}\``);
    }
  });

  it("has examples that are studies", async () => {
    const plans = codeBlocks(PAGE, "yaml").map((text) => planStudy(readSpecification(text, "page")));
    const [, grid] = await Promise.all(plans);
    expect(PAGE).toContain(`= ${grid.runs.length} runs`);
  });

  it("names the studies that come along, and the parameters of tasks", async () => {
    for (const study of await builtInStudies()) expect(PAGE).toContain(`\`${study}\``);
    for (const [field, { Meaning }] of rows) {
      const owners = TASK_NAMES.filter((task) => field.slice("tasks.0.".length) in taskOf(task).parameters);
      if (field.startsWith("tasks.0.")) for (const task of owners) expect(Meaning).toContain(task);
    }
  });
});
