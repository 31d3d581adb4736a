import { dirname, isAbsolute, join } from "node:path";
import {
  type Document,
  isCollection,
  isNode,
  isSeq,
  LineCounter,
  type ParsedNode,
  parse,
  parseDocument,
} from "yaml";
import type { z } from "zod";
import { FormatError, OptionError } from "../errors.js";
import { type StudySpecification, specificationSchema } from "./specification.js";

/** Letters of the longest study. */
const LONGEST = 1 << 16;

/** A field of a study: names and positions, from the outside in. */
export type FieldPath = readonly (string | number)[];
type Path = FieldPath;

/** What a study's YAML says, and where. */
export interface LocatedSpecification {
  readonly specification: StudySpecification;
  /** Where a field was given, as `x.yaml:3: tasks.0.data` or as the override; of several, the first that was. */
  where(...fields: readonly FieldPath[]): string;
}

/**
 * Reads the YAML of a study. `overrides` are `federation.rounds=50`: a path of fields and positions, and a value in
 * YAML. An error is one line that names file, line and field, or the override. Files of data that the YAML names are
 * looked for from its own folder, those of overrides from the working one.
 */
export function readSpecification(
  text: string,
  name: string,
  overrides: readonly string[] = [],
): StudySpecification {
  return locateSpecification(text, name, overrides).specification;
}

/** The same with the places of its fields, for mistakes that show later. */
export function locateSpecification(
  text: string,
  name: string,
  overrides: readonly string[] = [],
): LocatedSpecification {
  const lines = new LineCounter();
  if (text.length > LONGEST)
    throw new FormatError(`${name} has ${text.length} letters: a study is at most ${LONGEST} long`);
  // Pretty errors would show the text around each of thousands, in quadratic time.
  const options = { lineCounter: lines, prettyErrors: false };
  const document = readable(name, () => parseDocument(text, options));
  const [error] = document.errors;
  if (error) {
    throw new FormatError(
      `${name}:${lines.linePos(error.pos[0]).line}: ${error.message.split("\n")[0].replace(/ at line .*/, "")}`,
    );
  }
  const overridden = overrides.map((override) => applyOverride(document, override));
  const parsed = readable(name, () => specificationSchema.safeParse(plainValue(document) ?? {}));
  const overrideOf = (path: Path) =>
    overridden.find((changed) => changed.path.every((part, i) => part === path[i]));
  if (parsed.success) {
    const tasks = parsed.data.tasks.map((task, i) => {
      const isOwn = task.data !== undefined && !overrideOf(["tasks", i, "data"]);
      return isOwn && !isAbsolute(task.data!) ? { ...task, data: join(dirname(name), task.data!) } : task;
    });
    const where = (...fields: readonly Path[]) => {
      const path = fields.find((field) => document.hasIn(field)) ?? fields[fields.length - 1];
      const override = overrideOf(path);
      if (override) return `--set ${override.text}`;
      return `${name}:${lineOf(document, path, lines)}: ${fieldName(path)}`;
    };
    return { specification: { ...parsed.data, tasks }, where };
  }

  const { path, complaint } = describe(parsed.error.issues[0], document);
  const override = overrideOf(path);
  if (override) throw new OptionError(`--set ${override.text}: ${complaint}`);
  throw new FormatError(`${name}:${lineOf(document, path, lines)}: ${complaint}`);
}

/** What the document says. Aliases are unfolded: one that is missing, holds itself or grows without end is refused. */
function plainValue(document: Document): unknown {
  const value = document.toJS();
  JSON.stringify(value); // throws where a value holds itself
  return value;
}

/** Runs what can fail on odd YAML, and says so in one line. */
function readable<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new FormatError(`${name}: cannot read the YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}

function applyOverride(document: Document, text: string): { readonly path: Path; readonly text: string } {
  const equals = text.indexOf("=");
  if (equals < 1) throw new OptionError(`--set takes field=value, as federation.rounds=50, not "${text}"`);
  const path = text
    .slice(0, equals)
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  try {
    document.setIn(path, document.createNode(parse(text.slice(equals + 1))));
  } catch (error) {
    throw new OptionError(`--set ${text}: ${(error as Error).message.split("\n")[0]}`);
  }
  return { path, text };
}

/** What is wrong, as one clause with the field's full name. */
function describe(issue: z.core.$ZodIssue, document: Document): { path: Path; complaint: string } {
  const path = pathInFile(document, issue.path as Path);
  if (issue.code === "unrecognized_keys") {
    const key = [...path, issue.keys[0]];
    return { path: key, complaint: `there is no field ${fieldName(key)}; ${issue.message}` };
  }
  const value = valueAt(document, path);
  const field = fieldName(path);
  if (value === undefined) return { path, complaint: `${field} is missing: ${issue.message}` };
  return { path, complaint: `${field} is ${issue.message}, not ${JSON.stringify(value)}` };
}

function fieldName(path: Path): string {
  return path.length === 0 ? "a study" : path.join(".");
}

/** The path without positions in an axis that the file gives as one value. */
function pathInFile(document: Document, path: Path): Path {
  const kept: (string | number)[] = [];
  for (const part of path) {
    const around = kept.length === 0 ? document.contents : document.getIn(kept, true);
    if (typeof part === "string" || isSeq(around)) kept.push(part);
  }
  return kept;
}

function valueAt(document: Document, path: Path): unknown {
  const found = path.length === 0 ? (document.contents ?? undefined) : document.getIn(path);
  return isCollection(found) ? found.toJS(document) : found;
}

/** The line of a field, or of the nearest one around it that the file has. */
function lineOf(document: Document<ParsedNode>, path: Path, lines: LineCounter): number {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
