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

type Path = readonly (string | number)[];

/**
 * Reads the YAML of a study. `overrides` are `federation.rounds=50`: a path of fields and positions, and a value in
 * YAML. An error is one line that names file, line and field, or the override.
 */
export function readSpecification(
  text: string,
  name: string,
  overrides: readonly string[] = [],
): StudySpecification {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error) {
    throw new FormatError(
      `${name}:${error.linePos?.[0].line ?? 1}: ${error.message.split("\n")[0].replace(/ at line .*/, "")}`,
    );
  }
  const overridden = overrides.map((override) => applyOverride(document, override));
  const parsed = specificationSchema.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data;

  const { path, complaint } = describe(parsed.error.issues[0], document);
  const override = overridden.find((changed) => changed.path.every((part, i) => part === path[i]));
  if (override) throw new OptionError(`--set ${override.text}: ${complaint}`);
  throw new FormatError(`${name}:${lineOf(document, path, lines)}: ${complaint}`);
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
